/**
 * A connection to the devtools: events go out in batches, in order, one batch at a time.
 *
 * The agent itself only writes an event into the outbox. The rest happens later, on timers that do not keep the process
 * alive. A server that is away, frozen or refusing costs one request now and then. The server knows the events that it
 * has stored, so a batch may be sent twice.
 */

import type { HalfopenEvent } from '../event/events.js';
import { type Batch, Outbox } from './outbox.js';
import type { Answer, ChallengeResult, KnownServer, Line, Platform } from './platform.js';

/**
 * A batch is sent when its first event is this old, or when it is full; one with many events waits for this time once
 * more.
 */
const BATCH_AFTER_MS = 200;
/** From this number of events on a batch is sent at once. A request costs the time of a thousand events. */
const MANY = 250;
/** A server that has not answered by then is taken as frozen. */
const REQUEST_TIMEOUT_MS = 5_000;
/** Waits between tries while the server is away: doubling, with up to a quarter added at random. */
const RETRY = { firstMs: 250, maxMs: 5_000 };
/** `flush` gives up then, and so does `close`. */
const FLUSH_TIMEOUT_MS = 2_000;
/**
 * A message to the channel is sent early when it has this many characters. Several of this size cost a quarter of one
 * large message, whose text does not fit into the young generation's memory.
 */
const MESSAGE_CHARACTERS = 64 * 1024;
/** How long a program that has ended by itself waits until its last events are taken. */
const EXIT_TIMEOUT_MS = 500;

/** The state of the connection; see `DevtoolsConnection.status`. */
export type DevtoolsStatus = 'connecting' | 'connected' | 'refused' | 'away';

/** Where to, and how. */
export interface ConnectionOptions {
  /** The server, with a path that ends with `/`; `undefined`: to the channel only. */
  readonly url: URL | undefined;
  /** Somebody chose that URL. Events go to the default one only if a token or a registration is found. */
  readonly named: boolean;
  readonly token: string | undefined;
  readonly channel: BroadcastChannel | undefined;
  readonly buffer: number;
  readonly platform: Platform;
  readonly onStatus: ((status: DevtoolsStatus) => void) | undefined;
}

/** Sends what it is given, and never throws. */
export class Connection {
  private readonly options: ConnectionOptions;
  private readonly outbox: Outbox;
  /** For the channel, since its last message. */
  private blocks: string[] = [];
  private blocksCharacters = 0;
  private readonly stopIdleExit: () => void;
  private readonly line: Line | undefined;
  /** The known server. It is looked up again after a failure, because another may have been started. */
  private known: KnownServer | undefined;
  /** Once a secret is known, no server is trusted without a proof. */
  private mustProve = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private timerSoon = false;
  /** The batch that fills up has been waited for once. */
  private waited = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private failures = 0;
  private sending: Promise<void> | undefined;
  private inFlight: AbortController | undefined;
  /** `true` once the rest was sent after the program's end. There is no second try. */
  private exitTried = false;
  private closed = false;
  private current: DevtoolsStatus = 'connecting';
  /** The states so far: the console gets one warning for each. */
  private readonly seen = new Set<DevtoolsStatus>();
  /** The search for the server at the beginning. Nothing is sent before it has ended. */
  private looking: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.options = options;
    this.outbox = new Outbox(options.buffer, (text) => this.take(text));
    this.line = options.url && options.platform.open(options.url);
    this.stopIdleExit = options.platform.onIdleExit(() => {
      if (this.outbox.held === 0 || this.exitTried) return;
      this.exitTried = true;
      void this.flush(EXIT_TIMEOUT_MS);
    });
    const { line } = this;
    if (line === undefined) this.current = 'away';
    else
      unrefed(() => {
        if (this.sending === undefined && !this.closed) this.looking = this.look(line);
      }, 0);
  }

  /** The state of the connection. */
  get status(): DevtoolsStatus {
    return this.current;
  }

  /** Events lost for good. */
  get dropped(): number {
    return this.outbox.dropped;
  }

  /** Takes an event in, to be sent later. */
  push(event: HalfopenEvent): void {
    if (this.closed) return;
    this.outbox.push(event);
    if (this.timer === undefined) this.schedule(BATCH_AFTER_MS);
    else if (!this.timerSoon && this.outbox.batchFull && !this.busy) this.schedule(0);
  }

  /** Sends the events so far. Resolves when they are written, or could not be. */
  async flush(timeoutMs = FLUSH_TIMEOUT_MS): Promise<void> {
    this.sendToChannel();
    if (this.line === undefined) return;
    const until = this.outbox.pushed;
    let stop: ReturnType<typeof setTimeout> | undefined;
    // The timer keeps the process alive for that time, because somebody awaits it.
    const deadline = new Promise<'late'>((resolve) => {
      stop = setTimeout(resolve, timeoutMs, 'late');
    });
    const sent = this.sendUntil(until);
    await Promise.race([sent, deadline]);
    clearTimeout(stop);
  }

  /** Flushes, and ends the connection. */
  async close(): Promise<void> {
    if (!this.closed) {
      await this.flush();
      this.closed = true;
      this.stopIdleExit();
      clearTimeout(this.timer);
      clearTimeout(this.retryTimer);
      this.inFlight?.abort();
      this.line?.reset();
      this.outbox.abandon();
      this.options.channel?.close();
    }
    await this.sending;
  }

  /** A batch is on its way, or the server is away. */
  private get busy(): boolean {
    return this.sending !== undefined || this.retryTimer !== undefined;
  }

  private schedule(ms: number): void {
    clearTimeout(this.timer);
    this.timerSoon = ms === 0;
    this.timer = unrefed(() => {
      this.timer = undefined;
      this.timerSoon = false;
      this.sendToChannel();
      if (this.retryTimer !== undefined) return;
      const { waiting, batchFull } = this.outbox;
      this.waited = !this.waited && waiting >= MANY && !batchFull;
      if (this.waited) this.schedule(BATCH_AFTER_MS);
      else this.send();
    }, ms);
  }

  private take(text: string): void {
    if (this.options.channel === undefined) return;
    this.blocks.push(text);
    this.blocksCharacters += text.length;
    if (this.blocksCharacters >= MESSAGE_CHARACTERS) this.postBlocks();
  }

  /** Sends the events so far to the channel. */
  private sendToChannel(): void {
    this.outbox.endBlock();
    this.postBlocks();
    if (this.line === undefined) this.outbox.forget();
  }

  private postBlocks(): void {
    const last = this.blocks.pop();
    if (last === undefined) return;
    // The last newline is cut off here, because a part of the whole text would be copied once more.
    this.blocks.push(last.slice(0, -1));
    const text = this.blocks.join('');
    this.blocks = [];
    this.blocksCharacters = 0;
    try {
      this.options.channel?.postMessage(text);
    } catch {
      // A channel closed by a page that goes away.
    }
  }

  /** Sends until `until` events are settled or a try has failed. */
  private async sendUntil(until: number): Promise<void> {
    for (;;) {
      const { pushed, held } = this.outbox;
      if (pushed - held >= until) return;
      const failures = this.failures;
      await this.send();
      if (this.failures > failures || !this.outbox.sendable || this.closed) return;
    }
  }

  /** Starts sending, or joins what is under way. */
  private send(): Promise<void> {
    const { line } = this;
    if (line === undefined) return Promise.resolve();
    clearTimeout(this.retryTimer);
    this.retryTimer = undefined;
    this.sending ??= this.afterLook(line).finally(() => {
      this.sending = undefined;
    });
    return this.sending;
  }

  private async afterLook(line: Line): Promise<void> {
    if (this.looking !== undefined) await this.looking;
    this.looking = undefined;
    await this.sendBatches(line);
  }

  /**
   * Looks for the server before there is an event for it, so that a wrong URL or token shows in an agent that does
   * nothing yet.
   */
  private async look(line: Line): Promise<void> {
    const result = await this.bounded(async (signal) => {
      const result = await this.prove(line, signal);
      if (result !== 'unknown') return result;
      // The secret is unknown, so this only determines which server responds.
      const other = await line.challenge({ secret: 'unknown', samePort: false, signal });
      return other === 'stranger' ? other : result;
    });
    if (result === 'proved') this.report('connected');
    else if (result === 'disproved') this.report('refused');
    else if (result !== 'unknown') this.report('away');
  }

  private report(status: DevtoolsStatus): void {
    if (this.closed || status === this.current) return;
    this.current = status;
    const warning = this.warningOf(status);
    this.seen.add(status);
    try {
      if (warning !== undefined) console.warn(`halfopen: ${warning}`);
      this.options.onStatus?.(status);
    } catch {
      // Nothing that watches the connection changes it.
    }
  }

  /** Returns the console's warning; none if a server that was there before has gone. */
  private warningOf(status: DevtoolsStatus): string | undefined {
    const { url, buffer } = this.options;
    if (this.seen.has(status)) return undefined;
    if (status === 'refused')
      return `the devtools server at ${url} does not accept the token. Pass the URL that it has printed, token included, to connectDevtools, or set HALFOPEN_DEVTOOLS_TOKEN.`;
    if (status === 'away' && !this.seen.has('connected'))
      return `connectDevtools finds no devtools server at ${url}. Start one there (npx halfopen devtools), or pass its URL and token. The last ${buffer} events wait for it.`;
    return undefined;
  }

  private async sendBatches(line: Line): Promise<void> {
    let most = Number.POSITIVE_INFINITY;
    while (!this.closed && this.outbox.sendable) {
      const batch = this.outbox.batch(most);
      const answer = await this.post(line, batch);
      if (answer?.status === 413 && batch.lines > 1) {
        most = Math.ceil(batch.lines / 2);
        continue;
      }
      const rejected = answer?.status === 413 ? batch.lines : rejectedOf(answer, batch.lines);
      if (rejected === undefined) {
        // By the next try, another server may be there, or the same one with another token.
        if (answer === undefined || answer.status === 401) {
          this.known = undefined;
          line.reset();
        }
        this.report(answer?.status === 401 || answer?.status === 403 ? 'refused' : 'away');
        this.retryLater(answer?.retryAfterMs ?? 0);
        return;
      }
      this.failures = 0;
      this.exitTried = false;
      this.report('connected');
      this.outbox.settle(batch, rejected);
    }
  }

  /** Sends one request. Resolves with `undefined` if there is no response or no server. */
  private post(line: Line, batch: Batch): Promise<Answer | undefined> {
    return this.bounded((signal) => this.exchange(line, batch, signal));
  }

  /** Runs something that ends in time, and with the connection; `undefined` if it fails. */
  private async bounded<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const inFlight = new AbortController();
    this.inFlight = inFlight;
    const timeout = unrefed(() => inFlight.abort(), REQUEST_TIMEOUT_MS);
    try {
      return await unlessAborted(run(inFlight.signal), inFlight.signal);
    } catch {
      return undefined;
    } finally {
      clearTimeout(timeout);
    }
  }

  /** Lets the server prove itself, if that is due, and sends the batch. */
  private async exchange(line: Line, { body }: Batch, signal: AbortSignal): Promise<Answer | undefined> {
    const result = await this.prove(line, signal);
    // It would answer the token so.
    if (result === 'disproved') return { status: 401, body: '' };
    const provedOnly = result !== 'unknown';
    if ((provedOnly && !line.proved) || signal.aborted) return undefined;
    return line.post({ token: this.known?.token, body, signal, provedOnly });
  }

  /**
   * Challenges the server if a secret is known. Otherwise returns `unknown` for a URL that was configured, `nowhere`
   * for the default one.
   */
  private async prove(line: Line, signal: AbortSignal): Promise<ChallengeResult | 'unknown' | 'nowhere'> {
    const { named } = this.options;
    const { url, token, platform } = this.options;
    this.known ??= url && (await serverAt(url, token, platform));
    if (this.known === undefined) return named && !this.mustProve ? 'unknown' : 'nowhere';
    this.mustProve = true;
    if (line.proved) return 'proved';
    const { secret, registered } = this.known;
    return line.challenge({ secret, samePort: registered || !named, signal });
  }

  private retryLater(atLeastMs: number): void {
    const backoff = Math.min(RETRY.maxMs, RETRY.firstMs * 2 ** this.failures);
    this.failures += 1;
    if (this.closed) return;
    this.retryTimer = unrefed(
      () => {
        this.retryTimer = undefined;
        this.send();
      },
      Math.max(Math.min(atLeastMs, RETRY.maxMs), backoff * (1 + Math.random() / 4)),
    );
  }
}

/** Returns the server of the given token, or else the one that the platform finds. */
export async function serverAt(
  url: URL,
  token: string | undefined,
  platform: Platform,
): Promise<KnownServer | undefined> {
  if (token !== undefined) return { token, secret: token, registered: false };
  return platform.findServer(url);
}

/** Returns how many of `lines` a server refused; `undefined` if this is not a devtools server's success. */
function rejectedOf(answer: Answer | undefined, lines: number): number | undefined {
  if (answer?.status !== 200) return undefined;
  const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
  try {
    const { stored, rejected } = JSON.parse(answer.body) as { stored?: unknown; rejected?: unknown };
    return isCount(stored) && isCount(rejected) && (rejected as number) <= lines
      ? (rejected as number)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Waits for a result until the signal aborts: nothing that a server does may delay `close()`. */
function unlessAborted<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    result.then(resolve, reject);
  });
}

/** A timer that does not keep the process alive. */
function unrefed(callback: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(callback, ms);
  // Pages have numbers here.
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
