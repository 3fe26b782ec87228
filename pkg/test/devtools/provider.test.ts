// The faulty provider speaks so that the real SDKs understand it: whole, streamed, and every fault.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Fault, Script } from '../../../examples/faulty-provider/faults.js';
import { startFaultyProvider } from '../../../examples/faulty-provider/server.js';

const TEXT = 'Ten rivers, from source to mouth.';
const messages = [{ role: 'user' as const, content: 'x' }];

async function clients(t: TestContext, script: Partial<Script>) {
  const provider = await startFaultyProvider(script);
  t.after(() => provider.close());
  return {
    provider,
    openai: new OpenAI({ baseURL: provider.openaiUrl, apiKey: 'sk-of-nobody', maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: provider.anthropicUrl, apiKey: 'sk-of-nobody', maxRetries: 0 }),
  };
}

const fine: Fault = { kind: 'ok', text: TEXT };

test('chat completions, whole and streamed', async (t) => {
  const { openai, provider } = await clients(t, { openai: [fine, fine] });
  const whole = await openai.chat.completions.create({ model: 'gpt-5', messages });
  assert.equal(whole.choices[0]?.message.content, TEXT);
  assert.equal(whole.usage?.prompt_tokens, 24);
  let text = '';
  let finish: string | null | undefined;
  for await (const chunk of await openai.chat.completions.create({
    model: 'gpt-5',
    messages,
    stream: true,
  })) {
    text += chunk.choices[0]?.delta.content ?? '';
    finish = chunk.choices[0]?.finish_reason;
  }
  assert.equal(text, TEXT);
  assert.equal(finish, 'stop');
  assert.deepEqual(
    provider.received.map(({ path, fault }) => [path, fault]),
    [
      ['/v1/chat/completions', 'ok'],
      ['/v1/chat/completions', 'ok'],
    ],
  );
});

test('responses, whole and streamed', async (t) => {
  const { openai } = await clients(t, { openai: [fine, fine] });
  const whole = await openai.responses.create({ model: 'gpt-5', input: 'x' });
  assert.equal(whole.output_text, TEXT);
  const stream = openai.responses.stream({ model: 'gpt-5', input: 'x' });
  const types = [];
  let text = '';
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === 'response.output_text.delta') text += event.delta;
  }
  assert.equal(text, TEXT);
  assert.equal(types[0], 'response.created');
  assert.equal(types.at(-1), 'response.completed');
});

test('messages, whole and streamed', async (t) => {
  const { anthropic } = await clients(t, { anthropic: [fine, fine] });
  const request = { model: 'claude-opus-4-6', max_tokens: 100, messages };
  const whole = await anthropic.messages.create(request);
  assert.deepEqual(whole.content, [{ type: 'text', text: TEXT }]);
  const last = await anthropic.messages.stream(request).finalMessage();
  assert.deepEqual(
    last.content.map((block) => (block.type === 'text' ? block.text : '')),
    [TEXT],
  );
  assert.equal(last.stop_reason, 'end_turn');
});

test('every fault arrives as the SDKs know it', async (t) => {
  const faults: [Fault, openai: number | undefined, anthropic: number | undefined][] = [
    [{ kind: 'rate-limited', retryAfterSeconds: 2 }, 429, 429],
    [{ kind: 'quota-exceeded' }, 429, 400],
    [{ kind: 'overloaded' }, 503, 529],
    [{ kind: 'server-error' }, 500, 500],
    [{ kind: 'unauthorized' }, 401, 401],
    [{ kind: 'context-length' }, 400, 400],
    [{ kind: 'reset' }, undefined, undefined],
    [{ kind: 'stall', forMs: 50 }, undefined, undefined],
  ];
  const script = faults.map(([fault]) => fault);
  const { openai, anthropic } = await clients(t, { openai: script, anthropic: script });
  for (const [fault, openaiStatus, anthropicStatus] of faults) {
    const one = await openai.chat.completions
      .create({ model: 'gpt-5', messages })
      .catch((error: unknown) => error);
    assert.ok(one instanceof OpenAI.APIError, fault.kind);
    assert.equal(one.status, openaiStatus, fault.kind);
    const other = await anthropic.messages
      .create({ model: 'claude-opus-4-6', max_tokens: 9, messages })
      .catch((error: unknown) => error);
    assert.ok(other instanceof Anthropic.APIError, fault.kind);
    assert.equal(other.status, anthropicStatus, fault.kind);
    if (fault.kind === 'rate-limited') assert.equal(one.headers?.get('retry-after'), '2');
  }
});

test('a broken stream breaks after its chunks', async (t) => {
  const { openai } = await clients(t, { openai: [{ kind: 'broken-stream', afterChunks: 3 }] });
  let chunks = 0;
  await assert.rejects(async () => {
    for await (const _ of await openai.chat.completions.create({ model: 'gpt-5', messages, stream: true }))
      chunks += 1;
  });
  assert.equal(chunks, 3);
});
