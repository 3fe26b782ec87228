/** What-if replay: a recorded log under other policies. */

import {
  replayAdvance,
  replayFree,
  replayMisfit,
  replayNew,
  replayRead,
  replayResult,
  replayShare,
  replayUnder,
} from '../core/lab.js';
import type { HalfopenEvent } from '../event/events.js';
import { misuse } from '../options.js';
import { nextTask, plain, type RunOptions, STEP_MS, untrapped } from './pace.js';
import type { Totals } from './result.js';
import type { LabPolicy } from './scenario.js';
import { seedsOf } from './simulate-many.js';

/** What a replay has shown. */
export interface Replay {
  /**
   * The share of recorded calls that end as they did, for the same reason and after as many attempts, when the log is
   * replayed under its own policies. 1 for logs without function options and without dropped events.
   */
  identity: number;
  /** What the log says. A call within another one is no user's: its attempts count, its end does not. */
  before: Totals;
  /** The same under the other policies: the mean over all seeds. */
  after: Totals;
  /** Between which 95 % of the seeds lie, of few all. No width where nothing was drawn. */
  afterBand: { low: Totals; high: Totals };
  /** Calls that end otherwise, with the first seed. */
  changed: readonly Change[];
}

/** A call that ends otherwise than it did. */
export interface Change {
  /** Its id in the log. */
  call: string;
  /** How it ended, after how many attempts and when: `failed TIMEOUT (2 attempts, 4100 ms)`. */
  before: string;
  /** How it ends now. */
  after: string;
  /** Whether an attempt that never happened was drawn for it. */
  modelled: boolean;
}

/** How a log is replayed. */
export interface ReplayOptions extends RunOptions {
  /** What stands in the place of the recorded policies, by the names that they have in the log. The others stay. */
  policies: Record<string, LabPolicy>;
  /** Money: for each attempt, and for each token of those that the log has. Default: 0. */
  cost?: { perAttempt?: number | undefined; perToken?: number | undefined } | undefined;
}

/** Lines that are read at once, as UTF-16 units. */
const CHUNK = 65_536;
const EVENTS = 2000;

/**
 * Replays a recorded log under other policies: which calls would have been retried, refused or answered by a fallback, and when.
 *
 * The calls arrive as they did. Attempts that were recorded come to what they came to. Attempts that never happened are
 * drawn from what came of others near their time, to the same provider and model: with many seeds (default: 30), so
 * that `afterBand` says how sure the sums are. Reading and replaying lend the host a turn every few milliseconds.
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
): Promise<Replay> {
  const { policies, seeds = 30, cost = {}, signal, onProgress } = options ?? {};
  if (typeof policies !== 'object' || policies === null)
    throw misuse('policies', 'an object with a policy for each name', policies);
  seedsOf({}, seeds);
  const perAttempt = price('cost.perAttempt', cost.perAttempt);
  const perToken = price('cost.perToken', cost.perToken);
  const run = untrapped(replayNew);
  const pause = async () => {
    await nextTask();
    if (signal?.aborted) throw signal.reason;
  };
  try {
    await read(run, log, pause);
    checked(untrapped(() => replayUnder(run, plain(policies), seeds, perAttempt, perToken)));
    let isOver = false;
    while (!isOver) {
      onProgress?.(untrapped(() => replayShare(run)));
      await pause();
      const until = performance.now() + STEP_MS;
      isOver = untrapped(() => {
        let over = replayAdvance(run, EVENTS);
        while (!over && performance.now() < until) over = replayAdvance(run, EVENTS);
        return over;
      });
    }
    onProgress?.(1);
    return JSON.parse(untrapped(() => replayResult(run))) as Replay;
  } finally {
    untrapped(() => replayFree(run));
  }
}

/** Reads the log in chunks, and lends the host a turn after each few milliseconds. */
async function read(
  run: number,
  log: Iterable<string | HalfopenEvent> | AsyncIterable<string | HalfopenEvent>,
  pause: () => Promise<void>,
): Promise<void> {
  if (typeof log !== 'string' && !isIterable(log)) throw misuse('log', 'lines or events', log);
  let lines: string[] = [];
  let length = 0;
  let until = performance.now() + STEP_MS;
  const take = () => {
    if (lines.length > 0) checked(untrapped(() => replayRead(run, lines.join('\n'))));
    lines = [];
    length = 0;
  };
  for await (const item of typeof log === 'string' ? [log as string] : log) {
    const line = typeof item === 'string' ? item.replace(/\n$/, '') : JSON.stringify(item);
    lines.push(line);
    length += line.length;
    if (length < CHUNK) continue;
    take();
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + STEP_MS;
  }
  take();
}

function isIterable(log: unknown): boolean {
  return typeof log === 'object' && log !== null && (Symbol.iterator in log || Symbol.asyncIterator in log);
}

function checked(fits: boolean): void {
  if (!fits) throw new TypeError(`halfopen: ${replayMisfit()}`);
}

function price(name: string, value = 0): number {
  if (!(value >= 0 && value <= 1e15)) throw misuse(name, 'a number from 0', value);
  return value;
}
