// The OpenAI Agents SDK with Halfopen: a guarded model, and a run around the loop.
import { Agent, OpenAIChatCompletionsModel, run as runAgent, setTracingDisabled, tool } from '@openai/agents';
import { createPolicy } from 'halfopen';
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
const policy = createPolicy({ name: 'gpt-4o', timeout: { attemptMs: 60_000 } });
const model = guardModel(new OpenAIChatCompletionsModel(new OpenAI({ maxRetries: 0 }), 'gpt-4o'), policy, {
  answers: { truncated: 'fail' },
});
const agent = new Agent({ name: 'Support', model: hooks.model(model), tools: hooks.tools(tools) });

// A call of a tool that does not exist is for the model to mend.
const options = { maxTurns: 20, toolNotFoundBehavior: 'return_error_to_model' };
await main(async () => (await runAgent(agent, TASK, options)).finalOutput);
