/** `halfopen/openai-agents`: models of the OpenAI Agents SDK. */

import { noteAnswer } from '../call/attempt.js';
import { Call } from '../call/call.js';
import { heldUntil } from '../call/held-until.js';
import { type AttemptContext, modelTimes } from '../call/options.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { type AnswerOptions, type AnswerReader, answersShape, cutOff, Judge } from '../response/answers.js';

/** What is read of a request. */
interface ModelRequest {
  readonly signal?: AbortSignal;
}

/** What is read of an event of a stream. */
interface StreamEvent {
  readonly type: string;
  readonly event?: unknown;
  readonly response?: unknown;
}

/** A model of the SDK, as far as it is called here. */
export interface AgentsModel {
  /** Answers a request as a whole. */
  // biome-ignore lint/suspicious/noExplicitAny: the SDK's types stay those of the model that is given.
  getResponse(request: any): Promise<any>;
  /** Answers a request as a stream of events. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  getStreamedResponse(request: any): AsyncIterable<any>;
}

/** Milliseconds that a stream may be silent, and which answers are failures. */
export interface GuardAgentsModelOptions {
  /**
   * Milliseconds to the first content of a stream; then the attempt fails with TIMEOUT. Default: the policy's `attemptMs`, and without one
   * a `stallTimeoutMs` that is given.
   */
  firstChunkTimeoutMs?: number | undefined;
  /**
   * Milliseconds between two events after the first content; then the attempt fails with TIMEOUT. `attemptMs` does not count from
   * there on. Default: 120000.
   */
  stallTimeoutMs?: number | undefined;
  /** Which answers are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
  answers?: AnswerOptions | undefined;
}

/**
 * Returns the same model with every call under the policy, for an agent's `model`. A stream is held back until its first
 * content, so that a failure before it is retried and nothing is repeated; a stream that ends without a response is a failure.
 * A stream that breaks off later throws the AgentError in its reader.
 *
 * Give the OpenAI client `maxRetries: 0` (its default is 2), and leave `modelSettings.retry` out. The policy's fallback does
 * not apply: what it returns is no response of a model.
 *
 * @throws TypeError for anything but such a model, a policy and right options.
 *
 * @example
 * ```ts
 * const options = { name: 'Guide', model: guardModel(model, policy) }; // of the Agent
 * ```
 */
export function guardModel<M extends AgentsModel>(
  model: M,
  policy: Policy<unknown>,
  options?: GuardAgentsModelOptions,
): M {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  const { getResponse, getStreamedResponse } = (model ?? {}) as Partial<AgentsModel>;
  if (typeof getResponse !== 'function' || typeof getStreamedResponse !== 'function')
    throw is.misuse('model', 'a Model of @openai/agents (getResponse, getStreamedResponse)', model);
  const { answers, ...given } = is.readOptions<GuardAgentsModelOptions>(
    { firstChunkTimeoutMs: is.span, stallTimeoutMs: is.span, ...answersShape },
    options,
    'guardModel',
  );
  const times = modelTimes(given);
  const guarded: AgentsModel & { getRetryAdvice(): { suggested: false; reason: string } } = {
    getResponse: (request: ModelRequest) => {
      const judge = new Judge(answers, () => request);
      return new Call<unknown>(
        policy.host,
        async (context) => {
          const response = await model.getResponse({ ...request, signal: context.signal });
          judge.whole(answerIn(response));
          return response;
        },
        request.signal === undefined ? {} : { signal: request.signal },
        { refusesFallback: true },
      ).start();
    },
    getStreamedResponse: (request: ModelRequest) => {
      const judge = new Judge(answers, () => request);
      return inPieces(
        policy.stream<StreamEvent[]>(
          (context) => {
            const events = model.getStreamedResponse({ ...request, signal: context.signal });
            return heldUntil(wholeAnswer(events, judge.reader(), context), isPreamble);
          },
          { ...times, ...(request.signal !== undefined && { signal: request.signal }) },
        ),
      );
    },
    getRetryAdvice: () => ({ suggested: false, reason: 'the policy has retried already' }),
  };
  // Whatever else the model has, of whichever version, stays.
  return new Proxy(model, {
    get: (target, name) =>
      name in guarded ? guarded[name as keyof typeof guarded] : Reflect.get(target, name, target),
  });
}

async function* inPieces(pieces: AsyncIterable<readonly StreamEvent[]>): AsyncGenerator<StreamEvent> {
  for await (const events of pieces) yield* events;
}

/**
 * A response in a format that the reader of answers knows: the provider's own where the SDK keeps it; else its items, which are
 * those of OpenAI's responses.
 */
function answerIn(response: unknown): unknown {
  const { providerData, output } = (response ?? {}) as {
    providerData?: { choices?: unknown; status?: unknown } | undefined;
    output?: unknown;
  };
  if (providerData?.choices !== undefined || providerData?.status !== undefined) return providerData;
  return Array.isArray(output) ? { object: 'response', status: 'completed', output } : undefined;
}

/** The events of one attempt. Throws if the answer is a failure, or there is none. */
async function* wholeAnswer(
  events: AsyncIterable<StreamEvent>,
  reader: AnswerReader,
  context: AttemptContext,
): AsyncGenerator<StreamEvent> {
  let hasEnded = false;
  for await (const event of events) {
    if (event.type === 'model') reader.chunk(event.event);
    if (event.type === 'response_done') {
      noteAnswer(context, event.response);
      // A model of the application's own has no events of a provider's.
      if (reader.isKnown) reader.end();
      else reader.whole(answerIn(event.response));
      hasEnded = true;
    }
    yield event;
  }
  if (!hasEnded) throw cutOff('no final response');
}

/** Events that say nothing yet. What is not known is content. */
function isPreamble({ type, event }: StreamEvent): boolean {
  if (type === 'response_started') return true;
  if (type !== 'model' || typeof event !== 'object' || event === null) return false;
  const { type: raw, choices } = event as { type?: unknown; choices?: unknown };
  if (typeof raw === 'string') return /^response\.(created|in_progress|queued)$|^error$|\.failed$/.test(raw);
  if (!Array.isArray(choices)) return false;
  const [{ delta = {}, finish_reason } = {} as { delta?: object; finish_reason?: unknown }] = choices;
  return finish_reason == null && Object.entries(delta).every(([key, value]) => key === 'role' || !value);
}
