/** `policy.fetch`: a `fetch` under a policy, for clients that take one. */

import type { Attempt } from './attempt.js';
import { Call } from './call.js';
import { ensureOk } from './ensure-ok.js';
import { AgentError } from './errors.js';
import type { Policy } from './policy.js';

/** A guarded `fetch`: rejects and resolves as `fetch` does, after the policy has done what it can. */
export function guardedFetch(policy: Policy<unknown>): typeof fetch {
  return async (input, init) => {
    const caller = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const call = new FetchCall(policy, input, init, caller ?? undefined);
    try {
      return await call.start().promise;
    } catch (error) {
      const response = call.lastResponse(error);
      if (response !== undefined) return response;
      if (caller?.aborted) throw caller.reason;
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}

class FetchCall extends Call<Response> {
  private answered: { response: Response; error: unknown } | undefined = undefined;

  constructor(
    policy: Policy<unknown>,
    input: string | URL | Request,
    init: RequestInit | undefined,
    caller: AbortSignal | undefined,
  ) {
    super(policy, (context) => this.attemptFetch(input, init, caller, context as Attempt), {
      signal: caller,
      // A body that streams is gone after the first attempt.
      ...(isOneShot(init?.body) ? { retry: false as const } : {}),
    });
  }

  /** What a policy's fallback answers is no response. */
  protected override get fallsBack(): boolean {
    return false;
  }

  /** The response that the call's last attempt ended with, where it ended with one. */
  lastResponse(error: unknown): Response | undefined {
    if (this.answered === undefined || !AgentError.is(error)) return undefined;
    return error.errors.at(-1) === this.answered.error && error.code === error.errors.at(-1)?.code
      ? this.answered.response
      : undefined;
  }

  private async attemptFetch(
    input: string | URL | Request,
    init: RequestInit | undefined,
    caller: AbortSignal | undefined,
    context: Attempt,
  ): Promise<Response> {
    // Nobody will read the response of the attempt before.
    const before = this.answered?.response.body;
    this.answered = undefined;
    if (before != null && !before.locked) before.cancel().catch(() => {});
    const signal = either(caller, context.signal);
    const target = input instanceof Request ? input.clone() : input;
    const response = await globalThis.fetch(target, { ...init, signal });
    context.observe({ headers: response.headers });
    if (response.ok) return response;
    // The copy is read for the reason; the client gets the other one whole.
    try {
      await ensureOk(response.clone());
    } catch (error) {
      if (context === this.attempt) this.answered = { response, error };
      throw error;
    }
    return response;
  }
}

/** Aborts with either, for as long as the body streams: the call is over long before that. */
function either(caller: AbortSignal | undefined, attempt: AbortSignal): AbortSignal {
  if (caller === undefined) return attempt;
  if (typeof AbortSignal.any === 'function') return AbortSignal.any([caller, attempt]);
  // Node 18. The listener on the caller's signal lives as long as that signal does.
  const both = new AbortController();
  for (const signal of [caller, attempt]) {
    if (signal.aborted) both.abort(signal.reason);
    else signal.addEventListener('abort', () => both.abort(signal.reason), { once: true });
  }
  return both.signal;
}

function isOneShot(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (typeof ReadableStream !== 'undefined' && body instanceof ReadableStream) return true;
  // Node's fetch takes async iterables; strings, buffers, forms and blobs can be sent again.
  return Symbol.asyncIterator in body && !(typeof Blob !== 'undefined' && body instanceof Blob);
}
