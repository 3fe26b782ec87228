/** Counts what happens in a run for real, with the names of a simulation's results. */

import type { PolicyStats } from '../../call/stats.js';
import type { Charted } from '../charted.js';
import type { Totals } from '../result.js';

const COUNTED = ['attempts', 'succeeded', 'failed', 'rejected'] as const;

/** The numbers of one policy. */
export class Measure {
  offered = 0;
  private readonly waits: number[] = [];
  private inInterval: number[] = [];
  private before = { offered: 0, attempts: 0, succeeded: 0, failed: 0, rejected: 0 };
  private readonly series: Record<keyof Charted, number[]> = {
    ...{ offered: [], attempts: [], succeeded: [], failed: [], rejected: [], inFlight: [], queued: [] },
    ...{ waiting: [], userP95Ms: [], open: [], halfOpen: [] },
  };

  /** Records that a user is done, after that number of milliseconds. */
  ended(ms: number): void {
    this.waits.push(ms);
    this.inInterval.push(ms);
  }

  /** Ends an interval; `stats` are those of all processes. */
  interval(stats: readonly PolicyStats[], queued: number): void {
    const now = { offered: this.offered, ...sums(stats) };
    for (const name of ['offered', ...COUNTED] as const)
      this.series[name].push(now[name] - this.before[name]);
    this.before = now;
    this.series.inFlight.push(sum(stats.map(({ inFlight }) => inFlight)));
    this.series.waiting.push(sum(stats.map(({ waiting }) => waiting)));
    this.series.queued.push(queued);
    this.series.userP95Ms.push(percentile(this.inInterval, 0.95));
    this.series.open.push(stats.filter(({ breaker }) => breaker === 'open').length);
    this.series.halfOpen.push(stats.filter(({ breaker }) => breaker === 'half_open').length);
    this.inInterval = [];
  }

  /** Returns the totals under the simulation's names, as far as a run for real has them. */
  finish(
    stats: readonly PolicyStats[],
    given: { seconds: number; perAttempt: number; wastedServiceMs: number },
  ): { totals: Totals; charted: Charted } {
    const { attempts, succeeded, failed, rejected } = sums(stats);
    const { offered } = this;
    const totals: Totals = {
      ...{ offered, attempts, succeeded, failed, rejected, abandoned: 0 },
      fallbacks: sum(stats.map(({ fallbacks }) => fallbacks)),
      successRate: offered === 0 ? 0 : succeeded / offered,
      amplification: offered === 0 ? 0 : attempts / offered,
      userMs: {
        p50: percentile(this.waits, 0.5),
        p95: percentile(this.waits, 0.95),
        p99: percentile(this.waits, 0.99),
        max: percentile(this.waits, 1),
      },
      goodputPerSecond: succeeded / given.seconds,
      wastedServiceMs: given.wastedServiceMs,
      cost: attempts * given.perAttempt,
      tokens: 0,
      events: 0,
    };
    return { totals, charted: this.series };
  }
}

function sums(stats: readonly PolicyStats[]): Record<(typeof COUNTED)[number], number> {
  const of = (name: (typeof COUNTED)[number]) => sum(stats.map((one) => one[name]));
  return {
    attempts: of('attempts'),
    succeeded: of('succeeded'),
    failed: of('failed'),
    rejected: of('rejected'),
  };
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
