/** A middleware for LangChain's agents: their calls of models and tools under policies. */

import type { AgentMiddleware } from 'langchain';
import * as langchain from 'langchain';
import { Call } from '../call/call.js';
import type { CallOptions } from '../call/options.js';
import type { StandardSchemaV1 } from '../call/validate.js';
import { isControlFlow } from '../control-flow.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import { inTurn } from '../policy/failover.js';
import type { Policies } from '../policy/policies.js';
import { Policy } from '../policy/policy.js';
import { Mended } from '../repair/mended.js';
import { type RepairingOptions, repairingShape } from '../repair/options.js';
import { type AnswerOptions, answersShape, readAnswer } from '../response/answers.js';
import { answered, type Outcome, reported, run as runKind } from '../run/around.js';
import { errorOfEnd, type RunEnd } from '../run/end.js';
import type { Run } from '../run/types.js';
import { argumentsMismatch, mismatchIn } from '../tool/mismatch.js';
import { cutContent, cutOutput, outputShape, type ToolOutputOptions } from '../tool/output.js';
import { toolResult } from '../tool/tool-result.js';
import { messagesView } from './messages.js';

/** A model that is called where the one before failed for good. */
export interface ModelFallback {
  /** A chat model of LangChain, with `maxRetries: 0`. */
  model: unknown;
  /** Its policy, without a fallback of its own. */
  policy: Policy<never>;
}

/** Options of `guardAgent`. */
export interface GuardAgentOptions extends ToolOutputOptions, RepairingOptions {
  /** The policy of the agent's calls of its model. Default: they are not guarded. */
  model?: Policy<never> | undefined;
  /** Models in turn, where the agent's own fails for good; `model` has to be given. Default: none. */
  fallbacks?: readonly ModelFallback[] | undefined;
  /** The policy of all tools, or one for each by its name (`createPolicies`). Default: they are not guarded. */
  tools?: Policy<never> | Policies<never> | undefined;
  /**
   * The reaction to a tool's failure: `message` gives it to the model as a ToolMessage with status `error`, `throw` ends the
   * agent's run. Default: `'message'`.
   */
  onToolFailure?: 'message' | 'throw' | undefined;
  /** The answers of a model that are failures. Default: an empty one, and a tool call whose arguments are no JSON. */
  answers?: AnswerOptions | undefined;
  /**
   * The run of this task (`createRun`), for one invocation of the agent. It steers by a message of the user, refuses a tool by a
   * ToolMessage with status `error`, concludes with the tool choice `none`, and stops the agent with a message of the assistant:
   * the sentence for the user. Default: no run.
   */
  run?: Run | undefined;
  /** The chat model of the step after 'escalate'. Default: the agent's own. */
  escalateTo?: unknown;
}

const shape: is.Shape = {
  model: is.instance('a Policy', Policy as never),
  fallbacks: is.kind('an array of { model, policy }', Array.isArray),
  tools: is.either(
    is.instance('a Policy', Policy as never),
    is.duck('policies by name (createPolicies)', 'get'),
  ),
  onToolFailure: is.oneOf('message', 'throw'),
  ...answersShape,
  ...repairingShape,
  run: runKind,
  escalateTo: is.duck('a chat model', 'invoke'),
  ...outputShape,
};

/**
 * Returns a middleware for `createAgent` of LangChain 1: the agent's calls of its model run under one policy, with other
 * models in turn where it gives up, and its tools under theirs. Interrupts pass as they are. Arguments that do not fit a tool are
 * answered with the places and what was expected there, a name that no tool has with the names that exist (by LangChain itself),
 * and of a tool's output of more than `maxOutput` (50000) characters, head and tail remain.
 *
 * Set `maxRetries: 0` on the chat models (LangChain's default is 6), and leave out `modelRetryMiddleware`,
 * `modelFallbackMiddleware` and `toolRetryMiddleware`: each would retry what the policy has given up on. A policy's timeout
 * gives up on an attempt; LangChain passes no signal on to stop the request, so give the model a `timeout` too.
 *
 * @param options - The policies; see the fields.
 * @throws TypeError for a wrong option. The agent's run rejects with the AgentError, or with LangChain's error around it, of
 * which `AgentError.from` makes it.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, middleware: [guardAgent({ model: policy })] });
 * ```
 */
export function guardAgent(options: GuardAgentOptions): AgentMiddleware {
  expectHost('halfopen/langchain', 'langchain', '1', {
    createMiddleware: langchain.createMiddleware,
    ToolMessage: langchain.ToolMessage,
    HumanMessage: langchain.HumanMessage,
    AIMessage: langchain.AIMessage,
  });
  const {
    model,
    fallbacks = [],
    tools,
    onToolFailure = 'message',
    answers,
    repair,
    run,
    escalateTo,
    ...bounds
  } = is.readOptions<GuardAgentOptions>(shape, options, 'guardAgent');
  if (model === undefined && fallbacks.length > 0)
    throw is.misuse('model', 'a Policy, because there are fallbacks', model);
  const said = new Said();
  return langchain.createMiddleware({
    name: 'HalfopenMiddleware',
    ...((model !== undefined || run !== undefined) && {
      wrapModelCall: async (given, handler) => {
        const request = { ...given };
        if (run !== undefined) {
          const advice = run.step();
          if (advice.do === 'stop') return sentenceOf(advice.end);
          if (advice.do === 'steer' || advice.do === 'conclude') said.add(given.messages, advice.say);
          request.messages = said.within(given.messages);
          if (advice.do === 'conclude' && given.tools.length > 0) request.toolChoice = 'none';
          if (advice.do === 'escalate' && escalateTo !== undefined)
            request.model = escalateTo as typeof request.model;
        }
        const answer = async () => {
          if (model === undefined) return handler(request);
          const targets = [{ policy: model, model: request.model }, ...(fallbacks as Target[])];
          const begin = (target: Target, call: CallOptions) => {
            const mended = new Mended<typeof request>(
              target.model === request.model
                ? request
                : { ...request, model: target.model as typeof request.model },
              repair,
              { format: 'openai-chat', model: nameOf(target.model) },
              messagesView(),
            );
            const judge = mended.judge(answers);
            const run = () =>
              passing(async () => {
                const message = await readAnswer(() => handler(mended.request));
                judge.whole(answerIn(message));
                return message;
              });
            return new Call(target.policy.host, run, { ...call, repair: mended.repair }).start();
          };
          return unpacked(await inTurn(targets, { signal: request.runtime.signal }, begin));
        };
        if (run === undefined) return answer();
        const message = await answered(run, answer);
        const { text, tool_calls } = message as { text?: unknown; tool_calls?: readonly unknown[] };
        if (typeof text === 'string' && !tool_calls?.length) run.text(text);
        return message;
      },
    }),
    wrapToolCall: async (request, handler) => {
      const { name, id = '', args } = request.toolCall;
      const policy = tools === undefined || tools instanceof Policy ? tools : tools.get(name);
      const failure = (content: string) =>
        new langchain.ToolMessage({ content, tool_call_id: id, name, status: 'error' });
      /** By the last attempt, for a policy may have ended it otherwise: by a timeout. */
      let thrown: unknown;
      const attempt = () => {
        thrown = undefined;
        return passing(() => handler(request)).catch((error) => {
          thrown = error;
          throw error;
        });
      };
      const guarded = async () => {
        try {
          const result =
            policy === undefined
              ? await attempt()
              : await policy.execute(attempt, { signal: request.runtime.signal, task: name });
          return await within(unpacked(result), name, bounds);
        } catch (error) {
          if (isWrongCall(error)) return failure(`Error: ${await mismatchOf(error, request)}`);
          if (onToolFailure === 'throw' || passes(error)) throw error;
          thrown ??= error;
          return failure((await toolResult(() => Promise.reject(thrown))()).output);
        }
      };
      if (run === undefined) return guarded();
      const call = { id, name, arguments: args };
      const refusal = run.toolCall(call);
      if (refusal.do === 'refuse') return failure(refusal.say);
      if (refusal.do === 'stop') return failure(errorOfEnd(refusal.end).message);
      return reported(run, call, run.within(guarded), (result) => outcomeOf(result, thrown));
    },
  }) as AgentMiddleware;
}

interface ToolCall {
  id?: unknown;
  name?: unknown;
  args?: unknown;
}

/** A message of LangChain, as far as it says what the model answered. */
interface Message {
  content?: unknown;
  tool_calls?: readonly ToolCall[] | undefined;
  invalid_tool_calls?: readonly ToolCall[] | undefined;
  additional_kwargs?: { refusal?: unknown; audio?: unknown } | undefined;
  response_metadata?: Record<string, unknown> | undefined;
}

/**
 * A message in a format that the reader of answers knows: a model's answer of the AI SDK, which has all that a message has.
 * LangChain keeps the reason of the end under its provider's name for it, and not of every provider: then it counts as complete.
 */
function answerIn(message: unknown): unknown {
  const { content, additional_kwargs, response_metadata, ...calls } = (message ?? {}) as Message;
  if (content === undefined) return undefined;
  const { refusal, audio } = additional_kwargs ?? {};
  const { finish_reason, stop_reason, stopReason, finishReason, incomplete_details } =
    response_metadata ?? {};
  const incomplete = (incomplete_details as { reason?: unknown } | null | undefined)?.reason;
  const raw = incomplete ?? finish_reason ?? stop_reason ?? stopReason ?? finishReason ?? 'stop';
  const unified = typeof refusal === 'string' && refusal !== '' ? 'content-filter' : ENDS[String(raw)];
  return {
    content: [
      ...(Array.isArray(content) ? content.flatMap(partOf) : [{ type: 'text', text: content }]),
      { type: 'text', text: refusal },
      ...(audio === undefined ? [] : [{ type: 'file' }]),
      ...(calls.tool_calls ?? []).map((call) => callOf(call, JSON.stringify(call.args ?? {}))),
      ...(calls.invalid_tool_calls ?? []).map((call) => callOf(call, call.args)),
    ],
    finishReason: { unified: unified ?? 'stop', raw },
  };
}

/** A block of a message's content. The calls of tools are beside the content too. */
function partOf(block: { type?: unknown; text?: unknown }): object[] {
  const { type, text } = block;
  if (type === 'text' || type === 'output_text' || typeof block === 'string')
    return [{ type: 'text', text: text ?? block }];
  return /think|reason|tool|function|refusal|json/i.test(String(type)) ? [] : [{ type: 'file' }];
}

function callOf({ id, name }: ToolCall, input: unknown): object {
  return { type: 'tool-call', toolCallId: id, toolName: name, input };
}

/** The providers' words for an end that is not the whole answer's, as the AI SDK has them. */
const ENDS: Readonly<Record<string, string>> = {
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  MAX_TOKENS: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
  content_filter: 'content-filter',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  error: 'error',
};

type Target = ModelFallback;

/** The name of a chat model, in whichever field its class has it. */
function nameOf(model: unknown): string | undefined {
  const { model: id, modelName } = (model ?? {}) as { model?: unknown; modelName?: unknown };
  const name = id ?? modelName;
  return typeof name === 'string' ? name : undefined;
}

type Messages = Parameters<NonNullable<AgentMiddleware['wrapModelCall']>>[0]['messages'];

/**
 * The run's messages to the model. They are no part of the agent's state: a hook that adds some would cost a step of the graph,
 * and LangGraph allows 25 of them.
 */
class Said {
  private readonly all: { readonly after: string | undefined; readonly message: Messages[number] }[] = [];

  add(messages: Messages, text: string): void {
    this.all.push({ after: messages.at(-1)?.id, message: new langchain.HumanMessage(text) });
  }

  within(messages: Messages): Messages {
    return messages.flatMap((message) => [
      message,
      ...this.all
        .filter(({ after }) => after !== undefined && after === message.id)
        .map((one) => one.message),
    ]);
  }
}

/** The assistant's last message: an agent ends with a message that calls no tool. @throws the error of another end. */
function sentenceOf(end: RunEnd) {
  const error = errorOfEnd(end);
  if (end.kind !== 'stopped') throw error;
  return new langchain.AIMessage(error.userMessage());
}

/** The outcome in a ToolMessage, whose ids are those of its call; of a Command, in its message. */
function outcomeOf(result: unknown, thrown: unknown): Outcome {
  const { update } = result as { update?: { messages?: readonly unknown[] } };
  const { content, status } = (update?.messages?.at(-1) ?? result) as { content?: unknown; status?: unknown };
  return status === 'error' ? { error: thrown ?? new Error(String(content)) } : { result: content };
}

/** A tool's message, its content within the bounds. A command of the graph is left as it is. */
async function within<R>(result: R, name: string, bounds: ToolOutputOptions): Promise<R> {
  if (!langchain.ToolMessage.isInstance(result)) return result;
  const { content } = result;
  const cut =
    typeof content === 'string'
      ? (await cutOutput(content, name, bounds))?.text
      : await cutContent(content, name, bounds);
  if (cut === undefined) return result;
  // A copy: a tool may keep what it has returned.
  return new langchain.ToolMessage({ ...result, content: cut } as never) as R;
}

interface ToolRequest {
  readonly toolCall: { readonly args?: unknown };
  readonly tool?: unknown;
}

/** Returns what is wrong with the arguments: LangChain's error has it as a text, with the arguments and a stack. */
async function mismatchOf(error: unknown, { tool, toolCall }: ToolRequest): Promise<string> {
  const { schema } = (tool ?? {}) as { schema?: Partial<StandardSchemaV1> };
  try {
    const checked = await schema?.['~standard']?.validate(toolCall.args);
    const issues = checked !== undefined && 'issues' in checked ? checked.issues : undefined;
    const mismatch = argumentsMismatch(issues) ?? mismatchIn(error);
    if (mismatch !== undefined) return mismatch;
  } catch {
    // A schema that throws says no more than that it does not fit.
  }
  return 'The arguments do not fit the tool. Call it again with arguments that match its schema.';
}

/** A thrown value that is not a failure: interrupts of the graph, and arguments that the model got wrong. */
class Passing {
  readonly thrown: unknown;
  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}

function passes(thrown: unknown): boolean {
  return isControlFlow(thrown) || isWrongCall(thrown);
}

function isWrongCall(thrown: unknown): boolean {
  const { name, '~brand': brand } = (thrown ?? {}) as { name?: unknown; '~brand'?: unknown };
  return name === 'ToolInvocationError' || brand === 'ToolInvocationError';
}

async function passing<T>(call: () => T | PromiseLike<T>): Promise<T | Passing> {
  try {
    return await call();
  } catch (thrown) {
    if (passes(thrown)) return new Passing(thrown);
    throw thrown;
  }
}

function unpacked<T>(value: T | Passing): T {
  if (value instanceof Passing) throw value.thrown;
  return value;
}
