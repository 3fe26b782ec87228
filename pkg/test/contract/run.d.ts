// The contract of `halfopen/run`.
/**
 * A run is one task of an agent, from its first step to its end: many calls of models and tools. Calls that succeed can still
 * lead nowhere. A run counts what they spend, notices when they repeat themselves, and says what to do, at last to stop.
 *
 * The decisions are made in the Rust core (`core/src/run`), by a state machine without clock or I/O: steps, tool calls, results
 * and usage go in, advice comes out. The same machine runs in the dashboard over a log.
 */
import type { AgentError, AgentErrorCode, Clock, HalfopenEvent, ToolResult } from 'halfopen';

export interface Usage { inputTokens?: number | undefined; outputTokens?: number | undefined; cachedInputTokens?: number | undefined; cacheWriteTokens?: number | undefined; reasoningTokens?: number | undefined; model?: string | undefined; provider?: string | undefined }

export interface RunOptions {
  name?: string | undefined;                       // 'run'
  task?: string | undefined;                       // shown by the dashboard; redacted
  limits?: { steps?: number | undefined; toolCalls?: number | undefined; tokens?: number | undefined; cost?: number | undefined; ms?: number | undefined } | undefined;   // none: Infinity
  costOf?: ((usage: Usage) => number) | undefined;   // needed where limits.cost is set: a TypeError otherwise
  warnAt?: number | undefined;                     // 0.8: the share of a limit at which run.warned is emitted, once each
  loops?: LoopOptions | false | undefined;
  /** The advice after a loop or a limit, in this order; each is given when the one before did not help. */
  ladder?: readonly ('steer' | 'escalate' | 'refuse' | 'conclude' | 'stop')[] | undefined;   // ['steer', 'refuse', 'conclude', 'stop']
  signal?: AbortSignal | undefined;
  locale?: string | undefined;                     // of what the model and the user are given to read
  clock?: Clock | undefined;
  onEvent?: ((event: HalfopenEvent) => void) | undefined;
  parent?: Run | undefined;                        // a sub-agent: what it spends, its parent spends too
  /** Spent by all processes together; see docs of the fleet. */
  shared?: { fleet: object; key: string } | undefined;
}

/**
 * Defines a loop. An outcome is a tool, its arguments, and its result or the code of its error. Outcomes are compared by a hash of
 * their canonical form (RFC 8785: keys sorted, numbers as JSON has them; arguments that are no JSON as they are); contents are never
 * kept. Calls of one step are a set: their order does not matter. A poll whose result changes is no loop.
 */
export interface LoopOptions {
  /** The same outcome, this number of times in a row. */
  repeats?: number | undefined;                    // 3
  /** The same tool fails with the same code, whatever its arguments, this number of times in a row of that tool's calls. */
  failures?: number | undefined;                   // 4
  /** The same sequence of two to five steps, this number of times in a row. */
  cycles?: number | undefined;                     // 3
  /** The same tool found nothing (null, '', [], {}, an object whose only list is empty, a listed sentence such as "No results"), this number of times in a row of its calls, whatever its arguments. Leads to 'steer' at most. */
  nothing?: number | undefined;                    // 5
  /** Steps with tool calls in a row that brought no outcome that is new to the run. */
  stale?: number | undefined;                      // 10
  /** The same text of the model, without a tool call, this number of times in a row. */
  texts?: number | undefined;                      // 3
  /** The identity of a call of a tool: a part of its arguments, or false for a tool that may repeat itself. */
  key?: Readonly<Record<string, false | ((args: any) => unknown)>> | undefined;
  /** The part of a tool's result that counts: without it all, but ISO times, UUIDs, hexadecimal ids of 12 digits and more, and temporary paths within texts. */
  result?: Readonly<Record<string, (result: any) => unknown>> | undefined;
}

export type RunReason =
  | { kind: 'loop'; loop: 'repeats' | 'failures' | 'cycles' | 'nothing' | 'stale' | 'texts'; tool?: string | undefined; count: number; code?: AgentErrorCode | undefined }
  | { kind: 'limit'; limit: 'steps' | 'toolCalls' | 'tokens' | 'cost' | 'ms'; max: number; spent: number };

export type StepAdvice =
  | { do: 'go' }
  | { do: 'steer'; say: string; because: RunReason }       // add this to what the model reads next
  | { do: 'escalate'; because: RunReason }                 // let a stronger model take the next step
  | { do: 'conclude'; say: string; because: RunReason }    // one last answer, without tools
  | { do: 'stop'; end: RunEnd };
export type ToolAdvice =
  | { do: 'go' }
  | { do: 'refuse'; say: string; because: RunReason }      // do not run this tool call: its result is this text
  | { do: 'stop'; end: RunEnd };
export type RunAdvice = StepAdvice | ToolAdvice;

export type RunEnd =
  | { kind: 'completed'; concluded?: RunReason | undefined }           // concluded: finished by the answer after 'conclude'
  | { kind: 'stopped'; because: RunReason; error: AgentError }   // MAX_ITERATIONS_EXCEEDED for loops, steps and tool calls; CAPACITY_EXCEEDED for tokens and cost; TIMEOUT for ms
  | { kind: 'failed'; error: AgentError }
  | { kind: 'cancelled' };

export interface Spent { steps: number; toolCalls: number; ms: number; inputTokens: number; cachedInputTokens: number; outputTokens: number; cost: number }

export interface Run {
  readonly id: string;
  readonly spent: Readonly<Spent>;
  readonly end: RunEnd | undefined;
  /** Aborted when the run is stopped, times out or is cancelled; pass it to your calls. */
  readonly signal: AbortSignal;
  /** Runs `body` as this run: guarded calls made in it, also behind an await where the platform has AsyncLocalStorage, belong to it and report their usage. Does not end the run. Where the run is stopped (or cancelled) meanwhile it rejects at once with the end's error (CANCELLED); with onStop 'wait' it settles as the body does, so that a partial answer is not lost. */
  within<T>(body: (run: Run) => T | PromiseLike<T>, options?: { onStop?: 'reject' | 'wait' | undefined }): Promise<T>;   // 'reject'
  /** Before each step of the model. */
  step(): StepAdvice;
  /** Before a tool call. `arguments` as the model gave them: an object, or the JSON text. */
  toolCall(call: { id?: string | undefined; name: string; arguments: unknown }): ToolAdvice;
  /** After it: what it returned, or threw. */
  toolResult(call: { id?: string | undefined; name: string; arguments: unknown }, outcome: { result: unknown } | { error: unknown }): void;
  /** A text of the model, for loops of texts. */
  text(text: string): void;
  /** Only for what no guarded call reports. */
  used(usage: Usage): void;
  /** A tool that is checked before and reported after, never throws, and answers a refusal with its text; as toolResult. A stop throws. */
  tool<A extends unknown[]>(name: string, execute: (...args: A) => unknown): (...args: A) => Promise<ToolResult>;
  /** Ends the run; later advice is 'stop'. Idempotent. */
  finish(error?: unknown): RunEnd;
  /** For a process that takes over: JSON without content. */
  snapshot(): RunSnapshot;
  [Symbol.dispose](): void;
}
export interface RunSnapshot { version: 1; id: string; name: string; spent: Spent; state: string }
export function createRun(options?: RunOptions): Run;
export function restoreRun(snapshot: RunSnapshot, options?: RunOptions): Run;

/**
 * [C] The ladder. A loop is noticed by toolResult() or text(). The next rung depends on the rungs tried since the last
 * progress (a step that brings an outcome that is new to the run and no part of the loop), which begins the ladder again:
 * - 'steer' and 'escalate' are advice of the next step(), once each.
 * - 'refuse' is advice of the next toolCall() that would go on with the loop: the same tool and arguments (repeats, cycles, stale), or the
 *   same tool (failures). Other calls go. For 'texts' it is passed over.
 * - 'conclude' is advice of the next step(); 'stop' of the step() after that, or of the first where the ladder has no 'conclude'.
 * A rung is taken when the loop goes on after the one before: one more of the same outcome, of the failures, of the cycle's calls, of the
 * stale steps, or a refused call. Limits: after `steps` steps the next step() is 'conclude', the one after it 'stop'; beyond `toolCalls`
 * toolCall() is 'refuse' and step() is 'conclude', then 'stop'. Limits of tokens, cost and ms are hard: 'stop' at the next step() or
 * toolCall(); `ms` aborts the signal when it is over. After 'stop' every advice is that stop.
 * Every advice but 'go' is an event. The sentence for the model names the tool and the count, quotes nothing, and says what would help.
 * Tokens are inputTokens (cached ones included) and outputTokens. A child's spending counts for its parents; a parent's stop stops its children.
 * With `ladder: []` a run only observes: advice is always 'go', run.advised is emitted with what it would have been.
 */

/**
 * [C] Settled readings.
 * Rows. The unit of repeats, cycles, stale and progress is the step: the set of its outcomes, each once; steps without tool calls do not interrupt
 * a row; a step is judged as far as its results are known, and a later result of it can withdraw what an earlier one gave rise to. Failures are
 * counted by step too: one in which all calls of the tool failed with one code counts once; one in which the tool also succeeded, or failed
 * otherwise, ends the row. Until step() is called for the first time each toolCall() begins a step, what only step() can say counts as said, and
 * 'stop' is then the advice of toolCall(). "New to the run": among its last 2,000 outcomes; what a run holds does not grow with its calls. A failure
 * is progress only where its tool and code are new. Tools with key false are no part of repeats, cycles, stale and progress; failures count them.
 * Rungs. Once noticed, a loop is remembered until there is progress, and goes on with each step that has an outcome of it (failures: that tool with
 * that code; stale: no new outcome); another loop takes its place. A step takes one rung at most, and none while the one before has not been said;
 * each is said once (a rung named twice is a TypeError). After 'conclude' there is no way back: toolCall() is 'refuse', the next step() 'stop' where
 * the ladder has it. Where the ladder ends without 'stop' the run goes on, calls of the loop stay refused. Stop before conclude before the others;
 * limits before loops. Limits stop whatever the ladder lists, unless it is []; 'refuse' and 'conclude' come before that only where it lists them.
 * Limits. tokens, cost and ms are over when that much is spent (>=). After `toolCalls` calls the next is refused, and step() is 'conclude' only once
 * one has been. spent.steps: advice of step() but stop; spent.toolCalls: calls that were let through. Steps, calls, tokens and cost of a child count
 * for every parent, ms does not; its step() and toolCall() look at the parents' hard limits; stopped so, it ends with the parent's reason and error;
 * where a parent finished or was cancelled it is cancelled. An answer is paid once, however many policies it passes. inputTokens are all that was
 * read and billed, built-in tools included. Timers of a run do not keep the process alive. The pause before restoreRun does not count; an ended run is
 * restored as ended, without an event; another emits run.started with restored: true.
 * Ends. signal.reason is the end's error, which is never retryable. Ends have messages of their own for the user: repeated itself, too many steps,
 * budget used up, time over. finish(CANCELLED) ends as cancelled; [Symbol.dispose]() is finish(). run.tool: the arguments are the first parameter.
 * Events go to RunOptions.onEvent and to the process's listeners with one seq; run.step begins at 1, a stop has no step; `repeated` is how often the
 * outcome has come in a row, 1 for the first; run.ended is the last. [] : what the default ladder would have said, each advice once until progress.
 * Missing arguments and '' are {}. Thresholds are whole numbers from 2; Infinity switches a kind off. toolResult() for a call that was not asked
 * for counts for the present step, and as no call; in development (no NODE_ENV production) `onDebug` hears of it once.
 * shared: the fleet's store holds one limit for the key; each process leases a part (as exact limits do) before it is needed, so that no step waits;
 * with the store away it uses its lease and the safe share, as docs of the fleet say.
 */
