/** What a simulation has shown. */

import type { BreakerState } from '../core/wire.js';
import type { Scenario } from './scenario.js';

/** Sums over a run. Each call is counted in one of `succeeded`, `failed`, `rejected`, `abandoned` and `fallbacks`. */
export interface Totals {
  offered: number;
  attempts: number;
  succeeded: number;
  failed: number;
  rejected: number;
  abandoned: number;
  fallbacks: number;
  /** `succeeded` of `offered`. */
  successRate: number;
  /** Attempts per offered call. */
  amplification: number;
  /** How long users waited in all: queues, attempts and backoff. Right to 0.4 %. */
  userMs: { p50: number; p95: number; p99: number; max: number };
  /** `succeeded` per second of `durationMs`. */
  goodputPerSecond: number;
  /** What servers spent on requests whose caller had left. */
  wastedServiceMs: number;
  tokens: number;
  cost: number;
  /** What the simulator did. */
  events: number;
}

/** Breakers of the compared policy, by state. */
export type BreakerCounts = Record<BreakerState, number>;

/** One value an interval: counts of what happened in it; `inFlight`, `queued`, `waiting` and `breaker` are of its end. */
export type Series = Record<
  | 'offered'
  | 'attempts'
  | 'succeeded'
  | 'failed'
  | 'rejected'
  | 'inFlight'
  | 'queued'
  | 'waiting'
  | 'userP95Ms',
  readonly number[]
> & { breaker: readonly BreakerCounts[] };

/** A limit of the scenario, and whether it holds. */
export interface Expectation {
  name: string;
  limit: number;
  value: number;
  holds: boolean;
}

/** What one policy did. */
export interface PolicyResult {
  totals: Totals;
  series: Series;
  expectations: readonly Expectation[];
  /** Of all decisions: the same on every host. */
  hash: string;
}

/** What all policies of a scenario did. */
export interface Simulation {
  scenario: Scenario;
  policies: Record<string, PolicyResult>;
}
