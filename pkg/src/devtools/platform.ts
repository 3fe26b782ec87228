/** What the connection needs of the runtime that it runs in; Node and pages each have their own. */

/** One batch on its way. */
export interface Post {
  readonly token: string | undefined;
  /** NDJSON, in pieces to be sent one after the other. */
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
  /** Fail rather than send this to a server that has not proved itself on this line. */
  readonly provedOnly: boolean;
}

/** The answer to a batch; `retryAfterMs` as far as the server said. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
}

/** What a server must prove. */
export interface Challenge {
  /** What the server must know. */
  readonly secret: string;
  /** The server must listen on the very port of the URL: nothing that forwards is expected on the way. */
  readonly samePort: boolean;
  readonly signal: AbortSignal;
}

/**
 * How a challenge went: `proved`; `disproved` by a devtools server that knows another secret; `stranger` is what answers
 * as no devtools server does, or cannot be checked here.
 */
export type ChallengeResult = 'proved' | 'disproved' | 'stranger';

/** The way to one server. Nothing in it keeps the process alive. */
export interface Line {
  /** Whether the server has proved itself, and the next batch goes to the same one as far as the runtime can see. */
  readonly proved: boolean;
  /** Challenges the server. Rejects when there was no answer. */
  challenge(challenge: Challenge): Promise<ChallengeResult>;
  /** Sends a batch; rejects when there was no answer. */
  post(request: Post): Promise<Answer>;
  /** Forgets the proof, and ends what is open. */
  reset(): void;
}

/** What is known of the server at a URL without anybody having said it. */
export interface KnownServer {
  /** What requests must bring; `undefined` where the server wants none. */
  readonly token: string | undefined;
  /** What the server must know. */
  readonly secret: string;
  /** The server itself wrote this down: it listens on the very port of the URL. */
  readonly registered: boolean;
}

/** Which process it is, and of which application. */
interface ProcessDescription {
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly version?: string | undefined;
  readonly deployment?: string | undefined;
}

/** How to send, and where servers may be found that nobody named. */
export interface Platform {
  /** Opens the way to the server at a base URL (without `/events`). Nothing is sent yet. */
  open(url: URL): Line;
  /** What this machine's user knows of the server at a URL. Never rejects. */
  findServer(url: URL): Promise<KnownServer | undefined>;
  /** The URL that the environment names. */
  namedUrl(): string | undefined;
  /** Whether servers are looked for at the default URL when neither `url` nor `token` was given. */
  readonly postsByDefault: boolean;
  /** What `process.started` says of this process. */
  describeProcess(): ProcessDescription;
  /** Calls back when the program has nothing left to do, or the page goes. Returns how to stop. */
  onIdleExit(callback: () => void): () => void;
}

/** Reads `Retry-After` in seconds, the only shape that the devtools server sends. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
