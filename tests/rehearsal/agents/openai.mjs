// The OpenAI SDK alone, in a loop. Its own retries are on: two.
import OpenAI from 'openai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const client = new OpenAI();
const tools = Object.entries(TOOLS).map(([name, tool]) => ({
  type: 'function',
  function: { name, ...tool },
}));

await main(async () => {
  const messages = [{ role: 'user', content: TASK }];
  for (let step = 0; step < 20; step++) {
    const completion = await client.chat.completions.create({ model: 'gpt-4o', messages, tools });
    const { message } = completion.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: call } of message.tool_calls) {
      let content;
      try {
        content = await callTool(call.name, JSON.parse(call.arguments));
      } catch (error) {
        content = `Error: ${error.message}`;
      }
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
  throw new Error('the model did not come to an end');
});
