// The AI SDK 6 with Halfopen: three models as one, each under its own policy, and a run around the loop.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { generateText, jsonSchema, tool } from 'ai';
import { createPolicies } from 'halfopen';
import { failoverModel, runSettings } from 'halfopen/ai-sdk';
import { main, tools as own, run } from './halfopen.mjs';
import { TASK, TOOLS } from './tools.mjs';

const policies = createPolicies({ timeout: { attemptMs: 60_000 } });
const model = failoverModel(
  [
    { model: openai.chat('gpt-4o'), policy: policies.get('gpt-4o') },
    { model: openai.chat('gpt-4.1'), policy: policies.get('gpt-4.1') },
    { model: anthropic('claude-sonnet-4-5'), policy: policies.get('claude-sonnet-4-5') },
  ],
  { answers: { truncated: 'fail' } },
);
const tools = Object.fromEntries(
  Object.entries(TOOLS).map(([name, { description, parameters }]) => [
    name,
    tool({ description, inputSchema: jsonSchema(parameters), execute: own[name] }),
  ]),
);

await main(async () => {
  const { text } = await generateText(runSettings(run, { model, tools, prompt: TASK, maxRetries: 0 }));
  return text;
});
