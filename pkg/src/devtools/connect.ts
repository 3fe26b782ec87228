/** `connectDevtools`: its options, checked, and the connection that they ask for. */

import { type HalfopenEvent, onEvent } from '../events.js';
import { Connection } from './connection.js';
import type { Platform } from './platform.js';

/** Where the server listens when nothing else is said. */
export const DEFAULT_URL = 'http://127.0.0.1:4319';

/** What events are taken of: any policy. */
export interface EventSource {
  onEvent(listener: (event: HalfopenEvent) => void): () => void;
}

/** How to reach the devtools, and with which events. */
export interface ConnectOptions {
  /** The server's URL; one with `?token=` is taken as it was printed. Default `http://127.0.0.1:4319`. */
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

const EXPECTED: Readonly<
  Record<keyof ConnectOptions, readonly [what: string, test: (value: never) => boolean]>
> = {
  url: [
    'an http(s) URL',
    (value: unknown) => typeof value === 'string' && /^https?:/i.test(value) && URL.canParse(value),
  ],
  token: ['a string that is not empty', (value: unknown) => typeof value === 'string' && value !== ''],
  channel: [
    'a name or false',
    (value: unknown) => value === false || (typeof value === 'string' && value !== ''),
  ],
  policies: [
    'an array of policies',
    (value: unknown) => Array.isArray(value) && value.every((one) => typeof one?.onEvent === 'function'),
  ],
  buffer: [
    'a whole number from 1 to 1000000',
    (value: number) => Number.isInteger(value) && value >= 1 && value <= 1e6,
  ],
};

/** Throws a TypeError that names the first option that is not what it should be. */
export function checkOptions(
  of: string,
  options: object,
  expected: Readonly<Record<string, readonly [what: string, test: (value: never) => boolean]>>,
): void {
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${of}: expected an object of options, got ${show(options)}`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(expected, name) ? expected[name] : undefined;
    if (rule === undefined) {
      throw new TypeError(
        `${of}: unknown option '${name}', expected one of ${Object.keys(expected).join(', ')}`,
      );
    }
    if (value !== undefined && !rule[1](value as never)) {
      throw new TypeError(`${of}: option '${name}' must be ${rule[0]}, got ${show(value)}`);
    }
  }
}

/** A value as an error message may show it; of a string only that it is one, for it may be a token. */
function show(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value === '') return "''";
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** Connects on a platform. */
export function connect(options: ConnectOptions, platform: Platform): DevtoolsConnection {
  checkOptions('connectDevtools', options, EXPECTED);
  const { url, token, channel = 'halfopen', policies, buffer = 10_000 } = options;
  const posts = platform.postsByDefault || url !== undefined || token !== undefined;
  const target = new URL(url ?? DEFAULT_URL);
  const tokenInUrl = target.searchParams.get('token') ?? undefined;
  const connection = new Connection({
    url: posts ? new URL(`${target.pathname.replace(/\/+$/, '')}/events`, target.origin) : undefined,
    token: token ?? tokenInUrl,
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
