// The AI SDK 7. Its own retries are on: two.

import { generateText, jsonSchema, stepCountIs, tool } from 'ai-7';
import { openai } from 'ai-7-openai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const tools = Object.fromEntries(
  Object.entries(TOOLS).map(([name, { description, parameters }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: (args) => callTool(name, args) }),
  ]),
);

await main(async () => {
  const { text } = await generateText({
    model: openai.chat('gpt-4o'),
    tools,
    prompt: TASK,
    stopWhen: stepCountIs(20),
  });
  return text;
});
