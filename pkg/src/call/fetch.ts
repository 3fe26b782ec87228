/** `policy.fetch`: a `fetch` under a policy, for clients that take one. */

import * as engine from '../core/engine.js';
import { AgentError } from '../error/agent-error.js';
import { thrownBy } from '../error/ensure-ok.js';
import { failedAttempt } from '../event/records.js';
import type { Policy } from '../policy/policy.js';
import { deferred, type Resolvers } from '../promises.js';
import type { Attempt } from './attempt.js';
import { Call } from './call.js';
import type { Ending } from './state.js';
import { type BodyWatch, hasBody, watched } from './watched-body.js';

/** A guarded `fetch`: rejects and resolves as `fetch` does, after the policy has done what it can. */
export function guardedFetch(policy: Policy<unknown>): typeof fetch {
  return async (input, init) => {
    const caller = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    const answer = deferred<Response>();
    const call = new FetchCall(policy, input, init, caller ?? undefined, answer);
    call.start();
    try {
      return call.watched(await answer.promise);
    } catch (error) {
      const response = call.lastResponse(error);
      if (response !== undefined) return response;
      if (caller?.aborted) throw caller.reason;
      throw new TypeError('fetch failed', { cause: error });
    }
  };
}

/** What the breaker was told of an answer whose body is on its way. */
interface Begun {
  readonly breaker: number;
  readonly answer: number;
  readonly instance: number;
  /** When the answer began, on the policy's clock. */
  readonly at: number;
}

class FetchCall extends Call<Response> implements BodyWatch {
  private answered: { response: Response; thrown: unknown } | undefined = undefined;
  private readonly caller: AbortSignal | undefined;
  private begun: Begun | undefined = undefined;

  constructor(
    policy: Policy<unknown>,
    input: string | URL | Request,
    init: RequestInit | undefined,
    caller: AbortSignal | undefined,
    ends: Resolvers<Response>,
  ) {
    // A body that streams is gone after the first attempt.
    const options = { signal: caller, ...(isOneShot(init?.body) ? { retry: false as const } : {}) };
    super(policy, (context) => this.attemptFetch(input, init, caller, context as Attempt), options, ends);
    this.caller = caller;
  }

  /** The response as the client gets it. */
  watched(response: Response): Response {
    const watches = this.begun !== undefined || this.policy.observed;
    return watches && response.ok && hasBody(response) ? watched(response, this) : response;
  }

  completed(): void {
    this.tellBreaker(engine.COMPLETED);
  }

  /** The promise was kept long ago; the attempt failed all the same, and the breaker is told so, once. */
  brokeOff(thrown: unknown, received: number): void {
    const { policy, settings, attempts } = this;
    if (this.caller?.aborted) return;
    const failure = this.read(thrown);
    const { error } = failure;
    if (error.code === 'CANCELLED') return;
    const counted = this.begun !== undefined && settings.countsAsFailure(error, this.report);
    const durationMs = this.begun === undefined ? 0 : policy.time.now() - this.begun.at;
    const call = this as Ending<unknown>;
    policy.tell(call, { type: 'stream.broken', attempt: attempts, received, action: 'fail' });
    policy.tell(call, failedAttempt(failure, { attempt: attempts, durationMs, counted }));
    if (counted) this.tellBreaker(engine.BROKEN_OFF);
  }

  /** A success, and to be taken back if the body breaks off. */
  protected override tellSuccess(attempt: Attempt, response: Response): number {
    const { policy, settings } = this;
    if (settings.breaker === undefined || !hasBody(response)) return super.tellSuccess(attempt, response);
    return this.tellEngine((handle, at) => {
      const breaker = settings.breaker?.handle ?? 0;
      const tookMs = policy.timed ? at - attempt.startedAt : Number.NaN;
      const word = engine.attemptAnswered(policy.handle, handle, at, tookMs);
      const answer = engine.answerBegun();
      if (!Number.isNaN(answer)) {
        this.begun = { breaker, answer, instance: engine.instanceNumber(), at };
      }
      return word;
    });
  }

  private tellBreaker(outcome: number): void {
    const { begun, policy } = this;
    this.begun = undefined;
    if (begun === undefined || begun.instance !== engine.instanceNumber()) return;
    const now = policy.time.now();
    const ageMs = Math.floor(now - begun.at);
    try {
      if (engine.breakerEnd(begun.breaker, begun.answer, outcome, ageMs, now)) {
        policy.drain(this as Ending<unknown>);
      }
    } catch (error) {
      policy.coreFailed(error);
    }
  }

  /** What a policy's fallback answers is no response. */
  protected override get fallsBack(): boolean {
    return false;
  }

  /** The response that the call's last attempt ended with, where it ended with one. */
  lastResponse(error: unknown): Response | undefined {
    if (this.answered === undefined || !AgentError.is(error)) return undefined;
    const last = error.errors.at(-1);
    const isOfResponse = last?.provider.originalError === this.answered.thrown;
    return isOfResponse && error.code === last?.code ? this.answered.response : undefined;
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
    const thrown = await thrownBy(response.clone(), this.policy.time);
    if (context === this.attempt) this.answered = { response, thrown };
    throw thrown;
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
