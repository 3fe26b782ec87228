/** The interface of a run. */

import type { Usage } from '../event/usage.js';
import type { ToolResult } from '../tool/tool-result.js';
import type { RunEnd } from './end.js';
import type { RunReason } from './reason.js';

/** The resources that a run has spent. */
export interface Spent {
  /** Advice of `step()` but 'stop'. */
  steps: number;
  /** Calls that were let through. */
  toolCalls: number;
  /** How long it has lasted, in milliseconds. */
  ms: number;
  /** All that was read and billed, cached tokens included. */
  inputTokens: number;
  /** The part of `inputTokens` that came from a cache. */
  cachedInputTokens: number;
  /** Tokens that models wrote, reasoning included. */
  outputTokens: number;
  /** In the unit of `costOf`. */
  cost: number;
}

/** The advice before a step of the model. */
export type StepAdvice =
  | { do: 'go' }
  /** Add `say` to what the model reads next. */
  | { do: 'steer'; say: string; because: RunReason }
  /** Let a stronger model take the next step. */
  | { do: 'escalate'; because: RunReason }
  /** One last answer, without tools. */
  | { do: 'conclude'; say: string; because: RunReason }
  | { do: 'stop'; end: RunEnd };

/** The advice on a tool call. */
export type ToolAdvice =
  | { do: 'go' }
  /** Do not run it: its result is `say`. */
  | { do: 'refuse'; say: string; because: RunReason }
  | { do: 'stop'; end: RunEnd };

/** The advice of a run, before a step or a tool call. */
export type RunAdvice = StepAdvice | ToolAdvice;

/** A tool call as the model made it. */
export interface RunToolCall {
  /** The model's id of the call, for readers of your code: a run compares calls by name and arguments. */
  id?: string | undefined;
  /** The tool's name. */
  name: string;
  /** An object, or its JSON text. Missing ones and '' are {}. */
  arguments: unknown;
}

/** The state for a process that takes over: JSON without content. */
export interface RunSnapshot {
  /** The format of `state`. */
  version: 1;
  /** The run's id, which it keeps. */
  id: string;
  /** The run's name. */
  name: string;
  /** Its spending until then. */
  spent: Spent;
  /** Hashes and counters of the state machine: below 60 kB however long the run is. */
  state: string;
}

/** One task of an agent, from its first step to its end. */
export interface Run {
  /** Unique; the field `run` of its events and of the calls within it. */
  readonly id: string;
  /** Its spending so far, with that of its sub-agents. */
  readonly spent: Readonly<Spent>;
  /** How it ended; undefined while it goes on. */
  readonly end: RunEnd | undefined;
  /** Aborted when the run is stopped, times out or is cancelled, with the end's error as its reason; pass it to your calls. */
  readonly signal: AbortSignal;
  /**
   * Runs `body` as this run: guarded calls made in it, also behind an await where the platform has AsyncLocalStorage, belong to it
   * and report their usage. Does not end the run. Where the run is stopped or cancelled meanwhile, it rejects at once with the end's
   * error; with `onStop: 'wait'` it settles as the body does.
   */
  within<T>(
    body: (run: Run) => T | PromiseLike<T>,
    options?: { onStop?: 'reject' | 'wait' | undefined },
  ): Promise<T>;
  /** Before each step of the model. */
  step(): StepAdvice;
  /** Before a tool call. */
  toolCall(call: RunToolCall): ToolAdvice;
  /** After it: what it returned, or threw. */
  toolResult(call: RunToolCall, outcome: { result: unknown } | { error: unknown }): void;
  /** A text of the model, for loops of texts. */
  text(text: string): void;
  /** Only for what no guarded call reports. */
  used(usage: Usage): void;
  /**
   * A tool with `toolCall` before it and `toolResult` after it. It never throws, and answers a refusal with its text. A stop
   * throws the end's error. The arguments are the first parameter.
   */
  tool<A extends unknown[]>(
    name: string,
    execute: (...args: A) => unknown,
  ): (...args: A) => Promise<ToolResult>;
  /** Ends the run; later advice is 'stop'. Idempotent. */
  finish(error?: unknown): RunEnd;
  /** For a process that takes over. */
  snapshot(): RunSnapshot;
  [Symbol.dispose](): void;
}
