/** The settings of a policy: its options, checked and copied, and the values derived from them. */

import { CircuitBreaker, countsByDefault } from '../breaker/breaker.js';
import { type BreakerOptions, checkBreaker } from '../breaker/options.js';
import { checkTimes } from '../call/options.js';
import type { AgentError } from '../error/agent-error.js';
import type { ReportMisuse } from '../error/failure.js';
import { described } from '../event/described-options.js';
import { over } from '../options.js';
import { policyRetry } from '../retry/options.js';
import { DEFAULT_BREAKER, SOURCES_BREAKER } from './defaults.js';
import type { PolicyOptions } from './options.js';
import { checkAdaptive, rateLimits, required } from './options.js';

/** Made again on every update: calls in flight keep theirs. */
export interface Settings {
  /** Checked and copied, as they were given. */
  readonly given: PolicyOptions<unknown>;
  /** The same over the defaults. */
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
  const { preset } = options;
  const retry = options.retry !== false && policyRetry(preset, options.retry);
  const givenBreaker = breakerOver(preset, options.breaker);
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

/** Returns a policy's breaker, or its options: those given, over its preset's, over the table's. */
function breakerOver(
  preset: PolicyOptions['preset'],
  given: PolicyOptions['breaker'],
): CircuitBreaker | BreakerOptions | false {
  if (given === false || given instanceof CircuitBreaker) return given;
  const inherited = over<BreakerOptions>(DEFAULT_BREAKER, preset === 'service' ? SOURCES_BREAKER : undefined);
  return over(inherited, given);
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

/** Given keys replace the old ones, and the others stay. An `undefined` key is taken back. */
export function updated(
  old: PolicyOptions<unknown>,
  changes: PolicyOptions<unknown>,
): PolicyOptions<unknown> {
  const all = Object.entries({ ...old, ...changes });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/**
 * Returns a policy's options in the form that an event can carry. Those of a shared breaker and of a fleet are at its
 * place.
 */
export function describedSettings(options: PolicyOptions<unknown>): Record<string, unknown> {
  const { retry, breaker, fleet } = options;
  const known = described(options);
  if (retry && retry.budget === undefined) (known.retry as Record<string, unknown>).budget = 'default';
  if (fleet !== undefined) known.fleet = { ...(fleet as { described?: object }).described, shared: true };
  if (breaker instanceof CircuitBreaker) {
    const applied = over<BreakerOptions>(SOURCES_BREAKER, breaker.options);
    const { probeTimeoutMs = applied.resetTimeoutMs } = applied;
    known.breaker = { ...described({ ...applied, probeTimeoutMs }), name: breaker.name, shared: true };
  }
  return known;
}
