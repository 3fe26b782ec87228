// `halfopen/ai-sdk` under the real AI SDK against the faulty provider: what reaches the application, and how many requests
// reach the provider. The AI SDK's own retries are left at their default (2) where a test does not say otherwise, so that a
// second layer of retries would show.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import {
  embedMany,
  generateObject,
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  streamObject,
  streamText,
  ToolLoopAgent,
  tool,
  wrapEmbeddingModel,
  wrapLanguageModel,
} from 'ai';
import {
  AgentError,
  createPolicy,
  degrade,
  type Policy,
  type PolicyOptions,
  STREAM_RESET,
  toolResult,
} from 'halfopen';
import { failoverModel, guardCall, guardMiddleware, runSettings } from 'halfopen/ai-sdk';
import { createLedger, memoryStore } from 'halfopen/once';
import { createRun, type Run } from 'halfopen/run';
import { recordEvents } from 'halfopen/testing';
import type { Fault } from '../../examples/faulty-provider/faults.js';
import { ownTime } from '../../scripts/patience.mjs';
import { play } from '../streams/server.js';
import { failure, given, provider, quick, received, requests } from './provider.js';

/** Returns the body of the last request. */
function lastBody<T>(): T {
  return provider.received.at(-1)?.body as T;
}
const openai = () => createOpenAI({ apiKey: 'sk-test', baseURL: provider.openaiUrl });
const chat = () => openai().chat('gpt-5-mini');
const prompt = 'Say hello';
const quiet = { prompt, onError: () => {} };

/** A stream that breaks in the middle, and the words that came before. */
const broken: Fault = { kind: 'broken-stream', afterChunks: 4 };
const reported: Fault = { kind: 'error-in-stream', afterChunks: 4 };
const FIRST = 'The first words ';

async function textOf(stream: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of stream) text += piece;
  return text;
}

async function rejection(promise: PromiseLike<unknown>): Promise<AgentError> {
  const thrown = await promise.then(
    () => assert.fail('it did not reject'),
    (error: unknown) => error,
  );
  assert.ok(AgentError.is(thrown), `not an AgentError: ${thrown}`);
  return thrown;
}

describe('guardMiddleware', () => {
  const guarded = (options?: PolicyOptions, own?: Parameters<typeof guardMiddleware>[1]) => {
    const policy = quick(options);
    return { policy, model: wrapLanguageModel({ model: chat(), middleware: guardMiddleware(policy, own) }) };
  };

  test('generateText is retried, and one request goes out for each attempt', async () => {
    given({ kind: 'overloaded' }, { kind: 'server-error' });
    const { model } = guarded();
    assert.equal((await generateText({ model, prompt })).text, 'All is well.');
    assert.equal(requests(), 3);
  });

  test('a call that the policy gives up on is not retried by the AI SDK', async () => {
    given(...Array.from({ length: 3 }, (): Fault => ({ kind: 'server-error' })));
    const { model } = guarded({ retry: { maxRetries: 2, baseDelayMs: 1 } });
    const error = await rejection(generateText({ model, prompt }));
    assert.deepEqual([error.code, error.attempts, requests()], ['SERVER_ERROR', 3, 3]);
  });

  test('generateObject runs under it', async () => {
    given({ kind: 'overloaded' }, { kind: 'ok', text: '{"city":"Paris"}' });
    const { model } = guarded();
    const schema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } });
    assert.deepEqual((await generateObject({ model, prompt, schema })).object, { city: 'Paris' });
    assert.equal(requests(), 2);
  });

  test('streamObject runs under it: what failed before the first content leaves nothing behind', async () => {
    const json: Fault = { kind: 'ok', text: '{"city":"Paris"}' };
    given({ kind: 'overloaded' }, { ...reported, afterChunks: 1 }, json);
    const { model } = guarded();
    const schema = jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } });
    const { partialObjectStream, object } = streamObject({ model, prompt, schema });
    let last: unknown;
    for await (const part of partialObjectStream) last = part;
    assert.deepEqual([last, await object, requests()], [{ city: 'Paris' }, { city: 'Paris' }, 3]);
  });

  test('an embedding model runs under it', async () => {
    given({ kind: 'rate-limited', retryAfterMs: 1 });
    const model = wrapEmbeddingModel({
      model: openai().embedding('text-embedding-3-small'),
      middleware: guardMiddleware(quick()),
    });
    const { embeddings } = await embedMany({ model, values: ['a', 'b'] });
    assert.deepEqual([embeddings.length, requests()], [2, 2]);
  });

  test('every step of an agent runs under it, tools among them', async () => {
    given(
      { kind: 'overloaded' },
      { kind: 'ok', tool: { name: 'weather', input: { city: 'Paris' } } },
      { kind: 'reset' },
      { kind: 'ok', text: 'It rains.' },
    );
    const { model } = guarded();
    const asked: unknown[] = [];
    const weather = tool({
      inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
      execute: quick().wrap(async (input: { city: string }) => {
        asked.push(input.city);
        if (asked.length === 1) throw new AgentError('NETWORK_ERROR', 'no weather yet');
        return 'rain';
      }),
    });
    const agent = new ToolLoopAgent({ model, tools: { weather }, stopWhen: stepCountIs(3), maxRetries: 0 });
    const { text, steps } = await agent.generate({ prompt });
    assert.deepEqual([text, steps.length, requests(), asked], ['It rains.', 2, 4, ['Paris', 'Paris']]);
  });

  const WORDS = 'no city is named Bren; did you mean Bern?';
  const unknownCity = async (_: { city: string }): Promise<string> => {
    throw Object.assign(new Error(WORDS), { status: 404 });
  };
  const ways: Record<string, (input: { city: string }) => Promise<unknown>> = {
    'policy.wrap': quick().wrap(unknownCity),
    'toolResult(policy.wrap)': toolResult(quick().wrap(unknownCity)),
  };
  for (const [how, execute] of Object.entries(ways)) {
    test(`the model reads what a tool said through ${how}`, async () => {
      given({ kind: 'ok', tool: { name: 'weather', input: { city: 'Bren' } } }, { kind: 'ok' });
      const weather = tool({
        inputSchema: jsonSchema<{ city: string }>({
          type: 'object',
          properties: { city: { type: 'string' } },
        }),
        execute,
      });
      const { model } = guarded();
      await generateText({ model, prompt, tools: { weather }, stopWhen: stepCountIs(2), maxRetries: 0 });
      const { messages } = lastBody<{ messages: { role: string; content: unknown }[] }>();
      const read = JSON.stringify(messages.find(({ role }) => role === 'tool')?.content);
      assert.ok(read.includes(WORDS), read);
      assert.doesNotMatch(read, /rule|HTTP/);
    });
  }

  test('a refused call rejects with CIRCUIT_OPEN, and nothing is sent', async () => {
    const { policy, model } = guarded();
    policy.breaker?.isolate();
    assert.equal((await rejection(generateText({ model, prompt }))).code, 'CIRCUIT_OPEN');
    assert.equal(requests(), 0);
  });

  test("a caller's abort is passed on with its reason and counts as no failure", async () => {
    given({ kind: 'stall', forMs: 5000 });
    const { policy, model } = guarded();
    const caller = new AbortController();
    const aborted = failure(generateText({ model, prompt, abortSignal: caller.signal }));
    while (requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new DOMException('enough', 'AbortError');
    caller.abort(reason);
    assert.equal(await aborted, reason);
    assert.equal(policy.breaker?.snapshot().consecutiveFailures, 0);
    assert.equal(requests(), 1);
  });

  test('a stream that fails before its first content is retried, and repeats nothing', async () => {
    given({ kind: 'overloaded' }, { ...reported, afterChunks: 1 }, { ...broken, afterChunks: 1 });
    const { model } = guarded();
    const result = streamText({ model, ...quiet });
    const types: string[] = [];
    for await (const part of result.fullStream) types.push(part.type);
    assert.equal(await result.text, 'All is well.');
    assert.equal(requests(), 4);
    assert.deepEqual(
      types.filter((type) => type !== 'text-delta'),
      ['start', 'start-step', 'text-start', 'text-end', 'finish-step', 'finish'],
    );
  });

  for (const fault of [broken, reported]) {
    test(`${fault.kind}: after the first content the stream throws and its promises reject`, async () => {
      given(fault);
      const { policy, model } = guarded();
      const { events } = recordEvents(policy);
      const result = streamText({ model, ...quiet });
      let text = '';
      const error = await rejection(
        (async () => {
          for await (const piece of result.textStream) text += piece;
        })(),
      );
      assert.deepEqual([text, error.retryable, requests()], [FIRST, true, 1]);
      await assert.rejects(async () => result.text);
      assert.ok(events.some((event) => event.type === 'stream.broken' && event.action === 'fail'));
      assert.equal(policy.breaker?.snapshot().consecutiveFailures, 1);
    });

    test(`${fault.kind}: with 'resume' the model goes on behind what was delivered`, async () => {
      given(fault, { kind: 'ok', text: 'and the rest.' });
      const { model } = guarded({}, { onBreak: 'resume' });
      const result = streamText({ model, ...quiet });
      const types: string[] = [];
      for await (const part of result.fullStream) types.push(part.type);
      assert.equal(await result.text, `${FIRST}and the rest.`);
      assert.deepEqual(
        types.filter((type) => type !== 'text-delta'),
        ['start', 'start-step', 'text-start', 'text-end', 'finish-step', 'finish'],
      );
      const { messages } = lastBody<{ messages: { role: string; content: unknown }[] }>();
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['user', 'assistant', 'user'],
      );
      assert.equal(messages[1]?.content, FIRST);
    });
  }

  test("with 'resume' a model that begins again is heard once, and is asked in words of the application's", async () => {
    for (const again of [`${FIRST}and the rest.`, 'and the rest.']) {
      given(broken, { kind: 'ok', text: again });
      const { model } = guarded({}, { onBreak: 'resume', resumePrompt: 'Sprich weiter.' });
      const result = streamText({ model, ...quiet });
      assert.equal(await textOf(result.textStream), `${FIRST}and the rest.`);
      const { messages } = lastBody<{ messages: { content: unknown }[] }>();
      assert.match(JSON.stringify(messages.at(-1)?.content), /Sprich weiter\./);
    }
  });

  test('a stream that flows is not cut by attemptMs, which bounds its first content', async () => {
    const words = 'one two three four five six seven eight nine ten';
    given({ kind: 'ok', text: words, chunkEveryMs: 250 });
    const { model } = guarded({ retry: false, timeout: { attemptMs: 2000 } });
    assert.equal(await textOf(streamText({ model, ...quiet }).textStream), words);
    given({ kind: 'stall', forMs: 5000 });
    const late = await failure(
      (async () => {
        for await (const part of streamText({ model, ...quiet }).fullStream)
          if (part.type === 'error') throw part.error;
      })(),
    );
    assert.equal(late.message, 'Attempt timed out after 2000 ms');
  });

  test('structured output that breaks off is not resumed: half of it and the rest are no whole', async () => {
    given(broken);
    const { model } = guarded({}, { onBreak: 'resume' });
    const errors: unknown[] = [];
    const result = streamObject({
      ...{ model, prompt, schema: jsonSchema<object>({ type: 'object' }) },
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    await result.object.catch(() => {});
    const [error] = errors;
    assert.ok(AgentError.is(error), String(error));
    assert.match(error.message, /cannot be resumed after structured output/);
    assert.deepEqual([error.retryable, requests()], [false, 1]);
  });

  test('a stream that stalls is a timeout, also before its first content', async () => {
    given({ kind: 'stall', forMs: 5000 }, { kind: 'ok' });
    const { model } = guarded({}, { firstChunkTimeoutMs: 200 });
    assert.equal(await textOf(streamText({ model, ...quiet }).textStream), 'All is well.');
    assert.equal(requests(), 2);
  });

  test('a stream that was cut off, and whose provider says nothing of it, is a failure', async (t) => {
    const player = await play();
    t.after(() => player.close());
    const baseURL = `${player.origin}/openai-chat/cut`;
    const model = wrapLanguageModel({
      model: createOpenAI({ apiKey: 'sk-test', baseURL }).chat('gpt-5-mini'),
      middleware: guardMiddleware(quick()),
    });
    const error = await rejection(textOf(streamText({ model, ...quiet }).textStream));
    assert.equal(error.code, 'INVALID_RESPONSE');
  });

  test('usage, limits and the model are in the events', async () => {
    const { policy, model } = guarded();
    const { events } = recordEvents(policy);
    await textOf(streamText({ model, ...quiet }).textStream);
    await generateText({ model, prompt });
    const started = events.find((event) => event.type === 'attempt.started');
    assert.deepEqual([started?.provider, started?.model], ['openai', 'gpt-5-mini']);
    const used = events.flatMap((event) => (event.type === 'attempt.succeeded' ? [event.usage] : []));
    const names = { model: 'gpt-5-mini', provider: 'openai' };
    assert.deepEqual(used.at(-1), { inputTokens: 24, outputTokens: 3, ...names });
    assert.ok(events.some((event) => event.type === 'limits.observed'));
  });

  test('a fallback of the policy is not taken for an answer', async () => {
    given({ kind: 'unauthorized' });
    const policy = createPolicy({ retry: false, fallback: () => 'sorry' });
    const model = wrapLanguageModel({ model: chat(), middleware: guardMiddleware(policy) });
    assert.equal((await rejection(generateText({ model, prompt }))).code, 'AUTHENTICATION_ERROR');
  });

  test('wrong options are TypeErrors that name them', () => {
    const options = { onBreak: 'restart' } as unknown as Parameters<typeof guardMiddleware>[1];
    assert.throws(() => guardMiddleware(quick(), options), /onBreak/);
    assert.throws(() => guardMiddleware({} as never), /policy/);
  });
});

describe('tools that need approval', () => {
  // The AI SDK never throws to ask for approval: the request is a part of the result, and the tool is not called.
  const inputSchema = jsonSchema<{ to: string }>({ type: 'object', properties: { to: { type: 'string' } } });
  const wraps: Record<
    string,
    (
      policy: Policy<unknown>,
      run: (input: { to: string }) => Promise<string>,
    ) => (input: { to: string }) => Promise<unknown>
  > = {
    'policy.wrap': (policy, run) => policy.wrap(run),
    toolResult: (_policy, run) => toolResult(run),
    'toolResult(policy.wrap)': (policy, run) => toolResult(policy.wrap(run) as typeof run),
    degrade: (_policy, run) => (input) => degrade(() => run(input), { name: 'send', fallback: 'not sent' }),
  };
  const wants: Fault = { kind: 'ok', tool: { name: 'send', input: { to: 'Ann' } } };
  const ask = { role: 'user', content: prompt } as const;

  for (const [how, wrapped] of Object.entries(wraps)) {
    test(`${how}: the user approves first, and the tool runs once`, async () => {
      given(wants, { kind: 'overloaded' }, { kind: 'ok', text: 'Sent.' });
      const policy: Policy<unknown> = createPolicy({
        breaker: { failureThreshold: 1 },
        fallback: () => 'a fallback',
      });
      const sent: string[] = [];
      const send = tool({
        inputSchema,
        needsApproval: true,
        execute: wrapped(policy, async ({ to }) => {
          sent.push(to);
          return 'sent';
        }),
      });
      const model = wrapLanguageModel({ model: chat(), middleware: guardMiddleware(quick()) });
      const run = (messages: ModelMessage[]) =>
        guardCall(quick(), ({ signal }) =>
          generateText({
            ...{ model, tools: { send }, messages, abortSignal: signal },
            stopWhen: stepCountIs(3),
            maxRetries: 0,
          }),
        );
      const first = await run([ask]);
      const request = first.content.find((part) => part.type === 'tool-approval-request');
      assert.ok(request, JSON.stringify(first.content));
      assert.deepEqual([sent, requests()], [[], 1]);
      const { calls, failed, fallbacks } = policy.stats();
      assert.deepEqual([calls, failed, fallbacks, policy.breaker?.state], [0, 0, 0, 'closed']);

      const { approvalId } = request;
      const second = await run([
        ...[ask, ...first.response.messages],
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved: true }] },
      ]);
      assert.deepEqual([second.text, sent, requests()], ['Sent.', ['Ann'], 3]);
    });
  }

  test('a stream under a guard asks too', async () => {
    given({ kind: 'overloaded' }, wants);
    const send = tool({
      inputSchema,
      needsApproval: true,
      execute: quick().wrap((_: { to: string }): Promise<string> => assert.fail('it ran')),
    });
    const { fullStream } = guardCall(quick(), ({ signal }) =>
      streamText({ model: chat(), ...quiet, tools: { send }, abortSignal: signal, maxRetries: 0 }),
    );
    const types: string[] = [];
    for await (const part of fullStream) if (typeof part === 'object') types.push(part.type);
    assert.equal(types.filter((type) => type === 'tool-approval-request').length, 1, `${types}`);
  });

  test('an approval that nobody asked for is an error of the messages: not tried again, no failure of the provider', async () => {
    const policy = quick({ breaker: { failureThreshold: 1 } });
    const send = tool({ inputSchema, needsApproval: true, execute: () => assert.fail('it ran') as string });
    let runs = 0;
    const error = await rejection(
      policy.execute(() => {
        runs += 1;
        return generateText({
          model: chat(),
          tools: { send },
          messages: [
            ask,
            {
              role: 'tool',
              content: [{ type: 'tool-approval-response', approvalId: 'forged', approved: true }],
            },
          ],
          maxRetries: 0,
        });
      }),
    );
    assert.deepEqual([error.code, error.retryable, runs, requests()], ['VALIDATION_ERROR', false, 1, 0]);
    assert.equal(policy.breaker?.state, 'closed');
  });

  test("an abort within a tool is the user's: it runs once, and neither its breaker nor its fallback knows of it", async () => {
    given(wants);
    const policy: Policy<unknown> = createPolicy({
      breaker: { failureThreshold: 1 },
      fallback: () => 'a fallback',
    });
    const caller = new AbortController();
    let runs = 0;
    const send = tool({
      inputSchema,
      execute: policy.wrap(async (_input: { to: string }, { abortSignal }: { abortSignal?: AbortSignal }) => {
        runs += 1;
        setTimeout(() => caller.abort(), 5);
        await once(abortSignal as AbortSignal, 'abort');
        abortSignal?.throwIfAborted();
        return 'never';
      }),
    });
    const thrown = await failure(
      generateText({
        ...{ model: chat(), tools: { send }, prompt, abortSignal: caller.signal },
        stopWhen: stepCountIs(2),
        maxRetries: 0,
      }),
    );
    assert.equal(thrown.name, 'AbortError');
    const { failed, cancelled, fallbacks } = policy.stats();
    assert.deepEqual([runs, failed, cancelled, fallbacks], [1, 0, 1, 0]);
    assert.equal(policy.breaker?.state, 'closed');
  });
});

describe('failoverModel', () => {
  const models = (options: PolicyOptions<never> = {}, own?: Parameters<typeof failoverModel>[1]) => {
    const first = quick({ name: 'first', ...options });
    const second = quick({ name: 'second' });
    const targets = [
      { model: chat(), policy: first },
      { model: openai().chat('gpt-5-nano'), policy: second },
    ];
    return { first, second, model: failoverModel(targets, own) };
  };
  const asked = () => received().map(({ body }) => (body as { model: string }).model);

  test('the next model answers when the policy of the first gives up', async () => {
    given({ kind: 'server-error' }, { kind: 'server-error' });
    const { model } = models({ retry: { maxRetries: 1, baseDelayMs: 1 } });
    assert.equal((await generateText({ model, prompt })).text, 'All is well.');
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-mini', 'gpt-5-nano']);
  });

  test('the next model answers at once where the first asks for a long wait, and a short one is waited for', async () => {
    given({ kind: 'rate-limited', retryAfterSeconds: 30 }, { kind: 'ok' });
    const { model, first } = models({}, { stayMs: 0 });
    const { events } = recordEvents(first);
    const took = ownTime();
    await generateText({ model, prompt });
    assert.ok(took() < 2000);
    given({ kind: 'rate-limited', retryAfterMs: 20 });
    await textOf(streamText({ model, ...quiet }).textStream);
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-nano', 'gpt-5-mini', 'gpt-5-mini']);
    const switched = events.filter((event) => event.type === 'failover.switched');
    assert.deepEqual(
      switched.map(({ from, to, code }) => [from, to, code]),
      [['first', 'second', 'RATE_LIMITED']],
    );
  });

  test('a first model that hangs delays the second by one attempt', async () => {
    given({ kind: 'stall', forMs: 5000 }, { kind: 'ok' }, { kind: 'stall', forMs: 5000 }, { kind: 'ok' });
    const { model } = models({ retry: { baseDelayMs: 1 }, timeout: { attemptMs: 500 } }, { stayMs: 0 });
    const took = ownTime();
    await textOf(streamText({ model, ...quiet }).textStream);
    await generateText({ model, prompt });
    assert.ok(took() < 3000);
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-nano', 'gpt-5-mini', 'gpt-5-nano']);
  });

  test('a model that is overloaded in the middle of its stream is tried once more, then the next goes on', async () => {
    given(reported, reported, { kind: 'ok', text: 'and the rest.' });
    const { model } = models({ retry: { baseDelayMs: 100 } }, { onBreak: 'resume' });
    const took = ownTime();
    const text = await textOf(streamText({ model, ...quiet }).textStream);
    assert.ok(took() < 1000);
    assert.equal(text, `${FIRST}and the rest.`);
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-mini', 'gpt-5-nano']);
  });

  test('an abort rejects with its reason', async () => {
    given({ kind: 'stall', forMs: 5000 });
    const { model } = models();
    const caller = new AbortController();
    const aborted = failure(generateText({ model, prompt, abortSignal: caller.signal }));
    while (requests() === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const reason = new DOMException('enough', 'AbortError');
    caller.abort(reason);
    assert.equal(await aborted, reason);
    assert.equal(requests(), 1);
  });

  test('a policy without retries gets none by that', async () => {
    given({ kind: 'server-error' });
    const { model } = models({ retry: false });
    await generateText({ model, prompt });
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-nano']);
  });

  test('a model whose breaker is open is passed over', async () => {
    const { model, first } = models();
    first.breaker?.isolate();
    await generateText({ model, prompt });
    assert.deepEqual(asked(), ['gpt-5-nano']);
  });

  test('a stream fails over until its first content, and repeats nothing', async () => {
    given({ ...reported, afterChunks: 1 });
    const { model } = models({ retry: false });
    const result = streamText({ model, ...quiet });
    assert.equal(await textOf(result.textStream), 'All is well.');
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-nano']);
  });

  test('a stream that breaks off fails, or goes on with the next model', async () => {
    given(broken);
    await assert.rejects(textOf(streamText({ model: models({ retry: false }).model, ...quiet }).textStream));
    given(broken, { kind: 'ok', text: 'and the rest.' });
    const { model } = models({ retry: false }, { onBreak: 'resume' });
    assert.equal(await textOf(streamText({ model, ...quiet }).textStream), `${FIRST}and the rest.`);
    assert.deepEqual(asked(), ['gpt-5-mini', 'gpt-5-mini', 'gpt-5-nano']);
  });

  test("when all fail, the error is the last one's, with those of all", async () => {
    given({ kind: 'overloaded' }, { kind: 'server-error' });
    const targets = [0, 1].map(() => ({ model: chat(), policy: quick({ retry: false }) }));
    const error = await rejection(generateText({ model: failoverModel(targets), prompt }));
    assert.deepEqual(
      [error.code, error.errors.map(({ code }) => code), requests()],
      ['SERVER_ERROR', ['PROVIDER_OVERLOADED', 'SERVER_ERROR'], 2],
    );
  });

  test('embedding models are joined too', async () => {
    given({ kind: 'server-error' });
    const model = failoverModel(
      [0, 1].map(() => ({ model: openai().embedding('e'), policy: quick({ retry: false }) })),
    );
    assert.equal((await embedMany({ model, values: ['a', 'b'] })).embeddings.length, 2);
    assert.equal(requests(), 2);
  });

  test('ids, other versions and policies with a fallback are TypeErrors', () => {
    assert.throws(() => failoverModel([]), /one target or more/);
    assert.throws(() => failoverModel([{ model: 'openai/gpt-5', policy: quick() }]), /model object/);
    const model = chat();
    const old = { ...model, specificationVersion: 'v2' } as unknown as typeof model;
    const both = [model, old].map((one) => ({ model: one, policy: quick() }));
    assert.throws(() => failoverModel(both), /specification version/);
    const policy = createPolicy({ fallback: () => 'x' }) as unknown as ReturnType<typeof quick>;
    assert.throws(() => failoverModel([{ model, policy }]), /fallback/);
  });
});

describe('guardCall', () => {
  const call = (options: Parameters<typeof guardCall>[2] = {}, policy = quick()) =>
    guardCall(
      policy,
      ({ signal }) => streamText({ model: chat(), ...quiet, abortSignal: signal, maxRetries: 0 }),
      options,
    );

  test('a promise: generateText and generateObject are retried', async () => {
    given({ kind: 'overloaded' }, { kind: 'ok' }, { kind: 'reset' }, { kind: 'ok', text: '{"a":1}' });
    const common = { model: chat(), prompt, maxRetries: 0 };
    const { text } = await guardCall(quick(), ({ signal }) =>
      generateText({ ...common, abortSignal: signal }),
    );
    const schema = jsonSchema<{ a: number }>({ type: 'object' });
    const { object } = await guardCall(quick(), ({ signal }) =>
      generateObject({ ...common, schema, abortSignal: signal }),
    );
    assert.deepEqual([text, object, requests()], ['All is well.', { a: 1 }, 4]);
  });

  test('a promise rejects with the AgentError: by then, catch and finally', async () => {
    const policy = quick();
    policy.breaker?.isolate();
    const made = guardCall(policy, () => generateText({ model: chat(), prompt }));
    assert.equal((await rejection(made)).code, 'CIRCUIT_OPEN');
    assert.equal(await made.catch(() => 'caught'), 'caught');
    let isOver = false;
    await assert.rejects(
      made.finally(() => {
        isOver = true;
      }),
    );
    assert.deepEqual([isOver, requests()], [true, 0]);
  });

  test('what fails before the first content has reached nobody', async () => {
    given({ kind: 'overloaded' }, { ...reported, afterChunks: 1 }, { ...broken, afterChunks: 1 });
    const result = call();
    const types: string[] = [];
    for await (const part of result.fullStream) types.push((part as { type: string }).type);
    assert.deepEqual([types.filter((type) => type === 'start').length, types.includes('error')], [1, false]);
    assert.deepEqual(
      [await result.text, await result.finishReason, (await result.usage).outputTokens, requests()],
      ['All is well.', 'stop', 3, 4],
    );
  });

  test('a promise of the result alone runs the call to its end', async () => {
    given({ kind: 'server-error' });
    const { text, steps } = call();
    assert.deepEqual([await text, (await steps).length, requests()], ['All is well.', 1, 2]);
  });

  for (const fault of [broken, reported]) {
    test(`${fault.kind} with 'fail': streams throw and promises reject with the AgentError`, async () => {
      given(fault);
      const result = call();
      let text = '';
      const error = await rejection(
        (async () => {
          for await (const piece of result.textStream) text += String(piece);
        })(),
      );
      assert.deepEqual([text, error.metadata.received !== undefined], [FIRST, true]);
      await rejection(result.text);
      await rejection(result.usage);
      assert.equal(requests(), 1);
    });

    test(`${fault.kind} with 'restart': STREAM_RESET, then the whole again`, async () => {
      given(fault);
      const result = guardCall(
        quick(),
        ({ signal }) => streamText({ model: chat(), ...quiet, abortSignal: signal, maxRetries: 0 }),
        { onBreak: 'restart' },
      );
      // By its type too a piece may be the reset.
      const pieces: (string | typeof STREAM_RESET)[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      const reset = pieces.indexOf(STREAM_RESET);
      assert.equal(pieces.slice(0, reset).join(''), FIRST);
      assert.equal(pieces.slice(reset + 1).join(''), 'All is well.');
      assert.deepEqual([await result.text, requests()], ['All is well.', 2]);
    });
  }

  describe("'restart' of an agent whose second step breaks off", () => {
    /** An agent that charges in its first step, and whose second breaks off in the middle. */
    const charging = (models: () => ReturnType<typeof chat>, onBreak = 'restart' as const, run?: Run) => {
      let charges = 0;
      const charge = tool({
        inputSchema: jsonSchema<{ euros: number }>({ type: 'object' }),
        execute: ({ euros }) => {
          charges++;
          return `charged ${euros}`;
        },
      });
      given({ kind: 'ok', tool: { name: 'charge', input: { euros: 9 } } }, broken, {
        kind: 'ok',
        text: 'You paid 9 euros.',
      });
      const result = guardCall(
        quick(),
        ({ signal }) => {
          const settings = {
            ...{ model: models(), ...quiet, abortSignal: signal, maxRetries: 0 },
            ...{ tools: { charge }, stopWhen: stepCountIs(4) },
          };
          return streamText(run === undefined ? settings : runSettings(run, settings));
        },
        { onBreak },
      );
      return { result, charges: () => charges };
    };
    const guardedChat = () =>
      wrapLanguageModel({ model: chat(), middleware: guardMiddleware(quick({ name: 'model' })) });

    test('the step is repeated, no tool runs again, and what was done is kept', async () => {
      const { result, charges } = charging(guardedChat as never);
      const parts: unknown[] = [];
      for await (const part of result.fullStream) parts.push(part);
      const reset = parts.indexOf(STREAM_RESET);
      const types = (some: unknown[]) => some.map((part) => (part as { type: string }).type);
      const again = types(parts.slice(reset + 1));
      assert.ok(reset > 0);
      assert.equal(again.filter((type) => type === 'start').length, 1);
      assert.equal(again.filter((type) => type === 'finish-step').length, 2);
      assert.equal(again.filter((type) => type === 'tool-result').length, 1);
      assert.deepEqual([charges(), requests()], [1, 3]);
      const sent = lastBody<{ messages: { role: string }[] }>().messages.map(({ role }) => role);
      assert.deepEqual(sent, ['user', 'assistant', 'tool']);
    });

    test('promises of the result are of all steps', async () => {
      const { result, charges } = charging(guardedChat as never);
      assert.equal(await result.text, 'You paid 9 euros.');
      const steps = await result.steps;
      assert.equal(steps.length, 2);
      assert.deepEqual(
        [steps[0]?.toolCalls[0]?.toolName, steps[0]?.toolResults[0]?.output, steps[1]?.text],
        ['charge', 'charged 9', 'You paid 9 euros.'],
      );
      const { messages } = await result.response;
      assert.deepEqual(
        messages.map(({ role }) => role),
        ['assistant', 'tool', 'assistant'],
      );
      assert.equal(charges(), 1);
    });

    test('texts, and streams for user interfaces, have it once', async () => {
      const { result } = charging(guardedChat as never);
      const ui = (async () => {
        const chunks: string[] = [];
        for await (const { type } of result.toUIMessageStream()) chunks.push(type);
        return chunks.slice(chunks.indexOf('data-halfopen-reset') + 1);
      })();
      const pieces: unknown[] = [];
      for await (const piece of result.textStream) pieces.push(piece);
      assert.equal(pieces.slice(pieces.indexOf(STREAM_RESET) + 1).join(''), 'You paid 9 euros.');
      const again = await ui;
      assert.equal(again.filter((type) => type === 'start').length, 1);
      assert.equal(again.filter((type) => type === 'tool-output-available').length, 1);
      assert.equal(again.filter((type) => type === 'finish-step').length, 2);
    });

    test('without a guarded model no tool runs again either: the call fails', async () => {
      const { result, charges } = charging(chat);
      const error = await rejection(result.text);
      // The answer that was not called for.
      await generateText({ model: chat(), prompt });
      assert.deepEqual([error.code, charges(), requests() - 1], ['NETWORK_ERROR', 1, 2]);
    });

    test('a step that breaks behind the result of a tool is not repeated', async () => {
      let calls = 0;
      const parts = ['start', 'start-step', 'tool-call', 'tool-result', 'error'];
      const result = guardCall(
        quick(),
        () => {
          calls++;
          const fullStream = new ReadableStream({
            start(stream) {
              for (const type of parts) stream.enqueue({ type, error: new TypeError('fetch failed') });
              stream.close();
            },
          });
          return { fullStream, textStream: fullStream, text: '' };
        },
        { onBreak: 'restart' },
      );
      assert.equal((await rejection(result.text as never)).code, 'NETWORK_ERROR');
      assert.equal(calls, 1);
    });

    test('in a run too the step is repeated, and no tool runs again', async () => {
      const { result, charges } = charging(guardedChat as never, 'restart', createRun());
      assert.equal(await result.text, 'You paid 9 euros.');
      assert.deepEqual([charges(), requests()], [1, 3]);
    });

    test('a first step that breaks is repeated too, and its tool runs once', async () => {
      const { result, charges } = charging(guardedChat as never);
      given({ kind: 'broken-stream', afterChunks: 1 }); // before the faults of the others
      assert.equal(await result.text, 'You paid 9 euros.');
      assert.deepEqual([charges(), requests()], [1, 4]);
    });
  });

  test("with 'resume' the next attempt knows what was delivered", async () => {
    given(broken, { kind: 'ok', text: 'and the rest.' });
    const seen: string[] = [];
    const result = guardCall(
      quick(),
      ({ signal, received }) => {
        const text = received.map((part) => (part.type === 'text-delta' ? part.text : '')).join('');
        seen.push(text);
        return streamText({ model: chat(), ...quiet, abortSignal: signal, maxRetries: 0 });
      },
      { onBreak: 'resume' },
    );
    assert.equal(await textOf(result.textStream), `${FIRST}and the rest.`);
    assert.deepEqual([seen, await result.text], [['', FIRST], 'and the rest.']);
  });

  test("the call's own timeout is a failure, and is retried", async () => {
    given({ kind: 'stall', forMs: 20_000 });
    const result = guardCall(quick(), ({ signal }) =>
      streamText({ model: chat(), ...quiet, abortSignal: signal, maxRetries: 0, timeout: 2000 }),
    );
    assert.deepEqual([await textOf(result.textStream), requests()], ['All is well.', 2]);
  });

  test('the time that a tool takes is no silence of the model', async () => {
    given({ kind: 'ok', tool: { name: 'weather', input: {} } }, { kind: 'ok', text: 'It rains.' });
    const weather = tool({
      inputSchema: jsonSchema<object>({ type: 'object' }),
      execute: async () => {
        await new Promise((resolve) => setTimeout(resolve, 2500));
        return 'rain';
      },
    });
    const options = { retry: false, timeout: { attemptMs: 2000 } } as const;
    const result = guardCall(
      quick(options),
      ({ signal }) =>
        streamText({
          ...{ model: chat(), ...quiet, abortSignal: signal, maxRetries: 0 },
          ...{ tools: { weather }, stopWhen: stepCountIs(2) },
        }),
      { stallTimeoutMs: 1000 },
    );
    assert.equal(await textOf(result.textStream), 'It rains.');
  });

  test("the policy's timeouts bound each attempt", async () => {
    given({ kind: 'stall', forMs: 5000 });
    const result = call({ firstChunkTimeoutMs: 200 });
    assert.deepEqual([await result.text, requests()], ['All is well.', 2]);
  });

  test("an agent's stream, whose result is a promise", async () => {
    given({ kind: 'overloaded' });
    const agent = new ToolLoopAgent({ model: chat(), maxRetries: 0 });
    const result = await guardCall(quick(), ({ signal }) => agent.stream({ prompt, abortSignal: signal }));
    assert.deepEqual([await textOf(result.textStream), requests()], ['All is well.', 2]);
  });

  test('a model guarded by a policy inside is not retried once more', async () => {
    given(...Array.from({ length: 3 }, (): Fault => ({ kind: 'server-error' })));
    const inner = quick({ retry: { maxRetries: 2, baseDelayMs: 1 } });
    const model = wrapLanguageModel({ model: chat(), middleware: guardMiddleware(inner) });
    const result = guardCall(quick(), ({ signal }) => streamText({ model, ...quiet, abortSignal: signal }));
    assert.deepEqual([(await rejection(result.text)).code, requests()], ['SERVER_ERROR', 3]);
  });

  test('leaving the stream aborts the attempt and is no failure', async () => {
    given({ kind: 'ok', text: 'one two three four five six seven', chunkEveryMs: 30 });
    const policy = quick();
    const { events } = recordEvents(policy);
    for await (const _ of call({}, policy).textStream) break;
    assert.equal(policy.breaker?.snapshot().consecutiveFailures, 0);
    assert.ok(events.some((event) => event.type === 'call.succeeded' && event.closedEarly === true));
  });

  test('responses for user interfaces: the parts of the final attempt', async () => {
    given({ kind: 'overloaded' });
    const response = call().toUIMessageStreamResponse();
    assert.equal(response.headers.get('x-vercel-ai-ui-message-stream'), 'v1');
    const body = await response.text();
    assert.match(body, /"type":"text-delta"/);
    assert.match(body, /data: \[DONE\]/);
    assert.equal(body.split('"type":"start"').length, 2);
    assert.equal(await call().toTextStreamResponse().text(), 'All is well.');
    assert.equal(requests(), 3);
  });

  test('a stream for user interfaces ends with a message for users', async () => {
    given({ kind: 'unauthorized' });
    const body = await call().toUIMessageStreamResponse().text();
    const line = body.split('\n').find((one) => one.includes('"type":"error"')) ?? '';
    const { errorText } = JSON.parse(line.slice('data: '.length)) as { errorText: string };
    assert.doesNotMatch(errorText, /sk-test|401/);
    assert.ok(errorText.length > 20);
    assert.equal(requests(), 1);
  });

  test("responses written to Node's own: the parts of the final attempt", async () => {
    given({ kind: 'overloaded' }, { kind: 'ok' }, { kind: 'overloaded' });
    const server = createServer((request, response) => {
      if (request.url === '/ui') call().pipeUIMessageStreamToResponse(response);
      else call().pipeTextStreamToResponse(response, { headers: { 'x-own': 'yes' } });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const body = await (await fetch(`${url}/ui`)).text();
    assert.deepEqual([body.split('"type":"start"').length, body.includes('[DONE]')], [2, true]);
    const answer = await fetch(`${url}/text`);
    assert.deepEqual(
      [answer.headers.get('x-own'), await answer.text(), requests()],
      ['yes', 'All is well.', 4],
    );
    server.closeAllConnections();
    server.close();
  });

  test("a stream for user interfaces says where it begins again, for 'restart'", async () => {
    given(broken);
    const body = await call({ onBreak: 'restart' }).toUIMessageStreamResponse().text();
    assert.match(body, /data-halfopen-reset/);
    assert.doesNotMatch(body, /"type":"error"/);
  });

  test('nobody who reads nothing hears of a failure', async () => {
    given({ kind: 'unauthorized' });
    const result = call();
    await result.consumeStream();
    assert.equal(requests(), 1);
  });
});

describe('a tool that acts once', () => {
  const refunding: Fault = { kind: 'ok', tool: { name: 'refund', input: { charge: 'ch_1', cents: 500 } } };
  type Order = { charge: string; cents: number };

  function billing(pay: (order: Order) => Promise<{ id: string }>) {
    const acts: string[] = [];
    const store = memoryStore();
    /** The agent in another process. */
    const agent = () => {
      const ledger = createLedger({ store, secret: 's' });
      const refund = tool({
        inputSchema: jsonSchema<Order>({ type: 'object' }),
        execute: ledger.once(
          'refund',
          async function (order: Order, { abortSignal: _ }: { abortSignal?: AbortSignal | undefined }) {
            acts.push(this.key);
            return pay(order);
          },
          { key: ({ charge, cents }) => [charge, cents] },
        ),
      });
      return () => generateText({ model: chat(), prompt, tools: { refund }, stopWhen: stepCountIs(5) });
    };
    return { agent, acts };
  }
  const answersOfTools = () =>
    lastBody<{ messages: { role: string; content: string }[] }>().messages.flatMap(({ role, content }) =>
      role === 'tool' ? [content] : [],
    );

  test('with new call ids, in another run and in another process, the result of the first is there', async () => {
    const { agent, acts } = billing(async () => ({ id: 're_1' }));
    given(refunding, refunding, { kind: 'ok' });
    await agent()();
    assert.deepEqual(answersOfTools(), ['{"id":"re_1"}', '{"id":"re_1"}']);
    given(refunding, { kind: 'ok' });
    await agent()();
    assert.deepEqual([answersOfTools(), acts.length], [['{"id":"re_1"}'], 1]);
  });

  test('where its outcome is unknown, the model reads that it must not try again', async () => {
    const { agent, acts } = billing(async () => {
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    });
    given(refunding, refunding, { kind: 'ok' });
    await agent()();
    const unknown = /It is not known whether refund was carried out\. Do not try it again, .* Ask the user/;
    const read = answersOfTools();
    assert.deepEqual([read.length, acts.length], [2, 1]);
    for (const answer of read) assert.match(answer, unknown);
  });
});
