/**
 * The interface of a running server. A file of its own, so that the package's types do not depend on the server's.
 */

/** The shortest token that resists guessing by programs on other machines, in characters. */
export const STRONG_TOKEN = 16;

/** A devtools server that runs. */
export interface RunningServer {
  /** Where it listens, without a token: what agents are given. */
  readonly url: string;
  /** The URL to open in a browser. It contains the token, which the browser exchanges for its own secret. */
  readonly dashboardUrl: string;
  /**
   * The token for agents on other machines, or without access to this user's files; `undefined` if the server requires
   * no token.
   */
  readonly token: string | undefined;
  /** Where the server keeps its token, and the log unless that is in a database. */
  readonly directory: string;
  /** Where the log is kept: the directory, or the URL of the database without user and password. */
  readonly log: string;
  /** Writes what came, ends every connection, and stops listening. */
  close(): Promise<void>;
}
