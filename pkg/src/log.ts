/** One line in the application's log for each call that matters. */

import { type HalfopenEvent, onEvent } from './event/events.js';
import * as is from './options.js';

/** The receiver of lines: pino, winston, `console`, or anything with these three methods. */
export interface Logger {
  /** Takes what the logger takes; here, an object and a message. */
  // biome-ignore lint/suspicious/noExplicitAny: each logger has parameters of its own.
  info(...args: any[]): void;
  /** As `info`. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  warn(...args: any[]): void;
  /** As `info`. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  error(...args: any[]): void;
}

/** A function that writes lines. */
export type LogFunction = (level: Level, message: string, fields: Record<string, unknown>) => void;

/** The calls that have a line. */
export interface LogOptions {
  /**
   * 'problems': calls that failed, that were refused, that needed a retry, that another target of a failover took over, and
   * those in whose place a fallback returned a value. 'all': every call, and a line for each retry. Both have a line for each
   * change of a breaker, and at most one a second for the share that a closed one refuses. Default: 'problems'.
   */
  level?: 'all' | 'problems' | undefined;
}

type Level = 'info' | 'warn' | 'error';

const shape: is.Shape = { level: is.oneOf('all', 'problems') };

/** The known facts of a call until it ends. */
interface OpenCall {
  readonly task?: string | undefined;
  provider?: string | undefined;
  model?: string | undefined;
  /** The codes of the attempts that failed, in order. Those that lost against another count for nothing. */
  readonly failed: string[];
  /** The last of them. */
  last?: (HalfopenEvent & { type: 'attempt.failed' }) | undefined;
  waitedMs: number;
}

/**
 * Writes one structured line for each call that matters, of every policy of this process: `warn` for a call that needed a retry
 * or was refused, `error` for one that failed. A call within another one that runs is at most a `warn`: if its failure fails
 * the outer call, that call has the `error`. A target that a failover has left has one `info`, with `from`, `to` and `code`.
 * Where a fallback returns a value, a `warn` says so. Fields are the call's policy, id, task, provider, model, code, attempts,
 * times, and what its last error said; secrets are redacted, prompts and answers never read.
 *
 * pino and bunyan get `(fields, message)`, as they take them; winston, `console` and others `(message, fields)`; a function
 * `(level, message, fields)`.
 *
 * @returns how to stop.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * import { logEvents } from 'halfopen/log';
 * const stop = logEvents(console);
 * // openai: failed after 4 attempts: RATE_LIMITED { policy: 'openai', call: '1f2e-3', code: 'RATE_LIMITED', … }
 * ```
 */
export function logEvents(logger: Logger | LogFunction, options?: LogOptions): () => void {
  if (!accepts(logger)) throw is.misuse('logger', 'a logger (info, warn, error), or a function', logger);
  const { level = 'problems' } = is.readOptions<LogOptions>(shape, options, 'logEvents');
  const lines = new Lines(writerFor(logger), level === 'all');
  const stop = onEvent((event) => lines.take(event));
  // A program that exits as soon as its call has failed.
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  const release = () => lines.release();
  process?.on?.('exit', release);
  return () => {
    stop();
    release();
    process?.off?.('exit', release);
  };
}

function accepts(logger: unknown): boolean {
  const names = ['info', 'warn', 'error'] as const;
  if (typeof logger === 'function') return true;
  const given = logger as Partial<Logger> | null | undefined;
  return typeof given === 'object' && names.every((name) => typeof given?.[name] === 'function');
}

function writerFor(logger: Logger | LogFunction): LogFunction {
  if (typeof logger === 'function') return logger;
  // pino and bunyan are known by methods that no other logger has.
  const { bindings, addSerializers } = logger as { bindings?: unknown; addSerializers?: unknown };
  const fieldsFirst = typeof bindings === 'function' || typeof addSerializers === 'function';
  return (level, message, fields) => {
    if (fieldsFirst) logger[level](fields, message);
    else logger[level](message, fields);
  };
}

/** The most calls that are kept until they end: one whose end is never seen is forgotten. */
const MOST_OPEN = 10_000;

/**
 * How many microtasks the line of a failed call waits for a failover to take over: the rejection passes through a few async
 * functions before the next target begins.
 */
const HOPS = 40;

/** The reasons of a refusal, in words. */
const REFUSED_BY: Readonly<Record<string, string>> = {
  'rate-limit': 'rate limit',
  adaptive: 'adaptive limit',
  cost: 'cost limit',
};

/** A line, as it will be written. */
interface Line {
  level: Level;
  message: string;
  fields: Record<string, unknown>;
  /** A failover may still take over from this call. */
  held: boolean;
}

class Lines {
  private readonly open = new Map<string, OpenCall>();
  /** Lines that wait, in order, behind one that is held. */
  private readonly waiting: Line[] = [];
  private readonly write: LogFunction;
  private readonly all: boolean;

  constructor(write: LogFunction, all: boolean) {
    this.write = write;
    this.all = all;
  }

  take(event: HalfopenEvent): void {
    const call = event.call === undefined ? undefined : this.open.get(event.call);
    switch (event.type) {
      case 'call.started':
        this.begin(event);
        break;
      case 'attempt.started':
        if (call !== undefined) Object.assign(call, { provider: event.provider, model: event.model });
        break;
      case 'attempt.failed':
        if (call === undefined || event.code === 'CANCELLED') break;
        call.failed.push(event.code);
        call.last = event;
        break;
      case 'retry.scheduled': {
        if (call === undefined) break;
        call.waitedMs += event.delayMs;
        const { attempt, delayMs, delaySource } = event;
        const code = call.last?.code;
        const how = `attempt ${attempt} follows in ${Math.round(delayMs)} ms, after ${code}`;
        const { task, provider, model } = call;
        if (this.all)
          this.line(event, 'info', how, {
            ...{ task, provider, model, code, attempt, delayMs, delaySource },
            ...lastError(call),
          });
        break;
      }
      case 'call.succeeded': {
        const { attempts, durationMs } = event;
        const isProblem = call !== undefined && call.failed.length > 0;
        const how = isProblem ? `succeeded after ${plural(attempts, 'attempt')}` : 'succeeded';
        if (isProblem || this.all)
          this.end(event, isProblem ? 'warn' : 'info', how, { attempts, durationMs });
        this.forget(event);
        break;
      }
      case 'call.failed': {
        const { attempts, durationMs, code, why } = event;
        const isCancelled = code === 'CANCELLED';
        const how = isCancelled ? 'cancelled' : `failed after ${plural(attempts, 'attempt')}: ${code}`;
        const level = this.open.has(event.parentCall ?? '') ? 'warn' : 'error';
        if (!isCancelled || this.all)
          this.end(event, isCancelled ? 'info' : level, how, {
            ...{ code, why, attempts, durationMs, frame: call?.last?.frame },
          });
        this.forget(event);
        break;
      }
      case 'call.rejected': {
        const { code, by, retryAfterMs } = event;
        this.end(event, 'warn', `refused by the ${REFUSED_BY[by] ?? by}: ${code}`, {
          code,
          by,
          retryAfterMs,
        });
        this.forget(event);
        break;
      }
      case 'fallback.used': {
        const { code, failed, ageMs } = event;
        const what = ageMs === undefined ? 'a fallback answered' : 'an earlier answer was returned';
        const how = failed === true ? 'the fallback failed too' : what;
        this.end(event, failed === true ? 'error' : 'warn', `${how}, after ${code}`, { code, failed, ageMs });
        break;
      }
      case 'failover.switched':
        this.takeOver(event);
        break;
      case 'breaker.changed': {
        const { breaker, from, to, reason } = event;
        const level = to === 'closed' ? 'info' : 'warn';
        this.line(event, level, `breaker '${breaker}' is ${to}: ${reason}`, { breaker, from, to, reason });
        break;
      }
      case 'breaker.throttled': {
        const { breaker, rate } = event;
        const share = `breaker '${breaker}' refuses ${Math.round(100 * rate)} % of calls`;
        this.line(event, 'warn', share, { breaker, rate });
        break;
      }
      case 'limit.changed': {
        const { limit, because, code } = event;
        if (because === 'overload')
          this.line(event, 'warn', `at most ${limit} attempts at once, after ${code}`, { limit, code });
        break;
      }
      case 'core.restarted':
        this.line(event, 'error', `the core failed in ${event.during} and was restarted`, {});
        break;
      default:
        break;
    }
  }

  private begin({ call, task }: HalfopenEvent & { type: 'call.started' }): void {
    if (call === undefined) return;
    this.open.set(call, { task, failed: [], waitedMs: 0 });
    const [oldest] = this.open.keys();
    if (this.open.size > MOST_OPEN && oldest !== undefined) this.open.delete(oldest);
  }

  private forget({ call }: HalfopenEvent): void {
    if (call !== undefined) this.open.delete(call);
  }

  /** Writes one line for a target that failed and the one that replaces it. */
  private takeOver(event: HalfopenEvent & { type: 'failover.switched' }): void {
    const { type, policy, from, to, code } = event;
    const how = `'${to}' is tried in place of '${from}', after ${code}`;
    const left = this.waiting.find(
      ({ held, fields }) => held && fields.policy === policy && fields.code === code,
    );
    // A target whose breaker is open has made no call.
    if (left === undefined) {
      this.line(event, 'info', how, { from, to, code });
      return;
    }
    const fields = { ...left.fields, event: type, from, to };
    Object.assign(left, { level: 'info', message: `${policy}: ${how}`, fields, held: false });
    this.drain();
  }

  /** The line of a call. */
  private end(event: HalfopenEvent, level: Level, how: string, fields: Record<string, unknown>): void {
    const call = this.open.get(event.call ?? '');
    const { task, provider, model, failed = [], waitedMs } = call ?? {};
    this.line(event, level, how, {
      task,
      provider,
      model,
      ...fields,
      waitedMs: waitedMs === 0 ? undefined : waitedMs,
      failed: failed.length === 0 ? undefined : failed,
      ...lastError(call),
    });
  }

  private line(event: HalfopenEvent, level: Level, how: string, fields: Record<string, unknown>): void {
    const { type, policy, call, parentCall, traceId } = event;
    const all = { event: type, policy, call, parentCall, traceId, ...fields };
    const known = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const held = (type === 'call.failed' && level !== 'info') || type === 'call.rejected';
    const line: Line = { level, message: `${policy ?? 'halfopen'}: ${how}`, fields: known, held };
    this.waiting.push(line);
    if (held) void this.holdBriefly(line);
    else this.drain();
  }

  /** Holds a line no longer when no failover has taken over within a few microtasks. */
  private async holdBriefly(line: Line): Promise<void> {
    for (let hop = 0; hop < HOPS; hop++) await undefined;
    line.held = false;
    this.drain();
  }

  /** Writes all lines that wait. */
  release(): void {
    for (const line of this.waiting) line.held = false;
    this.drain();
  }

  /** Writes the lines that no held one precedes. */
  private drain(): void {
    while (this.waiting[0]?.held === false) {
      const { level, message, fields } = this.waiting.shift() as Line;
      try {
        this.write(level, message, fields);
      } catch {
        // A logger that throws changes nothing for the calls, nor for the lines after this one.
      }
    }
  }
}

/** Returns the last error of a call. It is not named `message`, because winston appends that to its own. */
function lastError(call: OpenCall | undefined): Record<string, unknown> {
  const { statusCode, requestId, technicalDetails, message, errorClass } = call?.last ?? {};
  return { statusCode, requestId, details: technicalDetails, errorMessage: message, errorClass };
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
