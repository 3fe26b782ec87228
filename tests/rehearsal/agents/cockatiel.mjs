// The OpenAI SDK, with requests and tools under policies of cockatiel: a timeout, retries with backoff, and a circuit breaker.
import {
  ConsecutiveBreaker,
  circuitBreaker,
  ExponentialBackoff,
  handleAll,
  retry,
  TimeoutStrategy,
  timeout,
  wrap,
} from 'cockatiel';
import OpenAI from 'openai';
import { callTool, main, TASK, TOOLS } from './tools.mjs';

const client = new OpenAI({ maxRetries: 0 });
const policy = () =>
  wrap(
    retry(handleAll, { maxAttempts: 4, backoff: new ExponentialBackoff() }),
    circuitBreaker(handleAll, { halfOpenAfter: 10_000, breaker: new ConsecutiveBreaker(5) }),
    timeout(30_000, TimeoutStrategy.Aggressive),
  );
const models = policy();
const services = policy();
const tools = Object.entries(TOOLS).map(([name, tool]) => ({
  type: 'function',
  function: { name, ...tool },
}));

await main(async () => {
  const messages = [{ role: 'user', content: TASK }];
  for (let step = 0; step < 20; step++) {
    const completion = await models.execute(({ signal }) =>
      client.chat.completions.create({ model: 'gpt-4o', messages, tools }, { signal }),
    );
    const { message } = completion.choices[0];
    messages.push(message);
    if (!message.tool_calls?.length) return message.content;
    for (const { id, function: call } of message.tool_calls) {
      let content;
      try {
        content = await services.execute(({ signal }) =>
          callTool(call.name, JSON.parse(call.arguments), { signal }),
        );
      } catch (error) {
        content = `Error: ${error.message}`;
      }
      messages.push({ role: 'tool', tool_call_id: id, content });
    }
  }
  throw new Error('the model did not come to an end');
});
