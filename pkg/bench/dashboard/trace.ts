// The work of the page's main thread, from Chromium's own trace: CPU time of each task, and the frames between them.
import type { Browser, Page } from 'playwright-core';

const CATEGORIES = ['toplevel', 'devtools.timeline', 'disabled-by-default-devtools.timeline'];

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** CPU time of the thread, in microseconds: what a busy machine does not change much. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** Work of the main thread, in milliseconds of CPU. */
export interface Work {
  /** All tasks together. */
  readonly total: number;
  readonly longest: number;
  /** By the clock: what the longest task took, waiting for the processor included. */
  readonly longestByClock: number;
  /** Between each frame and the next. */
  readonly frames: readonly number[];
}

/** Runs `during` and says what the page's main thread did meanwhile. */
export async function workDuring(browser: Browser, page: Page, during: () => Promise<void>): Promise<Work> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[];
  };
  return workOf(traceEvents);
}

function workOf(events: readonly TraceEvent[]): Work {
  const mains = events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain');
  let best: TraceEvent[] = [];
  let most = -1;
  // The browser keeps a renderer in spare: the page's is the one that works.
  for (const main of mains) {
    const own = events.filter((event) => event.pid === main.pid && event.tid === main.tid);
    const sum = own.reduce((total, event) => total + (isTask(event) ? (event.dur ?? 0) : 0), 0);
    if (sum > most) {
      most = sum;
      best = own;
    }
  }
  const tasks = best.filter(isTask).sort((a, b) => a.ts - b.ts);
  const cpu = (task: TraceEvent) => (task.tdur ?? task.dur ?? 0) / 1_000;
  const starts = best
    .filter(({ name, ph }) => name === 'FireAnimationFrame' && ph === 'X')
    .map(({ ts }) => ts)
    .sort((a, b) => a - b);
  const frames: number[] = [];
  let at = 0;
  for (let index = 0; index + 1 < starts.length; index += 1) {
    // Several callbacks of one frame run within a millisecond of each other.
    if ((starts[index + 1] ?? 0) - (starts[at] ?? 0) < 4_000) continue;
    const [from, to] = [starts[at] ?? 0, starts[index + 1] ?? 0];
    at = index + 1;
    frames.push(between(tasks, from, to).reduce((sum, task) => sum + cpu(task), 0));
  }
  return {
    total: tasks.reduce((sum, task) => sum + cpu(task), 0),
    longest: tasks.reduce((most, task) => Math.max(most, cpu(task)), 0),
    longestByClock: tasks.reduce((most, task) => Math.max(most, (task.dur ?? 0) / 1_000), 0),
    frames,
  };
}

function isTask({ name, ph }: TraceEvent): boolean {
  return ph === 'X' && name === 'RunTask';
}

/** The tasks that begin in a span of time; `tasks` are in order. */
function between(tasks: readonly TraceEvent[], from: number, to: number): readonly TraceEvent[] {
  let [low, high] = [0, tasks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((tasks[middle]?.ts ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < tasks.length && (tasks[end]?.ts ?? 0) < to) end += 1;
  return tasks.slice(low, end);
}

/** The value below which the share `q` lies. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}
