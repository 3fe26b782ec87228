/** The facts of a failed request that only its policy knows, beside the error that a client makes of the response. */

/** A provider and a model, as far as they are known. */
interface Target {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The changes of the request, in words, which did not help. */
  readonly tried?: readonly string[] | undefined;
  /** The past of its failure, so that a policy around the client does not do the same again. */
  readonly past?: Past | undefined;
}

/** The past of an error: the calls that have failed with it. */
export interface Past {
  /** `true` if one of them has retried it, and given up. */
  readonly gaveUp: boolean;
  /** The policies whose calls have failed with it, and their breakers. */
  readonly failed: readonly object[];
}

/** By the headers of its response: the clients of OpenAI and Anthropic keep them in the errors that they make of it. */
const targets = /* @__PURE__ */ new WeakMap<object, Target>();

/** Keeps the facts of a failed response's request. The client that gets the response throws an error of its own. */
export function noteTarget(headers: object, target: Target): void {
  targets.set(headers, target);
}

/** Returns the target of the request behind an error that a client made from a failing response. */
export function targetOf(error: unknown): Target | undefined {
  try {
    const headers: unknown = (error as { headers?: unknown } | null | undefined)?.headers;
    return typeof headers === 'object' && headers !== null ? targets.get(headers) : undefined;
  } catch {
    return undefined; // A getter or a proxy that throws.
  }
}
