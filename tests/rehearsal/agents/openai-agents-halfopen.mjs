// The OpenAI Agents SDK with Halfopen: a guarded model, another one where it is retired, and a run around the loop.
import { Agent, OpenAIChatCompletionsModel, run as runAgent, setTracingDisabled, tool } from '@openai/agents';
import { createPolicies } from 'halfopen';
import { guardModel, runHooks } from 'halfopen/openai-agents';
import OpenAI from 'openai';
import { main, tools as own, run } from './halfopen.mjs';
import { TASK, TOOLS } from './tools.mjs';

setTracingDisabled(true);
const hooks = runHooks(run);
const tools = Object.entries(TOOLS).map(([name, { description, parameters }]) =>
  tool({
    name,
    description,
    parameters: { ...parameters, additionalProperties: true },
    strict: false,
    execute: own[name],
  }),
);
const policies = createPolicies({ timeout: { attemptMs: 60_000 } });
const guarded = (name) =>
  guardModel(new OpenAIChatCompletionsModel(new OpenAI({ maxRetries: 0 }), name), policies.get(name), {
    answers: { truncated: 'fail' },
  });
const [first, second] = [guarded('gpt-4o'), guarded('gpt-4.1')];
const model = {
  getResponse: (request) =>
    first.getResponse(request).catch((error) => {
      if (error.code !== 'MODEL_NOT_FOUND') throw error;
      return second.getResponse(request);
    }),
  getStreamedResponse: (request) => first.getStreamedResponse(request),
};
const agent = new Agent({ name: 'Support', model: hooks.model(model), tools: hooks.tools(tools) });

// A call of a tool that does not exist is for the model to mend.
const options = { maxTurns: 20, toolNotFoundBehavior: 'return_error_to_model' };
await main(async () => (await runAgent(agent, TASK, options)).finalOutput);
