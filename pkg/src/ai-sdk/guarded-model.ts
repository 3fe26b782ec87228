/** Calls of a model under a policy: whole answers, and streams that begin with their first content. */

import { Call } from '../call/call.js';
import { heldUntil } from '../call/held-until.js';
import { modelTimes, type StreamOptions } from '../call/options.js';
import { guardedStream, type StreamContext } from '../call/stream.js';
import type { Policy } from '../policy/policy.js';
import { Mended } from '../repair/mended.js';
import type { RepairingOptions } from '../repair/options.js';
import type { AnswerOptions, AnswerReader } from '../response/answers.js';
import { continuing, Joint } from './continuation.js';
import {
  asJudged,
  isPreamble,
  type ModelCall,
  observeAnswer,
  partsOf,
  type StreamPart,
  type StreamResult,
} from './parts.js';
import { stepsAround } from './steps.js';

/** Options for a model's stream, beside its policy's. */
export interface GuardModelOptions extends RepairingOptions {
  /**
   * The reaction to a stream that breaks off after its first content: `fail` errors it, `resume` calls the model again with what
   * was delivered and `resumePrompt`, and goes on behind it; what the model repeats of it all the same is left out. After a part
   * of a tool call, and for structured output, `resume` fails too. Default: `'fail'`.
   */
  onBreak?: 'fail' | 'resume' | undefined;
  /**
   * The message of the user that asks the model to go on, behind its own words so far. Models that do not take their own words
   * as the last message need one. Default: English, "Your answer was cut off. Continue exactly where it ends. …".
   */
  resumePrompt?: string | undefined;
  /**
   * Milliseconds to the first content; then the attempt fails with TIMEOUT. Default: the policy's `attemptMs`, and without one
   * a `stallTimeoutMs` that is given.
   */
  firstChunkTimeoutMs?: number | undefined;
  /**
   * Milliseconds between two parts after the first content; then the attempt fails with TIMEOUT. `attemptMs` does not count from
   * there on. Default: 120000.
   */
  stallTimeoutMs?: number | undefined;
  /** The answers that are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
  answers?: AnswerOptions | undefined;
}

/** The options of one call of a model. */
export type ModelCallOptions = Omit<StreamOptions, 'validate' | 'repair'> &
  Pick<GuardModelOptions, 'answers' | 'repair'>;

/** A model, as far as it names itself. */
export interface Named {
  readonly provider?: unknown;
  readonly modelId?: unknown;
}

/** The names of the model in events and errors, unless the policy sets them. */
export function namesOf(policy: Policy<unknown>, model: Named): Pick<ModelCallOptions, 'provider' | 'model'> {
  const { provider, model: id } = policy.host.settings.options;
  // 'openai.responses': the provider, and the interface of it.
  const named = typeof model.provider === 'string' ? model.provider.split('.', 1)[0] : undefined;
  return {
    provider: provider ?? named,
    model: id ?? (typeof model.modelId === 'string' ? model.modelId : undefined),
  };
}

/**
 * As the AI SDK's own models do, a call that its caller has aborted rejects with the reason of the signal: by it the AI SDK knows
 * an abort from a failure.
 */
export async function orAborted<R>({ abortSignal }: ModelCall, call: PromiseLike<R>): Promise<R> {
  try {
    return await call;
  } catch (error) {
    if (abortSignal?.aborted) throw abortSignal.reason;
    throw error;
  }
}

/** A whole answer. A fallback of the policy does not apply: what it returns is no answer of a model. */
export function whole<P extends ModelCall, R>(
  policy: Policy<unknown>,
  params: P,
  call: (params: P) => PromiseLike<R>,
  { repair, answers, ...options }: ModelCallOptions,
): Promise<R> {
  const mended = mendedCall(params, repair, options);
  const judge = mended.judge(answers);
  return new Call<R>(
    policy.host,
    async (context) => {
      const answer = await call({ ...mended.request, abortSignal: context.signal });
      observeAnswer(context, answer);
      judge.whole(asJudged(answer));
      return mended.known(answer);
    },
    { signal: params.abortSignal, ...options, repair: mended.repair },
    { refusesFallback: true },
  ).start();
}

/** The parameters of a call of a model, which a repair changes in a copy. */
function mendedCall<P extends ModelCall>(
  params: P,
  repair: RepairingOptions['repair'],
  { model }: Pick<ModelCallOptions, 'model'>,
): Mended<P> {
  return new Mended(params, repair, { format: 'ai-sdk', model });
}

/** A stream that has begun: what the last attempt resolved with, and its parts. */
export interface OpenStream<R> {
  readonly result: R;
  /** The first content with the preamble before it, then a part at a time. Rejects with the AgentError. */
  readonly parts: AsyncIterator<readonly StreamPart[]>;
}

/**
 * Opens a stream under the policy, and resolves with its first content: a failure before that has reached no reader, and is
 * retried.
 *
 * @param received the parts that were delivered before, by another model.
 */
export async function openStream<P extends ModelCall, R extends StreamResult>(
  policy: Policy<unknown>,
  params: P,
  call: (params: P) => PromiseLike<R>,
  { resumePrompt, repair, answers, ...options }: ModelCallOptions & GuardModelOptions,
  received: readonly StreamPart[] = [],
): Promise<OpenStream<R>> {
  let result: R | undefined;
  const steps = stepsAround(params);
  const mended = mendedCall(params, repair, options);
  const judge = mended.judge(answers);
  // Without a name: events would call each call by it instead of by its policy.
  const parts = guardedStream<readonly StreamPart[]>(
    policy.host,
    async function* (context: StreamContext): AsyncGenerator<readonly StreamPart[]> {
      const delivered = [...received, ...(context.received as StreamPart[][]).flat()];
      const answer = await call({
        ...continuing(mended.request, delivered, resumePrompt),
        abortSignal: context.signal,
      });
      result = answer;
      observeAnswer(context, answer);
      const joint = new Joint(delivered);
      const reader = judge.reader();
      // An answer that goes on is one with what was delivered of it.
      for (const part of delivered) reader.chunk(part);
      const parts = wholeAnswer(answer.stream, reader, context);
      const attempt = steps === undefined ? parts : callsAtTheEnd(parts);
      // Also where it holds nothing for the reader (the model repeats itself): the stream flows.
      for await (const held of heldUntil(attempt, isPreamble))
        yield held.flatMap((part) => joint.joined(mended.known(part)));
    },
    { signal: params.abortSignal, ...modelTimes(options), repair: mended.repair },
  );
  // With 'fail' and 'resume' there is no STREAM_RESET among them.
  const chunks = parts as AsyncIterableIterator<readonly StreamPart[]>;
  const first = await chunks.next();
  return { result: result as R, parts: startingWith(first, chunks) };
}

/** The parts of one attempt. Throws the error that the stream reports in a part, and if the answer is a failure. */
async function* wholeAnswer(
  stream: ReadableStream<unknown>,
  reader: AnswerReader,
  context: StreamContext,
): AsyncGenerator<StreamPart> {
  let hasEnded = false;
  for await (const part of partsOf(stream)) {
    if (part.type === 'error') throw part.error;
    if (part.type !== 'custom') reader.chunk(asJudged(part));
    if (part.type === 'finish') {
      observeAnswer(context, part);
      reader.end();
      hasEnded = true;
    }
    yield part;
  }
  if (!hasEnded) reader.end();
}

/** Parts of which a call of a tool, and the parts behind it, come with the end: a stream that breaks off before has run no tool. */
async function* callsAtTheEnd(parts: AsyncIterable<StreamPart>): AsyncGenerator<StreamPart> {
  const held: StreamPart[] = [];
  for await (const part of parts) {
    const isCall = part.type === 'tool-call' && part.providerExecuted !== true;
    if (isCall || held.length > 0) held.push(part);
    else yield part;
  }
  yield* held;
}

function startingWith<T>(first: IteratorResult<T>, rest: AsyncIterator<T>): AsyncIterator<T> {
  let pending: IteratorResult<T> | undefined = first;
  return {
    next() {
      const result = pending;
      pending = undefined;
      return result === undefined ? rest.next() : Promise.resolve(result);
    },
    return: () => rest.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

/** Parts as the stream that the AI SDK reads. It errors where they reject, so that no reader takes a part for the whole. */
export function readable(
  params: ModelCall,
  parts: AsyncIterator<readonly StreamPart[]>,
): ReadableStream<never> {
  return new ReadableStream<unknown>({
    async pull(controller) {
      for (;;) {
        const { done, value } = await orAborted(params, parts.next());
        if (done === true) return controller.close();
        for (const part of value) controller.enqueue(part);
        // A stream that got nothing does not pull again.
        if (value.length > 0) return;
      }
    },
    async cancel() {
      await parts.return?.();
    },
  }) as ReadableStream<never>;
}
