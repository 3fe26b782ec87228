/** Options of a run, and the numbers that the core has of them. */

import type { Clock, Time } from '../clock.js';
import type { HalfopenEvent } from '../event/events.js';
import type { Usage } from '../event/usage.js';
import { show } from '../misuse.js';
import * as is from '../options.js';
import { LIMITS, LOOPS, RUNGS, type RunRung } from './reason.js';
import type { Run } from './types.js';

/** The most that a run may spend of each. */
export interface RunLimits {
  /** Steps of the model. Default: no limit. */
  steps?: number | undefined;
  /** Calls of tools that were let through. Default: no limit. */
  toolCalls?: number | undefined;
  /** Input tokens, cached ones included, and output tokens. Default: no limit. */
  tokens?: number | undefined;
  /** In the unit of `costOf`. Default: no limit. */
  cost?: number | undefined;
  /** Milliseconds. Default: no limit. */
  ms?: number | undefined;
}

/**
 * The limits above which repetition is a loop. An outcome is a tool, its arguments, and its result or the code of its error. Hashes of their canonical
 * form (RFC 8785) are compared; contents are never kept. `Infinity` switches a kind off.
 */
export interface LoopOptions {
  /** Equal outcomes in a row that make a loop. Default: 3. */
  repeats?: number | undefined;
  /** Failures of one tool with one code in a row, with any arguments, that make a loop. Default: 4. */
  failures?: number | undefined;
  /** Repetitions in a row of a sequence of two to five steps that make a loop. Default: 3. */
  cycles?: number | undefined;
  /** Calls of one tool in a row that found nothing, with any arguments, that make a loop. Leads to 'steer' at most. Default: 5. */
  nothing?: number | undefined;
  /** Steps with tool calls in a row that brought no outcome that is new to the run. Default: 10. */
  stale?: number | undefined;
  /** Equal texts of the model in a row, without a tool call, that make a loop. Default: 3. */
  texts?: number | undefined;
  /** The part of a tool's arguments by which two calls are the same, or false for a tool that may repeat itself. */
  // biome-ignore lint/suspicious/noExplicitAny: a function of the application takes the arguments of its tool
  key?: Readonly<Record<string, false | ((args: any) => unknown)>> | undefined;
  /** The part of a tool's result that counts. Default: all but ISO times, UUIDs, hexadecimal ids and temporary paths within texts. */
  // biome-ignore lint/suspicious/noExplicitAny: and its result
  result?: Readonly<Record<string, (result: any) => unknown>> | undefined;
}

/** Options of {@link createRun}. */
export interface RunOptions {
  /** Default: 'run'. */
  name?: string | undefined;
  /** Its subject, for the dashboard; redacted. */
  task?: string | undefined;
  /** The limits on what it spends. */
  limits?: RunLimits | undefined;
  /** The cost of an answer, 0 or more. Needed if `limits.cost` is set. */
  costOf?: ((usage: Usage) => number) | undefined;
  /** The share of a limit at which `run.warned` is emitted, once each. Default: 0.8. */
  warnAt?: number | undefined;
  /** The definition of a loop; `false` looks for none. */
  loops?: LoopOptions | false | undefined;
  /**
   * The steps to which a loop or a limit leads, in this order; the next is taken when the one before did not help. `[]` only observes.
   * Default: steer, refuse, conclude, stop.
   */
  ladder?: readonly RunRung[] | undefined;
  /** Cancels the run. */
  signal?: AbortSignal | undefined;
  /** The language of what the model and the user are given to read. Default: 'en'. */
  locale?: string | undefined;
  /** The time and the timers. Default: the system's. */
  clock?: Clock | undefined;
  /** Called with the run's events, beside the listeners of the process. Its errors are ignored. */
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
  /** Hears of misuse that only development shows, such as results of calls that were not asked for. */
  onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
  /** The run that this one is a part of: what it spends, its parent spends too. */
  parent?: Run | undefined;
  /**
   * Spends `limits.tokens` and `limits.cost` together with all runs of that key, of all processes of the fleet (`fleet()` of
   * `halfopen/fleet`), within any 24 hours. Steps, tool calls and time stay the run's own. Default: not shared.
   */
  shared?: { fleet: object; key: string } | undefined;
}

const times = is.kind(
  'a whole number, 2 or more, or Infinity',
  (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 2),
);
const most = is.kind(
  'a whole number, 1 or more, or Infinity',
  (value) => value === Number.POSITIVE_INFINITY || (Number.isSafeInteger(value) && (value as number) >= 1),
);
const amount = is.kind('a number above 0, or Infinity', (value) => typeof value === 'number' && value > 0);

/** Functions by the names of tools; `false` if that is allowed. */
function byTool(what: string, accepts: (value: unknown) => boolean): is.Kind {
  return is.kind(
    `an object of ${what} by the names of tools`,
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.values(value).every(accepts),
  );
}

const isFunction = (value: unknown): boolean => typeof value === 'function';

/** The fleet, as runs use it. */
export interface BudgetSource {
  budget(
    key: string,
    limits: { tokens?: number | undefined; cost?: number | undefined },
    time: Time,
  ): SharedBudget;
}

/** A budget that several runs spend, of this process and of others. */
export interface SharedBudget {
  hold(): void;
  release(): void;
  spend(tokens: number, cost: number): void;
  readonly over: { limit: 'tokens' | 'cost'; max: number; spent: number } | undefined;
}

const SHAPE: is.Shape = {
  name: is.filledText,
  task: is.text,
  limits: is.object({ steps: most, toolCalls: most, tokens: amount, cost: amount, ms: amount }),
  costOf: is.syncCallback,
  warnAt: is.rate,
  loops: is.either(
    is.no,
    is.object({
      ...Object.fromEntries(LOOPS.map((loop) => [loop, times])),
      key: byTool('functions or false', (value) => value === false || isFunction(value)),
      result: byTool('functions', isFunction),
    }),
  ),
  ladder: { expected: `an array of ${RUNGS.join(', ')}`, read: readLadder },
  signal: is.abortSignal,
  locale: is.text,
  clock: is.clock,
  onEvent: is.callback,
  onDebug: is.callback,
  parent: is.duck('a run', 'within', 'step', 'toolCall', 'finish'),
  shared: is.object({
    fleet: is.kind(
      'a fleet of halfopen/fleet',
      (fleet) => typeof (fleet as Partial<BudgetSource> | null)?.budget === 'function',
    ),
    key: is.filledText,
  }),
};

function readLadder(given: unknown, path: string): RunRung[] {
  if (!Array.isArray(given)) throw is.misuse(path, `an array of ${RUNGS.join(', ')}`, given);
  for (const [at, rung] of given.entries()) {
    if (!RUNGS.includes(rung)) throw is.misuse(`${path}[${at}]`, `one of ${RUNGS.join(', ')}`, rung, RUNGS);
    if (given.indexOf(rung) !== at) {
      throw new TypeError(`halfopen: option '${path}' has ${show(rung)} twice; each rung is taken once`);
    }
  }
  return [...given];
}

/** A checked copy. @throws TypeError for a wrong option. */
export function readRunOptions(given: unknown, where: string): RunOptions {
  const options = is.readOptions<RunOptions>(SHAPE, given, where);
  const { limits = {}, costOf } = options;
  if (limits.cost !== undefined && limits.cost < Number.POSITIVE_INFINITY && costOf === undefined) {
    throw is.misuse('costOf', "a function that is not async, for 'limits.cost' is set", costOf);
  }
  const { shared } = options;
  for (const name of ['fleet', 'key'] as const) {
    if (shared !== undefined && shared[name] === undefined)
      throw is.misuse(`shared.${name}`, 'given, with the other one', undefined);
  }
  if (shared !== undefined && sharedLimits(options) === undefined)
    throw is.misuse('limits', "an object with 'tokens' or 'cost', for 'shared' is set", options.limits);
  return options;
}

/** The limits that the runs of a key spend together; `undefined` without one. */
export function sharedLimits({
  limits = {},
}: RunOptions): { tokens?: number | undefined; cost?: number | undefined } | undefined {
  const { tokens = Number.POSITIVE_INFINITY, cost = Number.POSITIVE_INFINITY } = limits;
  const finite = {
    ...(Number.isFinite(tokens) && { tokens }),
    ...(Number.isFinite(cost) && { cost }),
  };
  return Object.keys(finite).length > 0 ? finite : undefined;
}

const DEFAULTS = { repeats: 3, failures: 4, cycles: 3, nothing: 5, stale: 10, texts: 3 };
const DEFAULT_LADDER: readonly RunRung[] = ['steer', 'refuse', 'conclude', 'stop'];
/** More in a row than this is never counted: the core has 32 bits. */
const MOST_TIMES = 2 ** 32 - 2;

/** `true` if the run gives no advice. */
export const observes = ({ ladder }: RunOptions): boolean => ladder?.length === 0;

/** The options as `config` in core/wasm/src/run.rs reads them. Without a ladder the core's run observes. */
export function coreOptions(options: RunOptions): Float64Array {
  const { limits = {}, warnAt = 0.8, loops = {}, ladder = DEFAULT_LADDER } = options;
  return Float64Array.of(
    ...LIMITS.map((limit) => limits[limit] ?? Number.POSITIVE_INFINITY),
    warnAt,
    ...LOOPS.map((loop) => {
      const often = loops === false ? Number.POSITIVE_INFINITY : (loops[loop] ?? DEFAULTS[loop]);
      return often === Number.POSITIVE_INFINITY ? 0 : Math.min(often, MOST_TIMES);
    }),
    ...ladder.map((rung) => RUNGS.indexOf(rung)),
  );
}
