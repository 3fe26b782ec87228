/** Whom a failed request went to, where only the policy knew it. */

/** A provider and a model, as far as they are known. */
interface Target {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  /** The changes of the request, in words, which did not help. */
  readonly tried?: readonly string[] | undefined;
}

/** By the headers of its response: the clients of OpenAI and Anthropic keep them in the errors that they make of it. */
const targets = /* @__PURE__ */ new WeakMap<object, Target>();

/** Keeps whom the request of a failed response went to. The client that gets the response throws an error of its own. */
export function noteTarget(headers: object, { provider, model }: Target, tried?: readonly string[]): void {
  targets.set(headers, { provider, model, tried });
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
