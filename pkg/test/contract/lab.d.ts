// The contract of `halfopen/lab`.
import type { AgentErrorCode, BreakerOptions, BreakerState, HalfopenEvent, RetryOptions } from 'halfopen';

/** The part of PolicyOptions that is plain data. */
export interface LabPolicy {
  retry?: Omit<RetryOptions, 'retryOn' | 'onRetry' | 'backoff' | 'budget'> & { retryOn?: readonly string[] | undefined; budget?: { ratio?: number | undefined; minPerSecond?: number | undefined } | 'default' | false | undefined } | false | undefined;
  breaker?: Omit<BreakerOptions, 'countsAsFailure' | 'clock'> | false | undefined;
  breakerScope?: 'call' | 'attempt' | undefined;
  timeout?: { attemptMs?: number | undefined; totalMs?: number | undefined } | undefined;
  bulkhead?: { maxConcurrent: number; maxQueued?: number | undefined } | undefined;
  rateLimit?: LabRateLimit | readonly LabRateLimit[] | undefined;
  fallback?: boolean | undefined;                  // a fallback that always answers
  hedge?: { afterMs: number; max?: number | undefined } | undefined;
}
export interface LabRateLimit { limit: number; windowMs: number; maxWaitMs?: number | undefined }

export type Distribution =
  | { kind: 'constant'; mean: number } | { kind: 'exponential'; mean: number }
  | { kind: 'lognormal'; median: number; sigma: number } | { kind: 'empirical'; values: readonly number[] };

export type Fault =
  | { kind: 'outage' | 'blackhole' | 'pause'; atMs: number; forMs: number }
  | { kind: 'errors'; atMs: number; forMs: number; code: AgentErrorCode; rate: number; retryAfterMs?: number | undefined }
  | { kind: 'slow' | 'capacity' | 'load'; atMs: number; forMs: number; factor: number; rampMs?: number | undefined };

export type Expect = Partial<Record<'minSuccessRate' | 'maxAmplification' | 'maxUserP95Ms' | 'maxCost' | 'minRecoveredGoodput', number | undefined>>;

export interface Scenario {
  version: 1;
  name?: string | undefined;
  seed?: number | undefined;           // 0
  durationMs: number;                  // arrivals end here; the run ends when every call has
  intervalMs?: number | undefined;     // 1000: the grain of the series
  clients: {
    count: number;
    processes?: number | undefined;    // count: the clients are spread over them by turns; each has its own policy state unless `shared`
    arrivals: { kind: 'once' } | { kind: 'closed'; think: Distribution } | { kind: 'open'; perSecond: number; process?: 'poisson' | 'constant' | undefined };
    patienceMs?: number | undefined;   // the user leaves after this: abandoned only, userMs = patienceMs; the call itself goes on; a closed client thinks next
    shared?: { stalenessMs: number } | undefined;
    nested?: readonly LabPolicy[] | undefined;
  };
  policies: Record<string, LabPolicy>;
  provider: {
    servers: number;
    service: Distribution;
    queue?: number | 'unbounded' | undefined;
    abandons?: boolean | undefined;
    rateLimit?: { limit: number; windowMs: number; retryAfter?: 'exact' | 'seconds' | 'none' | undefined } | undefined;
    errors?: readonly { code: AgentErrorCode; rate: number; retryAfterMs?: number | undefined; latencyMs?: number | undefined }[] | undefined;
  };
  faults?: readonly Fault[] | undefined;
  cost?: { perAttempt?: number | undefined; perToken?: number | undefined; tokensPerAttempt?: number | undefined } | undefined;
  expect?: Expect | undefined;
}

export interface Totals {
  offered: number; attempts: number; succeeded: number; failed: number; rejected: number; abandoned: number; fallbacks: number;
  successRate: number; amplification: number;
  userMs: { p50: number; p95: number; p99: number; max: number };
  goodputPerSecond: number; wastedServiceMs: number; tokens: number; cost: number; events: number;
}
export type BreakerCounts = Record<BreakerState, number>;
export type Series = Record<'offered' | 'attempts' | 'succeeded' | 'failed' | 'rejected' | 'inFlight' | 'queued' | 'waiting' | 'userP95Ms', readonly number[]> & { breaker: readonly BreakerCounts[] };
export interface Expectation { name: string; limit: number; value: number; holds: boolean }
export interface PolicyResult { totals: Totals; series: Series; expectations: readonly Expectation[]; hash: string }
export interface Simulation { scenario: Scenario; policies: Record<string, PolicyResult> }

export interface RunOptions { signal?: AbortSignal | undefined; onProgress?: ((share: number) => void) | undefined; seeds?: number | undefined }
export function simulate(scenario: Scenario, options?: RunOptions): Promise<Simulation>;
/** Of each total, by its path: the mean over all seeds, and between which values 95 % of the runs lie. */
export interface Band { mean: number; low: number; high: number }
export function simulateMany(scenario: Scenario, options: RunOptions & { seeds: number }): Promise<Record<string, Record<string, Band>>>;
/** The longest provider pause, in steps of 100 ms up to maxMs (20000), that the policy survives. null: it survives all. */
export function longestSurvivedPause(scenario: Scenario, policy: string, options?: RunOptions & { maxMs?: number | undefined }): Promise<number | null>;
export interface Sensitivity { path: string; effect: number }
/** How much each input of the scenario moves the difference between two policies when it is changed by a tenth, largest first. */
export function sensitivity(scenario: Scenario, options: RunOptions & { policies: readonly [string, string]; total: keyof Totals }): Promise<readonly Sensitivity[]>;

export interface Change { call: string; before: string; after: string; modelled: boolean }
export interface Replay {
  identity: number;                    // share of recorded calls whose outcome the recorded policy gives back; 1 for logs without function options and without dropped events
  before: Totals; after: Totals; afterBand: { low: Totals; high: Totals };
  changed: readonly Change[];
}
export interface ReplayOptions extends RunOptions {
  policies?: Record<string, LabPolicy> | undefined; // by the name they have in the log
  cost?: { perAttempt?: number | undefined; perToken?: number | undefined } | undefined;
}
export function replay(log: Iterable<string | HalfopenEvent> | AsyncIterable<string | HalfopenEvent>, options: ReplayOptions): Promise<Replay>;

export interface ExploredPoint { policy: LabPolicy; totals: Totals; band: { low: Totals; high: Totals }; onFront: boolean; meets: boolean }
export interface Exploration { present: ExploredPoint; points: readonly ExploredPoint[]; blocking?: string | undefined }
export interface ExploreOptions extends RunOptions { policy: string; vary: Record<string, readonly unknown[]>; limits?: Expect | undefined }
/** A grid over the options in `vary` (paths such as 'retry.maxRetries'), at most 10,000 points. */
export function explore(scenario: Scenario, options: ExploreOptions): Promise<Exploration>;
