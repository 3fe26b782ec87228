/** `halfopen/openai-agents`: models of the OpenAI Agents SDK. */

import { noteAnswer } from '../call/attempt.js';
import { Call } from '../call/call.js';
import { heldUntil } from '../call/held-until.js';
import { joinedSignal } from '../call/joined-signal.js';
import { type AttemptContext, modelTimes } from '../call/options.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { Mended } from '../repair/mended.js';
import { type RepairingOptions, repairingShape } from '../repair/options.js';
import {
  type AnswerOptions,
  type AnswerReader,
  answersShape,
  cutOff,
  readAnswer,
} from '../response/answers.js';
import {
  answered,
  expectRun,
  type Outcome,
  payer,
  pulledWithin,
  reported,
  Said,
  stepOf,
} from '../run/around.js';
import { errorOfEnd } from '../run/end.js';
import type { Run, StepAdvice } from '../run/types.js';
import { type AgentsRequest, agentsView } from './agents-request.js';

/** The fields read of a request. */
interface ModelRequest extends AgentsRequest {
  readonly signal?: AbortSignal;
}

/** The fields read of an event of a stream. */
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

/** Milliseconds that a stream may be silent, which answers are failures, and what is repaired. */
export interface GuardAgentsModelOptions extends RepairingOptions {
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
  /** The answers that are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
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
  const { answers, repair, ...given } = is.readOptions<GuardAgentsModelOptions>(
    { firstChunkTimeoutMs: is.span, stallTimeoutMs: is.span, ...answersShape, ...repairingShape },
    options,
    'guardModel',
  );
  const times = modelTimes(given);
  const mendedOf = (request: ModelRequest) =>
    new Mended(request, repair, { format: 'openai-responses' }, agentsView<ModelRequest>());
  const guarded: AgentsModel & { getRetryAdvice(): { suggested: false; reason: string } } = {
    getResponse: (request: ModelRequest) => {
      const mended = mendedOf(request);
      const judge = mended.judge(answers);
      return new Call<unknown>(
        policy.host,
        async (context) => {
          const response = await readAnswer(() =>
            model.getResponse({ ...mended.request, signal: context.signal }),
          );
          judge.whole(answerIn(response));
          return mended.known(response);
        },
        { signal: request.signal, repair: mended.repair },
        { refusesFallback: true },
      ).start();
    },
    getStreamedResponse: (request: ModelRequest) => {
      const mended = mendedOf(request);
      const judge = mended.judge(answers);
      return inPieces(
        policy.stream<StreamEvent[]>(
          (context) => {
            const events = model.getStreamedResponse({ ...mended.request, signal: context.signal });
            return heldUntil(wholeAnswer(events, judge.reader(), context), isPreamble);
          },
          { ...times, signal: request.signal, repair: mended.repair },
        ),
        mended,
      );
    },
    getRetryAdvice: () => ({ suggested: false, reason: 'the policy has retried already' }),
  };
  return changed(model, guarded);
}

/** The same object with some of its methods replaced. All else that its version has stays. */
function changed<T extends object>(original: T, methods: object): T {
  return new Proxy(original, {
    get: (target, name) =>
      name in methods ? methods[name as keyof typeof methods] : Reflect.get(target, name, target),
  });
}

async function* inPieces(
  pieces: AsyncIterable<readonly StreamEvent[]>,
  mended: Mended<ModelRequest>,
): AsyncGenerator<StreamEvent> {
  for await (const events of pieces) yield* events.map((event) => mended.known(event));
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
  if (providerData?.choices !== undefined) return providerData;
  if (providerData?.status !== undefined) return { object: 'response', output, ...providerData };
  return Array.isArray(output) ? { object: 'response', status: 'completed', output } : undefined;
}

/** The events of one attempt. Throws if the answer is missing or a failure. */
async function* wholeAnswer(
  events: AsyncIterable<StreamEvent>,
  reader: AnswerReader,
  context: AttemptContext,
): AsyncGenerator<StreamEvent> {
  let hasEnded = false;
  let isChat = false;
  for await (const event of events) {
    const { choices } = (event.event ?? {}) as { choices?: unknown };
    isChat ||= choices !== undefined;
    if (isChat && event.type === 'model') reader.chunk(event.event);
    if (event.type === 'response_done') {
      noteAnswer(context, event.response);
      // Chat completions have said why they end; other responses say it here.
      if (isChat) reader.end();
      else reader.whole(answerIn(event.response));
      hasEnded = true;
    }
    yield event;
  }
  if (!hasEnded) throw cutOff('no final response');
}

/** Events that say nothing yet. Unknown events count as content. */
function isPreamble({ type, event }: StreamEvent): boolean {
  if (type === 'response_started') return true;
  if (type !== 'model' || typeof event !== 'object' || event === null) return false;
  const { type: raw, choices } = event as { type?: unknown; choices?: unknown };
  if (typeof raw === 'string') return /^response\.(created|in_progress|queued)$|^error$|\.failed$/.test(raw);
  if (!Array.isArray(choices)) return false;
  const [{ delta = {}, finish_reason } = {} as { delta?: object; finish_reason?: unknown }] = choices;
  return finish_reason == null && Object.entries(delta).every(([key, value]) => key === 'role' || !value);
}

/** The hooks that {@link runHooks} returns. */
export interface RunHooks {
  /** The same model, for an agent's `model`: a guarded one (`guardModel`) too. */
  model<M extends AgentsModel>(model: M): M;
  /** The same tools, for an agent's `tools`. Tools that the provider runs stay as they are. */
  tools<T extends object>(tools: readonly T[]): T[];
}

/** Options of {@link runHooks}. */
export interface RunHooksOptions {
  /** The model of the step after 'escalate'. Default: the agent's own. */
  escalateTo?: AgentsModel | undefined;
}

/**
 * Returns hooks that put a run into the loop of the OpenAI Agents SDK, for the models and tools of one agent, or of several that
 * hand over to each other. The run steers by a message of the user, refuses a tool by a text as its result, concludes with
 * `toolChoice: 'none'`, and stops: then `run()` of the SDK rejects with the end's error, whose `userMessage()` is for the user.
 *
 * The model's calls and the tools run within the run (`run.within`): their usage counts, under a policy or not. This does not
 * end the run: call `finish()`.
 *
 * @param run - The run of this task (`createRun`).
 * @throws TypeError for anything but a run, models, tools and right options.
 *
 * @example
 * ```ts
 * const hooks = runHooks(createRun({ limits: { steps: 20 } }));
 * const guided = { name: 'Guide', model: hooks.model(model), tools: hooks.tools([search]) }; // for new Agent(…)
 * ```
 */
export function runHooks(run: Run, options?: RunHooksOptions): RunHooks {
  expectRun(run);
  const { escalateTo } = is.readOptions<RunHooksOptions>(
    { escalateTo: is.duck('a Model of @openai/agents', 'getResponse', 'getStreamedResponse') },
    options,
    'runHooks',
  );
  const steps = new Steps(run);
  return {
    model: (model) => {
      const chosen = ({ do: advised }: StepAdvice) =>
        advised === 'escalate' && escalateTo !== undefined ? escalateTo : model;
      return changed(model, {
        getResponse: async (request: StepRequest) => {
          const { advice, requested } = steps.begin(request);
          const response = await answered(run, () => chosen(advice).getResponse(requested));
          steps.end(response);
          return response;
        },
        async *getStreamedResponse(request: StepRequest): AsyncGenerator<StreamEvent> {
          const { advice, requested } = steps.begin(request);
          const pay = payer(run);
          let response: unknown;
          const events: AsyncIterable<StreamEvent> = chosen(advice).getStreamedResponse(requested);
          for await (const event of pulledWithin(run, events)) {
            if (event.type === 'response_done') response = event.response;
            yield event;
          }
          pay(response);
          steps.end(response);
        },
      });
    },
    tools: (tools) => tools.map((tool) => toolIn(run, tool)),
  };
}

/** The fields of a request that are read and changed. */
interface StepRequest extends ModelRequest {
  readonly input: string | readonly object[];
  readonly modelSettings?: object;
  /** The server has the conversation, and the run's messages in it. */
  readonly conversationId?: unknown;
  readonly previousResponseId?: unknown;
}

/** The steps of a run, by the requests for them. */
class Steps {
  private readonly said = new Said<object>();

  constructor(private readonly run: Run) {}

  begin(request: StepRequest): { advice: StepAdvice; requested: object } {
    const advice = stepOf(this.run);
    const { input, signal, conversationId, previousResponseId } = request;
    const own = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    const isWhole = conversationId === undefined && previousResponseId === undefined;
    const messages = [...(isWhole ? this.said.within(own) : own)];
    if (advice.do === 'steer' || advice.do === 'conclude')
      messages.push(this.said.add(own, { role: 'user', content: advice.say }));
    const requested = {
      ...request,
      ...(messages.length > own.length && { input: messages }),
      ...(advice.do === 'conclude' && { modelSettings: { ...request.modelSettings, toolChoice: 'none' } }),
      signal: joinedSignal(signal, this.run.signal),
    };
    return { advice, requested };
  }

  end(response: unknown): void {
    const { output = [] } = (response ?? {}) as {
      output?: readonly { type?: string; content?: readonly { text?: string }[] }[];
    };
    const isText = output.every(({ type = 'message' }) => type === 'message' || type === 'reasoning');
    const parts = output.flatMap(({ type, content }) => (type === 'message' ? (content ?? []) : []));
    const text = parts.map((part) => part.text ?? '').join('');
    if (isText && text !== '') this.run.text(text);
  }
}

/** The text that the SDK gives to the model instead of a tool's error, unless the tool has an `errorFunction`. */
const FAILED = /^An error occurred while running the tool\. Please try again\./;

function toolIn<T extends object>(run: Run, tool: T): T {
  const { name, invoke } = tool as { name?: unknown; invoke?: (...args: unknown[]) => PromiseLike<unknown> };
  if (typeof invoke !== 'function' || typeof name !== 'string') return tool;
  return changed(tool, {
    invoke: async (...args: unknown[]) => {
      const [, input, details] = args as [unknown, string, { toolCall?: { callId?: string } }?];
      const call = { id: details?.toolCall?.callId, name, arguments: input };
      const advice = run.toolCall(call);
      if (advice.do === 'refuse') return advice.say;
      // The step of the model that would follow rejects.
      if (advice.do === 'stop') return errorOfEnd(advice.end).message;
      return reported(
        run,
        call,
        run.within(() => invoke.apply(tool, args)),
        outcomeOf,
      );
    },
  });
}

const outcomeOf = (result: unknown): Outcome =>
  typeof result === 'string' && FAILED.test(result) ? { error: new Error(result) } : { result };
