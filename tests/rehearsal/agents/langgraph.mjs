// A graph of LangGraph: a model, a node for its tools, and LangGraph's retry policy on both.

import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const tools = Object.entries(TOOLS).map(([name, { description, parameters: schema }]) =>
  tool((args) => callTool(name, args), { name, description, schema }),
);
const model = new ChatOpenAI({ model: 'gpt-4o', maxRetries: 0 }).bindTools(tools);
// Its warnings would be on standard output, which is what the user reads.
const retryPolicy = { maxAttempts: 3, logWarning: false };

const graph = new StateGraph(MessagesAnnotation)
  .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }), { retryPolicy })
  .addNode('tools', new ToolNode(tools), { retryPolicy })
  .addEdge(START, 'model')
  .addConditionalEdges('model', ({ messages }) => (messages.at(-1).tool_calls?.length ? 'tools' : END))
  .addEdge('tools', 'model')
  .compile();

await main(async () => {
  const { messages } = await graph.invoke({ messages: [{ role: 'user', content: TASK }] });
  return messages.at(-1).text;
});
