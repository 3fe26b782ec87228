/** The numbers that cross between the driver and the core. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

// A packed step, which every input of a call returns: the call's handle, what else there is to do, and the step.

/** The bits of the step. */
export const STEP = 7;
/** There are records to drain. */
export const EVENTS = 8;
/** A queued call can go: `nextReady` names it. */
export const READY = 16;
/** How far left the call's handle is shifted. */
export const CALL_SHIFT = 5;

// Steps.

/** Call the operation. */
export const ATTEMPT = 0;
/** Wait as long as `SLOT_DELAY` says, then `resume`. */
export const WAIT = 1;
/** Wait until `nextReady` names the call, then `dequeue` it. */
export const QUEUED = 2;
/** Refused, and over: `SLOT_BY` and `SLOT_RETRY_AFTER` say by which layer and for how long. */
export const REJECTED = 3;
/** Failed for good, and over. */
export const GIVE_UP = 4;
/** Succeeded, and over; or it was over before. */
export const DONE = 5;
/** Nothing has happened: read the clock and give the same input again. */
export const NEED_TIME = 6;
/**
 * Nothing has happened: give the same input again with the application's delay before retry `SLOT_RETRY`.
 * `SLOT_DELAY` is the delay before that.
 */
export const NEED_DELAY = 7;

// Slots of the shared buffer, which has what a step says beside its number.

/** `WAIT`: how long, in milliseconds. `NEED_DELAY`: the delay before. */
export const SLOT_DELAY = 0;
/** `REJECTED`: the layer, by its index in `LAYERS`. */
export const SLOT_BY = 1;
/** `REJECTED`: until a call may be admitted, in milliseconds. */
export const SLOT_RETRY_AFTER = 2;
/** After `attemptAnswered`: what `breakerEnd` needs. */
export const SLOT_ANSWER = 3;
/** `NEED_DELAY`: which retry it is for, 1 is the first. */
export const SLOT_RETRY = 4;
/** After `breakerShared`: results since the breaker was made; without a window failures alone. */
export const SLOT_TOTAL = 5;
/** Those that failed. */
export const SLOT_FAILED = 6;
/** Those that were slow. */
export const SLOT_SLOW = 7;
/** Failures in a row. */
export const SLOT_STREAK = 8;
/** Probes that succeeded. */
export const SLOT_PROBES_SUCCEEDED = 9;
/** Probes that failed. */
export const SLOT_PROBES_FAILED = 10;
/** How many slots there are. */
export const SLOTS = 11;

// Flags of a failed attempt.

/** Its classification says that another try can help. */
export const RETRYABLE = 1;
/** It counts against the dependency. */
export const COUNTS = 2;
/** Another policy has retried it and given up. */
export const NESTED = 4;
/** The application's `retryOn` says to retry it. */
export const FORCE_RETRY = 8;
/** The application's `retryOn` says not to retry it. */
export const FORBID_RETRY = 16;
/** It may have reached the provider, and must not be repeated if it has. */
export const NOT_IDEMPOTENT_SENT = 32;
/** Chunks were delivered, and the stream can neither go on nor begin again. */
export const BROKEN_STREAM = 64;
/** The application says how long the wait before a retry is. */
export const OWN_DELAY = 128;
/** The request is being changed: nothing is decided, and the failure will be given again. */
export const REPAIR_PENDING = 256;
/** The request has been changed: the next attempt is made at once. */
export const REPAIRED = 512;

// How the call of a permit ended.

/** It counts for the dependency. */
export const SUCCESS = 0;
/** It counts against the dependency. */
export const FAILURE = 1;
/** It counts for nothing. */
export const NEUTRAL = 2;

// How a response ended that had begun well.

/** The whole of it came. */
export const COMPLETED = 0;
/** It broke off. */
export const BROKEN_OFF = 1;

// The actions of `breakerControl`.

/** Refuses all calls, once more. */
export const ISOLATE = 0;
/** Lifts one isolation. */
export const LIFT_ISOLATION = 1;
/** Admits everything and counts nothing. */
export const DISABLE = 2;
/** Closes it and forgets what was counted. */
export const RESET = 3;

// The bits of `policyNeeds`: measurements that every call needs.

/** When it begins and ends, and so how long it takes. */
export const NEEDS_TIME = 1;

// Kinds of records: the number of each, and the places of its numbers in a row.

/** A call was admitted, refused or queued next. */
export const CALL_STARTED = { kind: 0 } as const;
/** It waits: `by` is one of `LAYERS`, `position` 1 is next, `dueAt` is on the policy's clock. */
export const CALL_QUEUED = { kind: 1, by: 0, position: 1, dueAt: 2 } as const;
/** It waits no more. */
export const CALL_DEQUEUED = { kind: 2 } as const;
/** The operation is called; `probe` is 1 for the breaker's probe. */
export const ATTEMPT_STARTED = { kind: 3, attempt: 0, probe: 1, generation: 2 } as const;
/** The operation returned. */
export const ATTEMPT_SUCCEEDED = { kind: 4, attempt: 0, durationMs: 1 } as const;
/**
 * The operation failed; `code` is the number of one, `counted` is 1 where it counts against the dependency.
 */
export const ATTEMPT_FAILED = {
  kind: 5,
  attempt: 0,
  durationMs: 1,
  code: 2,
  counted: 3,
  retryAfterMs: 4,
} as const;
/** It will be tried again; `source` is one of `DELAY_SOURCES`, `dueAt` is on the policy's clock. */
export const RETRY_SCHEDULED = {
  kind: 6,
  attempt: 0,
  delayMs: 1,
  dueAt: 2,
  minMs: 3,
  maxMs: 4,
  source: 5,
  budgetLeft: 6,
} as const;
/** The call succeeded; `closedEarly` is 1 where the consumer of a stream closed it before its end. */
export const CALL_SUCCEEDED = { kind: 7, attempts: 0, durationMs: 1, closedEarly: 2 } as const;
/** The call failed; `code` is the number of one, `why` is one of `WHY`. */
export const CALL_FAILED = { kind: 8, attempts: 0, durationMs: 1, code: 2, why: 3 } as const;
/** The call was refused; `by` is one of `LAYERS`. */
export const CALL_REJECTED = { kind: 9, by: 0, retryAfterMs: 1, attempts: 2 } as const;
/**
 * A breaker changed from one of `STATES` to another. `reason`, `a`, `b` and `hintMs` are for `reasonText`,
 * `retryAt` is on the breaker's clock; `total`, `failures` and `slow` are what was counted. Of the last
 * `results` up to 32, two bits each (1 failed, 2 slow), `newer` has the last sixteen and `older` those
 * before, the newest lowest.
 */
export const BREAKER_CHANGED = {
  kind: 10,
  breaker: 0,
  from: 1,
  to: 2,
  reason: 3,
  a: 4,
  b: 5,
  generation: 6,
  retryAt: 7,
  total: 8,
  failures: 9,
  slow: 10,
  results: 11,
  newer: 12,
  older: 13,
  hintMs: 14,
} as const;
/** This number of records was dropped before these. */
export const EVENTS_DROPPED = { kind: 11, count: 0 } as const;
/** A closed breaker refuses a share of the calls. */
export const BREAKER_THROTTLED = { kind: 12, breaker: 0, rate: 1 } as const;
/**
 * The adaptive limit changed; `because` is one of `LIMIT_REASONS`, `code` is the number of the error if that
 * was overload.
 */
export const LIMIT_CHANGED = { kind: 13, limit: 0, because: 1, code: 2 } as const;

// Options, in the order in which they cross as numbers; NaN stands for "not given".

/**
 * Of retries: `jitter` is a share, or minus its number in `JITTERS`; `retryOn` is a sum of 2 ** n, where n is
 * the number of a code, or `RETRY_ON_TYPES` and that of a type.
 */
export const RETRY_OPTIONS = [
  'enabled',
  'maxRetries',
  'baseDelayMs',
  'maxDelayMs',
  'backoffFactor',
  'enableJitter',
  'jitter',
  'retryOn',
  'retryNested',
  'maxRetryAfterMs',
  'switchAfterMs',
] as const;
/** Where the types begin in `retryOn`. */
export const RETRY_ON_TYPES = 32;
/**
 * Of a policy, after those of its retries; `breakerScope` is a number of `BREAKER_SCOPES`; `adaptive` is a
 * flag, before its options.
 */
export const POLICY_OPTIONS = [
  'totalMs',
  'breakerScope',
  'maxConcurrent',
  'maxQueued',
  'estimatedTokens',
  'adaptive',
  'min',
  'max',
  'initial',
  'decrease',
] as const;
/**
 * Of each rate limit of a policy, one after the other behind those; `ofTokens` is 1 where it counts tokens.
 */
export const RATE_LIMIT_OPTIONS = ['limit', 'windowMs', 'maxWaitMs', 'ofTokens'] as const;
/** Of a breaker. A window has `windowSize` or `windowMs`; with `throttle`, a flag, it throttles. */
export const BREAKER_OPTIONS = [
  'failureThreshold',
  'resetTimeoutMs',
  'resetBackoffFactor',
  'maxResetTimeoutMs',
  'halfOpenMaxCalls',
  'successThreshold',
  'probeTimeoutMs',
  'windowSize',
  'windowMs',
  'failureRate',
  'minimumCalls',
  'slowMs',
  'slowRate',
  'throttle',
  'throttleK',
  'throttleWindowMs',
  'throttleMinimumCalls',
  'rampMs',
  'seed',
] as const;
/**
 * A breaker's snapshot, before the numbers of its window; `state` is a number of `STATES`, `windowLength` is
 * NaN without a window, the last two without a throttle.
 */
export const SNAPSHOT = [
  'state',
  'generation',
  'at',
  'consecutiveFailures',
  'failedProbes',
  'retryAfterMs',
  'windowLength',
  'requests',
  'accepts',
] as const;
/**
 * A delta of a fleet, before those of its limits; `kind` is 0 for a report, 1 it leaves, 2 isolate, 3 lift.
 */
export const FLEET_DELTA = [
  'node',
  'number',
  'kind',
  'leaseMs',
  'options',
  'coolDownMs',
  'threshold',
  'windowMs',
  'minimumCalls',
  'failureRate',
  'slowRate',
  'quorum',
  'resetMs',
  'resetBackoff',
  'maxResetMs',
  'maxProbes',
  'successes',
  'probeTimeoutMs',
  'generation',
  'baseTotal',
  'baseFailed',
  'baseSlow',
  'total',
  'failed',
  'slow',
  'streak',
  'hintMs',
  'wantsProbe',
  'probe',
  'result',
] as const;
/** Of each limit of a delta. */
export const FLEET_LIMIT = ['limit', 'windowMs', 'ofTokens', 'exact', 'wants', 'used', 'has'] as const;
/**
 * A view of a fleet, before granted, limit, window, of tokens, used and reset of each limit; `state` is a
 * number of `STATES`.
 */
export const FLEET_VIEW = [
  'epoch',
  'version',
  'acknowledged',
  'nodes',
  'nextSyncMs',
  'mismatch',
  'state',
  'since',
  'generation',
  'openForMs',
  'probe',
  'probeForMs',
  'coolForMs',
  'probes',
] as const;

// Names by their numbers.

/** Reasons for giving up, by their numbers. */
export const WHY = [
  'not-retryable',
  'exhausted',
  'hint',
  'deadline',
  'budget',
  'nested',
  'cancelled',
  'broken-stream',
] as const;
export const WHY_NOT_RETRYABLE = 0;
export const WHY_DEADLINE = 3;
/** The layers that refuse a call or make it wait, by their numbers. */
export const LAYERS = ['breaker', 'bulkhead', 'rate-limit', 'adaptive'] as const;
/** The reasons for a change of an adaptive limit, by their numbers. */
export const LIMIT_REASONS = ['good', 'overload'] as const;
/** States of a breaker, by their numbers. */
export const STATES = ['closed', 'open', 'half_open', 'isolated', 'disabled'] as const;
/** The state of a breaker. */
export type BreakerState = (typeof STATES)[number];
/** Kinds of jitter, by their numbers. */
export const JITTERS = ['none', 'proportion', 'full', 'equal', 'decorrelated'] as const;
/** The units that a breaker counts as one result, by their numbers. */
export const BREAKER_SCOPES = ['call', 'attempt'] as const;
/** Coarse kinds of errors, by their numbers. */
export const ERROR_TYPES = [
  'timeout',
  'tool_failed',
  'llm_failed',
  'network',
  'validation',
  'unknown',
] as const;
/** Where the delay of a retry comes from, by their numbers. */
export const DELAY_SOURCES = ['backoff', 'retry-after'] as const;
/** An orchestrator's reactions to an error, by their numbers. */
export const SEVERITIES = ['critical', 'retriable', 'replanning', 'reclassification', 'fatal'] as const;
