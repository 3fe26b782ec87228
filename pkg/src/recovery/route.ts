/** Where an agent's graph goes after an error. */

import type { Remedy } from '../classify/remedy.js';
import * as core from '../core/agent.js';
import type { AgentError } from '../error/agent-error.js';
import { emit } from '../event/events.js';
import { count, factor, readOptions, span } from '../options.js';
import { capabilityOf, type ErrorInfo, readErrorInfo, string } from './error-info.js';

/**
 * Where an agent's graph goes after an error: to the same `capability` again after `delayMs` milliseconds (`attempt` counts
 * retries from 1), to the orchestrator, to the classifier, to the error step, or nowhere.
 */
export type Recovery =
  | { next: 'retry'; capability: string; delayMs: number; attempt: number }
  | { next: 'orchestrator'; reason: string; requiredContext: string[] }
  | { next: 'classifier'; reason: string }
  | { next: 'error'; reason: string }
  | { next: 'abort'; error: AgentError };

const RETRY_POLICY = {
  maxAttempts: count,
  delaySeconds: factor,
  backoffFactor: factor,
  maxRetryAfterMs: span,
};

/**
 * Returns where an agent's graph goes after an error, and emits `recovery.routed`.
 *
 * | severity | next |
 * |---|---|
 * | retriable | the same capability after `delaySeconds · backoffFactor^retryCount`, or the provider's requested wait if that is longer, while retryCount is below maxAttempts; then the error step. The error step also if no capability and no node has a name, or if the provider requested more than maxRetryAfterMs |
 * | replanning | the orchestrator, with the reason and the context that a new plan needs; of a conversation that is too long, how many tokens were sent and how many fit, where the provider said |
 * | reclassification | the classifier |
 * | critical | the error step |
 * | fatal | nowhere: the run ends with the error |
 *
 * @param state `retryCount`: retries made so far, default 0. `currentTask`: for a classifier.
 * @throws TypeError for a retry policy or a count that is negative or NaN, and for a classifier that is async or no function.
 * @example
 * ```ts
 * route({ error: new AgentError('TIMEOUT', 'took too long'), capabilityName: 'search' }, { retryCount: 1 });
 * // { next: 'retry', capability: 'search', delayMs: 1500, attempt: 2 }
 * ```
 */
export function route(
  info: ErrorInfo,
  state: { retryCount?: number | undefined; currentTask?: string | undefined } = {},
): Recovery {
  if (typeof info !== 'object' || info === null) throw new TypeError('halfopen: route expects { error, … }');
  const { retryCount = 0 } = readOptions<{ retryCount?: number }>(
    { retryCount: count },
    { retryCount: state?.retryCount },
    'route',
  );
  const policy = readOptions<Required<NonNullable<ErrorInfo['retryPolicy']>>>(
    RETRY_POLICY,
    info.retryPolicy,
    'retryPolicy',
  );
  const { error, classification } = readErrorInfo(info, string(state?.currentTask));
  const capability = capabilityOf(info);
  const [next, delayMs, attempt] = core.recoveryRoute(
    classification.severity,
    policy.maxAttempts ?? Number.NaN,
    policy.delaySeconds ?? Number.NaN,
    policy.backoffFactor ?? Number.NaN,
    policy.maxRetryAfterMs ?? Number.NaN,
    retryCount,
    capability,
    classification.retryAfterMs ?? Number.NaN,
  ) as [Recovery['next'] | 'exhausted', number?, number?];
  const routed = next === 'exhausted' ? 'error' : next;
  emit({}, { type: 'recovery.routed', severity: classification.severity, next: routed }, Date.now(), []);
  const { metadata, userMessage, remedy } = classification;
  switch (next) {
    case 'retry':
      return {
        next,
        capability: capability ?? '',
        delayMs: delayMs ?? 0,
        attempt: attempt ?? 1,
      };
    case 'orchestrator':
      return {
        next,
        reason: metadata.replanningReason ?? [userMessage, tooLong(remedy)].filter(Boolean).join(' '),
        requiredContext: [...(metadata.requiredContext ?? shorterConversation(remedy))],
      };
    case 'classifier':
      return { next, reason: userMessage };
    case 'abort':
      return { next, error };
    case 'exhausted':
      return { next: 'error', reason: `Retries exhausted after ${retryCount}: ${userMessage}` };
    default:
      return { next: 'error', reason: metadata.safetyAbortReason ?? userMessage };
  }
}

/** Returns which part is too long, and by how much, for an orchestrator. */
function tooLong(remedy: Remedy | undefined): string | undefined {
  if (remedy?.kind !== 'shorten') return undefined;
  const { limit, sent } = remedy;
  if (limit !== undefined && sent !== undefined && sent > limit)
    return `The conversation has ${sent} tokens, ${sent - limit} more than the ${limit} that fit.`;
  if (limit !== undefined) return `The conversation has more than the ${limit} tokens that fit.`;
  return sent === undefined ? undefined : `The conversation has ${sent} tokens.`;
}

/** Returns the context that a new plan must provide after a conversation that is too long. */
function shorterConversation(remedy: Remedy | undefined): string[] {
  if (remedy?.kind !== 'shorten') return [];
  const { limit } = remedy;
  return [limit === undefined ? 'a shorter conversation' : `a conversation of at most ${limit} tokens`];
}
