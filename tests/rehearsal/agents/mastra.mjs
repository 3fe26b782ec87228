// An agent of Mastra, on the AI SDK's provider. Its own retries are on: two.
import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { jsonSchema } from 'ai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const tools = Object.fromEntries(
  Object.entries(TOOLS).map(([id, { description, parameters }]) => [
    id,
    createTool({
      id,
      description,
      inputSchema: jsonSchema(parameters),
      execute: (args) => callTool(id, args),
    }),
  ]),
);
const agent = new Agent({
  id: 'support',
  name: 'Support',
  instructions: 'Help the customer.',
  model: openai.chat('gpt-4o'),
  tools,
  maxRetries: 2,
});

await main(async () => (await agent.generate(TASK, { maxSteps: 20 })).text);
