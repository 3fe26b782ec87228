// An agent of LangChain. Its model's own retries are on: six.
import { ChatOpenAI } from '@langchain/openai';
import { createAgent, tool } from 'langchain';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const tools = Object.entries(TOOLS).map(([name, { description, parameters: schema }]) =>
  tool((args) => callTool(name, args), { name, description, schema }),
);
const agent = createAgent({ model: new ChatOpenAI({ model: 'gpt-4o' }), tools });

await main(async () => {
  const { messages } = await agent.invoke({ messages: [{ role: 'user', content: TASK }] });
  return messages.at(-1).text;
});
