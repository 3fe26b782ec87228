/** The interface between the connection and its runtime. Node and pages each implement it. */

/** One batch on its way. */
export interface Post {
  /** Behind the server's base URL. Default: 'events'. */
  readonly path?: string | undefined;
  readonly token: string | undefined;
  /** NDJSON (of another path: JSON), in pieces to be sent one after the other. */
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
  /** Fails rather than sending this to a server that has not proved itself on this line. */
  readonly provedOnly: boolean;
}

/** The answer to a batch; `retryAfterMs` as far as the server said. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
}

/** A challenge for the server. */
export interface Challenge {
  /** The secret that the server must know. */
  readonly secret: string;
  /** The server must listen on the very port of the URL, without a forwarder in between. */
  readonly samePort: boolean;
  readonly signal: AbortSignal;
}

/**
 * The result of a challenge: `proved`; `disproved` by a devtools server with another secret; `stranger` for a response
 * that no devtools server sends, or that cannot be checked here.
 */
export type ChallengeResult = 'proved' | 'disproved' | 'stranger';

/** The way to one server. Nothing in it keeps the process alive. */
export interface Line {
  /**
   * `true` if the server has proved itself, and the next batch goes to the same one as far as the runtime can see.
   */
  readonly proved: boolean;
  /** Challenges the server. Rejects if there is no response. */
  challenge(challenge: Challenge): Promise<ChallengeResult>;
  /** Sends a batch; rejects when there was no answer. */
  post(request: Post): Promise<Answer>;
  /** Forgets the proof, and ends what is open. */
  reset(): void;
}

/** The facts about the server at a URL that need no configuration. */
export interface KnownServer {
  /** The token that requests must send; `undefined` if the server requires none. */
  readonly token: string | undefined;
  /** The secret that the server must know. */
  readonly secret: string;
  /** The server itself wrote this, so it listens on the very port of the URL. */
  readonly registered: boolean;
}

/** Identifies a process and its application. */
interface ProcessDescription {
  readonly host?: string | undefined;
  readonly pid?: number | undefined;
  readonly version?: string | undefined;
  readonly deployment?: string | undefined;
}

/** The way to the server whose user may act on this process. */
export interface ControlOptions {
  readonly line: Line;
  /** The name of this process in events. */
  readonly source: string;
  readonly findServer: () => Promise<KnownServer | undefined>;
}

/** Carries out the actions of the dashboard. */
export interface ControlModule {
  /** Waits for actions. Returns how to end that. */
  allowControl(options: ControlOptions): () => void;
}

/** Sends events, and finds servers without a configured URL. */
export interface Platform {
  /** Opens the connection to the server at a base URL (without `/events`). Nothing is sent yet. */
  open(url: URL): Line;
  /** Returns what this machine's user knows about the server at a URL. Never rejects. */
  findServer(url: URL): Promise<KnownServer | undefined>;
  /** The URL that the environment names. */
  namedUrl(): string | undefined;
  /** `true` if servers are looked for at the default URL when neither `url` nor `token` was given. */
  readonly postsByDefault: boolean;
  /** The description of this process in `process.started`. */
  describeProcess(): ProcessDescription;
  /** Loads the code that carries out the actions of the dashboard; absent where a process cannot be controlled. */
  readonly control?: (() => Promise<ControlModule>) | undefined;
  /** Calls back when the program has nothing left to do, or the page closes. Returns a function that cancels it. */
  onIdleExit(callback: () => void): () => void;
}

/** Reads `Retry-After` in seconds, the only shape that the devtools server sends. */
export function retryAfterMs(header: string | null | undefined): number | undefined {
  const seconds = Number(header ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : undefined;
}
