/** The settings of a policy: its options, checked and copied, and the values derived from them. */

import { CircuitBreaker, countsByDefault } from '../breaker/breaker.js';
import { type BreakerOptions, checkBreaker } from '../breaker/options.js';
import { checkTimes } from '../call/options.js';
import type { AgentError } from '../error/agent-error.js';
import type { ReportMisuse } from '../error/failure.js';
import { described, isPlain } from '../event/described-options.js';
import { type PolicyRetryOptions, retryOver, retryPresets } from '../retry/options.js';
import { DEFAULT_BREAKER } from './defaults.js';
import type { PolicyOptions } from './options.js';
import { checkAdaptive, rateLimits, required } from './options.js';

/** Made again on every update: calls in flight keep theirs. */
export interface Settings {
  /** Checked and copied, as they were given. */
  readonly given: PolicyOptions<unknown>;
  /** The same; with `retry` and `breaker` as they are where they were not given. */
  readonly options: PolicyOptions<unknown>;
  readonly attemptMs: number;
  readonly totalMs: number;
  readonly breaker: CircuitBreaker | undefined;
  readonly limits: 'none' | 'slots' | 'tokens';
  countsAsFailure(error: AgentError, report?: ReportMisuse): boolean;
}

/** The settings of checked options. `own` is the breaker that an earlier version of them had. */
export function settingsOf(name: string, options: PolicyOptions<unknown>, own?: CircuitBreaker): Settings {
  required(options);
  checkAdaptive(options);
  checkTimes(options);
  const { preset = 'agent' } = options;
  const isAgent = preset === 'agent';
  const retry = options.retry === false ? false : retryOver(retryPresets[preset], options.retry);
  // The core's table of defaults has the quota, and no option names it.
  if (options.retry === undefined && isAgent) (retry as PolicyRetryOptions).budget = 'default';
  const givenBreaker = options.breaker ?? (isAgent ? DEFAULT_BREAKER : {});
  const breaker = breakerOf(name, givenBreaker, own);
  const attemptMs = options.timeout?.attemptMs ?? Number.POSITIVE_INFINITY;
  const totalMs = options.timeout?.totalMs ?? Number.POSITIVE_INFINITY;
  const rates = rateLimits(options);
  const takesSlots = options.bulkhead !== undefined || Boolean(options.adaptive) || rates.length > 0;
  const countsTokens = rates.some(({ unit }) => unit === 'tokens');
  return {
    given: options,
    options: { ...options, retry, breaker: givenBreaker },
    attemptMs,
    totalMs,
    breaker,
    limits: countsTokens ? 'tokens' : takesSlots ? 'slots' : 'none',
    countsAsFailure:
      breaker === undefined ? countsByDefault : (error, report) => breaker.counts(error, report),
  };
}

function breakerOf(
  name: string,
  options: CircuitBreaker | BreakerOptions | false,
  own: CircuitBreaker | undefined,
): CircuitBreaker | undefined {
  if (options === false) return undefined;
  if (options instanceof CircuitBreaker) return options;
  checkBreaker(options, 'breaker.');
  if (own === undefined) return new CircuitBreaker({ name, ...options });
  own.update({ name: own.name, ...options });
  return own;
}

/**
 * Given keys replace the old ones, and the others stay; objects of options are merged key by key. An `undefined` key is
 * taken back.
 */
export function updated(
  old: PolicyOptions<unknown>,
  changes: PolicyOptions<unknown>,
): PolicyOptions<unknown> {
  const next: Record<string, unknown> = { ...old };
  for (const [name, value] of Object.entries(changes)) {
    const before = next[name];
    if (value === undefined) {
      delete next[name];
      continue;
    }
    next[name] = isPlain(value) && isPlain(before) ? { ...before, ...value } : value;
  }
  return next;
}

/**
 * Returns a policy's options in the form that an event can carry. Those of a shared breaker and of a fleet are at its
 * place.
 */
export function describedSettings(options: PolicyOptions<unknown>): Record<string, unknown> {
  const { breaker, fleet } = options;
  const known = described(options);
  if (fleet !== undefined) known.fleet = { ...(fleet as { described?: object }).described, shared: true };
  if (breaker instanceof CircuitBreaker)
    known.breaker = { ...described(breaker.options), name: breaker.name, shared: true };
  return known;
}
