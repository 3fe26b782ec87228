/**
 * `halfopen/devtools`: watch an agent's policies in the dashboard.
 *
 * `connectDevtools` sends events, `startDevtoolsServer` receives them. The server's code is loaded only when it starts.
 * Browsers get `browser.ts` instead of this file.
 */

import { AgentError } from '../error/agent-error.js';
import { either, kind, no, port, readOptions, type Shape } from '../options.js';
import { type ConnectOptions, connect, type DevtoolsConnection } from './connect.js';
import { DEFAULT_PORT } from './default-port.js';
import { someText } from './kinds.js';
import { isLoopback } from './loopback.js';
import { nodePlatform } from './platform-node.js';
import { isPostgresUrl } from './postgres-url.js';
import type { Registration } from './registration.js';
import { type RunningServer, STRONG_TOKEN } from './running.js';

export type { ConnectOptions, DevtoolsConnection, EventSource } from './connect.js';
export type { DevtoolsStatus } from './connection.js';

/** A running devtools server. */
export type DevtoolsServer = RunningServer;

/**
 * Sends every event of the given policies (default: all of this process) to the devtools server and to a
 * BroadcastChannel of this origin. It sends in batches, and never blocks the agent or throws into it. While the server
 * is away it keeps at most `buffer` events, drops the oldest and counts them.
 *
 * It does not keep the process alive. A program that ends by itself sends its last events; one that calls
 * `process.exit()` should await `close()` before.
 *
 * @throws {TypeError} at once, for an option that is wrong or unknown.
 *
 * @example
 * ```ts
 * import { connectDevtools } from 'halfopen/devtools';
 *
 * const devtools = connectDevtools(); // beside it, in a terminal: npx halfopen devtools --open
 * // … the agent runs …
 * await devtools.close();
 * ```
 */
export function connectDevtools(options: ConnectOptions = {}): DevtoolsConnection {
  return connect(options, nodePlatform);
}

/** Where the server listens, where it keeps its log, and who may use it. */
export interface DevtoolsServerOptions {
  /** The port. Default: 4319; 0 takes a free one. */
  port?: number | undefined;
  /** The address to listen on. Default: `127.0.0.1`, this machine only. */
  host?: string | undefined;
  /** The directory of the log. Default: `~/.halfopen/devtools/<port>`; with port 0 a temporary one, removed at `close()`. */
  directory?: string | undefined;
  /**
   * The token that clients must send. Default: the token of the last server in this directory if that server was closed
   * properly, else a random one. At least 16 characters unless `host` is this machine. `false`: no token, on this machine
   * only.
   */
  token?: string | false | undefined;
  /**
   * The URL of a PostgreSQL database that keeps the log instead of the directory: `postgres://user:password@host/name`. Several
   * servers may share it. Peer: `pg`.
   */
  database?: string | undefined;
  /** How many days a database keeps events, in addition to today. Default: 30. */
  retentionDays?: number | undefined;
  /**
   * A file of OTLP/JSON, as an OpenTelemetry collector's file exporter writes it. Its events go into the log at the
   * start (`exportEvents` of `halfopen/otel` sends them to a collector). Events that are already in the log are not
   * added again.
   */
  otlp?: string | undefined;
}

const SHAPE: Shape = {
  port,
  host: someText('an address or a name'),
  directory: someText('a path'),
  otlp: someText('a path'),
  database: someText('the URL of a PostgreSQL database'),
  retentionDays: kind(
    'a whole number of days, from 1 to 36500',
    (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 36_500,
  ),
  token: either(someText('a string that is not empty'), no),
};

/**
 * Starts the server of `npx halfopen devtools`: it receives events, keeps them on disk and serves the dashboard.
 *
 * @throws {TypeError} at once, for an option that is wrong or unknown, or `token: false` with a `host` that others
 * can reach. Rejects with an {@link AgentError} `INITIALIZATION_ERROR` when the port is taken or nothing can be
 * written; its message says what to do.
 *
 * @example
 * ```ts
 * import { startDevtoolsServer } from 'halfopen/devtools';
 *
 * const server = await startDevtoolsServer({ port: 0 });
 * console.log(server.dashboardUrl);
 * await server.close();
 * ```
 */
export function startDevtoolsServer(options: DevtoolsServerOptions = {}): Promise<DevtoolsServer> {
  const {
    port = DEFAULT_PORT,
    host = '127.0.0.1',
    directory,
    token,
    otlp,
    database,
    retentionDays,
  } = readOptions<DevtoolsServerOptions>(SHAPE, options, 'startDevtoolsServer');
  // The message does not show it, because it is a secret.
  if (typeof token === 'string' && !/^[!-~]+$/.test(token)) {
    throw new TypeError("halfopen: option 'token' must be of visible ASCII characters, without spaces");
  }
  if (typeof token === 'string' && token.length < STRONG_TOKEN && !isLoopback(host)) {
    throw new TypeError(
      `halfopen: option 'token' must have at least ${STRONG_TOKEN} characters with host '${host}', got ${token.length}: a shorter one can be guessed`,
    );
  }
  if (token === false && !isLoopback(host)) {
    throw new TypeError(
      `halfopen: option 'token' may be false only on 127.0.0.1, ::1 or localhost, not with host '${host}'`,
    );
  }
  // It may contain a password.
  if (database !== undefined && !isPostgresUrl(database)) {
    throw new TypeError(
      "halfopen: option 'database' must be a URL such as postgres://user:password@host:5432/name; the value is not shown, because it may contain a password",
    );
  }
  if (retentionDays !== undefined && database === undefined) {
    throw new TypeError(
      "halfopen: option 'retentionDays' needs a 'database'; log files are deleted by their size",
    );
  }
  return start({ port, host, directory, token, otlp, database, retentionDays });
}

/**
 * Returns the dashboard's URL, token included, of the server that this user runs on a port; `undefined` when none runs.
 *
 * @param port - the server's port. Default: 4319.
 *
 * @example
 * ```ts
 * import { findDevtoolsServer } from 'halfopen/devtools';
 * console.log((await findDevtoolsServer()) ?? 'npx halfopen devtools starts one');
 * ```
 */
export async function findDevtoolsServer(port = DEFAULT_PORT): Promise<string | undefined> {
  const { readRegistration, registrationByPort } = await import('./registration.js');
  const found = await readRegistration(registrationByPort(port));
  return found && urlOf(found);
}

/**
 * Returns the dashboards' URLs, tokens included, of all servers that this user runs on this machine: port 4319 first, then
 * by port. Empty when none runs.
 *
 * @example
 * ```ts
 * import { findDevtoolsServers } from 'halfopen/devtools';
 * for (const url of await findDevtoolsServers()) console.log(url);
 * ```
 */
export async function findDevtoolsServers(): Promise<string[]> {
  const { registrations } = await import('./registration.js');
  const urls = (await Promise.all((await registrations()).map(urlOf))).filter((url) => url !== undefined);
  const isDefault = (url: string) => Number(new URL(url).port === `${DEFAULT_PORT}`);
  return urls.sort((a, b) => isDefault(b) - isDefault(a));
}

/** Where to open the dashboard of a server; `undefined` when it does not run. */
async function urlOf(server: Registration): Promise<string | undefined> {
  const { isRunning } = await import('./registration.js');
  if (!(await isRunning(server))) return undefined;
  return server.token === undefined
    ? `${server.url}/`
    : `${server.url}/?token=${encodeURIComponent(server.token)}`;
}

async function start(
  options: Parameters<typeof import('./server/main.js').startServer>[0],
): Promise<DevtoolsServer> {
  const { startServer, CannotStart } = await import('./server/main.js');
  try {
    return await startServer(options);
  } catch (error) {
    if (error instanceof CannotStart)
      throw new AgentError('INITIALIZATION_ERROR', error.message, { cause: error });
    throw AgentError.from(error);
  }
}
