/** Failover: the same task, by another provider when the first cannot. */

import { Call } from '../call/call.js';
import type { CallHost } from '../call/host.js';
import type { CallOptions, Operation } from '../call/options.js';
import { known } from '../call/refusal.js';
import { AgentError, type AgentErrorCode, cheapError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { emit } from '../event/events.js';
import * as is from '../options.js';
import { Policy } from './policy.js';

/** A target's policy has no fallback of its own: it would answer before the next target could. */
export interface FailoverTarget<R> {
  /** Default: the policy's. */
  name?: string | undefined;
  policy: Policy<never>;
  run: Operation<R>;
}

/** Codes after which another provider may well succeed. */
const ON: readonly AgentErrorCode[] = [
  'RATE_LIMITED',
  'NETWORK_ERROR',
  'TIMEOUT',
  'SERVER_ERROR',
  'PROVIDER_OVERLOADED',
  'CONFLICT',
  'CIRCUIT_OPEN',
  'CAPACITY_EXCEEDED',
  'QUOTA_EXCEEDED',
  'MODEL_NOT_FOUND',
  'AUTHENTICATION_ERROR',
  'PROVIDER_NOT_CONFIGURED',
  'INVALID_RESPONSE',
  'CONTEXT_LENGTH_EXCEEDED',
];

const shape: is.Shape = { on: is.codes, signal: is.abortSignal, totalMs: is.span };

interface FailoverOptions {
  /**
   * Codes for which the next target is tried. Default: retryable codes, CIRCUIT_OPEN, CAPACITY_EXCEEDED, QUOTA_EXCEEDED,
   * MODEL_NOT_FOUND, AUTHENTICATION_ERROR, PROVIDER_NOT_CONFIGURED, INVALID_RESPONSE, CONTEXT_LENGTH_EXCEEDED. UNKNOWN is
   * not among them: a plain `Error` ends the failover.
   */
  on?: readonly AgentErrorCode[] | undefined;
  signal?: AbortSignal | undefined;
  /** Milliseconds for all targets together, on the first target's clock; then TIMEOUT. Default: none. */
  totalMs?: number | undefined;
}

/**
 * Tries targets in order, passing over those whose breaker is open; each runs under its own policy.
 *
 * @returns the first answer.
 * @throws AgentError (as a rejection): the last target's, with the errors of all in `errors`.
 * @throws TypeError at once for no targets, a target whose policy has a fallback of its own (it would answer before the
 * next target could), or a wrong option.
 *
 * @example
 * ```ts
 * await failover([
 *   { policy: openai, run: ({ signal }) => askOpenai(task, signal) },
 *   { policy: anthropic, run: ({ signal }) => askAnthropic(task, signal) },
 * ]);
 * ```
 */
export function failover<const T extends readonly FailoverTarget<unknown>[]>(
  targets: T,
  options?: FailoverOptions,
): Promise<Awaited<ReturnType<T[number]['run']>>> {
  if (!Array.isArray(targets)) throw is.misuse('targets', 'an array of targets', targets);
  if (targets.length === 0) throw new TypeError('halfopen: failover expects one target or more, got none');
  for (const [index, target] of targets.entries()) {
    if (!((target as FailoverTarget<unknown> | undefined)?.policy instanceof Policy)) {
      throw is.misuse(`targets[${index}].policy`, 'a Policy', target?.policy);
    }
    const { host, name } = target.policy as Policy<unknown>;
    if (host.settings.options.fallback !== undefined) {
      throw new TypeError(
        `halfopen: targets[${index}].policy ('${name}') has a fallback, which would answer before the next target could: make the policy without it, and catch what failover rejects with instead`,
      );
    }
    if (typeof target.run !== 'function')
      throw is.misuse(`targets[${index}].run`, is.callback.expected, target.run);
  }
  const read = is.readOptions<FailoverOptions>(shape, options, 'failover');
  return inTurn([...targets], read) as Promise<Awaited<ReturnType<T[number]['run']>>>;
}

async function inTurn(
  targets: readonly FailoverTarget<unknown>[],
  { on = ON, signal, totalMs = Number.POSITIVE_INFINITY }: FailoverOptions,
): Promise<unknown> {
  const { time } = (targets[0] as FailoverTarget<unknown>).policy.host;
  const deadline = time.now() + totalMs;
  let attempts = 0;
  const errors: AgentError[] = [];
  let last: AgentError | undefined;
  let refused: AgentError | undefined;
  for (const [index, target] of targets.entries()) {
    const { policy, run } = target;
    const { host } = policy;
    let error: AgentError;
    if (signal?.aborted !== true && on.includes('CIRCUIT_OPEN') && policy.breaker?.canExecute() === false) {
      const { name, retryAfterMs } = policy.breaker;
      const provider = known(host.settings.options);
      error = cheapError('CIRCUIT_OPEN', `Circuit '${name}' is open`, { retryAfterMs, provider });
      if ((error.retryAfterMs ?? Infinity) <= (refused?.retryAfterMs ?? Infinity)) refused = error;
    } else {
      try {
        return await new Call(host, run, optionsOf(host, signal, deadline - time.now())).start();
      } catch (thrown) {
        error = AgentError.from(thrown);
      }
      attempts += error.attempts;
      errors.push(...error.errors);
      last = error;
      if (!on.includes(error.code)) break;
    }
    const next = targets[index + 1];
    if (next !== undefined) {
      if (time.now() >= deadline) {
        last = cheapError('TIMEOUT', `Failover timed out after ${totalMs} ms`, { cause: error });
        break;
      }
      const details = {
        type: 'failover.switched' as const,
        from: target.name ?? policy.name,
        to: next.name ?? next.policy.name,
        code: error.code,
      };
      emit({ policy: policy.name }, details, host.time.wall(), host.listeners);
    }
  }
  throw finished((last ?? refused) as AgentError, { attempts, errors });
}

/** What is left of the failover's time bounds each target, beside the target's own deadline. */
function optionsOf(host: CallHost, signal: AbortSignal | undefined, leftMs: number): CallOptions {
  return leftMs < host.settings.totalMs ? { signal, timeout: { totalMs: leftMs } } : { signal };
}
