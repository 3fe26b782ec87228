// An agent of LangChain with Halfopen's middleware: a second model and another provider, and a run around the loop.
import { ChatOpenAI } from '@langchain/openai';
import { createPolicies } from 'halfopen';
import { guardAgent } from 'halfopen/langchain';
import { createAgent, tool } from 'langchain';
import { main, tools as own, run } from './halfopen.mjs';
import { TASK, TOOLS } from './tools.mjs';

const policies = createPolicies({ timeout: { attemptMs: 60_000 } });
const tools = Object.entries(TOOLS).map(([name, { description, parameters: schema }]) =>
  tool(own[name], { name, description, schema }),
);
const model = (name) => new ChatOpenAI({ model: name, maxRetries: 0 });
const agent = createAgent({
  model: model('gpt-4o'),
  tools,
  middleware: [
    guardAgent({
      model: policies.get('gpt-4o'),
      fallbacks: [{ model: model('gpt-4.1'), policy: policies.get('gpt-4.1') }],
      run,
      answers: { truncated: 'fail' },
    }),
  ],
});

await main(async () => {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: TASK }] });
  return messages.at(-1).text;
});
