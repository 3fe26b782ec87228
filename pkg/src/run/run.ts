/** A run of an agent: the core's decisions, with time, signals, events and the calls that belong to it. */

import { runWithin, wantParents } from '../call/parents.js';
import { type Time, type Timer, timeOf } from '../clock.js';
import {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  mapToolErrorCodeToAgentErrorCode,
  type ToolErrorCode,
} from '../codes.js';
import { makeControllable } from '../controllable.js';
import { type AgentError, cancellation } from '../error/agent-error.js';
import { sentenceOf } from '../error/as-response.js';
import { steadyError } from '../error/final-error.js';
import {
  type EventListener,
  emit,
  observe,
  processObserved,
  type RunEventDetails,
  randomUuid,
} from '../event/events.js';
import { givenUsage, isCount, type Usage } from '../event/usage.js';
import { textForLog } from '../message/for-log.js';
import * as is from '../options.js';
import { misuse, readOptions, type Shape } from '../options.js';
import { type ToolResult, toolResult } from '../tool/tool-result.js';
import type { Outcome } from './around.js';
import { argumentsOf, canonical, evenText, hashOf, settled } from './canonical.js';
import { errorOfEnd, type RunEnd, stopError } from './end.js';
import { ADVISED, type CallHash, COUNTED_STEP, Machine, WARNED } from './machine.js';
import { isNothing } from './nothing.js';
import {
  type BudgetSource,
  coreOptions,
  observes,
  type RunOptions,
  readRunOptions,
  type SharedBudget,
  sharedLimits,
} from './options.js';
import { LIMITS, RUNGS, type RunReason, type RunRung, reasonOf } from './reason.js';
import { say } from './say.js';
import type { Run, RunAdvice, RunSnapshot, RunToolCall, Spent, StepAdvice, ToolAdvice } from './types.js';
import { collectUsage } from './usage.js';

/** A requested call that has no result yet. */
interface Pending {
  readonly hash: CallHash;
  /** Milliseconds since the run began. */
  readonly since: number;
  readonly isRefused: boolean;
}

/** The outcome of one call of a tool, once it is known. */
interface Kept {
  outcome?: Outcome;
}

/** More calls than this are not awaited, and more names of tools not kept. */
const MOST = 1000;

const WITHIN: Shape = { onStop: is.oneOf('reject', 'wait') };

class AgentRun implements Run {
  readonly id: string;
  private ended: RunEnd | undefined;
  private readonly name: string;
  private readonly time: Time;
  private readonly machine: Machine;
  private readonly observes: boolean;
  private readonly parent: AgentRun | undefined;
  private readonly budget: SharedBudget | undefined;
  private readonly children = new Set<AgentRun>();
  /** When it began, less what it had lasted before it was restored. */
  private readonly since: number;
  private lasted: number | undefined;
  private steps: number;
  /** By their ids, or by their hashes if they have no id. */
  private readonly pending = new Map<string | number, Pending[]>();
  private pendingCount = 0;
  /** Calls of functions that `tool()` has made. */
  private toolRuns = 0;
  /** The call that was requested last, until there is a result. */
  private latest: { readonly call: RunToolCall; readonly hash: CallHash } | undefined;
  /** The names of tools by their hashes, as logs have them. */
  private readonly tools = new Map<number, string>();
  private aborter: AbortController | undefined;
  private timer: Timer | undefined;
  private stopCollecting: (() => void) | undefined;
  /** Called when the run ends. */
  private readonly onEnd = new Set<() => void>();
  private readonly debugged = new Set<string>();
  private readonly listeners: EventListener[];

  constructor(
    private readonly options: RunOptions,
    from?: { snapshot: RunSnapshot; state: State },
  ) {
    this.id = from?.snapshot.id ?? randomUuid();
    this.name = options.name ?? from?.snapshot.name ?? 'run';
    this.observes = observes(options);
    this.time = timeOf(options.clock);
    this.machine = new Machine(coreOptions(options), from?.state.core);
    this.since = this.time.now() - (from?.snapshot.spent.ms ?? 0);
    this.steps = from?.state.steps ?? 0;
    for (const [hash, name] of from?.state.tools ?? []) this.tools.set(hash, name);
    this.listeners = options.onEvent === undefined ? [] : [options.onEvent];
    const { parent, signal, limits } = options;
    if (parent !== undefined && !(parent instanceof AgentRun)) {
      throw misuse('parent', 'a run of this copy of halfopen', parent);
    }
    this.parent = parent;
    const end = from?.state.end;
    if (end !== undefined) {
      this.lasted = from?.snapshot.spent.ms ?? 0;
      this.ended = endFrom(end, this.name, options.locale);
      return;
    }
    this.emit({
      type: 'run.started',
      run: this.id,
      name: textForLog(this.name),
      task: options.task === undefined ? undefined : textForLog(options.task),
      parentRun: parent?.id,
      limits: Object.fromEntries(
        Object.entries(limits ?? {}).filter(([, limit]) => Number.isFinite(limit as number)),
      ) as Record<string, number>,
      restored: from === undefined ? undefined : true,
    });
    if (parent?.ended !== undefined) {
      this.endWith(parent);
      return;
    }
    parent?.children.add(this);
    makeControllable('run', this.id, this);
    const { shared } = options;
    if (shared !== undefined) {
      const source = shared.fleet as BudgetSource;
      const budget = source.budget(shared.key, sharedLimits(options) ?? {}, this.time);
      this.budget = budget;
      budget.hold();
      this.onEnd.add(() => budget.release());
    }
    if (limits?.ms !== undefined && Number.isFinite(limits.ms)) {
      const { ms } = limits;
      this.timer = this.time.unreferenced.after(ms - this.ms, () => this.timeIsOver(ms));
    }
    if (signal?.aborted === true) this.cancel();
    else if (signal !== undefined) {
      const cancel = (): void => this.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      this.onEnd.add(() => signal.removeEventListener('abort', cancel));
    }
  }

  get end(): RunEnd | undefined {
    return this.ended;
  }

  get spent(): Readonly<Spent> {
    const { steps, toolCalls, inputTokens, cachedInputTokens, outputTokens, cost } = this.machine.spent;
    return { steps, toolCalls, ms: this.ms, inputTokens, cachedInputTokens, outputTokens, cost };
  }

  get signal(): AbortSignal {
    this.aborter ??= new AbortController();
    if (!this.aborter.signal.aborted) this.abortIfOver();
    return this.aborter.signal;
  }

  async within<T>(
    body: (run: Run) => T | PromiseLike<T>,
    options?: { onStop?: 'reject' | 'wait' | undefined },
  ): Promise<T> {
    is.expectFunction(body, 'within');
    const { onStop = 'reject' } = readOptions<{ onStop?: 'reject' | 'wait' }>(WITHIN, options, 'within');
    const before = this.reasonToAbort();
    if (onStop === 'reject' && before !== undefined) throw before;
    const unwant = wantParents();
    if (this.ended === undefined) this.stopCollecting ??= collectUsage(this);
    try {
      const running = new Promise<T>((resolve) => resolve(runWithin(this.id, () => body(this))));
      return await (onStop === 'wait' ? running : this.unlessStopped(running));
    } finally {
      unwant();
    }
  }

  private unlessStopped<T>(running: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const ended = (): void => {
        const reason = this.reasonToAbort();
        if (reason !== undefined) reject(reason);
      };
      this.onEnd.add(ended);
      running.then(resolve, reject).finally(() => this.onEnd.delete(ended));
    });
  }

  step(): StepAdvice {
    const stop = this.stopBefore();
    if (stop !== undefined) return stop;
    const led = this.machine.step(this.ms);
    this.countStep(led);
    return this.given(led, this.adviceOf(led)) as StepAdvice;
  }

  toolCall(call: RunToolCall): ToolAdvice {
    const stop = this.stopBefore();
    if (stop !== undefined) return stop;
    const hash = this.hashOf(call);
    const { ms } = this;
    const led = this.machine.toolCall(hash, ms);
    // Until step() is called, each tool call begins a step.
    this.countStep(led);
    const advice = this.adviceOf(led);
    if (advice?.do === 'stop' && !this.observes) return this.given(led, advice) as ToolAdvice;
    const isRefused = advice?.do === 'refuse' && !this.observes;
    this.await(call, { hash, since: ms, isRefused });
    if (isRefused) {
      const { repeated } = this.machine;
      this.emit({ type: 'run.tool', run: this.id, tool: shown(call.name), outcome: 'refused', repeated });
    } else this.parent?.spendAbove({ toolCalls: 1 });
    return this.given(led, advice) as ToolAdvice;
  }

  private countStep(led: number): void {
    if ((led & COUNTED_STEP) === 0) return;
    this.steps += 1;
    this.parent?.spendAbove({ steps: 1 });
    if (this.isHeard) this.emit({ type: 'run.step', run: this.id, step: this.steps });
  }

  toolResult(call: RunToolCall, outcome: { result: unknown } | { error: unknown }): void {
    if (this.ended !== undefined) return;
    const pending = this.awaited(call);
    if (pending?.isRefused === true) return;
    if (pending === undefined) this.debug('toolResult() for a call that toolCall() was not asked for');
    const hash = pending?.hash ?? this.hashOf(call);
    const code = 'error' in outcome ? codeOfTool(outcome.error) : undefined;
    let repeated: number;
    if (code === undefined) {
      const { result } = outcome as { result: unknown };
      const ofResult = hashOf(this.partOf(call, result), hash.key);
      repeated = this.machine.toolResult(hash, isNothing(result) ? -2 : -1, ofResult);
    } else {
      repeated = this.machine.toolResult(hash, AGENT_ERROR_CODES.indexOf(code), { high: 0, low: 0 });
    }
    if (!this.isHeard) return;
    this.emit({
      type: 'run.tool',
      run: this.id,
      tool: shown(call.name),
      outcome: code === undefined ? 'ok' : 'failed',
      code,
      repeated,
      durationMs: pending === undefined ? undefined : Math.max(0, this.ms - pending.since),
    });
  }

  text(text: string): void {
    if (typeof text !== 'string') throw misuse('text', 'a string', text);
    const even = evenText(text);
    if (this.ended === undefined && even !== '') this.machine.text(hashOf(even));
  }

  used(usage: Usage): void {
    this.pay(givenUsage(usage));
  }

  /** @internal */
  pay(usage: Usage): void {
    // Runs of one key, a parent and its child, pay it once.
    const paid = new Set<SharedBudget>();
    for (let run: AgentRun | undefined = this; run !== undefined; run = run.parent) {
      const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage;
      const cost = run.costOf(usage);
      const led = run.machine.spend({ inputTokens, cachedInputTokens, outputTokens, cost }, run.ms);
      if (run.budget !== undefined && !paid.has(run.budget)) {
        paid.add(run.budget);
        run.budget.spend(inputTokens + outputTokens, cost);
      }
      run.warn(led);
    }
  }

  tool<A extends unknown[]>(
    name: string,
    execute: (...args: A) => unknown,
  ): (...args: A) => Promise<ToolResult> {
    if (typeof name !== 'string' || name === '') throw misuse('name', 'a string that is not empty', name);
    is.expectFunction(execute, 'tool');
    // Made once: its options take longer to check than a call to count.
    const read = toolResult(
      async (...given: [...A, Kept]) => {
        // The last, because a tracer looks at the second.
        const kept = given.pop() as Kept;
        try {
          const result = await execute(...(given as unknown as A));
          kept.outcome = { result };
          return result as string;
        } catch (error) {
          kept.outcome = { error };
          throw error;
        }
      },
      { name },
    );
    return async (...args) => {
      // No other call of the run has it. A random one takes longer than all the rest.
      const call = { id: `run.tool ${++this.toolRuns}`, name, arguments: args[0] };
      const advice = this.toolCall(call);
      if (advice.do === 'stop') throw errorOfEnd(advice.end);
      if (advice.do === 'refuse') {
        return {
          title: 'Error',
          metadata: { error: advice.say, refused: true, retryable: false },
          output: advice.say,
        };
      }
      const kept: Kept = {};
      const result = await read(...args, kept);
      this.toolResult(call, kept.outcome ?? { result: undefined });
      return result;
    };
  }

  finish(error?: unknown): RunEnd {
    if (this.ended !== undefined) return this.ended;
    if (error === undefined) {
      const concluded = reasonOf(this.machine.concluded, (hash) => this.tools.get(hash));
      return this.over(
        concluded === undefined || this.observes ? { kind: 'completed' } : { kind: 'completed', concluded },
      );
    }
    const failure = steadyError(error);
    return this.over(
      failure.code === 'CANCELLED' ? { kind: 'cancelled' } : { kind: 'failed', error: failure },
    );
  }

  snapshot(): RunSnapshot {
    const state: State = {
      core: this.machine.state,
      steps: this.steps,
      tools: [...this.tools].slice(-50),
      end: this.ended === undefined ? undefined : plainEnd(this.ended),
    };
    return {
      version: 1,
      id: this.id,
      name: this.name,
      spent: { ...this.spent },
      state: JSON.stringify(state),
    };
  }

  [Symbol.dispose](): void {
    this.finish();
  }

  private get ms(): number {
    return this.lasted ?? Math.max(0, this.time.now() - this.since);
  }

  /** The advice from ends and hard limits of the run and its parents. */
  private stopBefore(): { do: 'stop'; end: RunEnd } | undefined {
    for (let above = this.parent; above !== undefined && this.ended === undefined; above = above.parent) {
      if (above.ended !== undefined || above.observes) continue;
      const reason = reasonOf(above.machine.hardLimit(above.ms), () => undefined);
      if (reason !== undefined) above.stop(reason);
    }
    for (let run: AgentRun | undefined = this; run !== undefined; run = run.parent) {
      const over = run.ended === undefined && !run.observes ? run.budget?.over : undefined;
      if (over !== undefined) run.stop({ kind: 'limit', ...over });
    }
    return this.ended === undefined ? undefined : { do: 'stop', end: this.ended };
  }

  private adviceOf(led: number): { do: RunRung; because: RunReason } | undefined {
    if ((led & ADVISED) === 0) return undefined;
    const [rung, ...because] = this.machine.advice;
    const reason = reasonOf(because, (hash) => this.tools.get(hash));
    const name = RUNGS[rung ?? -1];
    return reason === undefined || name === undefined ? undefined : { do: name, because: reason };
  }

  /** Emits the advice, and makes of it what the application gets. */
  private given(led: number, advice: { do: RunRung; because: RunReason } | undefined): RunAdvice {
    this.warn(led);
    if (advice === undefined) return { do: 'go' };
    const { because } = advice;
    this.emit({ type: 'run.advised', run: this.id, advice: advice.do, because: { ...because } });
    if (this.observes) return { do: 'go' };
    if (advice.do === 'stop') return { do: 'stop', end: this.stop(because) };
    if (advice.do === 'escalate') return { do: 'escalate', because };
    // After 'conclude' no call is run, whichever it is: another one would not help.
    const isOver = advice.do === 'refuse' && this.machine.concluded.length > 0;
    return { do: advice.do, say: say(isOver ? 'last' : advice.do, because, this.options.locale), because };
  }

  private spendAbove(more: { steps?: number; toolCalls?: number }): void {
    this.warn(this.machine.spend(more, this.ms));
    this.parent?.spendAbove(more);
  }

  private warn(led: number): void {
    if ((led & WARNED) === 0 || this.ended !== undefined) return;
    const numbers = this.machine.warnings;
    for (let at = 0; at + 2 < numbers.length; at += 3) {
      const [kind = 0, max = 0, spent = 0] = numbers.subarray(at, at + 3);
      this.emit({ type: 'run.warned', run: this.id, limit: LIMITS[kind] ?? 'steps', max, spent });
    }
  }

  private costOf(usage: Usage): number {
    const { costOf } = this.options;
    if (costOf === undefined) return 0;
    try {
      const cost: unknown = costOf(usage);
      if (isCount(cost)) return cost;
      this.debug('costOf must return a number, 0 or more; the answer counts as free');
    } catch {
      this.debug('costOf threw; the answer counts as free');
    }
    return 0;
  }

  private hashOf(call: RunToolCall): CallHash {
    if (typeof call?.name !== 'string') throw misuse('name', 'a string', call?.name);
    const { name } = call;
    const { low: tool } = hashOf(name);
    if (!this.tools.has(tool)) {
      if (this.tools.size >= MOST) this.tools.delete(this.tools.keys().next().value as number);
      // A model may make a name up: it is kept, and emitted, as logs have it.
      this.tools.set(tool, shown(name));
    }
    const { loops } = this.options;
    const key = loops === false ? undefined : own(loops?.key, name);
    const given = argumentsOf(call.arguments);
    const part = typeof key === 'function' ? this.part(() => key(given), given, 'key', name) : given;
    return { tool, key: hashOf(canonical(part), tool).low, counts: key !== false };
  }

  /** The part of a result that counts. */
  private partOf({ name }: RunToolCall, result: unknown): string {
    const { loops } = this.options;
    const part = loops === false ? undefined : own(loops?.result, name);
    if (part === undefined) return canonical(result, settled);
    let whole: string | undefined;
    const counted = this.part(
      () => part(result),
      () => {
        whole = canonical(result, settled);
      },
      'result',
      name,
    );
    return whole ?? canonical(counted);
  }

  /** The result of a function of the application; the whole value if it throws. */
  private part(read: () => unknown, whole: unknown, option: string, tool: string): unknown {
    try {
      return read();
    } catch {
      this.debug(`loops.${option} of '${shown(tool)}' threw; all counts`);
      return typeof whole === 'function' ? whole() : whole;
    }
  }

  private await(call: RunToolCall, pending: Pending): void {
    const name = call.id || pending.hash.key;
    this.latest = { call, hash: pending.hash };
    if (this.pendingCount >= MOST) {
      const [oldest, calls] = this.pending.entries().next().value as [string | number, Pending[]];
      this.pendingCount -= calls.length;
      this.pending.delete(oldest);
    }
    const calls = this.pending.get(name);
    if (calls === undefined) this.pending.set(name, [pending]);
    else calls.push(pending);
    this.pendingCount += 1;
  }

  /** The oldest call of that id, or, without one, of that tool and those arguments. */
  private awaited(call: RunToolCall): Pending | undefined {
    // Most callers pass the same object again. It is not kept for longer.
    const { latest } = this;
    this.latest = undefined;
    const name = call.id || (latest?.call === call ? latest.hash : this.hashOf(call)).key;
    const calls = this.pending.get(name);
    if (calls === undefined) return undefined;
    this.pendingCount -= 1;
    if (calls.length === 1) {
      this.pending.delete(name);
      return calls[0];
    }
    // Some gateways give all calls of a step one id.
    const { key } = this.hashOf(call);
    const at = calls.findIndex(({ hash }) => hash.key === key);
    return calls.splice(Math.max(0, at), 1)[0];
  }

  private timeIsOver(max: number): void {
    if (this.ended !== undefined) return;
    if (this.observes) return;
    this.warn(this.machine.spend({}, this.ms));
    this.stop({ kind: 'limit', limit: 'ms', max, spent: this.ms });
  }

  /** Ends it as cancelled. */
  cancel(): void {
    if (this.ended === undefined) this.over({ kind: 'cancelled' });
  }

  private stop(because: RunReason): RunEnd {
    if (this.ended !== undefined) return this.ended;
    return this.over({ kind: 'stopped', because, error: stopError(because, this.name, this.options.locale) });
  }

  /** Ends as the parent did: stopped with its reason, or cancelled. */
  private endWith(parent: AgentRun): void {
    const { ended } = parent;
    if (this.ended === undefined) this.over(ended?.kind === 'stopped' ? { ...ended } : { kind: 'cancelled' });
  }

  private over(end: RunEnd): RunEnd {
    this.lasted = this.ms;
    this.ended = end;
    this.timer?.cancel();
    this.stopCollecting?.();
    this.pending.clear();
    this.latest = undefined;
    this.parent?.children.delete(this);
    for (const child of [...this.children]) child.endWith(this);
    const error = end.kind === 'stopped' || end.kind === 'failed' ? end.error : undefined;
    this.emit({
      type: 'run.ended',
      run: this.id,
      end: end.kind,
      code: error?.code,
      userMessage: error === undefined ? undefined : sentenceOf(error, { locale: this.options.locale }),
      spent: { ...this.spent },
    });
    if (this.aborter !== undefined) this.abortIfOver();
    for (const notify of [...this.onEnd]) notify();
    this.onEnd.clear();
    return end;
  }

  /** The error that the signal and `within` end with; `undefined` where the run was not broken off. */
  private reasonToAbort(): AgentError | undefined {
    const { ended } = this;
    if (ended?.kind === 'stopped') return ended.error;
    return ended?.kind === 'cancelled'
      ? cancellation(this.options.signal?.reason, 'The run was cancelled')
      : undefined;
  }

  private abortIfOver(): void {
    const reason = this.reasonToAbort();
    if (reason !== undefined) this.aborter?.abort(reason);
  }

  private get isHeard(): boolean {
    return this.listeners.length > 0 || processObserved();
  }

  private emit(details: RunEventDetails): void {
    emit({ run: this.id }, details, this.time.wall(), this.listeners);
  }

  /** Says it once, and not in production. */
  private debug(message: string): void {
    const { onDebug } = this.options;
    const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
    if (onDebug === undefined || process?.env?.NODE_ENV === 'production' || this.debugged.has(message))
      return;
    this.debugged.add(message);
    observe(onDebug, message, { run: this.id, name: textForLog(this.name) });
  }
}

/** The part of a snapshot's `state` beside the core's. */
interface State {
  core: string;
  steps: number;
  /** Names of tools, by their hashes. */
  tools: [number, string][];
  end?: PlainEnd | undefined;
}

interface PlainEnd {
  kind: RunEnd['kind'];
  because?: RunReason | undefined;
  code?: AgentErrorCode | undefined;
}

function plainEnd(end: RunEnd): PlainEnd {
  if (end.kind === 'stopped') return { kind: end.kind, because: end.because };
  if (end.kind === 'failed') return { kind: end.kind, code: end.error.code };
  return end.kind === 'completed' ? { kind: end.kind, because: end.concluded } : { kind: end.kind };
}

function endFrom({ kind, because, code }: PlainEnd, name: string, locale: string | undefined): RunEnd {
  if (kind === 'stopped' && because !== undefined) {
    return { kind, because, error: stopError(because, name, locale) };
  }
  if (kind === 'failed') {
    return {
      kind,
      error: steadyError(Object.assign(new Error('The run failed before it was restored'), { code })),
    };
  }
  return kind === 'completed' && because !== undefined
    ? { kind, concluded: because }
    : { kind: kind === 'completed' ? kind : 'cancelled' };
}

const shown = (tool: string): string => textForLog(tool, 200);

function own<T>(table: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}

/** As `toolResult` has it. */
function codeOfTool(thrown: unknown): AgentErrorCode {
  const { code } = steadyError(thrown, { layer: 'tool' });
  return code === 'UNKNOWN' ? mapToolErrorCodeToAgentErrorCode(code as ToolErrorCode) : code;
}

/**
 * Begins a run: one task of an agent, whose steps, tool calls and usage are counted, and which says what to do when they lead nowhere
 * or cost too much.
 *
 * @example
 * ```ts
 * import { createRun } from 'halfopen/run';
 *
 * const run = createRun({ limits: { steps: 40, tokens: 200_000 } });
 * const advice = run.step(); // { do: 'go' }
 * run.finish(); // { kind: 'completed' }
 * ```
 * @throws TypeError for a wrong option, or where `limits.cost` is set without `costOf`.
 */
export function createRun(options?: RunOptions): Run {
  return new AgentRun(readRunOptions(options, 'createRun'));
}

/**
 * Goes on with a run of another process. The pause between counts for nothing; a run that had ended is restored as ended, without an
 * event. The options are those of `createRun`, because a snapshot does not hold them.
 *
 * @example
 * ```ts
 * import { restoreRun } from 'halfopen/run';
 *
 * const saved = await storage.get('run'); // JSON.stringify(run.snapshot())
 * const run = restoreRun(JSON.parse(saved), { limits: { steps: 40 } });
 * ```
 * @throws TypeError for what `snapshot()` has not made, or a wrong option.
 */
export function restoreRun(snapshot: RunSnapshot, options?: RunOptions): Run {
  const read = readRunOptions(options, 'restoreRun');
  const { version, id, name, spent, state } = (snapshot ?? {}) as Partial<RunSnapshot>;
  if (version !== 1) throw misuse('snapshot.version', '1', version);
  for (const [field, value] of Object.entries({ id, name, state })) {
    if (typeof value !== 'string' || value === '') {
      throw misuse(`snapshot.${field}`, 'a string that is not empty', value);
    }
  }
  if (!isCount(spent?.ms)) throw misuse('snapshot.spent.ms', 'a number, 0 or more', spent?.ms);
  return new AgentRun(read, { snapshot: snapshot as RunSnapshot, state: stateOf(state as string) });
}

function stateOf(text: string): State {
  let state: Partial<State> | undefined;
  try {
    state = JSON.parse(text) as Partial<State>;
  } catch {
    // Said below.
  }
  const { core, steps, tools, end } = state ?? {};
  if (typeof core !== 'string' || !isCount(steps) || !Array.isArray(tools)) {
    throw misuse('snapshot.state', 'what snapshot() gave', text);
  }
  return { core, steps, tools, end };
}
