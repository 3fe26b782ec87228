// The OpenAI Agents SDK. Its client's own retries are on: two.
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

setTracingDisabled(true);
setOpenAIAPI('chat_completions');
setDefaultOpenAIClient(new OpenAI());
const tools = Object.entries(TOOLS).map(([name, { description, parameters }]) =>
  tool({
    name,
    description,
    parameters: { ...parameters, additionalProperties: true },
    strict: false,
    execute: (args) => callTool(name, args),
  }),
);
const agent = new Agent({ name: 'Support', model: 'gpt-4o', tools });

await main(async () => (await run(agent, TASK)).finalOutput);
