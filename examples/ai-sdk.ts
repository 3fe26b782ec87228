// A streaming answer by the AI SDK, with failover: the first provider asks for a long wait, the second answers.
//
//   node --import tsx examples/ai-sdk.ts
//
// Both providers are examples/faulty-provider, on this machine.

import { createOpenAI } from '@ai-sdk/openai';
import { streamText } from 'ai';
import { createPolicy, onEvent } from 'halfopen';
import { failoverModel, guardCall } from 'halfopen/ai-sdk';
import { startFaultyProvider } from './faulty-provider/server.js';

/** The lines that the example prints. */
export async function answer(): Promise<string[]> {
  const lines: string[] = [];
  const provider = await startFaultyProvider({ openai: [{ kind: 'rate-limited', retryAfterSeconds: 30 }] });
  const openai = createOpenAI({
    apiKey: process.env.OPENAI_API_KEY ?? 'sk-no-real-key',
    baseURL: provider.openaiUrl,
  });
  const stop = onEvent((event) => {
    if (event.type === 'failover.switched') lines.push(`${event.from} → ${event.to}: ${event.code}`);
  });

  const model = failoverModel([
    { model: openai.chat('gpt-5'), policy: createPolicy({ name: 'first' }) },
    { model: openai.chat('gpt-5-mini'), policy: createPolicy({ name: 'second' }) },
  ]);
  const result = guardCall(createPolicy({ name: 'answer' }), ({ signal }) =>
    streamText({ model, prompt: 'How is it?', abortSignal: signal, maxRetries: 0, onError: () => {} }),
  );
  let text = '';
  for await (const piece of result.textStream) text += piece;
  lines.push(text, `${provider.received.length} requests`);

  stop();
  await provider.close();
  return lines;
}

if (import.meta.url === `file://${process.argv[1]}`) for (const line of await answer()) console.log(line);
