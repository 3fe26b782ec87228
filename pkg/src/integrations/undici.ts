/** `halfopen/undici`: an interceptor of undici's dispatchers that puts each request under a policy. */

import { Call } from '../call/call.js';
import { plainReason } from '../call/copied-response.js';
import { LastFailing, optionsFor } from '../call/exchange.js';
import type { AttemptContext } from '../call/options.js';
import type { Timer } from '../clock.js';
import { BODY_PATIENCE_MS, MOST_BYTES, thrownBy } from '../error/ensure-ok.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';

/**
 * Returns an interceptor for `compose` of undici's dispatchers (undici 7 and later): every request runs under the policy. As
 * with `policy.fetch`, an attempt ends with the headers of the response: statuses of 400 and above are failures, and the last
 * such response is passed on as it came. Without a response the request rejects with the AgentError, or with the reason of
 * the caller's signal. Of a failing response 4 KiB are read, or what comes within a second, and the rest is passed on as it comes if
 * the response is the last. A body that streams is sent once. Upgrades and CONNECT pass unguarded.
 *
 * Leave out undici's own `interceptors.retry` and `RetryAgent`. The policy's fallback and its hedging do not apply.
 *
 * @throws TypeError for something that is no policy.
 *
 * @example
 * ```ts
 * const dispatcher = agent.compose(guardInterceptor(policy));
 * const { statusCode, body } = await request('https://api.example.com/items', { dispatcher });
 * ```
 */
export function guardInterceptor(policy: Policy<unknown>): <D extends Dispatch>(dispatch: D) => D {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  return <D extends Dispatch>(dispatch: D): D => {
    const guarded = (request: Request, handler: Handler): boolean => {
      if (request.upgrade || request.method === 'CONNECT')
        return dispatch(request as never, handler as never);
      void new Exchange(policy, dispatch, request, handler).run();
      return true;
    };
    return guarded as Dispatch as D;
  };
}

/** Sends a request and reports to a handler what comes back: `dispatch` of undici. */
export type Dispatch = (options: never, handler: never) => boolean;

/** The parts of a request that are read. */
interface Request {
  readonly method?: string;
  readonly body?: unknown;
  readonly upgrade?: unknown;
  /** undici's: whether it may be sent again. */
  readonly idempotent?: boolean;
}

type Headers = Record<string, string | string[] | undefined>;

/** How a handler stops and slows a request. */
interface Controller {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
  readonly aborted: boolean;
  readonly paused: boolean;
  readonly reason: Error | null;
  readonly rawHeaders?: unknown;
  readonly rawTrailers?: unknown;
}

/** The handler that undici reports to, by `dispatch`. */
interface Handler {
  onRequestStart?(controller: Controller, context: unknown): void;
  onResponseStart?(controller: Controller, status: number, headers: Headers, statusText?: string): void;
  onResponseData?(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd?(controller: Controller, trailers: Headers): void;
  onResponseError?(controller: Controller, error: Error): void;
}

/** A response that was a failure: the caller gets the last one, what was read of it first. */
interface Failing {
  readonly status: number;
  readonly headers: Headers;
  readonly statusText: string | undefined;
  readonly inner: Controller;
  readonly chunks: Uint8Array[];
  bytes: number;
  /** How its body ended, once it has. */
  end: { readonly trailers: Headers } | { readonly error: Error } | undefined;
  /** `true` if the caller gets the rest as it comes. */
  passes: boolean;
}

/** One request with its attempts. To the caller's handler it is one connection. */
class Exchange {
  private readonly policy: Policy<unknown>;
  private readonly dispatch: Dispatch;
  private readonly request: Request;
  private readonly handler: Handler;
  private readonly caller = new AbortController();
  private readonly controller: Controller;
  /** The connection of the attempt that runs. */
  private inner: Controller | undefined = undefined;
  private readonly failing: LastFailing<Failing> = new LastFailing(release);
  /** `true` if the caller wants no more for now. */
  private isPaused = false;

  constructor(policy: Policy<unknown>, dispatch: Dispatch, request: Request, handler: Handler) {
    this.policy = policy;
    this.dispatch = dispatch;
    this.request = request;
    this.handler = handler;
    this.controller = this.makeController();
  }

  async run(): Promise<void> {
    const { request, handler, controller } = this;
    handler.onRequestStart?.(controller, {});
    const call = new Call<void>(
      this.policy.host,
      (context) => this.attempt(context),
      {
        signal: this.caller.signal,
        ...optionsFor(request.body),
        ...(request.idempotent === false && { idempotent: false }),
        // The handler gets the chunks of one response as they come: none can be taken back for another's.
        hedge: false,
      },
      { refusesFallback: true },
    );
    try {
      await call.start();
    } catch (thrown) {
      this.giveUp(thrown);
    }
  }

  /** The last response, if the call ended with one; else the error. */
  private giveUp(thrown: unknown): void {
    const { handler, controller, caller } = this;
    const failing = caller.signal.aborted ? undefined : this.failing.endWith(thrown)?.response;
    if (failing === undefined) {
      this.failing.end();
      handler.onResponseError?.(controller, caller.signal.aborted ? caller.signal.reason : thrown);
      return;
    }
    const { status, headers, statusText, chunks, inner } = failing;
    failing.passes = true;
    handler.onResponseStart?.(controller, status, headers, statusText);
    for (const chunk of chunks.splice(0)) handler.onResponseData?.(controller, chunk);
    if (failing.end !== undefined) this.passEnd(failing.end);
    else if (!this.isPaused) inner.resume();
  }

  private passEnd(end: NonNullable<Failing['end']>): void {
    const { handler, controller } = this;
    if ('error' in end) handler.onResponseError?.(controller, end.error);
    else handler.onResponseEnd?.(controller, end.trailers);
  }

  /** Resolves with the headers of a good response; the handler gets the rest directly. */
  private attempt(context: AttemptContext): Promise<void> {
    this.failing.drop();
    return new Promise((resolve, reject) => {
      const { handler, controller } = this;
      const { time } = this.policy.host;
      let isOver = false;
      let isDelivered = false;
      let failing: Failing | undefined;
      let patience: Timer | undefined;
      const { signal } = context;
      const settle = (end: () => void) => {
        isOver = true;
        patience?.cancel();
        signal.removeEventListener('abort', abandon);
        end();
      };
      const abandon = () =>
        settle(() => {
          this.inner?.abort(signal.reason);
          reject(signal.reason);
        });
      // The first part of the body decides, in the same way as with `policy.fetch`. The rest waits in the connection.
      const decide = (response: Failing) => {
        if (isOver) return;
        if (response.end === undefined) response.inner.pause();
        const failed = (error: unknown) => {
          this.failing.keep(response, error, context);
          reject(error);
        };
        settle(() => void errorOf(response).then(failed, failed));
      };
      signal.addEventListener('abort', abandon, { once: true });
      const reported: Handler = {
        onRequestStart: (inner) => {
          this.inner = inner;
          if (signal.aborted) inner.abort(signal.reason);
        },
        onResponseStart: (inner, status, headers, statusText) => {
          if (isOver) return;
          context.observe({ headers });
          if (status >= 400) {
            const begun = {
              status,
              headers,
              statusText,
              inner,
              chunks: [],
              bytes: 0,
              end: undefined,
              passes: false,
            };
            failing = begun;
            patience = time.after(BODY_PATIENCE_MS, () => decide(begun));
            return;
          }
          isDelivered = true;
          handler.onResponseStart?.(controller, status, headers, statusText);
          settle(resolve);
        },
        onResponseData: (_inner, chunk) => {
          if (isDelivered || failing?.passes) handler.onResponseData?.(controller, chunk);
          else if (failing !== undefined) {
            failing.chunks.push(chunk);
            failing.bytes += chunk.byteLength;
            if (failing.bytes >= MOST_BYTES) decide(failing);
          }
        },
        onResponseEnd: (_inner, trailers) => ended({ trailers }),
        onResponseError: (_inner, error) => ended({ error }),
      };
      const ended = (end: NonNullable<Failing['end']>) => {
        if (isDelivered || failing?.passes) this.passEnd(end);
        else if (failing !== undefined) {
          failing.end = end;
          decide(failing);
        } else if ('error' in end && !isOver) settle(() => reject(end.error));
      };
      this.dispatch(this.request as never, reported as never);
    });
  }

  /** The caller's view: it lasts over all attempts. */
  private makeController(): Controller {
    const { caller } = this;
    const current = () => this.inner;
    const isPaused = () => this.isPaused;
    return {
      abort(reason) {
        caller.abort(reason);
        current()?.abort(reason);
      },
      pause: () => {
        this.isPaused = true;
        current()?.pause();
      },
      resume: () => {
        this.isPaused = false;
        current()?.resume();
      },
      get aborted() {
        return caller.signal.aborted;
      },
      get paused() {
        return isPaused();
      },
      get reason() {
        return caller.signal.reason ?? null;
      },
      get rawHeaders() {
        return current()?.rawHeaders;
      },
      get rawTrailers() {
        return current()?.rawTrailers;
      },
    };
  }
}

/** Releases a response that will not be read. */
function release({ inner, end }: Failing): void {
  if (end === undefined) inner.abort(new Error('Not read'));
}

/** A failing response as an error to classify. */
async function errorOf({ status, headers, statusText = '', chunks }: Failing): Promise<Error> {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  const body = new Blob(chunks as BlobPart[]);
  return thrownBy(new Response(body, { status, statusText: plainReason(statusText), headers: pairs }));
}
