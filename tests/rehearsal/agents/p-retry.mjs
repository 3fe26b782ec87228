// The OpenAI SDK, with every request retried by p-retry as its documentation shows it.
import OpenAI from 'openai';
import pRetry from 'p-retry';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const client = new OpenAI({ maxRetries: 0 });
const tools = Object.entries(TOOLS).map(([name, tool]) => ({
  type: 'function',
  function: { name, ...tool },
}));

await main(async () => {
  const messages = [{ role: 'user', content: TASK }];
  for (let step = 0; step < 20; step++) {
    const completion = await pRetry(
      () => client.chat.completions.create({ model: 'gpt-4o', messages, tools }),
      { retries: 5 },
    );
    const { message } = completion.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: call } of message.tool_calls) {
      let content;
      try {
        content = await pRetry(() => callTool(call.name, JSON.parse(call.arguments)), { retries: 2 });
      } catch (error) {
        content = `Error: ${error.message}`;
      }
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
  throw new Error('the model did not come to an end');
});
