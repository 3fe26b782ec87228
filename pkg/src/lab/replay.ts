/** Replay of a recorded log under other policies. */

import { AGENT_ERROR_CODES } from '../codes.js';
import {
  replayAdvance,
  replayBegin,
  replayCensored,
  replayChanged,
  replayFree,
  replayNew,
  replayRows,
  replayRunRows,
  replayRunRules,
  replayRuns,
  replaySettings,
  replayShare,
  replaySums,
} from '../core/lab.js';
import { LAYERS } from '../core/wire.js';
import type { HalfopenEvent } from '../event/events.js';
import { misuse } from '../options.js';
import { type Censored, censoredOf, sumOfCensored } from './censored.js';
import { asJson, check, type Held, hold, nextTask, type RunOptions, STEP_MS } from './pace.js';
import { RecordedLog } from './recorded-log.js';
import { RecordedRuns, type RunRules, type RunsReplay } from './replay-runs.js';
import type { Totals } from './result.js';
import { saysOf } from './says.js';
import type { LabPolicy, Scenario } from './scenario.js';
import { bandOf, nested, seedsOf } from './simulate-many.js';

/** The results of some calls of a replay. */
export interface ReplayedCalls {
  /**
   * The share of recorded calls that end as they did, for the same reason and after the same number of attempts, when
   * the log is replayed under its own policies. 1 for logs without function options and without dropped events. A call
   * does not count if a timeout cut off an attempt of it that has more time under the other policies: the log does not
   * have its end.
   */
  identity: number;
  /** The totals of the log itself. */
  before: Totals;
  /**
   * The same under the other policies: the mean over all seeds. With `unknown` attempts, a figure that the log cannot
   * tell is NaN, which JSON writes as `null`; `afterBand` has its bounds.
   */
  after: Totals;
  /**
   * The range that holds 95 % of the seeds, or all of a few. It has no width if nothing was drawn. With `unknown`
   * attempts it reaches from no answer to any of them to an answer at once to all.
   */
  afterBand: { low: Totals; high: Totals };
  /**
   * Attempts that a timeout cut off, and that have more time under the other policies. The log does not contain how
   * long they would have taken. They go on like attempts that are known to have lasted longer, by the estimator of Kaplan
   * and Meier. Absent without such attempts.
   */
  censored?: readonly Censored[] | undefined;
  /**
   * Attempts whose result the log cannot tell, because no recorded attempt lasted longer or the policy has no attempt, and the
   * calls that have such attempts. Absent without them.
   */
  unknown?: { attempts: number; calls: number } | undefined;
}

/**
 * The results of a replay, of all calls. A call within another one belongs to no user: its attempts count, its end does
 * not.
 */
export interface Replay extends ReplayedCalls {
  /**
   * The results of each policy, by its name: of up to 100, the replaced ones first. They include its calls within other
   * calls, so they can sum to more than those of all.
   */
  policies?: Readonly<Record<string, ReplayedCalls>> | undefined;
  /** Calls that end otherwise, with the first seed, and those whose end the log cannot tell. */
  changed: readonly Change[];
  /** Sentences that the figures need beside them: the limits of what this log can tell. */
  says?: readonly string[] | undefined;
  /** The runs under the rules of `runs`. Absent without that option. */
  runs?: RunsReplay | undefined;
}

/** The result of {@link replay}. A {@link Replay} of your own, for a test, may lack these. */
export interface FullReplay extends Replay {
  policies: Readonly<Record<string, ReplayedCalls>>;
  says: readonly string[];
}

/** A call that ends otherwise than it did. */
export interface Change {
  /** Its id in the log. */
  call: string;
  /** The name of its policy. */
  policy?: string | undefined;
  /** How it ended, after how many attempts and when: `failed TIMEOUT (2 attempts, 4100 ms)`. */
  before: string;
  /** How it ends now, or `the log cannot tell`. */
  after: string;
  /** `true` if an attempt that never happened was drawn for it. */
  modelled: boolean;
  /** `true` if the log cannot tell how it ends. Absent otherwise. */
  unknown?: boolean | undefined;
}

/** How a log is replayed. */
export interface ReplayOptions extends RunOptions {
  /** The policies that replace the recorded ones, by their names in the log. The others stay. Default: none, with `runs`. */
  policies?: Record<string, LabPolicy> | undefined;
  /** The limits, thresholds and ladders that replace those of runs (`halfopen/run`), by their names in the log. Default: none. */
  runs?: Record<string, RunRules> | undefined;
  /** Money: for each attempt, and for each token in the log. Default: 0. */
  cost?: { perAttempt?: number | undefined; perToken?: number | undefined } | undefined;
}

/** Lines that are read at once, as UTF-16 units. */
const CHUNK = 65_536;
const EVENTS = 2000;

/** The names of the sums, in the order of the core. */
const TOTALS = [
  ...['offered', 'attempts', 'succeeded', 'failed', 'rejected', 'abandoned', 'fallbacks', 'successRate'],
  ...['amplification', 'userMs.p50', 'userMs.p95', 'userMs.p99', 'userMs.max', 'goodputPerSecond'],
  ...['wastedServiceMs', 'tokens', 'cost', 'events'],
];

/**
 * Replays a recorded log under other policies, to show which calls would have been retried, refused or answered by a
 * fallback, and when; and its runs under other limits and thresholds, to show which would have been stopped, what that
 * saves, and which of them completed.
 *
 * The calls arrive as they did, and calls that follow from the result of another call are not modelled. A recorded attempt
 * keeps its result. Attempts that never happened are drawn from the results of others near their time, to the same provider
 * and model, or of the same policy if the log names no provider. They are drawn with many seeds (default: 30), so that
 * `afterBand` shows the uncertainty of the sums. Reading and replaying yield to the host every few milliseconds.
 *
 * @param log lines of JSON, events, or a whole text.
 * @throws TypeError where a line is no event of this version, the log has no call of that policy, or a policy does not
 * fit: it names the line or the path, what was expected and what came.
 *
 * @example
 * ```ts
 * import { readFileSync } from 'node:fs';
 * import { replay } from 'halfopen/lab';
 * const log = readFileSync('incident.jsonl', 'utf8').split('\n');
 * const { before, after, afterBand } = await replay(log, {
 *   policies: { chat: { retry: { maxRetries: 1 }, fallback: true } },
 * });
 * console.log(before.failed, after.failed, afterBand.low.failed, afterBand.high.failed);
 * ```
 */
export async function replay(
  log: Iterable<string | HalfopenEvent> | AsyncIterable<string | HalfopenEvent>,
  options: ReplayOptions,
): Promise<FullReplay> {
  const {
    runs,
    policies = runs && {},
    seeds = 30,
    cost = {},
    signal,
    onProgress,
  } = (options ?? {}) as ReplayOptions;
  if (typeof policies !== 'object' || policies === null)
    throw misuse('policies', 'an object with a policy for each name', policies);
  if (runs !== undefined && (typeof runs !== 'object' || runs === null))
    throw misuse('runs', 'an object with rules for each name', runs);
  if (typeof log !== 'string' && !isIterable(log)) throw misuse('log', 'lines or events', log);
  seedsOf({}, seeds);
  const prices = [price('cost.perAttempt', cost.perAttempt), price('cost.perToken', cost.perToken)] as const;
  if (Object.keys(policies).length > 0) check(ofPolicies(policies));
  const recordedRuns = runs && new RecordedRuns(runs);
  const recorded = new RecordedLog(policies, recordedRuns);
  const run = hold(replayNew, replayFree);
  if (run === undefined) throw new RangeError('halfopen: expected fewer than a million replays at once');
  const pause = async () => {
    await nextTask();
    if (signal?.aborted) throw signal.reason;
  };
  try {
    await read(run, recorded, recordedRuns, log, pause);
    for (const rules of recordedRuns?.options ?? []) run.call((handle) => replayRunRules(handle, rules));
    const ofRuns = recordedRuns?.result(run.call(replayRuns));
    for (const { recorded: before, other, tokens } of recorded.settings) {
      const scenario = { ...ofPolicies({ recorded: before, other }), cost: { tokensPerAttempt: tokens } };
      const text = asJson(scenario);
      if (!run.call((handle) => replaySettings(handle, text))) check(scenario);
    }
    run.call((handle) => replayBegin(handle, seeds, ...prices));
    let isOver = false;
    while (!isOver) {
      onProgress?.(run.call(replayShare));
      await pause();
      const until = performance.now() + STEP_MS;
      isOver = run.call((handle) => {
        let over = replayAdvance(handle, EVENTS);
        while (!over && performance.now() < until) over = replayAdvance(handle, EVENTS);
        return over;
      });
    }
    onProgress?.(1);
    return { ...resultOf(run, recorded), ...(ofRuns && { runs: ofRuns }) };
  } finally {
    run.free();
  }
}

/** Reads the log, and lends the host a turn after each few milliseconds. */
async function read(
  run: Held,
  recorded: RecordedLog,
  recordedRuns: RecordedRuns | undefined,
  log: Iterable<string | HalfopenEvent> | AsyncIterable<string | HalfopenEvent>,
  pause: () => Promise<void>,
): Promise<void> {
  let length = 0;
  let until = performance.now() + STEP_MS;
  const take = () => {
    const rows = recorded.take();
    run.call((handle) => replayRows(handle, rows));
    const ofRuns = recordedRuns?.take();
    if (ofRuns !== undefined) run.call((handle) => replayRunRows(handle, ofRuns));
    length = 0;
  };
  // A text is iterable too, by its characters.
  for await (const item of typeof log === 'string' ? linesOf(log as string) : log) {
    if (typeof item === 'string') recorded.text(item);
    else recorded.object(item);
    length += typeof item === 'string' ? item.length : 200;
    if (length < CHUNK) continue;
    take();
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + STEP_MS;
  }
  take();
  recorded.finish();
}

function* linesOf(text: string): Generator<string> {
  let from = 0;
  for (let to = text.indexOf('\n'); to >= 0; to = text.indexOf('\n', from)) {
    yield text.slice(from, to);
    from = to + 1;
  }
  if (from < text.length) yield text.slice(from);
}

function isIterable(log: unknown): boolean {
  return typeof log === 'object' && log !== null && (Symbol.iterator in log || Symbol.asyncIterator in log);
}

/** Returns a scenario that has only policies. */
function ofPolicies(policies: Record<string, LabPolicy>): Scenario {
  return {
    version: 1,
    durationMs: 1,
    clients: { count: 1, arrivals: { kind: 'once' } },
    policies,
    provider: { servers: 1, service: { kind: 'constant', mean: 1 } },
  };
}

function resultOf(run: Held, recorded: RecordedLog): FullReplay {
  const censored = censoredOf(run.call(replayCensored));
  const policies = Object.fromEntries(
    [...recorded.names]
      .map((name, number) => [name, callsOf(run, number, censored.get(number))] as const)
      .filter(([, { before }]) => before.offered > 0),
  );
  const all = callsOf(run, -1, sumOfCensored(censored.values()));
  return {
    ...all,
    policies,
    changed: changesOf(run.call(replayChanged), recorded),
    says: saysOf(all.identity, policies),
  };
}

/** The results of a policy's calls, by the number of its name; -1 is all. */
function callsOf(run: Held, policy: number, censored: readonly Censored[] = []): ReplayedCalls {
  const [identity = 0, attempts = 0, calls = 0, ...numbers] = run.call((handle) =>
    replaySums(handle, policy),
  );
  const width = TOTALS.length;
  const before = numbers.slice(0, width);
  const after: number[][] = [];
  const isAnswered: boolean[] = [];
  // Figures that depend on the results of unknown attempts: with no answer to them they are others than with one.
  const isOpen = new Set<number>();
  for (let at = width; at < numbers.length; at += width + 1) {
    const sums = numbers.slice(at + 1, at + 1 + width);
    const hanging = numbers[at] === 1 ? after.at(-1) : undefined;
    isAnswered.push(hanging !== undefined);
    sums.forEach((value, index) => {
      if (hanging !== undefined && hanging[index] !== value) isOpen.add(index);
    });
    after.push(sums);
  }
  // A seed with unknown attempts has two passes. It counts once if they are equal.
  const seeds = after.filter((_, pass) => !isAnswered[pass]);
  const bands = TOTALS.map((_, index) =>
    bandOf((isOpen.has(index) ? after : seeds).map((each) => each[index] ?? 0)),
  );
  const totals = (values: readonly number[]) =>
    nested(TOTALS.map((name, index) => [name, values[index] ?? 0]));
  const mean = bands.map(({ mean }, index) => (isOpen.has(index) ? Number.NaN : mean));
  return {
    identity,
    before: totals(before),
    after: totals(mean),
    afterBand: { low: totals(bands.map(({ low }) => low)), high: totals(bands.map(({ high }) => high)) },
    ...(censored.length > 0 && { censored }),
    ...(attempts > 0 && { unknown: { attempts, calls } }),
  };
}

/** Twelve numbers for each change. */
function changesOf(
  numbers: ArrayLike<number>,
  { ids, policies }: Pick<RecordedLog, 'ids' | 'policies'>,
): Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < numbers.length; at += 12) {
    const [call = 0, drawn = 0] = [numbers[at], numbers[at + 1]];
    changes.push({
      call: ids[call] ?? '',
      policy: policies[call] ?? '',
      before: endOf(numbers, at + 2),
      after: drawn === 2 ? 'the log cannot tell' : endOf(numbers, at + 7),
      modelled: drawn === 1,
      ...(drawn === 2 && { unknown: true }),
    });
  }
  return changes;
}

/** How a call ended, in words. */
function endOf(numbers: ArrayLike<number>, at: number): string {
  const [how = 0, what = 0, attempts = 0, fellBack = 0, tookMs = 0] = Array.from(
    { length: 5 },
    (_, index) => numbers[at + index] ?? 0,
  );
  if (how < 0) return 'still running when the log ends';
  const ends = [
    'succeeded',
    'closed early',
    `failed ${AGENT_ERROR_CODES[what]}`,
    `refused by ${LAYERS[what]}`,
  ];
  const fallback = fellBack === 1 ? ', answered by a fallback' : '';
  return `${ends[how]}${fallback} (${attempts} attempt${attempts === 1 ? '' : 's'}, ${tookMs} ms)`;
}

function price(name: string, value = 0): number {
  if (!(value >= 0 && value <= 1e15)) throw misuse(name, 'a number, 0 or more', value);
  return value;
}
