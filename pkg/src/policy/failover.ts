/** Failover: the same task, by another provider when the first cannot. */

import type { CircuitBreaker } from '../breaker/breaker.js';
import { Call } from '../call/call.js';
import type { CallHost } from '../call/host.js';
import type { CallOptions, Operation } from '../call/options.js';
import { switchingWithin } from '../call/parents.js';
import { known } from '../call/refusal.js';
import { isControlFlow } from '../control-flow.js';
import { AgentError, type AgentErrorCode, cheapError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import { emit } from '../event/events.js';
import * as is from '../options.js';
import { createPolicy, Policy } from './policy.js';

/** A target's policy has no fallback of its own, because that would answer before the next target could. */
export interface FailoverTarget<R> {
  /** Default: the policy's. */
  name?: string | undefined;
  /** Guards the calls of this target. */
  policy: Policy<never>;
  /** The operation of this target. */
  run: Operation<R>;
}

/** Codes after which another provider may succeed. */
export const ON: readonly AgentErrorCode[] = [
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

/** When a target is left for the next. */
export const switchShape: is.Shape = {
  on: is.codes,
  maxWaitMs: is.bound,
  retriesBeforeSwitch: is.countOrInfinity,
};

const shape: is.Shape = { signal: is.abortSignal, totalMs: is.span, ...switchShape };

/** Conditions for leaving a target that is not the last, beside the end of its policy's retries. */
export interface SwitchOptions {
  /**
   * Codes for which the next target is tried. Default: retryable codes, CIRCUIT_OPEN, CAPACITY_EXCEEDED,
   * QUOTA_EXCEEDED, MODEL_NOT_FOUND, AUTHENTICATION_ERROR, PROVIDER_NOT_CONFIGURED, INVALID_RESPONSE,
   * CONTEXT_LENGTH_EXCEEDED. UNKNOWN is not among them (a plain `Error` ends the failover), nor is CONTENT_FILTERED: a
   * refusal goes to another model only if you list it.
   */
  on?: readonly AgentErrorCode[] | undefined;
  /**
   * Milliseconds. A target whose next wait would be longer is left at once, whether its provider requested the wait
   * (Retry-After) or its policy's backoff sets it. Default: 2000.
   */
  maxWaitMs?: number | undefined;
  /**
   * How often a target is retried before the next one is tried, at most as often as its policy retries: `Infinity` leaves
   * it to the policy. After a TIMEOUT it is not retried at all, because that has cost a whole attempt already. Default: 1.
   */
  retriesBeforeSwitch?: number | undefined;
}

/** Options of {@link failover}. */
export interface FailoverOptions extends SwitchOptions {
  /** Ends the attempt that runs, and the failover, with CANCELLED. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for all targets together, on the first target's clock; then TIMEOUT. Default: none. */
  totalMs?: number | undefined;
}

/** The value of a target. */
type Answer<T> = T extends { run: infer R }
  ? Answer<R>
  : // biome-ignore lint/suspicious/noExplicitAny: the context of any operation.
    T extends (...args: any) => infer R
    ? Awaited<R>
    : never;

/** How long a function without a policy may run before the next target is tried, in milliseconds. */
const FUNCTION_MS = 300_000;

/** The policy of targets that are functions. It does nothing by itself. */
let bare: Policy | undefined;

function asTarget(
  given: FailoverTarget<unknown> | Operation<unknown>,
  index: number,
): FailoverTarget<unknown> {
  if (typeof given !== 'function') return given;
  bare ??= createPolicy({ name: 'failover', retry: false, breaker: false });
  return { name: given.name || `target ${index + 1}`, policy: bare, run: given };
}

/**
 * Tries targets in order, skipping those whose breaker is open; each runs under its own policy. A target is left for
 * the next when its policy gives up, when it would wait for more than `maxWaitMs`, after `retriesBeforeSwitch` retries,
 * and after a TIMEOUT. The last one, and one whose successors all have an open breaker, waits and retries by its own
 * policy.
 *
 * A target may also be a function. The guarded clients that it calls are then its only guard. In every target, calls of
 * guarded clients follow this failover, not their own patience, while there is another target. A function that has not
 * returned after five minutes is left for the next.
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
 * // The same for clients that are guarded already.
 * await failover([() => openai.responses.create(request), () => anthropic.messages.create(other)]);
 * ```
 */
export function failover<const T extends readonly (FailoverTarget<unknown> | Operation<unknown>)[]>(
  targets: T,
  options?: FailoverOptions,
): Promise<Answer<T[number]>> {
  const all = Array.isArray(targets) ? targets.map(asTarget) : (targets as never);
  expectTargets(all, 'failover');
  for (const [index, target] of all.entries()) {
    if (typeof target.run !== 'function')
      throw is.misuse(`targets[${index}].run`, is.callback.expected, target.run);
  }
  const read = is.readOptions<FailoverOptions>(shape, options, 'failover');
  const begin = (target: FailoverTarget<unknown>, options: CallOptions) => {
    const { policy, run } = target;
    const isBounded = policy === bare && target !== all.at(-1);
    const timeout = isBounded && { timeout: { ...options.timeout, attemptMs: FUNCTION_MS } };
    const call = new Call(policy.host, run, { ...options, ...timeout });
    call.given = run;
    return call.start();
  };
  return inTurn(all, read, begin) as Promise<Answer<T[number]>>;
}

/** @throws TypeError for anything but targets, each with a policy that has no fallback. */
export function expectTargets(targets: readonly (Target | undefined)[], where: string): void {
  if (!Array.isArray(targets)) throw is.misuse('targets', 'an array of targets', targets);
  if (targets.length === 0) throw new TypeError(`halfopen: ${where} expects one target or more, got none`);
  for (const [index, target] of targets.entries()) {
    const policy = target?.policy as Policy<unknown> | undefined;
    if (!(policy instanceof Policy)) throw is.misuse(`targets[${index}].policy`, 'a Policy', policy);
    if (policy.host.settings.options.fallback === undefined) continue;
    throw new TypeError(
      `halfopen: targets[${index}].policy ('${policy.name}') has a fallback, which would answer before the next target could: make the policy without it, and catch what ${where} rejects with instead`,
    );
  }
}

/** A target that is tried in turn, and its policy. */
export type Target = Omit<FailoverTarget<unknown>, 'run'>;

/** Options of a failover that distinguishes its targets by more than their order. */
interface Turns<T> extends FailoverOptions {
  /** Returns `true` if a target can do better after this error. Default: each can. */
  helps?: ((target: T, after: AgentError) => boolean) | undefined;
  /** Called when a target is left for another. */
  left?: ((target: T, error: AgentError) => void) | undefined;
}

/**
 * Tries targets in order: `begin` runs one under its policy, with the options that bound it. Calls of a model and its
 * streams use this for their failover too.
 *
 * @throws AgentError (as a rejection): the last target's, with the errors of all in `errors`.
 */
export async function inTurn<T extends Target, R>(
  targets: readonly T[],
  {
    on = ON,
    signal,
    totalMs = Number.POSITIVE_INFINITY,
    helps,
    left,
    maxWaitMs = 2000,
    retriesBeforeSwitch = 1,
  }: Turns<T>,
  begin: (target: T, call: CallOptions) => Promise<R>,
): Promise<R> {
  const { time } = (targets[0] as T).policy.host;
  const deadline = time.now() + totalMs;
  let attempts = 0;
  const errors: AgentError[] = [];
  let last: AgentError | undefined;
  let refused: AgentError | undefined;
  const isOpen = ({ policy: { breaker } }: Target) =>
    on.includes('CIRCUIT_OPEN') && breaker?.canExecute() === false;
  let later = targets;
  for (let target = later[0]; target !== undefined; target = later[0]) {
    later = later.slice(1);
    const { policy } = target;
    const { host } = policy;
    let error: AgentError;
    if (signal?.aborted !== true && isOpen(target)) {
      const { name, retryAfterMs } = policy.breaker as CircuitBreaker;
      const provider = known(host.settings.options);
      error = cheapError('CIRCUIT_OPEN', `Circuit '${name}' is open`, { retryAfterMs, provider });
      if ((error.retryAfterMs ?? Infinity) <= (refused?.retryAfterMs ?? Infinity)) refused = error;
    } else {
      try {
        const hasNext = later.some((other) => !isOpen(other));
        const options = callOptionsOf(host, signal, deadline - time.now());
        const call = () => begin(target, options);
        return await (hasNext ? switchingWithin({ maxWaitMs, retriesBeforeSwitch }, call) : call());
      } catch (thrown) {
        if (isControlFlow(thrown)) throw thrown;
        error = AgentError.from(thrown);
      }
      attempts += error.attempts;
      errors.push(...error.errors);
      last = error;
      if (!on.includes(error.code)) break;
    }
    if (helps !== undefined) later = later.filter((other) => helps(other, error));
    const [next] = later;
    if (next !== undefined) {
      if (time.now() >= deadline) {
        last = cheapError('TIMEOUT', `Failover timed out after ${totalMs} ms`, { cause: error });
        break;
      }
      emitSwitch(target, next, error.code);
      left?.(target, error);
    }
  }
  throw finished((last ?? refused) as AgentError, { attempts, errors });
}

/** Emits that the next target is tried, and the reason. */
export function emitSwitch(from: Target, to: Target, code: AgentErrorCode): void {
  const { host, name } = from.policy;
  const details = {
    type: 'failover.switched' as const,
    from: from.name ?? name,
    to: to.name ?? to.policy.name,
    code,
  };
  emit({ policy: name }, details, host.time.wall(), host.listeners);
}

/** The failover's remaining time bounds each target, beside the target's own deadline. */
function callOptionsOf(host: CallHost, signal: AbortSignal | undefined, leftMs: number): CallOptions {
  return leftMs < host.settings.totalMs ? { signal, timeout: { totalMs: leftMs } } : { signal };
}
