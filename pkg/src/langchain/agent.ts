/** A middleware for LangChain's agents: their calls of models and tools under policies. */

import type { AgentMiddleware } from 'langchain';
import * as langchain from 'langchain';
import { Call } from '../call/call.js';
import type { CallOptions } from '../call/options.js';
import { isControlFlow } from '../control-flow.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import { inTurn } from '../policy/failover.js';
import type { Policies } from '../policy/policies.js';
import { Policy } from '../policy/policy.js';
import { Mended } from '../repair/mended.js';
import { type RepairingOptions, repairingShape } from '../repair/options.js';
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
export interface GuardAgentOptions extends RepairingOptions {
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
}

const shape: is.Shape = {
  model: is.instance('a Policy', Policy as never),
  fallbacks: is.kind('an array of { model, policy }', Array.isArray),
  tools: is.either(
    is.instance('a Policy', Policy as never),
    is.duck('policies by name (createPolicies)', 'get'),
  ),
  onToolFailure: is.oneOf('message', 'throw'),
  ...repairingShape,
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
  });
  const {
    model,
    fallbacks = [],
    tools,
    onToolFailure = 'message',
    repair,
  } = is.readOptions<GuardAgentOptions>(shape, options, 'guardAgent');
  if (model === undefined && fallbacks.length > 0)
    throw is.misuse('model', 'a Policy, because there are fallbacks', model);
  return langchain.createMiddleware({
    name: 'HalfopenMiddleware',
    ...(model !== undefined && {
      wrapModelCall: async (request, handler) => {
        const targets = [{ policy: model, model: request.model }, ...(fallbacks as Target[])];
        const answer = (target: Target, call: CallOptions) => {
          const mended = new Mended<typeof request>(
            target.model === request.model
              ? request
              : { ...request, model: target.model as typeof request.model },
            repair,
            { format: 'openai-chat', model: nameOf(target.model) },
            messagesView(),
          );
          const run = () => passing(() => handler(mended.request));
          return new Call(target.policy.host, run, { ...call, repair: mended.repair }).start();
        };
        return unpacked(await inTurn(targets, { signal: request.runtime.signal }, answer));
      },
    }),
    ...(tools !== undefined && {
      wrapToolCall: async (request, handler) => {
        const { name, id = '' } = request.toolCall;
        const policy = tools instanceof Policy ? tools : tools.get(name);
        let thrown: unknown;
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
          const result = await toolResult(() => Promise.reject(thrown ?? error))();
          return new langchain.ToolMessage({
            content: result.output,
            tool_call_id: id,
            name,
            status: 'error',
          });
        }
      },
    }),
  }) as AgentMiddleware;
}

type Target = ModelFallback;

/** The name of a chat model, in whichever field its class has it. */
function nameOf(model: unknown): string | undefined {
  const { model: id, modelName } = (model ?? {}) as { model?: unknown; modelName?: unknown };
  const name = id ?? modelName;
  return typeof name === 'string' ? name : undefined;
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
