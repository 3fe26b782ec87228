// Three clients under their policies: each provider is overloaded once, and the clients' own code knows nothing of it.
//
//   node --import tsx examples/clients.ts
//
// The providers are examples/faulty-provider, on this machine.

import Anthropic from '@anthropic-ai/sdk';
import { createPolicies } from 'halfopen';
import { guard } from 'halfopen/guard';
import OpenAI from 'openai';
import { startFaultyProvider } from './faulty-provider/server.js';

/** The lines that the example prints. */
export async function answers(): Promise<string[]> {
  const provider = await startFaultyProvider({
    openai: [{ kind: 'overloaded' }, { kind: 'ok' }, { kind: 'error-in-stream', afterChunks: 0 }],
    anthropic: [{ kind: 'overloaded' }],
  });
  const policies = createPolicies({ retry: { baseDelayMs: 20 }, timeout: { attemptMs: 10_000 } });
  const openai = guard(
    new OpenAI({ apiKey: 'sk-no-real-key', baseURL: provider.openaiUrl }),
    policies.get('openai'),
  );
  const anthropic = guard(
    new Anthropic({ apiKey: 'sk-no-real-key', baseURL: provider.anthropicUrl }),
    policies.get('anthropic'),
  );

  const whole = await openai.responses.create({ model: 'gpt-5', input: 'How is it?' });
  let streamed = '';
  const messages = [{ role: 'user' as const, content: 'How is it?' }];
  const stream = await openai.chat.completions.create({ model: 'gpt-5', messages, stream: true });
  for await (const chunk of stream) streamed += chunk.choices[0]?.delta.content ?? '';
  const claude = await anthropic.messages
    .stream({ model: 'claude-opus-4-6', max_tokens: 100, messages })
    .finalText();

  await provider.close();
  return [whole.output_text, streamed, claude, `${provider.received.length} requests`];
}

if (import.meta.url === `file://${process.argv[1]}`) for (const line of await answers()) console.log(line);
