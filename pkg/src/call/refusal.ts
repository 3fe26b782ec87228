/** The errors of calls that a policy refuses or cuts off itself. */

import * as engine from '../core/engine.js';
import {
  type AgentError,
  type AgentErrorOptions,
  cancellation,
  cheapError,
  disposedError,
} from '../error/agent-error.js';
import type { Failure } from '../error/failure.js';
import type { CallInfo } from './info.js';

/** A provider and a model, as far as they are known. */
interface Target {
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
}

/** The known of the two, for `AgentError.provider`. */
export function known({ provider, model }: Target): Record<string, string> {
  return { ...(provider !== undefined && { provider }), ...(model !== undefined && { model }) };
}

/** The error of a call that must not begin: its policy is drained or disposed, or its signal has been aborted. */
export function refusalOf({ host, options }: CallInfo): AgentError | undefined {
  if (host.refusesCalls) return disposedError(host.name);
  return options?.signal?.aborted ? cancellation(options.signal.reason) : undefined;
}

/** The failure of what took longer than it may. `what` begins the sentence: 'Attempt', 'Call'. */
export function timeoutOf(what: string, timeoutMs: number, provider: Record<string, string> = {}): Failure {
  const error = cheapError('TIMEOUT', `${what} timed out after ${timeoutMs} ms`, { provider });
  return { error, rule: 'policy.timeout', signals: { timeoutMs } };
}

/** The failure of an attempt that runs when another of its call has answered. */
export function loserFailure(): Failure {
  return {
    error: cheapError('CANCELLED', 'Another attempt answered first'),
    rule: 'policy.hedge',
    signals: {},
  };
}

/** The words of an error message about a limit that refuses. */
const REFUSED_BY = {
  bulkhead: 'Bulkhead is full',
  'rate-limit': 'Rate limit is reached',
  adaptive: 'Adaptive limit is reached, and the deadline is too near',
} as const;

/** The error of the step REJECTED, which says by whom and how long until another call may be admitted. */
export function rejection({ host, settings, provider, model }: CallInfo): AgentError {
  const by = engine.rejectedBy();
  const wait = engine.retryAfterMs();
  const retryAfterMs = Number.isNaN(wait) ? undefined : wait;
  const when = retryAfterMs === undefined ? '' : `; try again in ${retryAfterMs} ms`;
  if (by === 'breaker') {
    const { breaker } = settings;
    const options: AgentErrorOptions = { retryAfterMs, provider: known({ provider, model }) };
    let what = 'is open';
    // The message for users depends on `by`.
    if (breaker?.mayRefuseShare === true && breaker.state === 'closed') {
      what = `refuses ${Math.round(breaker.refusalRate * 100)} % of calls`;
      options.metadata = { by: 'throttle' };
    } else if (retryAfterMs === undefined) {
      what = 'is isolated';
      options.metadata = { by: 'isolation' };
    }
    return cheapError('CIRCUIT_OPEN', `Circuit '${breaker?.name ?? host.name}' ${what}${when}`, options);
  }
  return cheapError('CAPACITY_EXCEEDED', `${REFUSED_BY[by]}: policy '${host.name}'${when}`, {
    retryAfterMs,
    // The message for users depends on it.
    metadata: { by },
  });
}
