/** `connectDevtools`: checks the options and opens the connection. */

import { copied, type HalfopenEvent, onEvent, processName, redacted } from '../event/events.js';
import { callback, flag, misuse, readOptions, type Shape } from '../options.js';
import { Connection, type DevtoolsStatus, serverAt } from './connection.js';
import { DEFAULT_PORT } from './default-port.js';
import { bufferSize, channelName, eventSources, someText } from './kinds.js';
import { isLoopback } from './loopback.js';
import type { ControlModule, Platform } from './platform.js';

/** The default URL of the server. */
const DEFAULT_URL = `http://127.0.0.1:${DEFAULT_PORT}`;

/** Something that emits events: any policy. */
export interface EventSource {
  /** Calls the listener for every event. Returns a function that removes the listener. */
  onEvent(listener: (event: HalfopenEvent) => void): () => void;
}

/** How to reach the devtools, and with which events. */
export interface ConnectOptions {
  /**
   * The server's URL as the server prints it; its `?token=` is used. Default: the environment variable
   * `HALFOPEN_DEVTOOLS_URL`, otherwise `http://127.0.0.1:4319`, to which nothing is sent unless a server of this user
   * or a token is known.
   */
  url?: string | undefined;
  /**
   * The server's token. Default: the environment variable `HALFOPEN_DEVTOOLS_TOKEN`, otherwise the one that the server
   * on this machine wrote into `~/.halfopen/servers/<port>.json`. In browsers there is no default, and nothing is sent
   * without a URL or a token.
   */
  token?: string | undefined;
  /** The name of a BroadcastChannel for a dashboard of this origin; `false` for none. Default: 'halfopen'. */
  channel?: string | false | undefined;
  /** The policies whose events are sent. Default: all of this process. */
  policies?: readonly EventSource[] | undefined;
  /** How many events are kept while the server is away; beyond that the oldest are dropped. Default: 10,000. */
  buffer?: number | undefined;
  /**
   * Lets a person act on this process from the dashboard: isolate or close a breaker, change options of a policy, end a run. Each
   * action is an event (`control.applied`, with the name of the user) and can be undone there; only an ended run stays ended. The server must be
   * on this machine, and must prove that it knows the token. Node, Bun and Deno only. Default: false.
   */
  control?: boolean | undefined;
  /**
   * Gets every change of `status`. If there is no server, or it refuses the token, the console gets one warning too.
   */
  onStatus?: ((status: DevtoolsStatus) => void) | undefined;
}

/** A connection to the devtools. */
export interface DevtoolsConnection {
  /** How many events were dropped: the buffer was full, the server refused them, or they were left at `close()`. */
  readonly dropped: number;
  /**
   * `connecting` during the search for the server, which begins at once; `connected`: it takes the events; `refused`:
   * it does not accept the token; `away`: no devtools server responds there, or (in a page without URL and token) there
   * is no search for one.
   */
  readonly status: DevtoolsStatus;
  /** Sends the events so far. Resolves when they are written, after 2 s, or when sending failed; never rejects. */
  flush(): Promise<void>;
  /** Removes the listeners, flushes and closes the connection. Never rejects; further calls do nothing. */
  close(): Promise<void>;
}

/** Repeated, so that a reader of one day of a log knows processes that have run for weeks. */
const INTRODUCED_EVERY_MS = 3_600_000;

const SHAPE: Shape = {
  url: someText('an http(s) URL'),
  token: someText('a string that is not empty'),
  channel: channelName,
  policies: eventSources,
  buffer: bufferSize,
  control: flag,
  onStatus: callback,
};

/** The server's URL, taken apart. */
interface Target {
  /** Where its paths begin; ends with `/`. */
  readonly base: URL;
  readonly token: string | undefined;
}

/** Reads the server's URL. The error for a wrong one leaves out its query, which may contain a token. */
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
export function connect(
  options: ConnectOptions,
  platform: Platform,
  defaultUrl = DEFAULT_URL,
): DevtoolsConnection {
  const {
    url,
    token,
    channel = 'halfopen',
    policies,
    buffer = 10_000,
    control = false,
    onStatus,
  } = readOptions<ConnectOptions>(SHAPE, options, 'connectDevtools');
  const byEnvironment = url === undefined ? platform.namedUrl() : undefined;
  const named = url ?? byEnvironment;
  const posts = platform.postsByDefault || named !== undefined || token !== undefined;
  const target = readUrl(named ?? defaultUrl, byEnvironment !== undefined);
  const isControlled = control && mayBeControlled(target, platform, byEnvironment !== undefined);
  const connection = new Connection({
    url: posts ? target.base : undefined,
    named: named !== undefined,
    token: token ?? target.token,
    channel: channel === false ? undefined : openChannel(channel),
    buffer,
    platform,
    onStatus,
  });
  /**
   * The time of the process's last introduction. With given policies, only their events are sent; but the page must know that a
   * process allows control.
   */
  let introduced =
    policies === undefined || isControlled ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const listener = (event: HalfopenEvent) => {
    connection.push(event);
    if (event.source !== processName() || performance.now() < introduced + INTRODUCED_EVERY_MS) return;
    introduced = performance.now();
    const described = platform.describeProcess();
    const started = copied(
      { type: 'process.started', ...described, control: isControlled || undefined },
      {},
      Date.now(),
    );
    connection.push(redacted(started) as HalfopenEvent);
  };
  const stops =
    policies === undefined ? [onEvent(listener)] : policies.map((policy) => policy.onEvent(listener));
  // Actions are events of the process, and the page must see what became of them.
  if (policies !== undefined && isControlled)
    stops.push(onEvent((event) => event.type.startsWith('control.') && listener(event)));
  const stopControl = isControlled ? startControl(target, token, platform) : () => {};
  return {
    get dropped() {
      return connection.dropped;
    },
    get status() {
      return connection.status;
    },
    flush: () => connection.flush(),
    close() {
      stopControl();
      for (const stop of stops.splice(0)) stop();
      return connection.close();
    },
  };
}

/** @throws TypeError for a server elsewhere, unless the environment chose it: a deployment must not stop the program. */
function mayBeControlled({ base }: Target, platform: Platform, byEnvironment: boolean): boolean {
  if (platform.control === undefined)
    throw misuse('control', 'false in a page, which can be reloaded instead', true);
  if (isLoopback(base.hostname)) return true;
  if (!byEnvironment) throw misuse('control', `a server on this machine, not on '${base.hostname}'`, true);
  console.warn(
    `halfopen: connectDevtools allows no control, because HALFOPEN_DEVTOOLS_URL names a server elsewhere (${base.hostname}).`,
  );
  return false;
}

/** Loads the agent's side of control, and begins. Returns how to end that. */
function startControl(
  { base, token: inUrl }: Target,
  token: string | undefined,
  platform: Platform,
): () => void {
  let stop: (() => void) | undefined;
  let isClosed = false;
  const begin = ({ allowControl }: ControlModule): void => {
    if (isClosed) return;
    stop = allowControl({
      line: platform.open(base),
      source: processName(),
      findServer: () => serverAt(base, token ?? inUrl, platform),
    });
  };
  platform.control?.().then(begin, (error: unknown) => {
    console.warn('halfopen: connectDevtools allows no control, because its code could not be loaded:', error);
  });
  return () => {
    isClosed = true;
    stop?.();
  };
}

/** Opens a channel that does not keep the process alive; `undefined` if the runtime lacks BroadcastChannel. */
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
