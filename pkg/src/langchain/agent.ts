/** A middleware for LangChain's agents: their calls of models and tools under policies. */

import type { AgentMiddleware } from 'langchain';
import * as langchain from 'langchain';
import { isControlFlow } from '../control-flow.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import { failover } from '../policy/failover.js';
import type { Policies } from '../policy/policies.js';
import { Policy } from '../policy/policy.js';
import { answered, type Outcome, reported, run as runKind } from '../run/around.js';
import { errorOfEnd, type RunEnd } from '../run/end.js';
import type { Run } from '../run/types.js';
import { toolResult } from '../tool/tool-result.js';

/** A model that is called where the one before failed for good. */
export interface ModelFallback {
  /** A chat model of LangChain, with `maxRetries: 0`. */
  model: unknown;
  /** Its policy, without a fallback of its own. */
  policy: Policy<never>;
}

/** Options of `guardAgent`. */
export interface GuardAgentOptions {
  /** The policy of the agent's calls of its model. Default: they are not guarded. */
  model?: Policy<never> | undefined;
  /** Models in turn, where the agent's own fails for good; `model` has to be given. Default: none. */
  fallbacks?: readonly ModelFallback[] | undefined;
  /** The policy of all tools, or one for each by its name (`createPolicies`). Default: they are not guarded. */
  tools?: Policy<never> | Policies<never> | undefined;
  /**
   * What becomes of a tool's failure: `message` gives it to the model as a ToolMessage with status `error`, `throw` ends the
   * agent's run. Default: `'message'`.
   */
  onToolFailure?: 'message' | 'throw' | undefined;
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
  run: runKind,
  escalateTo: is.duck('a chat model', 'invoke'),
};

/**
 * Returns a middleware for `createAgent` of LangChain 1: the agent's calls of its model run under one policy, with other
 * models in turn where it gives up, and its tools under theirs. Interrupts and wrong arguments of a tool pass as they are.
 *
 * Set `maxRetries: 0` on the chat models (LangChain's default is 6), and leave out `modelRetryMiddleware`,
 * `modelFallbackMiddleware` and `toolRetryMiddleware`: each would retry what the policy has given up on. A policy's timeout
 * gives up on an attempt; LangChain passes no signal on to stop the request, so give the model a `timeout` too.
 *
 * @param options - The policies; see the fields.
 * @throws TypeError for a wrong option. The agent's run rejects with the AgentError.
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
    run,
    escalateTo,
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
          const calls = [
            { policy: model, run: () => passing(() => handler(request)) },
            ...fallbacks.map((other) => ({
              policy: other.policy,
              run: () => passing(() => handler({ ...request, model: other.model as typeof request.model })),
            })),
          ];
          return unpacked(await failover(calls, { signal: request.runtime.signal }));
        };
        if (run === undefined) return answer();
        const message = await answered(run, answer);
        const { text, tool_calls } = message as { text?: unknown; tool_calls?: readonly unknown[] };
        if (typeof text === 'string' && !tool_calls?.length) run.text(text);
        return message;
      },
    }),
    ...((tools !== undefined || run !== undefined) && {
      wrapToolCall: async (request, handler) => {
        const { name, id = '', args } = request.toolCall;
        const failure = (content: string) =>
          new langchain.ToolMessage({ content, tool_call_id: id, name, status: 'error' });
        let thrown: unknown;
        const guarded = async () => {
          if (tools === undefined) return handler(request);
          const policy = tools instanceof Policy ? tools : tools.get(name);
          const call = () =>
            policy.execute(
              () =>
                passing(() => handler(request)).catch((error) => {
                  thrown = error;
                  throw error;
                }),
              { signal: request.runtime.signal, task: name },
            );
          try {
            return unpacked(await call());
          } catch (error) {
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
    }),
  }) as AgentMiddleware;
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

/** What is thrown and is no failure: interrupts of the graph, and arguments that the model got wrong. */
class Passing {
  readonly thrown: unknown;
  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}

function passes(thrown: unknown): boolean {
  return (
    isControlFlow(thrown) || (thrown as { name?: unknown } | null | undefined)?.name === 'ToolInvocationError'
  );
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
