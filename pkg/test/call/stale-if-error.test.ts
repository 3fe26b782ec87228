// `staleIfError`: an earlier answer in place of a call that failed.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy, type PolicyOptions } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejectsWith } from '../policy/given.js';

const failing = (): Promise<never> => Promise.reject(fatal());

/** A policy that has answered 'Paris' for the key 'france'. */
async function informed<F = never>(options: PolicyOptions<F> = {}) {
  const given = onVirtualClock<F>({ staleIfError: { maxAgeMs: 1000 }, ...options });
  assert.equal(await given.policy.execute(() => 'Paris', { cacheKey: 'france' }), 'Paris');
  return given;
}

test('the last answer of the same key is returned, and said to be degraded', async () => {
  const { clock, policy } = await informed();
  await clock.advance(1000);
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france' }), 'Paris');
  assert.deepEqual(await policy.respond<string>(failing, { cacheKey: 'france' }), {
    success: true,
    result: 'Paris',
    message: 'OK',
    degraded: 'AUTHENTICATION_ERROR',
  });
});

test('each call has an answer of its own: what one caller does to it, no other one reads', async () => {
  class Order {
    readonly lines = ['one'];
  }
  const order = new Order();
  const answer = { cities: ['Paris'], order, self: {} as object };
  answer.self = answer;
  const { policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000 } });
  const first = await policy.execute(() => answer, { cacheKey: 'france' });
  first.cities.push('Lyon');
  const second = await policy.execute<typeof answer>(failing, { cacheKey: 'france' });
  assert.deepEqual(second.cities, ['Paris']);
  assert.equal(second.order, order, 'an object of a class');
  assert.equal(second.self, second);
  second.cities.push('Nice');
  assert.deepEqual((await policy.execute<typeof answer>(failing, { cacheKey: 'france' })).cities, ['Paris']);
});

test('an answer that cannot be copied is not kept, and the call succeeds', async () => {
  const { policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000 } });
  const hostile = Object.defineProperty({}, 'x', {
    enumerable: true,
    get() {
      throw new Error('no');
    },
  });
  assert.equal(await policy.execute(() => hostile, { cacheKey: 'a' }), hostile);
  await rejectsWith(policy.execute(failing, { cacheKey: 'a' }), 'AUTHENTICATION_ERROR');
});

test('not when it is older than maxAgeMs, nor of another key, nor without one', async () => {
  const { clock, policy } = await informed();
  await rejectsWith(policy.execute(failing, { cacheKey: 'spain' }), 'AUTHENTICATION_ERROR');
  await rejectsWith(policy.execute(failing), 'AUTHENTICATION_ERROR');
  await clock.advance(1001);
  await rejectsWith(policy.execute(failing, { cacheKey: 'france' }), 'AUTHENTICATION_ERROR');
});

test('its age counts from when it was kept; at maxAgeMs it is still there, whatever is kept meanwhile', async () => {
  const { clock, policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000 } });
  await clock.advance(5000);
  await policy.execute(() => 'Paris', { cacheKey: 'france' });
  await clock.advance(1000);
  await policy.execute(() => 'Madrid', { cacheKey: 'spain' });
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france' }), 'Paris');
  await clock.advance(1);
  await rejectsWith(policy.execute(failing, { cacheKey: 'france' }), 'AUTHENTICATION_ERROR');
});

test('it comes before the fallback, which answers where there is none', async () => {
  const { policy } = await informed<string>({ fallback: () => 'somewhere' });
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france' }), 'Paris');
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'spain' }), 'somewhere');
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france', fallback: () => 'own' }), 'Paris');
});

test('it stands in for refused calls and for those that pass their deadline', async () => {
  const { clock, policy } = await informed({
    bulkhead: { maxConcurrent: 1 },
    timeout: { totalMs: 100 },
  });
  const late = policy.execute<string>(deaf, { cacheKey: 'france' });
  assert.equal(await policy.execute<string>(() => 'Rome', { cacheKey: 'france' }), 'Paris');
  await clock.advance(100);
  assert.equal(await late, 'Paris');
  const isolation = policy.breaker?.isolate();
  assert.equal(await policy.execute<string>(() => 'Rome', { cacheKey: 'france' }), 'Paris');
  isolation?.dispose();
});

test('not for a cancelled call', async () => {
  const { policy } = await informed();
  const signal = AbortSignal.abort();
  await rejectsWith(policy.execute(deaf, { cacheKey: 'france', signal }), 'CANCELLED');
});

test('a validated value is kept, a fallback is not', async () => {
  const { policy } = onVirtualClock<string>({
    staleIfError: { maxAgeMs: 1000 },
    fallback: () => 'somewhere',
  });
  const cacheKey = 'france';
  await policy.execute(() => 'Lyon', { cacheKey, validate: (city) => city === 'Paris' });
  await policy.execute<string>(failing, { cacheKey });
  assert.equal(await policy.execute<string>(failing, { cacheKey }), 'somewhere');
  await policy.execute(() => 'Paris', { cacheKey, validate: (city) => city === 'Paris' });
  assert.equal(await policy.execute<string>(failing, { cacheKey }), 'Paris');
});

test('undefined and null are answers too', async () => {
  const { policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000 } });
  for (const value of [undefined, null]) {
    await policy.execute(() => value, { cacheKey: 'x' });
    assert.equal(await policy.execute<undefined | null>(failing, { cacheKey: 'x' }), value);
  }
});

test('maxEntries are kept, the oldest goes first, and what is too old goes anyway', async () => {
  const { clock, policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000, maxEntries: 2 } });
  const ask = (cacheKey: string) => policy.execute(() => cacheKey, { cacheKey });
  const earlier = (cacheKey: string) => policy.execute<string>(failing, { cacheKey }).catch(() => undefined);
  for (const key of ['a', 'b', 'a', 'c']) await ask(key);
  assert.deepEqual([await earlier('a'), await earlier('b'), await earlier('c')], ['a', undefined, 'c']);
  await clock.advance(1001);
  await ask('d');
  assert.equal(
    (policy as never as { host: { earlierAnswers: { answers: Map<string, unknown> } } }).host.earlierAnswers
      .answers.size,
    1,
  );
});

test('what can be read once is not kept', async () => {
  const { policy } = onVirtualClock({ staleIfError: { maxAgeMs: 1000 } });
  async function* chunks(): AsyncGenerator<number> {
    yield 1;
  }
  const hostile = new Proxy(
    {},
    {
      has: () => {
        throw new Error('no');
      },
    },
  );
  const cannotBeIterated = () => ({ getReader() {} });
  const ofTheAiSdk = () => ({ textStream: chunks() });
  const values = [() => new Response('x'), () => new ReadableStream(), chunks, () => hostile];
  for (const make of [...values, cannotBeIterated, ofTheAiSdk]) {
    await policy.execute<unknown>(make, { cacheKey: 'x' });
    await rejectsWith(policy.execute(failing, { cacheKey: 'x' }), 'AUTHENTICATION_ERROR');
  }
});

test('the event says how old the answer was, and the counters count a fallback', async () => {
  const { clock, policy } = await informed();
  const { events } = recordEvents(policy as never);
  await clock.advance(300);
  await policy.execute<string>(failing, { cacheKey: 'france' });
  const last = events.at(-1);
  assert.ok(last?.type === 'fallback.used');
  assert.deepEqual([last.code, last.ageMs], ['AUTHENTICATION_ERROR', 300]);
  assert.deepEqual([policy.stats().fallbacks, policy.stats().failed], [1, 1]);
});

test('an update changes how old an answer may be, and dispose forgets them', async () => {
  const { clock, policy } = await informed();
  await clock.advance(1001);
  policy.update({ staleIfError: { maxAgeMs: 2000 } });
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france' }), 'Paris');
  policy.dispose();
  await rejectsWith(policy.execute(failing, { cacheKey: 'france' }), 'CANCELLED');
});

test('a call without a key keeps nothing, so that no other answer goes for it', async () => {
  const { policy } = await informed({ staleIfError: { maxAgeMs: 1000, maxEntries: 1 } });
  await policy.execute(() => 'of no key');
  assert.equal(await policy.execute<string>(failing, { cacheKey: 'france' }), 'Paris');
});

test('a key without the option changes nothing', async () => {
  const { policy } = onVirtualClock();
  assert.equal(await policy.execute(() => 'Paris', { cacheKey: 'france' }), 'Paris');
  await rejectsWith(policy.execute(failing, { cacheKey: 'france' }), 'AUTHENTICATION_ERROR');
});

test('streams neither keep nor return one', async () => {
  const { policy } = await informed();
  for await (const _ of policy.stream(async function* () {}, { cacheKey: 'spain' }));
  await rejectsWith(policy.execute(failing, { cacheKey: 'spain' }), 'AUTHENTICATION_ERROR');
  const broken = policy.stream<number>(() => Promise.reject(new AgentError('NOT_FOUND', 'x')), {
    cacheKey: 'france',
  });
  await assert.rejects(broken.next());
});

test('wrong options are TypeErrors that say what was expected', () => {
  for (const [staleIfError, message] of [
    [{}, /option 'staleIfError.maxAgeMs' must be a number of milliseconds above 0, got undefined/],
    [{ maxAgeMs: 0 }, /option 'staleIfError.maxAgeMs' must be a number of milliseconds above 0, got 0/],
    [
      { maxAgeMs: 1, maxEntries: 0 },
      /option 'staleIfError.maxEntries' must be a whole number, 1 or more, got 0/,
    ],
    [true, /option 'staleIfError' must be an object, got true/],
  ] as const) {
    assert.throws(() => createPolicy({ staleIfError: staleIfError as never }), message);
  }
  assert.throws(
    () => createPolicy().execute(() => 1, { cacheKey: 7 as never }),
    /option 'cacheKey' must be a string, got 7/,
  );
});
