/** The options of retries, their presets and their defaults. */

import { type AgentErrorCode, codeIndex, type ErrorType, isAgentErrorCode } from '../codes.js';
import { ERROR_TYPES, JITTERS, RETRY_ON_TYPES } from '../core/wire.js';
import type { AgentError } from '../error/agent-error.js';
import * as is from '../options.js';
import { RetryBudget } from './budget.js';
import { AGENT, CAPABILITY, SERVICE } from './presets.js';

/** The delay before retry `attempt`, in milliseconds. */
export type Backoff = (attempt: number, previousMs: number | undefined) => number;

/** The types of errors that have retryable codes. */
type RetriedType = Exclude<ErrorType, 'unknown' | 'validation'>;

/** How a policy retries. Durations in milliseconds. */
export interface RetryOptions {
  /** Default: true. */
  enabled?: boolean | undefined;
  /** Retries after the first attempt. Default: 3, at most four attempts. */
  maxRetries?: number | undefined;
  /** The first delay. Default: 1000. */
  baseDelayMs?: number | undefined;
  /** The longest delay, after jitter too. Default: 10000. */
  maxDelayMs?: number | undefined;
  /** Each delay is multiplied by this. Default: 2. */
  backoffFactor?: number | undefined;
  /**
   * Replaces the exponential backoff: called with the number of the retry (1 is the first) and the delay before the
   * last one (`undefined` before the first), it returns milliseconds, 0 or more. They are capped by `maxDelayMs`, and
   * no jitter is added. It is called only if a retry may follow, and not for a failure with a `Retry-After`, which
   * takes precedence. If it throws or returns anything else, the exponential backoff replaces it, and `onDebug` is
   * called. Default: none.
   *
   * @example
   * ```ts
   * createPolicy({ retry: { backoff: (attempt) => 500 * attempt } }); // 500, 1000, 1500
   * ```
   */
  backoff?: Backoff | undefined;
  /** Default: true, except for presets without jitter; true if a `jitter` is given too. */
  enableJitter?: boolean | undefined;
  /**
   * A number j is the proportion: with v = min(cap, base·factor^(n-1)), uniform in [v(1-j), min(cap, v(1+j))].
   * The words are those of https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/. Default: 0.2.
   */
  jitter?: number | 'full' | 'equal' | 'decorrelated' | undefined;
  /**
   * Default: the classification's verdict. A list is complete: an error that it names neither by code nor by type is
   * not retried. An ErrorType stands for the retryable errors of that type; a listed AgentErrorCode is retried even if
   * it is not retryable. The types 'unknown' and 'validation' have no retryable code, so they are a TypeError.
   *
   * A plain `Error` that no rule recognises is UNKNOWN, which is not retried by default: `['UNKNOWN', …]` or
   * `() => true` changes that.
   */
  retryOn?:
    | readonly (AgentErrorCode | RetriedType)[]
    | ((error: AgentError) => boolean | undefined)
    | undefined;
  /** Awaited before the wait begins: refresh a token, switch a region. If it throws, the call ends. */
  onRetry?:
    | ((error: AgentError, next: { attempt: number; delayMs: number }) => void | PromiseLike<void>)
    | undefined;
  /** Also retries errors that another policy has retried and given up on. Default: false. */
  retryNested?: boolean | undefined;
  /**
   * If the server requests a longer wait, the call ends, and neither retries early nor waits forever. Default: 60000.
   */
  maxRetryAfterMs?: number | undefined;
  /**
   * Caps retries to a share of the calls, `{ ratio, minPerSecond }`; share one `RetryBudget` between policies. `false`
   * for none. Default: the policy's own quota, see docs/defaults.md.
   */
  budget?:
    | RetryBudget
    | { ratio?: number | undefined; minPerSecond?: number | undefined }
    | false
    | undefined;
}

/** Named sets of retry options, as their sources define them. */
export const retryPresets: Readonly<Record<'agent' | 'capability' | 'service', Readonly<RetryOptions>>> =
  /* @__PURE__ */ Object.freeze({ agent: AGENT, capability: CAPABILITY, service: SERVICE });

const budgetShape: is.Shape = { ratio: is.share, minPerSecond: is.factor };

const budgetKind = is.instance('a RetryBudget', RetryBudget);

export const retryShape: is.Shape = {
  enabled: is.flag,
  maxRetries: is.countOrInfinity,
  baseDelayMs: is.delay,
  maxDelayMs: is.bound,
  backoffFactor: is.factor,
  backoff: is.syncCallback,
  enableJitter: is.flag,
  jitter: is.either(is.share, is.oneOf('full', 'equal', 'decorrelated')),
  retryOn: is.either(is.callback, is.codesOrTypes),
  onRetry: is.callback,
  retryNested: is.flag,
  maxRetryAfterMs: is.bound,
  budget: is.either(is.no, budgetKind, is.object(budgetShape)),
};

/** Returns the retry options of a policy: those given, over its preset's, over the table's. No `budget` is its own quota. */
export function policyRetry(
  preset: keyof typeof retryPresets | undefined,
  given?: RetryOptions | undefined,
): RetryOptions {
  return retryOver(retryOver(AGENT, preset && retryPresets[preset]), given);
}

/** Returns a call's retry options over its policy's; `undefined` if nothing is retried. */
export function mergedRetry(
  common: RetryOptions | false | undefined,
  own: RetryOptions | false | undefined,
  preset: keyof typeof retryPresets | undefined,
): RetryOptions | undefined {
  if (own === false || (own === undefined && common === false)) return undefined;
  return own === undefined ? common || undefined : retryOver(common || policyRetry(preset), own);
}

/** Merges options over inherited ones. Their own jitter is applied, even if the inherited `enableJitter` is off. */
function retryOver(inherited: RetryOptions, own: RetryOptions | undefined): RetryOptions {
  return is.over(inherited, own?.jitter === undefined ? own : { enableJitter: true, ...own });
}

/** The values of `RETRY_OPTIONS`: what the core decides of the retries. Predicates and callbacks stay here. */
export function retryValues(options: RetryOptions | false | undefined) {
  const {
    jitter,
    retryOn,
    budget: _budget,
    backoff: _function,
    onRetry: _callback,
    ...given
  } = options || { enabled: false };
  return {
    ...given,
    jitter: typeof jitter === 'string' ? -JITTERS.indexOf(jitter) : jitter,
    retryOn: typeof retryOn === 'object' ? listed(retryOn) : undefined,
  };
}

/** A list of codes and types as a set of bits, each once. */
function listed(names: readonly (AgentErrorCode | RetriedType)[]): number {
  let bits = 0;
  for (const name of new Set(names)) {
    bits += 2 ** (isAgentErrorCode(name) ? codeIndex(name) : RETRY_ON_TYPES + ERROR_TYPES.indexOf(name));
  }
  return bits;
}

/** Returns the delay of an application's own backoff; NaN if its result is no delay. */
export function ownDelay(backoff: Backoff, attempt: number, previousMs: number | undefined): number {
  const ms: unknown = backoff(attempt, previousMs);
  return typeof ms === 'number' && ms >= 0 ? ms : Number.NaN;
}

/** Returns `true` if anything is retried. */
export function retries(options: RetryOptions | undefined): options is RetryOptions {
  return options !== undefined && options.enabled !== false && options.maxRetries !== 0;
}
