/** A call of the AI SDK under a policy: its attempts, and which of them the application reads. */

import type { Attempt } from '../call/attempt.js';
import { misuseReport } from '../call/failures.js';
import { modelTimes, type OnBreak, type StreamOptions } from '../call/options.js';
import type { AgentError } from '../error/agent-error.js';
import { finished } from '../error/final-error.js';
import type { Policy } from '../policy/policy.js';
import { type Deferred, deferred } from '../promises.js';
import type { RepairingOptions } from '../repair/options.js';
import { type AnswerOptions, type AnswerReader, Judge } from '../response/answers.js';
import { isPreamble, observeAnswer, partsOf, type StreamPart } from './parts.js';
import { type GuardCallContext, RepairedOptions } from './repaired-options.js';
import { isOfOwnTool, Steps } from './steps.js';

/** The fields read here of the result of `streamText`, `streamObject` or an agent's `stream`. */
export type CallResult = Record<string, unknown>;

/** One attempt that returned a stream. */
export interface Streaming {
  readonly result: CallResult;
  /** `true` once its answer has begun, so that readers may have it. */
  hasBegun: boolean;
  /** `true` if another attempt replaces it. */
  isReplaced: boolean;
}

/** The kind of the call: not known yet, it returns a value, or it streams. */
export type Outcome = 'value' | 'stream';

type Options = Omit<StreamOptions, 'repair'> &
  RepairingOptions & { onBreak?: OnBreak | undefined; answers?: AnswerOptions | undefined };
type MakesCall = (context: GuardCallContext) => unknown;

/** Runs the attempts and reads each stream to its end, whatever the application reads of it: the AI SDK keeps it for that. */
export class Attempts {
  readonly onBreak: OnBreak;
  /** With `restart`: the steps that need not be repeated. */
  readonly steps: Steps | undefined;
  /** Settled with the call: rejects with the AgentError. */
  readonly done: Promise<void>;
  /** The value of a call that does not stream. */
  value: unknown;
  private readonly streaming: Streaming[] = [];
  private kind: Outcome | undefined = undefined;
  private isOver = false;
  private changed: Deferred<void> = deferred();
  private readonly chunks: AsyncIterableIterator<unknown>;
  private readonly stepAnswers: StepAnswers;
  private readonly request: RepairedOptions;

  constructor(policy: Policy<unknown>, call: MakesCall, { answers, repair, ...options }: Options) {
    this.onBreak = options.onBreak ?? 'fail';
    this.steps = this.onBreak === 'restart' ? new Steps() : undefined;
    this.stepAnswers = new StepAnswers(answers);
    this.request = new RepairedOptions(repair, (problem) =>
      misuseReport(policy.host.settings)(problem, undefined),
    );
    this.chunks = policy.stream((context) => this.attempt(call, context as Attempt), {
      ...modelTimes(options),
      repair: this.request.repair,
    });
    this.done = this.drain();
    // Every reader of the call gets it there.
    this.done.catch(() => {});
  }

  /** Resolves with the kind of the call, once an attempt has shown it. Rejects if no attempt could begin. */
  async outcome(): Promise<Outcome> {
    while (this.kind === undefined && !this.isOver) await this.change();
    if (this.kind === undefined) await this.done;
    return this.kind ?? 'value';
  }

  /** The result of the last attempt, once the call has succeeded: of the stream, or the value. */
  async final(): Promise<unknown> {
    await this.done;
    return this.kind === 'stream' ? this.streaming.at(-1)?.result : this.value;
  }

  /**
   * The next attempt whose answer has begun, after this one; `undefined` if the call has succeeded without another.
   * Rejects with the call's error.
   */
  async following(before: Streaming | undefined): Promise<Streaming | undefined> {
    for (;;) {
      const from = before === undefined ? 0 : this.streaming.indexOf(before) + 1;
      const found = this.streaming.slice(from).find(({ hasBegun }) => hasBegun);
      if (found !== undefined) return found;
      if (this.isOver) return this.done.then(() => undefined);
      await this.change();
    }
  }

  /** Resolves when the attempt is over: another one takes its place, or the call ends with it. */
  async ended(attempt: Streaming): Promise<void> {
    while (!attempt.isReplaced && !this.isOver) await this.change();
  }

  /** Aborts the attempt, because its last reader has gone. That is not a failure. */
  close(): void {
    this.chunks.return?.(undefined)?.catch(() => {});
  }

  private change(): Promise<void> {
    return this.isOver ? this.done : this.changed.promise;
  }

  private notify(): void {
    const { changed } = this;
    this.changed = deferred();
    changed.resolve();
  }

  private async drain(): Promise<void> {
    try {
      for (let read = await this.chunks.next(); read.done !== true; read = await this.chunks.next());
    } finally {
      this.isOver = true;
      this.notify();
    }
  }

  private async *attempt(call: MakesCall, context: Attempt): AsyncGenerator<StreamPart, void> {
    if (this.steps?.attemptBegins(context.signal) === false) throw withoutRetry(context.lastError);
    const { repaired } = this.request;
    const result = await settled(call(Object.assign(context, { repaired })));
    const last = this.streaming.at(-1);
    if (last !== undefined) last.isReplaced = true;
    this.kind = isStreamResult(result) ? 'stream' : 'value';
    if (!isStreamResult(result)) {
      observeAnswer(context, result);
      this.stepAnswers.whole(result);
      this.value = result;
      this.notify();
      return;
    }
    const streaming: Streaming = { result, hasBegun: false, isReplaced: false };
    this.streaming.push(streaming);
    this.notify();
    const tools = new RunningTools();
    for await (const part of partsOf(result.fullStream as ReadableStream<unknown>)) {
      context.runsTools = tools.after(part);
      if (part.type === 'error') throw part.error;
      if (part.type === 'abort') throw abortOf(part, context.signal);
      if (part.type === 'finish') observeAnswer(context, part);
      this.stepAnswers.take(part);
      this.steps?.take(part);
      if (!streaming.hasBegun && isPreamble(part)) continue;
      this.begun(streaming);
      yield part;
    }
    this.begun(streaming);
  }

  private begun(streaming: Streaming): void {
    if (streaming.hasBegun) return;
    streaming.hasBegun = true;
    this.notify();
  }
}

/** Another attempt would run tools a second time. */
function withoutRetry(error: AgentError | undefined): unknown {
  return error === undefined ? undefined : finished(error, { past: { gaveUp: true, failed: [] } });
}

/** Judges the answers of a call, one in each step. */
class StepAnswers {
  private readonly judge: Judge;
  private reader: AnswerReader | undefined;
  /** The request that the step's model got, if it is known. */
  private request: unknown;
  hasRunTools = false;

  constructor(answers: AnswerOptions | undefined) {
    // Another attempt would run the tools again, or, once they are delivered, none follows.
    const mayRepeat = () => !this.hasRunTools;
    this.judge = new Judge(answers, () => this.request, mayRepeat);
  }

  /** Takes the next part of `fullStream`. @throws AgentError if it ends an answer that is a failure. */
  take(part: StreamPart): void {
    if (part.type === 'start-step') {
      this.reader = this.judge.reader();
      this.request = this.hasRunTools ? AFTER_TOOL : sentBy(part);
    } else if (part.type === 'finish-step') {
      this.reader?.chunk({ ...part, type: 'finish' });
      this.reader?.end();
      this.reader = undefined;
    } else if (part.type === 'tool-call') this.reader?.chunk(readableCall(part));
    else if (/^tool-(result|error)$/.test(part.type)) this.hasRunTools ||= isOfOwnTool(part);
    else this.reader?.chunk(part);
  }

  /** @throws AgentError if what `generateText` resolved with is a failure. */
  whole(result: unknown): void {
    const { steps } = (result ?? {}) as { steps?: unknown };
    if (!Array.isArray(steps)) return;
    const last = steps.at(-1);
    if (!Array.isArray(last?.content)) return;
    this.hasRunTools ||= steps.length > 1;
    this.request = steps.length > 1 ? AFTER_TOOL : sentBy(last);
    const { finishReason, rawFinishReason } = last;
    const content = (last.content as StreamPart[]).map((part) =>
      part.type === 'tool-call' ? readableCall(part) : part,
    );
    this.judge.whole({ content, finishReason, rawFinishReason });
  }
}

const AFTER_TOOL = /* @__PURE__ */ Object.freeze({ messages: [{ role: 'tool' }] });

/** The request of a step: its body is an object or JSON, where the AI SDK keeps it. */
function sentBy({ request }: { request?: { body?: unknown } | undefined }): unknown {
  try {
    return typeof request?.body === 'string' ? JSON.parse(request.body) : request?.body;
  } catch {
    return undefined;
  }
}

/** The AI SDK has parsed the arguments, unless they are no JSON. */
function readableCall(part: StreamPart): object {
  const { input, invalid } = part as { input?: unknown; invalid?: unknown };
  const isText = invalid === true && typeof input === 'string';
  return { ...part, invalid: undefined, input: isText ? input : JSON.stringify(input ?? {}) };
}

/** The tools of the application that run while the stream is silent: what they take is not the model's time. */
class RunningTools {
  private readonly calls = new Set<unknown>();

  /** Returns `true` if a tool runs after this part. */
  after({ type, toolCallId, providerExecuted, preliminary }: StreamPart): boolean {
    if (type === 'tool-call' && providerExecuted !== true) this.calls.add(toolCallId);
    else if (/^tool-(result|error|output-denied)$/.test(type) && preliminary !== true)
      this.calls.delete(toolCallId);
    // Those without `execute` are the caller's to run, after the stream.
    else if (/^(start|finish)(-step)?$/.test(type)) this.calls.clear();
    return this.calls.size > 0;
  }
}

/** A stream's result has no `then`, and its getters begin to read: it is not looked into. */
async function settled(made: unknown): Promise<unknown> {
  return made;
}

/** Streams are getters that begin to read: they are looked for, not read. */
function isStreamResult(made: unknown): made is CallResult {
  return typeof made === 'object' && made !== null && 'fullStream' in made && 'textStream' in made;
}

/** An aborted stream ends without an error: by the call's own `timeout` and signal, or by the attempt's. */
function abortOf(part: StreamPart, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { reason } = part as { reason?: unknown };
  const text = typeof reason === 'string' ? reason : 'The call was aborted';
  return new DOMException(text, /time(d |-)?out/i.test(text) ? 'TimeoutError' : 'AbortError');
}
