/** A run around the models and tools of a framework. The integrations call a run's methods, and do not carry its code. */

import { closeSource } from '../call/stream-source.js';
import { isControlFlow } from '../control-flow.js';
import { usageIn } from '../event/usage.js';
import * as is from '../options.js';
import { errorOfEnd } from './end.js';
import type { Run, RunToolCall, StepAdvice } from './types.js';

/** The option `run` of an integration. */
export const run: is.Kind = is.duck('a run (createRun)', 'within', 'step', 'toolCall', 'toolResult');

/** @throws TypeError for anything but a run. */
export function expectRun(given: unknown): asserts given is Run {
  const { step } = (given ?? {}) as Partial<Run>;
  if (typeof step !== 'function') throw is.misuse('run', run.expected, given);
}

/** The advice for the next step of the model. @throws the end's error if the run is over. */
export function stepOf(run: Run): Exclude<StepAdvice, { do: 'stop' }> {
  const advice = run.step();
  if (advice.do === 'stop') throw errorOfEnd(advice.end);
  return advice;
}

/** The text for the model if its call is refused; `undefined` if the call may run. @throws the end's error if the run is over. */
export function refusalOf(run: Run, call: RunToolCall): string | undefined {
  const advice = run.toolCall(call);
  if (advice.do === 'stop') throw errorOfEnd(advice.end);
  return advice.do === 'refuse' ? advice.say : undefined;
}

/** An outcome of a tool, as `toolResult` takes it. */
export type Outcome = { result: unknown } | { error: unknown };

/**
 * Reports a tool's result or error; `read` says which it is, for hosts that hand over both in one form. Leaves out control flow
 * of the host, after which the call begins again.
 */
export async function reported<T>(
  run: Run,
  call: RunToolCall,
  running: PromiseLike<T>,
  read: (result: T) => Outcome = (result) => ({ result }),
): Promise<T> {
  try {
    const result = await running;
    run.toolResult(call, read(result));
    return result;
  } catch (error) {
    if (!isControlFlow(error)) run.toolResult(call, { error });
    throw error;
  }
}

/**
 * Yields what a source yields, each item pulled within the run. If the run ends meanwhile, this throws the end's error at once: a
 * source that does not heed the signal is closed, and not waited for.
 */
export async function* pulledWithin<T>(run: Run, source: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let isPulling = false;
  try {
    for (;;) {
      isPulling = true;
      const { done, value } = await run.within(() => iterator.next());
      isPulling = false;
      if (done === true) return;
      yield value;
    }
  } finally {
    const closed = closeSource(iterator);
    // A generator in the middle of an item hears of it when that has come.
    if (!isPulling) await closed;
  }
}

/** The tokens that payers have paid, by their runs: no guarded call has reported these. */
const paidHere = /* @__PURE__ */ new WeakMap<Run, number>();

/**
 * Returns a function that pays for an answer unless a guarded call has. Call `payer` before the model, because a model under a
 * policy reports its usage to the run before it answers.
 */
export function payer(run: Run): (answer: unknown) => void {
  const tokens = () => run.spent.inputTokens + run.spent.outputTokens;
  // Calls beside this one may be paid here meanwhile.
  const reported = () => tokens() - (paidHere.get(run) ?? 0);
  const before = reported();
  return (answer) => {
    const usage = reported() === before ? usageIn(answer) : undefined;
    if (usage === undefined) return;
    run.used(usage);
    paidHere.set(run, tokens() - before);
  };
}

/** Calls a model within the run, and pays for its answer unless a guarded call has. */
export function answered<T>(run: Run, call: () => T | PromiseLike<T>): Promise<T> {
  return run.within(async () => {
    const pay = payer(run);
    const answer = await call();
    pay(answer);
    return answer;
  });
}

/**
 * The run's messages to the model, for hosts that forget them after their step: puts them back at their places, because a
 * model that has answered a message should still see it. The host's own messages only grow.
 */
export class Said<M> {
  /** The latest first. */
  private readonly all: { readonly at: number; readonly message: M }[] = [];

  /** The host's messages with the earlier ones of the run. */
  within(messages: readonly M[]): readonly M[] {
    if (this.all.length === 0) return messages;
    const whole = [...messages];
    // The latest first, so that the places of those before stay.
    for (const { at, message } of this.all) whole.splice(at, 0, message);
    return whole;
  }

  /** Adds one behind the host's messages of now. */
  add(messages: readonly M[], message: M): M {
    this.all.unshift({ at: messages.length, message });
    return message;
  }
}
