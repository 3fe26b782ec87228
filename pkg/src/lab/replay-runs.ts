/** Runs of a log under other limits and thresholds. */

import { misuse } from '../options.js';
import { coreOptions, type LoopOptions, type RunLimits, readRunOptions } from '../run/options.js';
import { LOOPS, RUNGS, type RunReason, type RunRung, reasonOf } from '../run/reason.js';
import { codeNumber } from './code-number.js';
import { RUN_ADVISED, RUN_ENDED, RUN_STARTED, RUN_STEP, RUN_TOKENS, RUN_TOOL } from './rows.js';

/** The options of `createRun` that a log can be judged by. */
export interface RunRules {
  /** The most that a run may spend. Default: no limit. */
  limits?: RunLimits | undefined;
  /**
   * The definition of a loop; `false` switches all kinds off. A log has no arguments, so `key` can only name tools that may repeat
   * themselves. Default: the thresholds of `createRun`.
   */
  loops?:
    | (Pick<LoopOptions, (typeof LOOPS)[number]> & { key?: Readonly<Record<string, false>> | undefined })
    | false
    | undefined;
  /** The consequences of a loop or a limit. Default: steer, refuse, conclude, stop. */
  ladder?: readonly RunRung[] | undefined;
}

/** The amounts that runs spent after the stop that the other rules would have made. */
export interface RunSavings {
  /** Steps of the model. */
  steps: number;
  /** Tool calls. */
  toolCalls: number;
  /** Input and output tokens. */
  tokens: number;
  /** In the unit of the `costOf` that recorded the log. */
  cost: number;
  /** Milliseconds. */
  ms: number;
}

/** A run that the other rules would have advised or stopped. */
export interface RunChange {
  /** Its id in the log. */
  run: string;
  /** Its name. */
  name: string;
  /** How it ended in the log; `undefined` if the log ends before. */
  end: 'completed' | 'stopped' | 'failed' | 'cancelled' | undefined;
  /** Its first advice. The log is known up to here. */
  advice?: { do: RunRung; step: number; because: RunReason } | undefined;
  /** Its stop, and the step that would not have come. */
  stop?: { step: number; because: RunReason } | undefined;
  /** A stop of a run that completed in the log. */
  cutOff: boolean;
  /**
   * `true` if the log does not say that it comes to the stop: other advice comes before it, which the model might have heeded,
   * or the stop rests on tokens or cost that the log does not place in time.
   */
  modelled: boolean;
  /** The amounts that it spent in the log after the stop, without its sub-agents. */
  saved: RunSavings;
}

/** The runs of a log under other rules. */
export interface RunsReplay {
  /** Runs with other rules, from their beginning. */
  runs: number;
  /** Of these, the ones that completed in the log. */
  completed: number;
  /** Runs that would have got advice, a stop included. */
  advised: number;
  /** Of these, the ones that completed in the log. */
  advisedCompleted: number;
  /** Runs that would have been stopped. */
  stopped: number;
  /** Of these, the ones that are `modelled`. */
  modelled: number;
  /** Runs that would have been stopped, and completed in the log: cut off wrongly. */
  cutOff: number;
  /** The amounts that the stops would have saved. */
  saved: RunSavings;
  /** The runs that would have been advised or stopped, in the order of the log. */
  changed: readonly RunChange[];
}

const ENDS = ['completed', 'stopped', 'failed', 'cancelled'] as const;

type Fields = Record<string, unknown>;

/** Takes down the events of runs as rows of numbers (`run_row` of `core/lab/src/replay/rows.rs`). */
export class RecordedRuns {
  private readonly names: readonly string[];
  private readonly found = new Map<string, string>();
  private readonly numbers = new Map<string, number>();
  private readonly tools: string[] = [];
  /** Calls that have calls within them: their answers are theirs. */
  private readonly outer = new Set<unknown>();
  private rows: number[] = [];

  /** @throws TypeError for rules that do not fit. */
  constructor(private readonly rules: Readonly<Record<string, RunRules>>) {
    this.names = Object.keys(rules);
    for (const name of this.names) checkRules(rules[name], `runs.${name}`);
  }

  /** The options of the core for each name, in order. */
  get options(): Float64Array[] {
    return this.names.map((name) => coreOptions(this.rules[name] as RunRules));
  }

  /** The rows since the last time. */
  take(): Float64Array {
    const rows = Float64Array.from(this.rows);
    this.rows = [];
    return rows;
  }

  /** Throws if no run has one of the names. */
  finish(): void {
    const known = [...new Set(this.found.values())];
    for (const name of this.names) {
      if (known.includes(name)) continue;
      const all = known.map((one) => `'${one}'`).join(' or ') || 'but it has no runs';
      throw new TypeError(`halfopen: runs.${name}: expected the name of a run in the log, ${all}`);
    }
  }

  event(fields: Fields): void {
    if (fields.parentCall !== undefined) this.outer.add(fields.parentCall);
    const { run } = fields;
    if (typeof run !== 'string') return;
    const handler = EVENTS[String(fields.type)];
    if (handler !== undefined) handler(this, fields);
    else if (fields.usage !== undefined && !this.outer.has(fields.call)) {
      const { inputTokens, outputTokens } = fields.usage as Fields;
      this.row(RUN_TOKENS, fields, amount(inputTokens), amount(outputTokens));
    }
  }

  started(fields: Fields): void {
    const name = String(fields.name);
    this.found.set(String(fields.run), name);
    const parent = typeof fields.parentRun === 'string' ? this.number(fields.parentRun) : -1;
    this.row(RUN_STARTED, fields, this.names.indexOf(name), parent);
  }

  tool(fields: Fields): void {
    const { outcome, code, repeated } = fields;
    const tool = String(fields.tool);
    const { loops = {} } = this.rules[this.found.get(String(fields.run)) ?? ''] ?? {};
    const mayRepeat = loops !== false && loops.key?.[tool] === false;
    const number = outcome === 'refused' ? -2 : outcome === 'failed' ? codeNumber(code) : -1;
    this.row(RUN_TOOL, fields, this.toolNumber(tool), number, amount(repeated), Number(!mayRepeat));
  }

  advised(fields: Fields): void {
    const { kind, loop, count, tool } = (fields.because ?? {}) as Fields;
    const which = kind === 'loop' ? LOOPS.indexOf(loop as (typeof LOOPS)[number]) : -1;
    const rung = RUNGS.indexOf(fields.advice as RunRung);
    const number = typeof tool === 'string' ? this.toolNumber(tool) : -1;
    this.row(RUN_ADVISED, fields, rung, which, amount(count), number);
  }

  ended(fields: Fields): void {
    const { inputTokens, outputTokens, cost } = (fields.spent ?? {}) as Fields;
    const end = Math.max(0, ENDS.indexOf(fields.end as (typeof ENDS)[number]));
    this.row(RUN_ENDED, fields, end, amount(inputTokens), amount(outputTokens), amount(cost));
  }

  row(kind: number, { run, time }: Fields, a = 0, b = 0, c = 0, d = 0): void {
    this.rows.push(kind, this.number(String(run)), amount(time), 0, a, b, c, d, 0, 0);
  }

  private number(run: string): number {
    const number = this.numbers.get(run) ?? this.numbers.size;
    if (number === this.numbers.size) this.numbers.set(run, number);
    return number;
  }

  private toolNumber(tool: string): number {
    const number = this.tools.indexOf(tool);
    return number >= 0 ? number : this.tools.push(tool) - 1;
  }

  /** The result, from the core's 23 numbers for each run. */
  result(numbers: Float64Array | readonly number[]): RunsReplay {
    const ids = [...this.numbers.keys()];
    const runs = Array.from({ length: numbers.length / 23 }, (_, index) =>
      this.change([...numbers.slice(index * 23, index * 23 + 23)], ids),
    );
    const stopped = runs.filter(({ stop }) => stop !== undefined);
    const advised = runs.filter(({ advice, stop }) => (advice ?? stop) !== undefined);
    const completed = (some: readonly RunChange[]) => some.filter(({ end }) => end === 'completed').length;
    const saved = { steps: 0, toolCalls: 0, tokens: 0, cost: 0, ms: 0 };
    for (const run of stopped)
      for (const name of Object.keys(saved) as (keyof RunSavings)[]) saved[name] += run.saved[name];
    return {
      runs: runs.length,
      completed: completed(runs),
      advised: advised.length,
      advisedCompleted: completed(advised),
      stopped: stopped.length,
      modelled: stopped.filter(({ modelled }) => modelled).length,
      cutOff: stopped.filter(({ cutOff }) => cutOff).length,
      saved,
      changed: advised,
    };
  }

  private change(numbers: readonly number[], ids: readonly string[]): RunChange {
    const [run = 0, end = -1, rung = -1, adviceStep = 0] = numbers;
    const [isStopped, stopStep = 0, isModelled] = numbers.slice(9);
    const [steps = 0, toolCalls = 0, input = 0, output = 0, cost = 0, ms = 0] = numbers.slice(17);
    const reason = (at: number) =>
      reasonOf(numbers.slice(at, at + 5), (tool) => this.tools[tool]) as RunReason;
    const id = ids[run] ?? '';
    const how = ENDS[end];
    return {
      run: id,
      name: this.found.get(id) ?? '',
      end: how,
      ...(rung >= 0 && { advice: { do: RUNGS[rung] ?? 'steer', step: adviceStep, because: reason(4) } }),
      ...(isStopped === 1 && { stop: { step: stopStep, because: reason(12) } }),
      cutOff: isStopped === 1 && how === 'completed',
      modelled: isModelled === 1,
      saved: { steps, toolCalls, tokens: input + output, cost, ms },
    };
  }
}

const EVENTS: Readonly<Record<string, (runs: RecordedRuns, fields: Fields) => void>> = {
  'run.started': (runs, fields) => runs.started(fields),
  'run.step': (runs, fields) => runs.row(RUN_STEP, fields),
  'run.tool': (runs, fields) => runs.tool(fields),
  'run.advised': (runs, fields) => runs.advised(fields),
  'run.ended': (runs, fields) => runs.ended(fields),
};

const amount = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);

const NAMES = ['limits', 'loops', 'ladder'];

function checkRules(rules: unknown, path: string): void {
  if (typeof rules !== 'object' || rules === null)
    throw misuse(path, 'an object with limits, loops or a ladder', rules);
  for (const name of Object.keys(rules))
    if (!NAMES.includes(name))
      throw misuse(`${path}.${name}`, `left out: rules have ${NAMES.join(', ')}`, name);
  const { loops } = rules as RunRules;
  // A log has neither arguments nor results.
  for (const name of ['key', 'result'] as const) {
    const given = typeof loops === 'object' ? (loops as LoopOptions)[name] : undefined;
    if (Object.values(given ?? {}).some((one) => typeof one === 'function'))
      throw misuse(
        `${path}.loops.${name}`,
        'without functions: a log has no arguments and no results',
        given,
      );
  }
  // The cost of each answer is in the log.
  readRunOptions({ ...rules, costOf: () => 0 }, path);
}
