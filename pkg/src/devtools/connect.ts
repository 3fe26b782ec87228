/** `connectDevtools`: its options, checked, and the connection that they ask for. */

import { type HalfopenEvent, onEvent } from '../event/events.js';
import { misuse, readOptions, type Shape } from '../options.js';
import { Connection } from './connection.js';
import { DEFAULT_PORT } from './default-port.js';
import { bufferSize, channelName, eventSources, someText } from './kinds.js';
import type { Platform } from './platform.js';

const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;

/** What events are taken of: any policy. */
export interface EventSource {
  onEvent(listener: (event: HalfopenEvent) => void): () => void;
}

/** How to reach the devtools, and with which events. */
export interface ConnectOptions {
  /**
   * The server's URL; one with `?token=` is taken as it was printed. Default: `HALFOPEN_DEVTOOLS_URL`, else
   * `http://127.0.0.1:4319`, where nothing is posted unless a server of this user or a token is known.
   */
  url?: string | undefined;
  /**
   * The server's token. Default: `HALFOPEN_DEVTOOLS_TOKEN`, else what the server on this machine wrote for its user
   * into `~/.halfopen/servers/<port>.json`. In a page there is no default, and nothing is posted without a URL or token.
   */
  token?: string | undefined;
  /** The name of a BroadcastChannel for a dashboard of this origin; `false` for none. Default `'halfopen'`. */
  channel?: string | false | undefined;
  /** Whose events to send. Default: every policy's in this process. */
  policies?: readonly EventSource[] | undefined;
  /** How many events are kept while the server is away; then the oldest go. Default 10,000. */
  buffer?: number | undefined;
}

/** A connection to the devtools. */
export interface DevtoolsConnection {
  /** Events lost: no place in the buffer, refused by the server, or left at `close()`. */
  readonly dropped: number;
  /** Sends what has happened so far. Resolves when it is written, or after 2 s or a failed try; never rejects. */
  flush(): Promise<void>;
  /** Stops listening, flushes, and ends the connection. Never rejects; may be called again. */
  close(): Promise<void>;
}

const SHAPE: Shape = {
  url: someText('an http(s) URL'),
  token: someText('a string that is not empty'),
  channel: channelName,
  policies: eventSources,
  buffer: bufferSize,
};

/** The server's URL, taken apart. */
interface Target {
  /** Where its paths begin; ends with `/`. */
  readonly base: URL;
  readonly token: string | undefined;
}

/** Reads the server's URL; a wrong one is shown without its query, where a token may stand. */
function readUrl(url: string, byEnvironment: boolean): Target {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) {
    const shown = url.split('?')[0] ?? '';
    throw byEnvironment
      ? new TypeError(`halfopen: HALFOPEN_DEVTOOLS_URL must be an http(s) URL, got '${shown}'`)
      : misuse('url', 'an http(s) URL', shown);
  }
  const { pathname, origin, searchParams } = new URL(url);
  return {
    base: new URL(`${pathname.replace(/\/+$/, '')}/`, origin),
    token: searchParams.get('token') || undefined,
  };
}

/** Connects on a platform. */
export function connect(options: ConnectOptions, platform: Platform): DevtoolsConnection {
  const {
    url,
    token,
    channel = 'halfopen',
    policies,
    buffer = 10_000,
  } = readOptions<ConnectOptions>(SHAPE, options, 'connectDevtools');
  const byEnvironment = url === undefined ? platform.namedUrl() : undefined;
  const named = url ?? byEnvironment;
  const posts = platform.postsByDefault || named !== undefined || token !== undefined;
  const target = readUrl(named ?? DEFAULT_URL, byEnvironment !== undefined);
  const connection = new Connection({
    url: posts ? target.base : undefined,
    named: named !== undefined,
    token: token ?? target.token,
    channel: channel === false ? undefined : openChannel(channel),
    buffer,
    platform,
  });
  const listener = (event: HalfopenEvent) => connection.push(event);
  const stops =
    policies === undefined ? [onEvent(listener)] : policies.map((policy) => policy.onEvent(listener));
  return {
    get dropped() {
      return connection.dropped;
    },
    flush: () => connection.flush(),
    close() {
      for (const stop of stops.splice(0)) stop();
      return connection.close();
    },
  };
}

/** A channel that does not keep the process alive; none where the runtime has none. */
function openChannel(name: string): BroadcastChannel | undefined {
  if (typeof BroadcastChannel !== 'function') return undefined;
  try {
    const channel = new BroadcastChannel(name);
    (channel as { unref?: () => void }).unref?.();
    return channel;
  } catch {
    // Documents with an opaque origin (sandboxed frames, file:) may not have one.
    return undefined;
  }
}
