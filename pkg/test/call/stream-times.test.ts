// The bounds of a stream: the attempt's timeout until its first chunk, silences from there on, the call's deadline all
// of it.
import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { createPolicy } from 'halfopen';
import { answerFetch } from 'halfopen/guard';
import { VirtualClock } from 'halfopen/testing';
import { onVirtualClock, rejection } from '../policy/given.js';

/** A chunk after each of these milliseconds. */
async function* flowing(clock: VirtualClock, ...gaps: readonly number[]): AsyncGenerator<number> {
  for (const [index, ms] of gaps.entries()) {
    await new Promise<void>((resolve) => clock.setTimeout(resolve, ms));
    yield index;
  }
}

/** Returns the chunks, and the message of the error that ended the stream. */
async function outcome(stream: AsyncIterable<unknown>): Promise<{ chunks: unknown[]; error?: string }> {
  const chunks: unknown[] = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
    return { chunks };
  } catch (error) {
    return { chunks, error: (error as Error).message };
  }
}

test('attemptMs ends with the first chunk: a stream that flows is not cut', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, timeout: { attemptMs: 1000 } });
  const result = outcome(policy.stream(() => flowing(clock, 900, 900, 900, 900)));
  await clock.advance(10_000);
  assert.deepEqual(await result, { chunks: [0, 1, 2, 3] });
  assert.equal(clock.pending, 0);
});

test('attemptMs bounds the wait for the first chunk, also where silences are given', async () => {
  for (const stallTimeoutMs of [undefined, 50]) {
    const { clock, policy } = onVirtualClock({ retry: false, timeout: { attemptMs: 1000 } });
    const slow = outcome(policy.stream(() => flowing(clock, 1001), { stallTimeoutMs }));
    const quick = outcome(policy.stream(() => flowing(clock, 999), { stallTimeoutMs }));
    await clock.advance(10_000);
    assert.deepEqual(await slow, { chunks: [], error: 'Attempt timed out after 1000 ms' });
    assert.deepEqual(await quick, { chunks: [0] });
  }
});

test('attemptMs bounds a check of the first chunk that does not end', async () => {
  const { clock, policy } = onVirtualClock({ retry: false, timeout: { attemptMs: 1000 } });
  const validate = (): Promise<void> => new Promise(() => {});
  const result = outcome(policy.stream(() => flowing(clock, 1), { validate }));
  await clock.advance(1000);
  assert.deepEqual(await result, { chunks: [], error: 'Attempt timed out after 1000 ms' });
});

test('without attemptMs stallTimeoutMs bounds the first chunk too, unless it has a bound of its own', async () => {
  const { clock, policy } = onVirtualClock({ retry: false });
  const stalls = outcome(policy.stream(() => flowing(clock, 101), { stallTimeoutMs: 100 }));
  const given = { stallTimeoutMs: 100, firstChunkTimeoutMs: 200 };
  const patient = outcome(policy.stream(() => flowing(clock, 101), given));
  await clock.advance(1000);
  assert.deepEqual(await stalls, { chunks: [], error: 'First chunk timed out after 100 ms' });
  assert.deepEqual(await patient, { chunks: [0] });
});

test('from the first chunk on a silence and the deadline end it, each attempt anew', async () => {
  const options = { retry: { maxRetries: 1, baseDelayMs: 0 }, timeout: { attemptMs: 100, totalMs: 1000 } };
  const { clock, policy } = onVirtualClock(options);
  let attempts = 0;
  const stalled = outcome(
    policy.stream(() => flowing(clock, 90, ...(++attempts === 1 ? [301] : [290, 290])), {
      ...{ stallTimeoutMs: 300, onBreak: 'resume' },
    }),
  );
  await clock.advance(1000);
  assert.deepEqual(await stalled, { chunks: [0, 0, 1], error: 'Call timed out after 1000 ms' });
  assert.equal(attempts, 2);
});

test('a law: a stream whose silences are below stallTimeoutMs, and its first below attemptMs, is whole', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 499 }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(gaps, fc.constantFrom('fail', 'restart', 'resume'), async (each, onBreak) => {
      const { clock, policy } = onVirtualClock({ timeout: { attemptMs: 500 } });
      const options = { stallTimeoutMs: 500, onBreak } as { stallTimeoutMs: number; onBreak: 'fail' };
      const result = outcome(policy.stream(() => flowing(clock, ...each), options));
      await clock.advance(20 * 500);
      assert.deepEqual(await result, { chunks: [...each.keys()] });
      assert.equal(policy.stats().attempts, 1);
      assert.equal(clock.pending, 0);
    }),
    { numRuns: 50 },
  );
});

test('a guard of models lets a stream be silent for two minutes, and an answer that is none take its time', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, retry: false });
  const event = (content: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
  const answering = (type: string, ...parts: readonly (readonly [number, string])[]) =>
    answerFetch(policy, undefined, async () => {
      const encoder = new TextEncoder();
      const left = [...parts];
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const next = left.shift();
          if (next === undefined) return controller.close();
          await new Promise<void>((resolve) => clock.setTimeout(resolve, next[0]));
          controller.enqueue(encoder.encode(next[1]));
        },
      });
      return new Response(body, { headers: { 'content-type': type } });
    });
  const read = async (send: typeof fetch) => (await send('http://localhost/')).text();

  const patient = read(answering('application/json', [600_000, '{"a":1}']));
  await clock.advance(600_000);
  assert.equal(await patient, '{"a":1}');

  const late = read(
    answering('text/event-stream', [600_000, event('a')], [119_999, `${event('', 'stop')}data: [DONE]\n\n`]),
  );
  await clock.advance(720_000);
  assert.match(await late, /DONE/);

  const silent = rejection(read(answering('text/event-stream', [1, event('a')], [120_001, event('b')])));
  await clock.advance(120_001);
  assert.equal((await silent).message, 'Stream timed out after 120000 ms');
});
