/** The results of a simulation. */

import type { BreakerState } from '../core/wire.js';
import type { Scenario } from './scenario.js';

/** Sums over a run. Each call is counted in one of `succeeded`, `failed`, `rejected`, `abandoned` and `fallbacks`. */
export interface Totals {
  /** Calls that users made. */
  offered: number;
  /** Requests that were sent to the provider. */
  attempts: number;
  /** Calls that the provider answered while the user waited. */
  succeeded: number;
  /** Calls that failed for good. */
  failed: number;
  /** Calls that the policy refused: breaker, limit or full queue. */
  rejected: number;
  /** Calls whose user left before an answer. */
  abandoned: number;
  /** Calls that a fallback answered. */
  fallbacks: number;
  /** `succeeded` of `offered`. */
  successRate: number;
  /** Attempts per offered call. */
  amplification: number;
  /** The users' total waiting times: queues, attempts and backoff. Accurate to 0.4 %. */
  userMs: { p50: number; p95: number; p99: number; max: number };
  /** `succeeded` per second of `durationMs`. */
  goodputPerSecond: number;
  /** The time that servers spent on requests whose caller had left. */
  wastedServiceMs: number;
  /** Tokens of the requests that were served. */
  tokens: number;
  /** Money, in the unit of the scenario's `cost`. */
  cost: number;
  /** The number of events that the simulator processed. */
  events: number;
}

/** Breakers of the compared policy, by state. */
export type BreakerCounts = Record<BreakerState, number>;

/**
 * One value an interval: counts of its events; `inFlight`, `queued`, `waiting` and `breaker` are measured at its end.
 */
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
  /** As in the scenario. */
  name: string;
  /** The limit of the scenario. */
  limit: number;
  /** The value that the simulation gave. */
  value: number;
  /** `true` if `value` is within `limit`. */
  holds: boolean;
}

/** The result of one policy. */
export interface PolicyResult {
  /** Sums over the whole run. */
  totals: Totals;
  /** The run over time. */
  series: Series;
  /** The limits of the scenario, and whether each holds; empty without any. */
  expectations: readonly Expectation[];
  /** Of all decisions: the same on every host. */
  hash: string;
}

/** The results of all policies of a scenario. */
export interface Simulation {
  /** The scenario, as it was given. */
  scenario: Scenario;
  /** The result of each policy, by its name in the scenario. */
  policies: Record<string, PolicyResult>;
}
