/** `halfopen/undici`: an interceptor of undici's dispatchers that puts each request under a policy. */

import { Call } from '../call/call.js';
import { isOneShot } from '../call/fetch.js';
import type { AttemptContext } from '../call/options.js';
import { AgentError } from '../error/agent-error.js';
import { thrownBy } from '../error/ensure-ok.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';

/**
 * Returns an interceptor for `compose` of undici's dispatchers (undici 7 and later): every request runs under the policy. As
 * with `policy.fetch`, an attempt ends with the headers of the response: statuses of 400 and above are failures, and the last
 * such response is passed on as it came. Without a response the request rejects with the AgentError, or with the reason of
 * the caller's signal. A body that streams is sent once. Upgrades and CONNECT pass unguarded.
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

/** What is read of a request. */
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

/** What undici reports to, by `dispatch`. */
interface Handler {
  onRequestStart?(controller: Controller, context: unknown): void;
  onResponseStart?(controller: Controller, status: number, headers: Headers, statusText?: string): void;
  onResponseData?(controller: Controller, chunk: Uint8Array): void;
  onResponseEnd?(controller: Controller, trailers: Headers): void;
  onResponseError?(controller: Controller, error: Error): void;
}

/** A response that was a failure, kept whole: the caller gets the last one. */
interface Failing {
  readonly status: number;
  readonly headers: Headers;
  readonly statusText: string | undefined;
  readonly chunks: Uint8Array[];
  trailers: Headers;
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
  private failing: Failing | undefined = undefined;

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
    const once = isOneShot(request.body);
    const call = new Call<void>(
      this.policy.host,
      (context) => this.attempt(context),
      {
        signal: this.caller.signal,
        ...(request.idempotent === false && { idempotent: false }),
        // The handler gets the chunks of one response as they come: none can be taken back for another's.
        hedge: false,
        ...(once && { retry: false }),
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
    const { failing, handler, controller, caller } = this;
    // A refused retry is the error of the call; the response is that of the attempt before.
    const isLast = AgentError.is(thrown) && thrown.code === thrown.errors.at(-1)?.code;
    if (caller.signal.aborted || failing === undefined || !isLast) {
      handler.onResponseError?.(controller, caller.signal.aborted ? caller.signal.reason : thrown);
      return;
    }
    handler.onResponseStart?.(controller, failing.status, failing.headers, failing.statusText);
    for (const chunk of failing.chunks) handler.onResponseData?.(controller, chunk);
    handler.onResponseEnd?.(controller, failing.trailers);
  }

  /** Resolves with the headers of a good response; the handler gets the rest directly. */
  private attempt(context: AttemptContext): Promise<void> {
    this.failing = undefined;
    return new Promise((resolve, reject) => {
      const { handler, controller } = this;
      let isOver = false;
      let isDelivered = false;
      let failing: Failing | undefined;
      const { signal } = context;
      const abandon = () => {
        isOver = true;
        this.inner?.abort(signal.reason);
        reject(signal.reason);
      };
      const settle = (end: () => void) => {
        signal.removeEventListener('abort', abandon);
        end();
      };
      signal.addEventListener('abort', abandon, { once: true });
      const reported: Handler = {
        onRequestStart: (inner) => {
          this.inner = inner;
          if (signal.aborted) inner.abort(signal.reason);
        },
        onResponseStart: (_inner, status, headers, statusText) => {
          if (isOver) return;
          context.observe({ headers });
          if (status >= 400) {
            failing = { status, headers, statusText, chunks: [], trailers: {} };
            return;
          }
          isDelivered = true;
          handler.onResponseStart?.(controller, status, headers, statusText);
          settle(resolve);
        },
        onResponseData: (_inner, chunk) => {
          if (isDelivered) handler.onResponseData?.(controller, chunk);
          else failing?.chunks.push(chunk);
        },
        onResponseEnd: (_inner, trailers) => {
          if (isDelivered) handler.onResponseEnd?.(controller, trailers);
          else if (failing !== undefined && !isOver) {
            failing.trailers = trailers;
            this.failing = failing;
            errorOf(failing).then((error) => settle(() => reject(error)));
          }
        },
        onResponseError: (_inner, error) => {
          if (isDelivered) handler.onResponseError?.(controller, error);
          else if (!isOver) settle(() => reject(error));
        },
      };
      this.dispatch(this.request as never, reported as never);
    });
  }

  /** The caller's view: it lasts over all attempts. */
  private makeController(): Controller {
    const { caller } = this;
    const current = () => this.inner;
    return {
      abort(reason) {
        caller.abort(reason);
        current()?.abort(reason);
      },
      pause: () => current()?.pause(),
      resume: () => current()?.resume(),
      get aborted() {
        return caller.signal.aborted;
      },
      get paused() {
        return current()?.paused ?? false;
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

/** What a failing response says, as an error to classify. */
function errorOf({ status, headers, statusText = '', chunks }: Failing): Promise<Error> {
  const pairs = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
  );
  return thrownBy(new Response(new Blob(chunks as BlobPart[]), { status, statusText, headers: pairs }));
}
