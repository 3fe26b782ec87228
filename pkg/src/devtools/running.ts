/** What a caller holds of a server that runs; here, so that the package's types need none of the server's. */

/** What a token must have where others than this machine's programs may try, in characters. */
export const STRONG_TOKEN = 16;

/** A devtools server that runs. */
export interface RunningServer {
  /** Where it listens, without a token: what agents are given. */
  readonly url: string;
  /** What to open in a browser: the token is in it, to be exchanged for what the browser keeps. */
  readonly dashboardUrl: string;
  /** What agents on other machines, or without this user's files, must be given; `undefined` where none is required. */
  readonly token: string | undefined;
  /** Where the server keeps its token, and the log unless that is in a database. */
  readonly directory: string;
  /** Where the log is kept: the directory, or the URL of the database without user and password. */
  readonly log: string;
  /** Writes what came, ends every connection, and stops listening. */
  close(): Promise<void>;
}
