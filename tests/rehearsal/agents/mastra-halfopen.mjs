// An agent of Mastra with Halfopen: three models as one, each under its own policy, and tools within a run.
import { anthropic } from '@ai-sdk/anthropic';
import { openai } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { jsonSchema } from 'ai';
import { createPolicies } from 'halfopen';
import { failoverModel } from 'halfopen/ai-sdk';
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
const guarded = Object.fromEntries(Object.entries(own).map(([id, call]) => [id, run.tool(id, call)]));
const tools = Object.fromEntries(
  Object.entries(TOOLS).map(([id, { description, parameters }]) => [
    id,
    createTool({
      id,
      description,
      inputSchema: jsonSchema(parameters),
      execute: async (args) => (await guarded[id](args)).output,
    }),
  ]),
);
const runProcessor = {
  id: 'halfopen-run',
  processInputStep({ systemMessages, abort }) {
    const advice = run.step();
    if (advice.do === 'stop') abort('The run is over.');
    if (!('say' in advice)) return undefined;
    return {
      systemMessages: [...systemMessages, { role: 'system', content: advice.say }],
      ...(advice.do === 'conclude' && { toolChoice: 'none' }),
    };
  },
};
const agent = new Agent({
  id: 'support',
  name: 'Support',
  instructions: 'Help the customer.',
  model,
  tools,
  maxRetries: 0,
  inputProcessors: [runProcessor],
});

await main(async () => {
  const generate = () => agent.generate(TASK, { maxSteps: 20 });
  return (await run.within(generate, { onStop: 'wait' })).text;
});
