/**
 * Reads a log, and records it as rows of numbers for the core (`row` of `core/lab/src/replay/rows.rs` has their
 * fields). Ids and names become numbers, options become the lab's policies.
 */

import { LAYERS, WHY } from '../core/wire.js';
import { codeNumber } from './code-number.js';
import { estimatedTokens, recordedPolicy, withOwn } from './recorded-options.js';
import type { RecordedRuns } from './replay-runs.js';
import {
  ATTEMPT_FAILED,
  ATTEMPT_STARTED,
  ATTEMPT_SUCCEEDED,
  BY_POLICY,
  CALL_ENDED,
  CALL_QUEUED,
  CALL_STARTED,
  CLOSED,
  CONTROL,
  COUNTED,
  DISABLED,
  FAILED,
  FALLBACK,
  FINE_CLOCK,
  HOST,
  ISOLATED,
  LIFTED,
  OUTER,
  REFUSED,
  REQUESTS,
  RESET,
  RETRY_SCHEDULED,
  RETRYABLE,
  SETTINGS,
  SUCCEEDED,
  TOKENS,
  TOKENS_BESIDE,
  WIDTH,
} from './rows.js';
import type { LabPolicy } from './scenario.js';

/** An event, of whose fields nothing is known yet. */
type Fields = Record<string, unknown>;

/** A policy of one process. */
interface Host {
  readonly number: number;
  readonly name: string;
  policy: LabPolicy;
  /** The number of its present settings, -1 before the first. */
  settings: number;
  seed: unknown;
  hasAttempts: boolean;
  hasFineClock: boolean;
}

/** Replaces an attempt's number: the last one of the call. */
const LAST = 0;

/** Names by number. */
class Numbers {
  private readonly numbers = new Map<string, number>();

  of(name: string): number {
    const number = this.numbers.get(name) ?? this.numbers.size;
    if (number === this.numbers.size) this.numbers.set(name, number);
    return number;
  }

  has(name: string): boolean {
    return this.numbers.has(name);
  }

  names(): Iterable<string> {
    return this.numbers.keys();
  }
}

/** Settings: the original policy, and the one that replaces it. */
export interface RecordedSettings {
  recorded: LabPolicy;
  other: LabPolicy;
  tokens: number;
}

export class RecordedLog {
  /** By their numbers. */
  readonly settings: RecordedSettings[] = [];
  /** The ids of calls, and the names of their policies, by their numbers. */
  readonly ids: string[] = [];
  readonly policies: string[] = [];
  private readonly others: Readonly<Record<string, LabPolicy>>;
  private readonly hosts = new Map<string, Host>();
  /** The names of policies that the log has. */
  private readonly seen = new Set<string>();
  private readonly calls = new Numbers();
  private readonly providers = new Numbers();
  private readonly policyNumbers = new Numbers();
  private readonly breakers = new Numbers();
  private readonly known = new Numbers();
  private readonly whole = new Set<number>();
  private hostCount = 0;
  private line = 0;
  private source = '';
  private rows: number[] = [];
  private fields: Fields = {};

  /** `others` replace policies, by their names; `runs` takes down the runs. */
  constructor(
    others: Readonly<Record<string, LabPolicy>>,
    private readonly runs?: RecordedRuns,
  ) {
    this.others = others;
    for (const name of Object.keys(others)) this.policyNumbers.of(name);
  }

  /** The names of policies, by their numbers: those that are replaced first. */
  get names(): Iterable<string> {
    return this.policyNumbers.names();
  }

  /** The rows since the last time. */
  take(): Float64Array {
    const rows = Float64Array.from(this.rows);
    this.rows = [];
    return rows;
  }

  /** Reads lines of JSON. */
  text(text: string): void {
    for (const line of text.replace(/\n$/, '').split('\n')) {
      this.line++;
      if (line.trim() !== '') this.event(this.parsed(line));
    }
  }

  /** Reads an event. */
  object(event: object): void {
    this.line++;
    this.event(event);
  }

  /** Throws if no call was read from its beginning to its end, or a named policy is missing. */
  finish(): void {
    this.runs?.finish();
    if (this.whole.size === 0 && this.runs === undefined)
      throw misfit('log', 'events of a call from its beginning to its end', `${this.line} lines without one`);
    for (const name of Object.keys(this.others)) {
      if (this.seen.has(name)) continue;
      const all = [...this.seen].map((known) => `'${known}'`).join(' or ');
      throw misfit(`policies.${name}`, `the name of a policy in the log, ${all}`, 'one that is not there');
    }
  }

  private parsed(line: string): unknown {
    try {
      return JSON.parse(line);
    } catch (error) {
      const isTorn = !/\}\s*$/.test(line);
      const reason = isTorn ? 'a line that ends in the middle of its JSON' : String((error as Error).message);
      throw misfit(`log line ${this.line}`, 'an event of Halfopen as JSON', reason);
    }
  }

  private event(event: unknown): void {
    if (typeof event !== 'object' || event === null || Array.isArray(event))
      throw misfit(`log line ${this.line}`, 'an event of Halfopen as JSON', shown(event));
    this.fields = event as Fields;
    const type = this.word('type');
    this.number('seq');
    this.number('time');
    const { v } = this.fields;
    if (v !== 1) throw misfit(`log line ${this.line}.v`, '1', shown(v));
    this.runs?.event(this.fields);
    const { policy, call } = this.fields;
    // Events of the process, not of a policy: a snapshot's restart, dropped events.
    if (policy === undefined && call === undefined) return;
    // Older writers put the origin of a delay under `source`, and the process under `process`.
    const isOlder = type === 'retry.scheduled' && this.fields.delaySource === undefined;
    if (!isOlder) this.source = this.word('source');
    const host = this.host(policy === undefined ? 'default' : this.word('policy'));
    const of = EVENTS[type];
    if (of !== undefined) of(this, host);
  }

  private host(name: string): Host {
    const key = `${this.source} ${name}`;
    let host = this.hosts.get(key);
    const isConfigured = this.fields.type === 'policy.configured';
    // A policy of that name with another seed is a different policy.
    if (host === undefined || (isConfigured && host.settings >= 0 && host.seed !== this.fields.seed)) {
      host = {
        number: this.hostCount++,
        name,
        policy: {},
        settings: -1,
        seed: isConfigured ? this.number('seed') : 0,
        hasAttempts: false,
        hasFineClock: false,
      };
      this.seen.add(name);
      this.hosts.set(key, host);
      const breaker = (this.fields.options as Fields | undefined)?.breaker as Fields | undefined;
      const shared = isConfigured && breaker?.shared === true ? `${this.source} ${String(breaker.name)}` : '';
      const replaced = Number(Object.hasOwn(this.others, name));
      const number = shared === '' ? -1 : this.breakers.of(shared);
      this.row(HOST, host.number, Number(host.seed), replaced, number, this.policyNumbers.of(name));
    }
    return host;
  }

  configured(host: Host): void {
    const { options } = this.fields;
    if (typeof options !== 'object' || options === null)
      throw misfit(`log line ${this.line}.options`, 'an object', shown(options));
    host.policy = recordedPolicy(options);
    const number = this.settingsOf(host, undefined);
    if (number === host.settings) return;
    host.settings = number;
    this.row(SETTINGS, host.number, number);
  }

  private settingsOf(host: Host, own: Fields | undefined): number {
    const number = this.known.of(JSON.stringify([host.name, host.policy, own]));
    if (this.settings[number] !== undefined) return number;
    const other = this.others[host.name] ?? host.policy;
    this.settings[number] = {
      recorded: own === undefined ? host.policy : withOwn(host.policy, own),
      other: own === undefined ? other : withOwn(other, own),
      tokens: estimatedTokens(own),
    };
    return number;
  }

  started(host: Host): void {
    const own = this.fields.options as Fields | undefined;
    if (host.settings < 0) {
      // Its options are unknown, so those of `createPolicy()` apply.
      host.settings = this.settingsOf(host, undefined);
      this.row(SETTINGS, host.number, host.settings);
    }
    const settings = own === undefined ? host.settings : this.settingsOf(host, own);
    const { parentCall } = this.fields;
    const call = this.call();
    this.policies[call] = host.name;
    this.row(
      CALL_STARTED,
      call,
      host.number,
      settings,
      own === undefined ? 0 : 1,
      Number(parentCall !== undefined),
    );
    if (parentCall === undefined) return;
    const parent = `${this.source} ${this.word('parentCall')}`;
    if (this.calls.has(parent)) this.row(OUTER, this.calls.of(parent));
  }

  attemptStarted(host: Host): void {
    const { provider = '', model = '' } = this.fields;
    host.hasAttempts = true;
    // Two policies that name no provider call different ones, as far as the log shows.
    const of = JSON.stringify([provider === '' ? { policy: host.name } : provider, model]);
    this.row(ATTEMPT_STARTED, this.call(), this.number('attempt'), this.providers.of(of));
  }

  attemptSucceeded(): void {
    this.row(
      ATTEMPT_SUCCEEDED,
      this.call(),
      this.number('attempt'),
      this.number('durationMs'),
      this.tokens(),
    );
  }

  attemptFailed(): void {
    const { retryable, counted, rule, code } = this.fields;
    const isByPolicy = rule === 'policy.timeout' || rule === 'policy.hedge';
    const flags =
      (retryable === true ? RETRYABLE : 0) + (counted === true ? COUNTED : 0) + (isByPolicy ? BY_POLICY : 0);
    const wait = this.fields.retryAfterMs === undefined ? Number.NaN : this.number('retryAfterMs');
    const [attempt, tookMs] = [this.number('attempt'), this.number('durationMs')];
    this.row(ATTEMPT_FAILED, this.call(), attempt, tookMs, this.tokens(), codeNumber(code), flags, wait);
  }

  retryScheduled(host: Host): void {
    const { delaySource, source } = this.fields;
    const isBackoff = (delaySource ?? source) === 'backoff';
    this.fineClock(host, this.number('dueAt'));
    this.row(RETRY_SCHEDULED, this.call(), this.number('attempt'), this.number('delayMs'), Number(isBackoff));
  }

  queued(host: Host): void {
    if (this.fields.dueAt !== undefined) this.fineClock(host, this.number('dueAt'));
    this.row(CALL_QUEUED, this.call());
  }

  succeeded(): void {
    this.ended(this.fields.closedEarly === true ? CLOSED : SUCCEEDED, 0, 0);
  }

  failed(): void {
    this.ended(
      FAILED,
      codeNumber(this.fields.code),
      Math.max(0, (WHY as readonly unknown[]).indexOf(this.fields.why)),
    );
  }

  rejected(host: Host): void {
    const by = Math.max(0, (LAYERS as readonly unknown[]).indexOf(this.fields.by));
    if (by === 0 && this.fields.retryAfterMs === undefined && !host.hasAttempts) {
      // The call was refused without a time to come back, and no call was admitted before. So the breaker was isolated
      // before there was a listener, and before the call began.
      this.row(CONTROL, host.number, ISOLATED);
      const last = this.rows.length - WIDTH;
      this.rows[last + 3] = (this.rows[last + 3] ?? 0) - 2;
      host.hasAttempts = true;
    }
    this.ended(REFUSED, by, 0);
  }

  chunk(): void {
    this.tokensBeside(this.number('attempt'));
  }

  /** Tokens of a stream that was closed or cancelled, or of a body that was read after its attempt's end. */
  private tokensBeside(attempt: number): void {
    if (this.fields.usage !== undefined) this.row(TOKENS_BESIDE, this.call(), attempt, this.tokens());
  }

  private ended(how: number, what: number, why: number): void {
    const call = this.call();
    this.whole.add(call);
    this.tokensBeside(LAST);
    this.row(CALL_ENDED, call, how, what, why);
  }

  fallback(): void {
    this.row(FALLBACK, this.call(), Number(this.fields.failed !== true));
  }

  breaker(host: Host): void {
    const { from, to, reason, retryAt } = this.fields;
    if (retryAt !== undefined) this.fineClock(host, this.number('retryAt'));
    const what =
      (to === 'isolated' && ISOLATED) ||
      (from === 'isolated' && LIFTED) ||
      (to === 'disabled' && DISABLED) ||
      (reason === 'reset by hand' && RESET);
    if (what !== false) this.row(CONTROL, host.number, what);
  }

  limits(host: Host): void {
    const { unit, resetAt } = this.fields;
    const reset =
      resetAt === undefined ? Number.NaN : Math.max(0, this.number('resetAt') - this.number('time'));
    this.row(CONTROL, host.number, unit === 'requests' ? REQUESTS : TOKENS, this.number('remaining'), reset);
  }

  private fineClock(host: Host, due: number): void {
    if (host.hasFineClock || Number.isInteger(due)) return;
    host.hasFineClock = true;
    this.row(FINE_CLOCK, host.number);
  }

  private call(): number {
    const id = this.word('call');
    const number = this.calls.of(`${this.source} ${id}`);
    this.ids[number] ??= id;
    return number;
  }

  private tokens(): number {
    const { inputTokens = 0, outputTokens = 0 } = (this.fields.usage ?? {}) as Record<string, number>;
    return inputTokens + outputTokens;
  }

  private number(name: string): number {
    const value = this.fields[name];
    if (typeof value === 'number' && value >= 0 && value <= 8.64e15) return value;
    throw misfit(`log line ${this.line}.${name}`, 'a number, 0 or more', shown(value));
  }

  private word(name: string): string {
    const value = this.fields[name];
    if (typeof value === 'string') return value;
    throw misfit(`log line ${this.line}.${name}`, 'a text', shown(value));
  }

  private row(kind: number, subject: number, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0): void {
    const { time, seq } = this.fields as Record<string, number>;
    this.rows.push(kind, subject, time ?? 0, seq ?? 0, a, b, c, d, e, f);
  }
}

/** The handlers by type of event. Other events are ignored. */
const EVENTS: Readonly<Record<string, (log: RecordedLog, host: Host) => void>> = {
  'policy.configured': (log, host) => log.configured(host),
  'call.started': (log, host) => log.started(host),
  'call.queued': (log, host) => log.queued(host),
  'attempt.started': (log, host) => log.attemptStarted(host),
  'attempt.succeeded': (log) => log.attemptSucceeded(),
  'attempt.failed': (log) => log.attemptFailed(),
  'retry.scheduled': (log, host) => log.retryScheduled(host),
  'call.succeeded': (log) => log.succeeded(),
  'call.failed': (log) => log.failed(),
  'stream.chunk': (log) => log.chunk(),
  'call.rejected': (log, host) => log.rejected(host),
  'fallback.used': (log) => log.fallback(),
  'breaker.changed': (log, host) => log.breaker(host),
  'limits.observed': (log, host) => log.limits(host),
};

function misfit(path: string, expected: string, got: string): TypeError {
  return new TypeError(`halfopen: ${path}: expected ${expected}, got ${got}`);
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
