/** The part of the table of options that the package needs. */
// Written from the core's tables: `UPDATE=1 cargo test -p halfopen-wasm --test generated`.

/** Options that replace one another: one that is given on a layer above takes the others away. */
export const ALTERNATIVES: readonly (readonly (readonly string[])[])[] = [
  [['baseDelayMs', 'backoffFactor', 'jitter'], ['backoff']],
  [['failureThreshold'], ['window'], ['throttle']],
];

/** The options that the lab knows, by the object that they are in. */
export const LAB_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  '': [
    'retry',
    'breaker',
    'breakerScope',
    'timeout',
    'bulkhead',
    'adaptive',
    'rateLimit',
    'fallback',
    'hedge',
  ],
  retry: [
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
    'budget',
  ],
  budget: ['ratio', 'minPerSecond'],
  breaker: [
    'name',
    'failureThreshold',
    'resetTimeoutMs',
    'resetBackoffFactor',
    'maxResetTimeoutMs',
    'halfOpenMaxCalls',
    'successThreshold',
    'probeTimeoutMs',
    'window',
    'slowCall',
    'throttle',
    'rampMs',
  ],
  window: ['kind', 'size', 'durationMs', 'failureRate', 'minimumCalls'],
  slowCall: ['durationMs', 'rate'],
  throttle: ['k', 'windowMs', 'minimumCalls'],
  timeout: ['attemptMs', 'totalMs'],
  bulkhead: ['maxConcurrent', 'maxQueued'],
  adaptive: ['min', 'max', 'initial', 'decrease'],
  rateLimit: ['limit', 'windowMs', 'unit', 'maxWaitMs'],
  hedge: ['afterMs', 'max'],
};

/** The options that may be changed from the dashboard: numbers, flags and names. */
export const CHANGEABLE = [
  'retry',
  'breaker',
  'timeout',
  'bulkhead',
  'adaptive',
  'rateLimit',
  'hedge',
  'staleIfError',
] as const;
