/** A scenario: plain JSON, durations in milliseconds. */

import type { BreakerOptions } from '../breaker/options.js';
import type { AgentErrorCode } from '../codes.js';
import type { AdaptiveLimitOptions } from '../policy/options.js';
import type { RetryOptions } from '../retry/options.js';

/** The part of a policy's options that is plain data. Absent options have a policy's defaults, at any depth. */
export interface LabPolicy {
  /** Retries, as of a policy. */
  retry?:
    | (Omit<RetryOptions, 'retryOn' | 'onRetry' | 'backoff' | 'budget'> & {
        retryOn?: readonly string[] | undefined;
        budget?:
          | { ratio?: number | undefined; minPerSecond?: number | undefined }
          | 'default'
          | false
          | undefined;
      })
    | false
    | undefined;
  /** The breaker, one for each process. */
  breaker?: Omit<BreakerOptions, 'countsAsFailure' | 'clock'> | false | undefined;
  /** The unit that the breaker counts. Default: 'call'. */
  breakerScope?: 'call' | 'attempt' | undefined;
  /** Deadlines. Default: none. */
  timeout?: { attemptMs?: number | undefined; totalMs?: number | undefined } | undefined;
  /** How many attempts of a process run at once. Default: any number. */
  bulkhead?: { maxConcurrent: number; maxQueued?: number | undefined } | undefined;
  /** Learns how many concurrent attempts of a process the provider can handle. Default: any number. */
  adaptive?: AdaptiveLimitOptions | boolean | undefined;
  /** How many attempts of a process begin in a span of time. Default: any number. */
  rateLimit?: LabRateLimit | readonly LabRateLimit[] | undefined;
  /** `true` if a fallback replaces failures, always and at once. Default: false. */
  fallback?: boolean | undefined;
  /** Another attempt beside one that has not answered for a while. Default: none. */
  hedge?: { afterMs: number; max?: number | undefined } | undefined;
}

/** At most `limit` attempts begin in any span of `windowMs`. */
export interface LabRateLimit {
  /** Attempts in a window. */
  limit: number;
  /** The length of a window, in milliseconds. */
  windowMs: number;
  /** The longest that an attempt waits for its turn, in milliseconds. Default: 0. */
  maxWaitMs?: number | undefined;
}

/**
 * A limit of the provider, in spans that begin at multiples of `windowMs`. Requests beyond it are refused with
 * RATE_LIMITED, and use up no limit.
 */
export interface ProviderLimit {
  /** How many, in each span. */
  limit: number;
  /** The length of a span, in milliseconds. */
  windowMs: number;
  /**
   * How the provider states when the span ends: to the millisecond, in whole seconds rounded up, or absent. Default:
   * 'exact'.
   */
  retryAfter?: 'exact' | 'seconds' | 'none' | undefined;
}

/** How long something takes, in milliseconds. */
export type Distribution =
  | { kind: 'constant'; mean: number }
  | { kind: 'exponential'; mean: number }
  | { kind: 'lognormal'; median: number; sigma: number }
  | { kind: 'empirical'; values: readonly number[] };

/**
 * A fault and its time. An outage refuses requests, a blackhole never answers them, a pause freezes service and queue.
 * `rate` is the share of requests hit. A factor is reached over `rampMs`, and drops to 1 when the fault ends.
 */
export type Fault =
  | { kind: 'outage' | 'blackhole' | 'pause'; atMs: number; forMs: number }
  | {
      kind: 'errors';
      atMs: number;
      forMs: number;
      code: AgentErrorCode;
      rate: number;
      retryAfterMs?: number | undefined;
    }
  | {
      kind: 'slow' | 'capacity' | 'load';
      atMs: number;
      forMs: number;
      factor: number;
      rampMs?: number | undefined;
    };

/** Bounds on the results; the command line fails a run that exceeds one. */
export type Expect = Partial<
  Record<
    'minSuccessRate' | 'maxAmplification' | 'maxUserP95Ms' | 'maxCost' | 'minRecoveredGoodput',
    number | undefined
  >
>;

/** The clients, their policies, the provider, and its faults. */
export interface Scenario {
  /** The version of this format. */
  version: 1;
  /** A name for people. */
  name?: string | undefined;
  /** The seed of all draws. Default: 0. */
  seed?: number | undefined;
  /** Arrivals end here; the run ends when every call has ended. */
  durationMs: number;
  /** The length of one step of the series, in milliseconds. Default: 1000. */
  intervalMs?: number | undefined;
  /** The clients. */
  clients: {
    count: number;
    /**
     * The number of processes over which the clients are spread, by turns. Each process has its own policy
     * state unless `shared`. Default: `count`.
     */
    processes?: number | undefined;
    /** `perSecond` is of all clients together. */
    arrivals:
      | { kind: 'once' }
      | { kind: 'closed'; think: Distribution }
      | { kind: 'open'; perSecond: number; process?: 'poisson' | 'constant' | undefined };
    /** The user leaves after this time, and the call continues without them. Default: never. */
    patienceMs?: number | undefined;
    /**
     * Breaker, budget and limits are shared. `stalenessMs` 0: one state for all processes. Otherwise each process has
     * its own, and sees the changes of the others after this many milliseconds; with Infinity it never does. A bulkhead and an adaptive limit can be
     * shared at 0 and Infinity only.
     */
    shared?: { stalenessMs: number } | undefined;
    /** Layers around the compared policy, outermost first. */
    nested?: readonly LabPolicy[] | undefined;
  };
  /** The policies to compare, each on the same random numbers. */
  policies: Record<string, LabPolicy>;
  /** The provider. */
  provider: {
    /** Requests that are served at the same time. */
    servers: number;
    /** How long serving takes. */
    service: Distribution;
    /** The most requests that wait; beyond it PROVIDER_OVERLOADED at once. Default: 'unbounded'. */
    queue?: number | 'unbounded' | undefined;
    /** `true` if it drops work whose caller has left. Default: false. */
    abandons?: boolean | undefined;
    /** How many requests it accepts. Default: any number. */
    rateLimit?: ProviderLimit | undefined;
    /** The tokens that it accepts: `cost.tokensPerAttempt` with each request. Default: any number. */
    tokenLimit?: ProviderLimit | undefined;
    /** Its own errors. Default: none. */
    errors?:
      | readonly {
          code: AgentErrorCode;
          rate: number;
          retryAfterMs?: number | undefined;
          latencyMs?: number | undefined;
        }[]
      | undefined;
  };
  /** Faults during the run. */
  faults?: readonly Fault[] | undefined;
  /**
   * The price of each request, and of each token of a served request. `tokensPerAttempt` also counts in limits. Default: 0.
   */
  cost?:
    | {
        perAttempt?: number | undefined;
        perToken?: number | undefined;
        tokensPerAttempt?: number | undefined;
      }
    | undefined;
  /** The bounds that the results should meet. */
  expect?: Expect | undefined;
}
