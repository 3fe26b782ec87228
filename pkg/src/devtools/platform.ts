/** What the connection needs of the runtime that it runs in; Node and pages each have their own. */

/** One batch on its way. */
export interface Post {
  readonly url: string;
  readonly token: string | undefined;
  /** NDJSON, in pieces to be sent one after the other. */
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
}

/** The answer to a batch; `retryAfterMs` as far as the server said. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
}

/** How to send, and where a token may be found that nobody gave. */
export interface Platform {
  /** Sends a batch; rejects when there was no answer. Must not keep the process alive by itself. */
  post(request: Post): Promise<Answer>;
  /** The token of the server at a URL, where this machine's user may know it. Never rejects. */
  findToken(url: URL): Promise<string | undefined>;
  /** Whether events are posted to the default URL when neither `url` nor `token` was given. */
  readonly postsByDefault: boolean;
  /** Calls back when the program has nothing left to do, or the page goes. Returns how to stop. */
  onIdleExit(callback: () => void): () => void;
}

/** Reads `Retry-After` in seconds, the only shape that the devtools server sends. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
