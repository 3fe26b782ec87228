/** A ledger: acts that happen at most once in all processes that share a store. */

import { parentHere } from '../call/parents.js';
import { type Clock, sleep, type Time, type Timer, timeOf } from '../clock.js';
import { AgentError } from '../error/agent-error.js';
import { type EventDetails, emit, type HalfopenEvent, randomHex } from '../event/events.js';
import { textForLog } from '../message/for-log.js';
import * as is from '../options.js';
import { Exchange, type Standing, StoreLost } from './exchange.js';
import { type Kept, keptOf, unkeptError } from './kept.js';
import { hashedKey, partsOf, storeKey } from './key.js';
import { insideOf, within } from './nested.js';
import { type Input, next, type Refusal, step } from './protocol.js';
import type { OnceStore } from './store.js';
import { surelyNot as refused } from './surely-not.js';
import { unknownError } from './words.js';

/** The options of a ledger. */
export interface LedgerOptions {
  /** The store that the processes share: `redisStore(client)`, `postgresStore(pool)`, `kvStore(kv)`, `memoryStore()`, or your own. */
  store: OnceStore;
  /** The prefix of its keys. Default: 'once'. */
  name?: string | undefined;
  /** How long a result or a failure is kept, in milliseconds. Acts that are not settled are kept until they are. Default: 604800000, a week. */
  keepMs?: number | undefined;
  /** How long a claim holds without being renewed, in milliseconds. It is renewed while the act runs. Default: 30000. */
  leaseMs?: number | undefined;
  /** How long a second call waits for the first one's result, in milliseconds. Default: 10000. */
  waitMs?: number | undefined;
  /** Without the store: 'deny' acts never, and rejects with CAPACITY_EXCEEDED; 'allow' acts as if there were no ledger, and emits `effect.unguarded`. Default: 'deny'. */
  onStoreLost?: 'deny' | 'allow' | undefined;
  /** The longest wait for the store, in milliseconds. Default: 2000. */
  storeTimeoutMs?: number | undefined;
  /** Keys are hashed with it (HMAC-SHA-256), so that an order or card number cannot be found by trying. Without it SHA-256, and one warning. */
  secret?: string | undefined;
  /** The source of time for leases and waits. Default: the system's. */
  clock?: Clock | undefined;
  /** Called with each event of this ledger. */
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
}

/** The result of a look at the world for an act. */
export type Verified<R> = { happened: true; result: R } | { happened: false } | { happened: 'unknown' };

/** The options of one act. */
export interface OnceOptions<A extends unknown[], R> {
  /** Returns what makes two calls the same act, such as `[orderId, amount]`. Compared by its canonical JSON; only a hash is stored. */
  key: (...args: A) => unknown;
  /**
   * Looks whether an act of unknown outcome has happened. Anything it throws leaves it unknown. It must not say "no" while
   * the act may still be under way. `since`: when it was claimed, by the store's clock.
   */
  verify?:
    | ((
        context: { key: string; since: number; signal: AbortSignal },
        ...args: A
      ) => Verified<R> | PromiseLike<Verified<R>>)
    | undefined;
  /**
   * Whether an act may be tried again after this failure. Default: if every attempt was surely not carried out, that is for
   * refused connections and names, refusals by a policy, and 4xx but 408, 409 and 425.
   */
  surelyNot?: ((error: AgentError) => boolean) | undefined;
  /** 'nothing': a later call gets `undefined`. Default: 'result', as JSON. */
  keep?: 'result' | 'nothing' | undefined;
  /** Tells a person which act it is. Redacted, 200 characters, kept with the claim. */
  describe?: ((...args: A) => string) | undefined;
}

/** `this` of an act. */
export interface Act {
  /** The hashed key, which you can hand to a provider as its idempotency key. */
  readonly key: string;
  /** How often the act was claimed, with this time. */
  readonly attempt: number;
  /**
   * Aborted when the claim is lost. Read it from `this` right before the request: a process that was stopped learns there,
   * by its clock, that its lease is over.
   */
  readonly signal: AbortSignal;
}

/** Acts that happen once. */
export interface Ledger {
  /**
   * Returns a function that acts at most once for a key, in all processes that share the store. Later calls get its result.
   *
   * @throws TypeError at once for wrong arguments.
   */
  once<A extends unknown[], R>(
    name: string,
    execute: (this: Act, ...args: A) => R | PromiseLike<R>,
    options: OnceOptions<A, R> & { keep: 'nothing' },
  ): (...args: A) => Promise<R | undefined>;
  /** Returns the same function; its later calls get the first one's result. */
  once<A extends unknown[], R>(
    name: string,
    execute: (this: Act, ...args: A) => R | PromiseLike<R>,
    options: OnceOptions<A, R>,
  ): (...args: A) => Promise<R>;
  /** Returns the acts whose outcome is not known, the oldest first. `limit`: how many at most, default 100. */
  unknown(
    limit?: number,
  ): Promise<
    readonly { name: string; key: string; since: number; attempts: number; about?: string | undefined }[]
  >;
  /** Settles an act after a person has looked. Rejects with CONFLICT if it runs or is done, with NOT_FOUND if there is nothing. */
  settle(
    name: string,
    key: string,
    outcome: { happened: true; result?: unknown } | { happened: false },
  ): Promise<void>;
  /** Ends renewals and waits. Later calls reject with CANCELLED. The store stays open: it belongs to the caller. */
  close(): Promise<void>;
}

const LEDGER: is.Shape = {
  store: is.duck('a store with swap and list', 'swap', 'list'),
  name: is.filledText,
  keepMs: is.finiteSpan,
  leaseMs: is.finiteSpan,
  waitMs: is.delay,
  onStoreLost: is.oneOf('deny', 'allow'),
  storeTimeoutMs: is.finiteSpan,
  secret: is.filledText,
  clock: is.clock,
  onEvent: is.callback,
};
const ACT: is.Shape = {
  key: is.syncCallback,
  verify: is.callback,
  surelyNot: is.syncCallback,
  keep: is.oneOf('result', 'nothing'),
  describe: is.syncCallback,
};

/** The longest wait between two looks at an act that another process carries out, in milliseconds. */
const LONGEST_LOOK_MS = 250;
/** The waits before a result is reported again to a store that did not answer, in milliseconds. */
const REPORT_AGAIN_MS = [200, 2000, 20_000];
/** How many records of a ledger are read to find the unknown ones. */
const MOST_LISTED = 1000;
const MOST_ABOUT = 200;
/** Others come between seldom. A store that never writes must not keep a call for ever. */
const MOST_TURNS = 1000;

type Execute = (this: Act, ...args: unknown[]) => unknown;
type Options = OnceOptions<unknown[], unknown>;

/** One call of an act. */
interface Doing {
  readonly name: string;
  /** The hashed key. */
  readonly key: string;
  /** The store's key. */
  readonly at: string;
  readonly owner: string;
  readonly execute: Execute;
  readonly options: Options;
  readonly args: unknown[];
  readonly about: string | undefined;
}

class OneLedger implements Ledger {
  private readonly options: LedgerOptions & {
    readonly name: string;
    readonly leaseMs: number;
    readonly waitMs: number;
    readonly onStoreLost: 'deny' | 'allow';
  };
  private readonly time: Time;
  private readonly exchange: Exchange;
  private readonly closing = new AbortController();
  /** Owners of claims: random for each ledger, counted within it. */
  private readonly owner = randomHex(8);
  private calls = 0;

  constructor(options: LedgerOptions) {
    const {
      name = 'once',
      leaseMs = 30_000,
      waitMs = 10_000,
      onStoreLost = 'deny',
      keepMs = 604_800_000,
    } = options;
    this.options = { ...options, name, leaseMs, waitMs, onStoreLost };
    this.time = timeOf(options.clock);
    this.exchange = new Exchange(options.store, this.time, options.storeTimeoutMs ?? 2000, keepMs);
  }

  once<A extends unknown[], R>(
    name: string,
    execute: (this: Act, ...args: A) => R | PromiseLike<R>,
    options: OnceOptions<A, R>,
  ): (...args: A) => Promise<R> {
    if (typeof name !== 'string' || name === '') throw is.misuse('name', 'a string that is not empty', name);
    is.expectFunction(execute, 'once');
    const read = is.readOptions<Options>(ACT, options, 'once');
    if (read.key === undefined)
      throw is.misuse('key', 'a function that returns what makes two calls the same act', undefined);
    return async (...args: A) => {
      this.expectOpen();
      const key = await hashedKey(name, read.key(...args), this.options.secret);
      const at = storeKey(this.options.name, name, key);
      if (insideOf(at))
        throw new TypeError(
          `halfopen: '${name}' waits for itself: it is called with the same key within its own act`,
        );
      const said = read.describe?.(...args);
      const about = said === undefined ? undefined : textForLog(String(said), MOST_ABOUT);
      const doing = {
        name,
        key,
        at,
        owner: `${this.owner}.${++this.calls}`,
        execute: execute as Execute,
        options: read,
        args,
        about,
      };
      return (await this.carryOut(doing)) as R;
    };
  }

  /** Claims, acts, waits, verifies or returns what is kept, until the call has its result. */
  private async carryOut(doing: Doing): Promise<unknown> {
    const { name, owner, at } = doing;
    const { leaseMs, waitMs } = this.options;
    const until = this.time.now() + waitMs;
    let looks = 0;
    try {
      let seen = this.exchange.unseen() ?? (await this.exchange.read(at));
      for (let turns = 0; ; turns++) {
        this.expectOpen();
        if (turns > MOST_TURNS) throw conflict(name);
        const now = this.exchange.nowOf(seen);
        const { record } = seen;
        // Its own claim came back too late, and it never began.
        if (record?.state === 'running' && record.owner === owner && record.until <= now) {
          seen = await this.change(doing, seen, { type: 'failed', owner });
          if (this.time.now() >= until) throw conflict(name);
          continue;
        }
        const todo = step(record, owner, now);
        if (todo.do === 'act') return await this.act(doing, seen);
        if (todo.do === 'reuse') return this.reuse(doing, seen.kept);
        if (todo.do === 'claim') {
          seen = await this.change(doing, seen, { type: 'claim', owner, leaseMs }, { about: doing.about });
          continue;
        }
        if (todo.do === 'verify') {
          const verified = await this.verify(doing, seen);
          if ('seen' in verified) seen = verified.seen;
          else if (verified.happened === true) return verified.result;
          continue;
        }
        const left = until - this.time.now();
        if (left <= 0) throw conflict(name);
        const look = Math.min(LONGEST_LOOK_MS, 10 * 2 ** looks++, todo.leftMs, left);
        await this.pause(look);
        seen = await this.exchange.read(at);
      }
    } catch (error) {
      if (!(error instanceof StoreLost)) throw error;
      return this.unguarded(doing, error);
    }
  }

  /** The store did not answer before the act. */
  private async unguarded(doing: Doing, lost: StoreLost): Promise<unknown> {
    const { name, key, owner, execute, args, options } = doing;
    this.expectOpen();
    if (this.options.onStoreLost === 'deny') {
      // The claim may have arrived all the same.
      void this.reportAgain(doing, { type: 'failed', owner });
      throw storeLost(
        lost,
        `'${name}' was not carried out, because without it nobody knows whether it has happened`,
      );
    }
    this.emit({ type: 'effect.unguarded', name, key });
    const result = await execute.apply({ key, attempt: 1, signal: this.closing.signal }, args);
    void this.reportAgain(doing, { type: 'done', owner }, keptOf(result, options.keep ?? 'result'));
    return result;
  }

  private async act(doing: Doing, claimed: Standing): Promise<unknown> {
    const { name, key, owner, options } = doing;
    const attempt = claimed.record?.attempts ?? 1;
    this.emit({ type: 'effect.claimed', name, key, attempt });
    const { signal } = this.closing;
    const renewal = new Renewal(
      this.exchange,
      doing,
      claimed,
      this.options.leaseMs,
      this.time.unreferenced,
      signal,
    );
    let result: unknown;
    try {
      const { execute, args } = doing;
      const act: Act = {
        key,
        attempt,
        get signal() {
          return renewal.signal;
        },
      };
      result = await within(doing.at, () => execute.apply(act, args));
    } catch (thrown) {
      const seen = await renewal.end();
      const error = AgentError.from(thrown, { layer: 'tool' });
      const isSurely = isSurelyNot(options.surelyNot, error);
      const reported = await this.report(doing, seen, { type: isSurely ? 'failed' : 'unknown', owner });
      if (isSurely) throw thrown;
      return await this.afterUnclear(doing, reported, thrown);
    }
    const kept = keptOf(result, options.keep ?? 'result');
    await this.report(doing, await renewal.end(), { type: 'done', owner }, kept);
    this.emit({ type: 'effect.done', name, key, attempt });
    if ('unkept' in kept) throw unkeptError(name, kept.unkept);
    return result;
  }

  /** The act has failed in a way that does not say whether it happened: verifies, and else rejects with that. */
  private async afterUnclear(doing: Doing, seen: Standing | undefined, thrown: unknown): Promise<unknown> {
    const { name, key } = doing;
    try {
      for (let now = seen, turns = 0; now !== undefined && turns < MOST_TURNS; turns++) {
        if (now.record?.state === 'done') return this.reuse(doing, now.kept);
        // Somebody knows by now that it did not happen.
        if (step(now.record, doing.owner, this.exchange.nowOf(now)).do !== 'verify') throw thrown;
        const verified = await this.verify(doing, now, thrown);
        if (!('seen' in verified)) return verified.result;
        if (verified.happened === false) throw thrown;
        now = verified.seen;
      }
    } catch (error) {
      if (!(error instanceof StoreLost)) throw error;
    }
    this.emit({ type: 'effect.unknown', name, key });
    throw unknownError(name, key, thrown);
  }

  /**
   * Looks whether it has happened, and notes that. `seen`: the present record, if the call goes on.
   *
   * @throws the error that says that the outcome is unknown.
   */
  private async verify(
    doing: Doing,
    seen: Standing,
    cause?: unknown,
  ): Promise<{ happened: true; result: unknown } | { happened: false | 'another'; seen: Standing }> {
    const { name, key, options, args } = doing;
    const { record } = seen;
    const since = record !== undefined && 'since' in record ? record.since : 0;
    let verified: Verified<unknown> = { happened: 'unknown' };
    let failure = cause;
    try {
      const { signal } = this.closing;
      if (options.verify !== undefined) verified = await options.verify({ key, since, signal }, ...args);
    } catch (thrown) {
      failure ??= thrown;
    }
    const said: unknown = verified?.happened;
    const happened = said === true || said === false ? said : 'unknown';
    const kept = verified.happened === true ? keptOf(verified.result, options.keep ?? 'result') : undefined;
    const standing = await this.change(
      doing,
      seen,
      { type: 'verified', happened },
      { kept, about: seen.about },
    );
    if (!standing.written) return { happened: 'another', seen: standing };
    if (happened === 'unknown') {
      this.emit({ type: 'effect.unknown', name, key });
      throw unknownError(name, key, failure);
    }
    this.emit({ type: 'effect.verified', name, key, happened });
    if (verified.happened !== true) return { happened: false, seen: standing };
    if (kept !== undefined && 'unkept' in kept) throw unkeptError(name, kept.unkept);
    return { happened: true, result: verified.result };
  }

  private reuse({ name, key }: Doing, kept: Kept | undefined): unknown {
    if (kept !== undefined && 'unkept' in kept) throw unkeptError(name, kept.unkept);
    this.emit({ type: 'effect.reused', name, key });
    return kept !== undefined && 'value' in kept ? kept.value : undefined;
  }

  /** Puts the record that an input makes into the store. Without a word of the store it throws StoreLost. */
  private change(
    { at }: Doing,
    seen: Standing,
    input: Input,
    beside: { kept?: Kept | undefined; about?: string | undefined } = {},
  ): Promise<Standing> {
    const record = next(seen.record, input, this.exchange.nowOf(seen));
    return typeof record === 'string'
      ? this.exchange.read(at)
      : this.exchange.swap(at, seen.version, { record, ...beside });
  }

  /**
   * Reports how the act ended, unless somebody knows better by then. Never rejects: the act has its result all the same.
   * Returns the present record; `undefined` if the store did not answer.
   */
  private async report(
    doing: Doing,
    seen: Standing,
    input: Input,
    kept?: Kept,
  ): Promise<Standing | undefined> {
    try {
      return await this.tryReport(doing, seen, input, kept);
    } catch {
      void this.reportAgain(doing, input, kept);
      return undefined;
    }
  }

  private async tryReport(doing: Doing, seen: Standing, input: Input, kept?: Kept): Promise<Standing> {
    let standing = seen;
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const record = next(standing.record, input, this.exchange.nowOf(standing));
      if (typeof record === 'string') return standing;
      const about = input.type === 'unknown' ? doing.about : undefined;
      standing = await this.exchange.swap(doing.at, standing.version, { record, kept, about });
      if (standing.written) return standing;
    }
    return standing;
  }

  /** Reports later to a store that did not answer. */
  private async reportAgain(doing: Doing, input: Input, kept?: Kept): Promise<void> {
    for (const wait of REPORT_AGAIN_MS) {
      try {
        await sleep(this.time.unreferenced, wait, this.closing.signal);
        await this.tryReport(doing, await this.exchange.read(doing.at), input, kept);
        return;
      } catch {
        if (this.closing.signal.aborted) return;
      }
    }
  }

  /** For a person's requests. */
  private async answered<T>(request: () => Promise<T>): Promise<T> {
    this.expectOpen();
    try {
      return await request();
    } catch (error) {
      throw error instanceof StoreLost ? storeLost(error, 'look again before you rely on it') : error;
    }
  }

  async unknown(
    limit = 100,
  ): Promise<
    readonly { name: string; key: string; since: number; attempts: number; about?: string | undefined }[]
  > {
    if (!Number.isSafeInteger(limit) || limit < 0)
      throw is.misuse('limit', 'a whole number, 0 or more', limit);
    const prefix = `${storeKey(this.options.name)}/`;
    const listed = await this.answered(() => this.exchange.list(prefix, Math.max(limit, MOST_LISTED)));
    return listed
      .filter(({ standing: { record, now } }) => step(record, '', now).do === 'verify')
      .map(({ key: at, standing: { record, about } }) => {
        const [, name = '', key = ''] = partsOf(at);
        const since = record !== undefined && 'since' in record ? record.since : 0;
        return { name, key, since, attempts: record?.attempts ?? 0, ...(about !== undefined && { about }) };
      })
      .sort((one, other) => one.since - other.since)
      .slice(0, limit);
  }

  async settle(
    name: string,
    key: string,
    outcome: { happened: true; result?: unknown } | { happened: false },
  ): Promise<void> {
    const { happened } = outcome ?? {};
    if (typeof happened !== 'boolean') throw is.misuse('outcome.happened', 'a boolean', happened);
    const kept = outcome.happened ? keptOf(outcome.result, 'result') : undefined;
    if (kept !== undefined && 'unkept' in kept)
      throw new TypeError(`halfopen: option 'outcome.result' cannot be kept: ${kept.unkept}`);
    await this.answered(() => this.settled(name, key, happened, kept));
    this.emit({ type: 'effect.settled', name, key, happened });
  }

  private async settled(name: string, key: string, happened: boolean, kept: Kept | undefined): Promise<void> {
    const at = storeKey(this.options.name, name, key);
    let seen = await this.exchange.read(at);
    for (let turns = 0; turns < MOST_TURNS; turns++) {
      const record = next(seen.record, { type: 'verified', happened }, this.exchange.nowOf(seen));
      if (typeof record === 'string') throw unsettled(name, record);
      seen = await this.exchange.swap(at, seen.version, { record, kept });
      if (seen.written) return;
    }
    throw unsettled(name, 'running');
  }

  async close(): Promise<void> {
    this.closing.abort(new AgentError('CANCELLED', 'The ledger was closed'));
  }

  private expectOpen(): void {
    const { signal } = this.closing;
    if (signal.aborted) throw signal.reason;
  }

  private pause(ms: number): Promise<void> {
    return sleep(this.time, ms, this.closing.signal);
  }

  private emit(details: Extract<EventDetails, { type: `effect.${string}` }>): void {
    const { onEvent } = this.options;
    emit({ run: parentHere()?.run }, details, this.time.wall(), onEvent === undefined ? [] : [onEvent]);
  }
}

/** An error of the application's function leaves the outcome unknown. */
function isSurelyNot(own: Options['surelyNot'], error: AgentError): boolean {
  try {
    return own === undefined ? refused(error) : own(error) === true;
  } catch {
    return false;
  }
}

/** The store did not answer, and what follows from that. */
function storeLost({ cause }: StoreLost, what: string): AgentError {
  const message = `The store of the ledger did not answer: ${what}`;
  return new AgentError('CAPACITY_EXCEEDED', message, { retryable: true, severity: 'retriable', cause });
}

function conflict(name: string): AgentError {
  return new AgentError(
    'CONFLICT',
    `'${name}' is being carried out by another call. Try again later to get its result`,
    { retryable: true, severity: 'retriable' },
  );
}

/** Why there is nothing to settle. */
function unsettled(name: string, why: Refusal): AgentError {
  const act = `'${name}' with this key`;
  if (why === 'nothing') return new AgentError('NOT_FOUND', `${act} was not begun, or surely did not happen`);
  if (why === 'done')
    return new AgentError('CONFLICT', `${act} has happened, and that is kept`, { retryable: false });
  return new AgentError('CONFLICT', `${act} is being carried out`, {
    retryable: true,
    severity: 'retriable',
  });
}

/** Renews a claim while its act runs. Most acts are over before the first renewal, and pay for a timer alone. */
class Renewal {
  /** Made when the act reads its signal. */
  private lost: AbortController | undefined;
  private isLost = false;
  private isOver = false;
  private timer: Timer;
  private renewing: Promise<void> | undefined;
  private seen: Standing;

  constructor(
    private readonly exchange: Exchange,
    private readonly doing: Doing,
    claimed: Standing,
    private readonly leaseMs: number,
    private readonly time: Time,
    private readonly closing: AbortSignal,
  ) {
    this.seen = claimed;
    this.timer = this.later();
  }

  /** Looks at the clock too: in a process that was stopped, the act's timers may fire before those of the renewal. */
  get signal(): AbortSignal {
    this.look();
    this.lost ??= new AbortController();
    if (this.isLost) this.lost.abort(this.reason());
    return this.lost.signal;
  }

  private look(): void {
    if (step(this.seen.record, this.doing.owner, this.exchange.nowOf(this.seen)).do !== 'act') this.lose();
  }

  private lose(): void {
    if (this.isLost || this.isOver || this.closing.aborted) return;
    this.isLost = true;
    this.lost?.abort(this.reason());
  }

  /** Retryable: another call finds out what has become of the act. */
  private reason(): AgentError {
    return new AgentError(
      'CONFLICT',
      `The claim of '${this.doing.name}' was lost: its lease is over, and others count it as unknown`,
      { retryable: true, severity: 'retriable' },
    );
  }

  private later(): Timer {
    return this.time.after(this.leaseMs / 3, () => {
      this.renewing = this.renew();
    });
  }

  private async renew(): Promise<void> {
    if (this.isOver || this.closing.aborted) return;
    const { at, owner, about } = this.doing;
    const renewed = () =>
      next(this.seen.record, { type: 'renew', owner, leaseMs: this.leaseMs }, this.exchange.nowOf(this.seen));
    try {
      const record = renewed();
      if (typeof record === 'string') return this.lose();
      this.seen = await this.exchange.swap(at, this.seen.version, { record, about });
      if (typeof renewed() === 'string') return this.lose();
    } catch (error) {
      if (!(error instanceof StoreLost)) throw error;
      // It may still be renewed after its end, as long as no process has looked meanwhile.
      this.look();
    }
    if (!this.isOver) this.timer = this.later();
  }

  /** Ends the renewals. Returns the record as this process last saw it. */
  async end(): Promise<Standing> {
    this.isOver = true;
    this.timer.cancel();
    await this.renewing;
    return this.seen;
  }
}

let hasWarned = false;

/**
 * Makes a ledger: tools that act at most once for a key, whatever is retried, planned again or started again.
 *
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * import { createLedger } from 'halfopen/once';
 * import { redisStore } from 'halfopen/once/redis';
 * const ledger = createLedger({ store: redisStore(redis), secret: process.env.LEDGER_SECRET });
 * const refund = ledger.once(
 *   'refund',
 *   async function (order: { id: string; cents: number }) {
 *     return stripe.refunds.create({ charge: order.id, amount: order.cents }, { idempotencyKey: this.key });
 *   },
 *   { key: ({ id, cents }) => [id, cents] },
 * );
 * ```
 */
export function createLedger(options: LedgerOptions): Ledger {
  const read = is.readOptions<LedgerOptions>(LEDGER, options, 'createLedger');
  if (read.store === undefined) throw is.misuse('store', 'a store with swap and list', undefined);
  if (read.secret === undefined && !hasWarned) {
    hasWarned = true;
    console.warn(
      'halfopen: a ledger without `secret` hashes its keys with SHA-256 alone: whoever reads the store can find an order number by trying',
    );
  }
  return new OneLedger(read);
}
