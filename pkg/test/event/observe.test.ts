// An operation's observations of the provider's limits: always shown, and counted if a rate limit is set.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock, rejectsWith } from '../policy/given.js';

type Observed = Extract<HalfopenEvent, { type: 'limits.observed' }>;

const spent = {
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': '0',
  'x-ratelimit-reset-requests': '10s',
};

/** Returns the limits that an attempt shows for these headers. */
async function shown(headers: unknown, provider?: string): Promise<Observed[]> {
  const { clock, policy } = onVirtualClock(provider === undefined ? {} : { provider });
  await clock.advance(1_795_305_600_000); // 2026-11-22T00:00:00Z
  const { events } = recordEvents(policy);
  await policy.execute((context) => context.observe({ headers }));
  return events.filter((event): event is Observed => event.type === 'limits.observed');
}

test('observe may be taken out of the context', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await policy.execute(({ observe }) => observe({ headers: spent, usage: { inputTokens: 3 } }));
  const succeeded = events.find((event) => event.type === 'attempt.succeeded');
  assert.deepEqual(succeeded?.usage, { inputTokens: 3 });
  assert.ok(events.some((event) => event.type === 'limits.observed'));
});

test('"remaining 0, reset in 10 s" delays the next attempt, up to maxWaitMs', async () => {
  const rateLimit = { limit: 100, windowMs: 1000, maxWaitMs: 15_000 };
  const { clock, policy } = onVirtualClock({ rateLimit });
  await policy.execute((context) => context.observe({ headers: spent }));
  let began: number | undefined;
  const next = policy.execute(() => {
    began = clock.now();
  });
  await clock.advance(9999);
  assert.equal(began, undefined);
  await clock.advance(1);
  await next;
  assert.equal(began, 10_000);
});

test('a longer wait is CAPACITY_EXCEEDED with the wait, for another call and for a retry', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 100, windowMs: 1000, maxWaitMs: 8000 } });
  const refused = rejectsWith(
    policy.execute((context) => {
      context.observe({ headers: spent });
      throw Object.assign(new Error('down'), { status: 500 });
    }),
    'CAPACITY_EXCEEDED',
  );
  const other = await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(other.retryAfterMs, 10_000);
  await clock.advance(1000); // The backoff: 9 s are left.
  assert.equal((await refused).retryAfterMs, 9000);
});

test('the remainder is counted down until the reset, and a newer answer replaces it', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 100, windowMs: 1000 } });
  const left = (remaining: number) => ({
    headers: { 'ratelimit-limit': '60', 'ratelimit-remaining': `${remaining}`, 'ratelimit-reset': '10' },
  });
  await policy.execute((context) => context.observe(left(2)));
  await policy.execute(() => 1);
  await policy.execute(() => 2);
  const refused = await rejectsWith(
    policy.execute(() => 3),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(refused.retryAfterMs, 10_000);
  await clock.advance(10_000);
  await policy.execute((context) => context.observe(left(0)));
  await rejectsWith(
    policy.execute(() => 4),
    'CAPACITY_EXCEEDED',
  );
  policy.update({ rateLimit: undefined });
});

test('tokens that are used up delay too; those that are left do not', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 100, windowMs: 1000 } });
  const tokens = (remaining: string) => ({
    headers: {
      'anthropic-ratelimit-output-tokens-limit': '8000',
      'anthropic-ratelimit-output-tokens-remaining': remaining,
      'anthropic-ratelimit-output-tokens-reset': new Date(7000).toISOString(),
    },
  });
  await policy.execute((context) => context.observe(tokens('5')));
  await policy.execute((context) => context.observe(tokens('0')));
  const refused = await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(refused.retryAfterMs, 7000);
});

test('a call that waits for its turn starts when a newer answer states that there is room', async () => {
  const { clock, policy } = onVirtualClock({ rateLimit: { limit: 100, windowMs: 1000, maxWaitMs: 60_000 } });
  let observe: (left: string) => void = () => {};
  const long = policy.execute(
    (context) =>
      new Promise<void>((resolve) => {
        observe = (left) => {
          context.observe({ headers: { ...spent, 'x-ratelimit-remaining-requests': left } });
          if (left !== '0') resolve();
        };
      }),
  );
  observe('0');
  const waiting = policy.execute(() => clock.now());
  await clock.advance(3000);
  observe('7');
  assert.equal(await waiting, 3000);
  await long;
});

test('without a rate limit they are only shown', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await policy.execute((context) => context.observe({ headers: spent }));
  assert.equal(await policy.execute(() => 1), 1);
  assert.equal(events.filter((event) => event.type === 'limits.observed').length, 1);
});

test('unknown senders are unknown; known ones are named by what only they send, or by the policy', async () => {
  const limits = { 'X-RateLimit-Limit': '5', 'X-RateLimit-Remaining': '4', 'X-RateLimit-Reset': '1' };
  const name = async (headers: unknown, provider?: string) => (await shown(headers, provider))[0]?.provider;
  assert.equal(await name(limits), 'unknown');
  assert.equal(await name({ ...limits, 'openai-version': '2020-10-01' }), 'openai');
  assert.equal(await name(Object.entries({ ...limits, 'x-groq-region': 'us' })), 'groq');
  assert.equal(await name(new Map(Object.entries(limits)), 'mistral'), 'mistral');
});

test("Anthropic's input and output tokens are read: of one unit the tightest is shown", async () => {
  const headers = new Headers();
  for (const [family, limit, remaining, second] of [
    ['requests', 50, 49, 1],
    ['input-tokens', 80_000, 79_000, 2],
    ['output-tokens', 16_000, 1000, 3],
  ]) {
    headers.set(`anthropic-ratelimit-${family}-limit`, `${limit}`);
    headers.set(`anthropic-ratelimit-${family}-remaining`, `${remaining}`);
    headers.set(`anthropic-ratelimit-${family}-reset`, `2026-11-22T00:00:0${second}Z`);
  }
  assert.deepEqual(
    (await shown(headers)).map((event) => [
      event.provider,
      event.unit,
      event.limit,
      event.remaining,
      event.resetAt,
    ]),
    [
      ['anthropic', 'requests', 50, 49, 1_795_305_601_000],
      ['anthropic', 'tokens', 16_000, 1000, 1_795_305_603_000],
    ],
  );
});

test('a reset may be a span, seconds, a date, or an epoch in seconds or milliseconds', async () => {
  for (const [reset, at] of [
    ['1m0.5s', 60_500],
    ['60', 60_000],
    ['2026-11-22T00:01:00Z', 60_000],
    ['1795305660', 60_000],
    ['1795305660000', 60_000],
  ] as const) {
    const [event] = await shown({ ...spent, 'x-ratelimit-reset-requests': reset });
    assert.equal(event?.resetAt, 1_795_305_600_000 + at, reset);
  }
});

test('headers and usage of any kind change no outcome: endless, throwing, or no headers at all', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 1000 } });
  const { events } = recordEvents(policy);
  const boom = (): never => {
    throw new Error('boom');
  };
  const throwing = new Proxy({}, { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom });
  function* endless(): Generator<unknown> {
    for (let n = 0; ; n++) yield [`x-${n}`, 'y'];
  }
  for (const facts of [
    { headers: endless() },
    { headers: throwing },
    { headers: [null, 5, ['a']] },
    { headers: 'x-ratelimit-limit: 5' },
    { headers: Symbol('x') },
    { usage: throwing },
    { usage: null },
    { usage: 5 },
    { usage: { inputTokens: Number.NaN, outputTokens: -1 } },
    { usage: { inputTokens: '7', outputTokens: { valueOf: boom } } },
    throwing,
  ])
    assert.equal(await policy.execute((context) => String(context.observe(facts as never))), 'undefined');
  const usages = events.flatMap((event) => (event.type === 'attempt.succeeded' && event.usage) || []);
  for (const usage of usages) assert.deepEqual(usage, {});
});
