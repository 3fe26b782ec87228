/** `halfopen/devtools` in pages, workers and edge runtimes: the connection without the server. */

import { AgentError } from '../error/agent-error.js';
import { type ConnectOptions, connect, type DevtoolsConnection } from './connect.js';
import type { DevtoolsServer, DevtoolsServerOptions } from './index.js';
import { webPlatform } from './platform-web.js';

export type { ConnectOptions, DevtoolsConnection, EventSource } from './connect.js';
export type { DevtoolsStatus } from './connection.js';
export type { DevtoolsServer, DevtoolsServerOptions } from './index.js';

/**
 * Sends every event of the given policies (default: all of this page) to a BroadcastChannel of this origin and, if
 * `url` or `token` is given, to the devtools server.
 *
 * @throws {TypeError} at once, for an option that is wrong or unknown.
 *
 * @example
 * ```ts
 * import { connectDevtools } from 'halfopen/devtools';
 * connectDevtools({ token: import.meta.env.HALFOPEN_DEVTOOLS_TOKEN });
 * ```
 */
export function connectDevtools(options: ConnectOptions = {}): DevtoolsConnection {
  return connect(options, webPlatform);
}

/** Always rejects here, because a page cannot listen. */
export function startDevtoolsServer(_options: DevtoolsServerOptions = {}): Promise<DevtoolsServer> {
  return Promise.reject(
    new AgentError(
      'INITIALIZATION_ERROR',
      'The devtools server needs Node, Bun or Deno. Run `npx halfopen devtools` there.',
    ),
  );
}

/** Always `undefined` here, because a page cannot read the server's file for its user. */
export async function findDevtoolsServer(_port?: number): Promise<string | undefined> {
  return undefined;
}

/** Always empty here, for the same reason. */
export async function findDevtoolsServers(): Promise<string[]> {
  return [];
}
