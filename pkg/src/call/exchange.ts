/**
 * The part that all guarded exchanges of a request for a response share: those of `policy.fetch`, `answerFetch`, MCP's
 * middleware, undici's interceptor. It keeps the response that the last attempt failed with, because the client makes its own
 * error of it, and releases every other response: an unread body holds its connection.
 */

import { noteTarget } from '../classify/target.js';
import type { Time } from '../clock.js';
import { isControlFlow } from '../control-flow.js';
import { AgentError } from '../error/agent-error.js';
import { thrownBy } from '../error/ensure-ok.js';
import { pastOf } from '../error/final-error.js';
import { joinedSignal } from './joined-signal.js';
import type { AttemptContext, CallOptions } from './options.js';

/** The function that sends a request: the global `fetch`, or the application's own. */
export type Send = (input: string | URL | Request, init: RequestInit) => Promise<Response>;

/** The options of a request that cannot be sent again. */
const ONCE = /* @__PURE__ */ Object.freeze({ retry: false, hedge: false } as const);

/** The options that the body of a request demands of its call: a body that streams is gone after the first attempt. */
export function optionsFor(body: unknown): Pick<CallOptions, 'retry' | 'hedge'> {
  return isOneShot(body) ? ONCE : {};
}

/** The response that a call's last attempt failed with. */
export class LastFailing<R> {
  private kept: { readonly response: R; readonly thrown: unknown } | undefined = undefined;
  private isOver = false;
  private readonly release: (response: R) => void;

  constructor(release: (response: R) => void) {
    this.release = release;
  }

  /** Keeps the response of an attempt that failed with `thrown`, unless the attempt has been cut off or the call is over. */
  keep(response: R, thrown: unknown, { signal }: AttemptContext): void {
    if (this.isOver || signal.aborted) {
      this.release(response);
      return;
    }
    this.drop();
    this.kept = { response, thrown };
  }

  /** Another attempt begins. */
  drop(): void {
    const { kept } = this;
    this.kept = undefined;
    if (kept !== undefined) this.release(kept.response);
  }

  /** The call has a good response. */
  end(): void {
    this.isOver = true;
    this.drop();
  }

  /**
   * The call has failed. Returns the response that it ended with, if it ended with one: not where the error is a retry's that was
   * refused, the deadline's, or that of another attempt beside it.
   */
  endWith(error: unknown): { readonly response: R; readonly error: AgentError } | undefined {
    this.isOver = true;
    const { kept } = this;
    const last = AgentError.is(error) ? error.errors.at(-1) : undefined;
    const isOfIt = kept !== undefined && [last, last?.provider.originalError].includes(kept.thrown as never);
    if (last === undefined || !isOfIt || (error as AgentError).code !== last.code) {
      this.drop();
      return undefined;
    }
    this.kept = undefined;
    return { response: kept.response, error: last };
  }
}

/** One request of a `fetch`, with its attempts. */
export class Exchange {
  readonly caller: AbortSignal | undefined;
  readonly options: Pick<CallOptions, 'signal' | 'retry' | 'hedge'>;
  readonly failing: LastFailing<Response> = new LastFailing(release);
  readonly input: string | URL | Request;
  /** A guard of models may replace it, from the next attempt on. */
  init: RequestInit | undefined;
  /** The changes that it has made, in words. */
  tried: readonly string[] | undefined;
  private readonly sender: Send;
  private readonly time: Time;
  private readonly endsWith: 'headers' | 'body';

  /** `endsWith`: what an attempt is over with. A body that comes after it is the caller's alone to abort. */
  constructor(
    input: string | URL | Request,
    init: RequestInit | undefined,
    send: Send,
    time: Time,
    endsWith: 'headers' | 'body',
  ) {
    this.input = input;
    this.init = init;
    this.tried = undefined;
    this.sender = send;
    this.time = time;
    this.endsWith = endsWith;
    this.caller = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    this.options = { signal: this.caller, ...optionsFor(init?.body) };
  }

  /** Sends the request for an attempt. Rejects with what a failing response means. */
  async send(attempt: AttemptContext): Promise<Response> {
    const { input, init, sender, caller, failing } = this;
    failing.drop();
    // For as long as the body streams: the call is over long before that.
    const signal = this.endsWith === 'headers' ? joinedSignal(caller, attempt.signal) : attempt.signal;
    const target = input instanceof Request ? input.clone() : input;
    const response = await sender(target, { ...init, signal });
    if (attempt.signal.aborted) {
      // A `fetch` that does not heed the signal.
      release(response);
      throw attempt.signal.reason;
    }
    attempt.observe({ headers: response.headers });
    // A redirect that is not followed, and "not modified", are what the caller asked for.
    if (response.ok || (response.status < 400 && response.type !== 'error')) return response;
    // The copy is read for the reason; the client gets the other one whole.
    const thrown = await thrownBy(response.clone(), this.time);
    failing.keep(response, thrown, attempt);
    throw thrown;
  }

  /** The response that a failed call ended with. Without one it throws what `fetch` rejects with. */
  endWith(error: unknown): Response {
    const last = this.failing.endWith(error);
    if (isControlFlow(error)) throw error;
    if (last !== undefined) {
      const { provider, model } = last.error.provider;
      noteTarget(last.response.headers, { provider, model, tried: this.tried, past: pastOf(error) });
      return last.response;
    }
    if (this.caller?.aborted) throw this.caller.reason;
    throw new TypeError('fetch failed', { cause: error });
  }
}

/** Releases a response that will not be read, so that its connection is free again. */
function release({ body }: Response): void {
  // A fake fetch in tests may return less than a Response.
  if (body != null && !body.locked) body.cancel?.().catch(() => {});
}

/** Returns `true` if a body can be sent only once. */
function isOneShot(body: unknown): boolean {
  if (typeof body !== 'object' || body === null) return false;
  if (typeof ReadableStream !== 'undefined' && body instanceof ReadableStream) return true;
  // Node's fetch takes async iterables; strings, buffers, forms and blobs can be sent again.
  return Symbol.asyncIterator in body;
}
