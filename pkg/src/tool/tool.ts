/** For agents and their tools: failures as results, and what can be done without. */

import type { Clock } from '../clock.js';
import { timeOf } from '../clock.js';
import { mapToolErrorCodeToAgentErrorCode, type ToolErrorCode } from '../codes.js';
import { AgentError, cancellation, cheapError } from '../error/agent-error.js';
import { type AgentErrorResponse, responseFor } from '../error/as-response.js';
import { finished } from '../error/final-error.js';
import { observe, tell } from '../event/events.js';
import { providerForLog, stackOf, textForLog, valueForLog, wordsOf } from '../message/for-log.js';
import { abortSignal, bound, callback, clock, misuse, readOptions, type Shape, text } from '../options.js';

/** What a tool returns. A tool never throws at its caller. */
export interface ToolResult {
  title: string;
  metadata: Record<string, unknown>;
  output: string;
}

/** Options of {@link toolResult}. */
export interface ToolResultOptions {
  /** Of results that a tool gives as a mere string. Default: 'Success'. */
  title?: string | undefined;
  /** Told the error as the agent sees it. What it throws changes nothing. */
  onError?: ((error: AgentErrorResponse) => void) | undefined;
}

const TOOL_OPTIONS: Shape = { title: text, onError: callback };

/**
 * Wraps a tool so that a throw becomes a result: title 'Error', metadata `{ error, code, retryable }`, output
 * 'Error: …', which the model reads; secrets are taken out. The result never rejects.
 *
 * @example
 * ```ts
 * const read = toolResult(async (path: string) => readFile(path, 'utf8'), { title: 'File' });
 * await read('/no/such/file');
 * // { title: 'Error', metadata: { error: 'ENOENT: …', code: 'IO_ERROR', retryable: false }, output: 'Error: ENOENT: …' }
 * ```
 * @throws TypeError at once for a wrong argument.
 */
export function toolResult<A extends unknown[]>(
  execute: (...args: A) => ToolResult | string | PromiseLike<ToolResult | string>,
  options?: ToolResultOptions,
): (...args: A) => Promise<ToolResult> {
  if (typeof execute !== 'function') throw misuse('execute', 'a function', execute);
  const { title = 'Success', onError } = readOptions<ToolResultOptions>(TOOL_OPTIONS, options, 'toolResult');
  return async (...args) => {
    try {
      return asResult(await execute(...args), title);
    } catch (thrown) {
      return failed(thrown, onError);
    }
  };
}

/** A tool in JavaScript may return anything; its caller gets a result. */
function asResult(value: unknown, title: string): ToolResult {
  if (typeof value === 'string') return { title, metadata: {}, output: value };
  if (typeof value === 'object' && value !== null && typeof (value as ToolResult).output === 'string') {
    const { title: own = title, metadata = {}, output, ...rest } = value as ToolResult;
    return { ...rest, title: own, metadata, output };
  }
  return { title, metadata: {}, output: value === undefined ? '' : (JSON.stringify(value) ?? String(value)) };
}

function failed(thrown: unknown, onError: ToolResultOptions['onError']): ToolResult {
  const error = AgentError.from(thrown, { layer: 'tool' });
  const code =
    error.code === 'UNKNOWN' ? mapToolErrorCodeToAgentErrorCode(error.code as ToolErrorCode) : error.code;
  if (onError !== undefined) {
    const response = responseFor(error);
    response.error = code;
    observe(onError, response);
  }
  const words = wordsOf(thrown) || error.message;
  return {
    title: 'Error',
    metadata: { error: words, code, retryable: error.retryable },
    output: `Error: ${words}`,
  };
}

/** Options of {@link degrade}. */
export interface DegradeOptions<F> {
  /** Of the operation, for events and `onDebug`. */
  name: string;
  /** Instead of the operation's value: a value, or a function of the error. */
  fallback: F | ((error: AgentError) => F | PromiseLike<F>);
  /** Milliseconds after which the operation has failed with TIMEOUT. Default: none. */
  timeoutMs?: number | undefined;
  /** Cancels the wait: the promise rejects with CANCELLED, and no fallback is asked. */
  signal?: AbortSignal | undefined;
  clock?: Clock | undefined;
  /** Full technical details, redacted. What it throws changes nothing. */
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
 * Runs what the agent can do without. A failure is told to `onDebug` and as an event, and replaced by the fallback;
 * cancellation still rejects. A fallback that throws rejects with its own error, whose cause is the first.
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
    const error = AgentError.from(thrown);
    if (error.code === 'CANCELLED' || signal?.aborted === true) {
      throw error.code === 'CANCELLED' ? error : cancellation(signal?.reason, CANCELLED);
    }
    if (options.onDebug !== undefined)
      observe(
        options.onDebug,
        `${textForLog(name)} failed, using its fallback`,
        details(name, error, thrown),
      );
    tell({}, { type: 'degraded', operation: name, code: error.code }, timeOf(options.clock).wall(), []);
    if (typeof fallback !== 'function') return fallback as F;
    try {
      return await (fallback as (error: AgentError) => F | PromiseLike<F>)(error);
    } catch (second) {
      throw finished(AgentError.from(second), { cause: error });
    }
  }
}

/** The operation, or the first of timeout and abort; what it comes to afterwards is nobody's business. */
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

/**
 * Cuts a text at a grapheme and, where it can, at a word's end; the result, with its '…', has at most `maxLength`
 * UTF-16 units. A text that fits comes back as it is.
 *
 * @example
 * ```ts
 * truncate('Hello wonderful world', 12); // 'Hello…'
 * truncate('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 12); // '👩‍👩‍👧‍👦…': a family is not torn apart
 * ```
 * @throws TypeError for a length that is no whole number, 0 or more.
 */
export function truncate(content: string, maxLength: number): string {
  if (typeof content !== 'string') throw misuse('text', 'a string', content);
  if (!Number.isSafeInteger(maxLength) || maxLength < 0) {
    if (maxLength === Number.POSITIVE_INFINITY) return content;
    throw misuse('maxLength', 'a whole number, 0 or more', maxLength);
  }
  if (content.length <= maxLength) return content;
  if (maxLength === 0) return '';
  const room = maxLength - 1;
  // Behind the cut so much is looked at that a grapheme or a word across it is seen as one.
  const window = content.slice(0, room + 256);
  const head = window.slice(0, lastEnd(window, room, 'word')).trimEnd();
  return `${head === '' ? window.slice(0, lastEnd(window, room, 'grapheme')) : head}…`;
}

/** Where the last segment that ends within `room` ends. */
function lastEnd(content: string, room: number, granularity: 'grapheme' | 'word'): number {
  let end = 0;
  for (const length of segmentLengths(content, granularity)) {
    if (end + length > room) break;
    end += length;
  }
  return end;
}

/** The lengths of words or graphemes, as Unicode's annex 29 divides text. */
function* segmentLengths(content: string, granularity: 'grapheme' | 'word'): Iterable<number> {
  if (typeof Intl !== 'undefined' && 'Segmenter' in Intl) {
    for (const { segment } of new Intl.Segmenter(undefined, { granularity }).segment(content))
      yield segment.length;
  } else {
    // Firefox before 125: code points with their marks, and words by their spaces.
    const divide = granularity === 'word' ? /\s+|\S+/gu : /\P{M}(?:\p{M}|\u200d\P{M})*|\p{M}+/gu;
    for (const [segment] of content.matchAll(divide)) yield segment.length;
  }
}

/**
 * Bounds an agent's loop: `next()` throws MAX_ITERATIONS_EXCEEDED on the call after `max`, and from then on. The first
 * time it emits `iterations.exceeded` to the listeners of `onEvent`.
 *
 * @example
 * ```ts
 * const limit = iterationLimit(10);
 * while (!done) {
 *   limit.next();
 *   done = await step();
 * }
 * ```
 * @throws TypeError at once for a bound that is no whole number, 0 or more.
 */
export function iterationLimit(max: number): { next(): void; readonly count: number } {
  const bounds = max === Number.POSITIVE_INFINITY || (Number.isSafeInteger(max) && max >= 0);
  if (!bounds) throw misuse('max', 'a whole number, 0 or more, or Infinity', max);
  let begun = 0;
  let exceeded = false;
  return {
    next() {
      if (begun >= max) {
        if (!exceeded) tell({}, { type: 'iterations.exceeded', max }, Date.now(), []);
        exceeded = true;
        throw new AgentError(
          'MAX_ITERATIONS_EXCEEDED',
          `The agent's loop reached its limit of ${max} iterations`,
        );
      }
      begun++;
    },
    get count() {
      return begun;
    },
  };
}
