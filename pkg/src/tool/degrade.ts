/** An optional operation, with a fallback for when it fails. */

import type { Clock } from '../clock.js';
import { timeOf } from '../clock.js';
import { isControlFlow } from '../control-flow.js';
import { type AgentError, cancellation, cheapError } from '../error/agent-error.js';
import { finished, steadyError } from '../error/final-error.js';
import { emit, observe } from '../event/events.js';
import { providerForLog, stackOf, textForLog, valueForLog, wordsOf } from '../message/for-log.js';
import { abortSignal, bound, callback, clock, misuse, readOptions, type Shape, text } from '../options.js';

/** Options of {@link degrade}. */
export interface DegradeOptions<F> {
  /** The operation's name, for events and `onDebug`. */
  name: string;
  /** The replacement of the operation's value: a value, or a function of the error. */
  fallback: F | ((error: AgentError) => F | PromiseLike<F>);
  /** Milliseconds after which the operation fails with TIMEOUT. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Cancels the wait: the promise rejects with CANCELLED, without the fallback. */
  signal?: AbortSignal | undefined;
  /** The time and the timers. Default: the system's. */
  clock?: Clock | undefined;
  /** Called with the full technical details of a failure, redacted. Its errors are ignored. */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}

const DEGRADE_OPTIONS: Shape = {
  name: text,
  fallback: { expected: 'a value or a function', read: (value) => value },
  timeoutMs: bound,
  signal: abortSignal,
  clock,
  onDebug: callback,
};

/**
 * Runs an operation that the agent can do without. When it fails, `degrade` calls `onDebug`, emits `degraded`, and resolves
 * with the fallback; cancellation still rejects, and control flow of a host (an interrupt, a redirect) passes as it was thrown. A
 * fallback that throws rejects with its own error, whose cause is the first.
 *
 * @example
 * ```ts
 * const summary = await degrade(() => summarize(content), {
 *   name: 'summary',
 *   fallback: () => truncate(content, 500),
 *   timeoutMs: 10_000,
 * });
 * ```
 * @throws TypeError at once for a wrong option.
 */
export function degrade<T, F>(
  operation: () => T | PromiseLike<T>,
  options: DegradeOptions<F>,
): Promise<T | F> {
  if (typeof operation !== 'function') throw misuse('operation', 'a function', operation);
  const read = readOptions<DegradeOptions<F>>(DEGRADE_OPTIONS, options, 'degrade');
  if (read.name === undefined) throw misuse('name', 'a string', undefined);
  if (!('fallback' in options)) throw misuse('fallback', 'a value or a function', undefined);
  return run(operation, read);
}

async function run<T, F>(operation: () => T | PromiseLike<T>, options: DegradeOptions<F>): Promise<T | F> {
  const { name, fallback, signal } = options;
  try {
    return await bounded(operation, options);
  } catch (thrown) {
    if (isControlFlow(thrown)) throw thrown;
    const error = steadyError(thrown);
    if (error.code === 'CANCELLED' || signal?.aborted === true) {
      throw error.code === 'CANCELLED' ? error : cancellation(signal?.reason, CANCELLED);
    }
    if (options.onDebug !== undefined)
      observe(
        options.onDebug,
        `${textForLog(name)} failed, using its fallback`,
        details(name, error, thrown),
      );
    emit({}, { type: 'degraded', operation: name, code: error.code }, timeOf(options.clock).wall(), []);
    if (typeof fallback !== 'function') return fallback as F;
    try {
      return await (fallback as (error: AgentError) => F | PromiseLike<F>)(error);
    } catch (second) {
      if (isControlFlow(second)) throw second;
      throw finished(steadyError(second), { cause: error });
    }
  }
}

/** Settles as the operation does, or on timeout or abort, whichever is first. A later result of the operation is ignored. */
function bounded<T, F>(operation: () => T | PromiseLike<T>, options: DegradeOptions<F>): Promise<T> {
  const { signal, timeoutMs = Number.POSITIVE_INFINITY, name } = options;
  if (signal?.aborted === true) return Promise.reject(cancellation(signal.reason, CANCELLED));
  if (signal === undefined && timeoutMs === Number.POSITIVE_INFINITY) return begin(operation);
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => settle(() => reject(cancellation(signal?.reason, CANCELLED)));
    const late = (): void =>
      settle(() => reject(cheapError('TIMEOUT', `${name} took longer than ${timeoutMs} ms`)));
    const timer =
      timeoutMs === Number.POSITIVE_INFINITY ? undefined : timeOf(options.clock).after(timeoutMs, late);
    signal?.addEventListener('abort', abort, { once: true });
    function settle(how: () => void): void {
      timer?.cancel();
      signal?.removeEventListener('abort', abort);
      how();
    }
    begin(operation).then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

/** Calls at once; a throw is a rejection. */
function begin<T>(operation: () => T | PromiseLike<T>): Promise<T> {
  return new Promise((resolve) => resolve(operation()));
}

const CANCELLED = 'The operation was cancelled';

function details(operation: string, error: AgentError, thrown: unknown): Record<string, unknown> {
  const stack = stackOf(thrown);
  return {
    operation: textForLog(operation),
    error: wordsOf(thrown) || wordsOf(error),
    code: error.code,
    provider: providerForLog(error.provider),
    metadata: valueForLog(error.metadata),
    ...(stack === undefined ? {} : { stack }),
  };
}
