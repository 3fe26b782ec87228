// `validate`: a function or a Standard Schema of any library; typed by the operation's result.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type } from 'arktype';
import { type AgentResponse, createPolicy, type STREAM_RESET, type StandardSchemaV1 } from 'halfopen';
import { feedbackFor } from 'halfopen/repair';
import { recordEvents, script } from 'halfopen/testing';
import * as v from 'valibot';
import { z } from 'zod';
import { onVirtualClock, rejection, rejectsWith } from '../policy/given.js';

/** Compiles where both types are the same. */
type Same<A, B> = (<X>() => X extends A ? 1 : 2) extends <X>() => X extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>): void => {};

interface City {
  city: string;
  since: Date;
}

const SCHEMAS: Record<string, StandardSchemaV1<unknown, City>> = {
  zod: z.object({ city: z.string(), since: z.string().transform((text) => new Date(text)) }),
  'zod, async': z.object({
    city: z.string().refine(async (name) => name.length > 0),
    since: z.string().transform(async (text) => new Date(text)),
  }),
  valibot: v.object({
    city: v.string(),
    since: v.pipe(
      v.string(),
      v.transform((text) => new Date(text)),
    ),
  }),
  arktype: type({ city: 'string', since: 'string.date.parse' }),
};

for (const [name, schema] of Object.entries(SCHEMAS)) {
  describe(name, () => {
    test("the schema's output becomes the value", async () => {
      const { policy } = onVirtualClock();
      const answer = { city: 'Paris', since: '1789-07-14T00:00:00Z' };
      const parsed = await policy.execute(() => answer, { validate: schema });
      assert.deepEqual(parsed, { city: 'Paris', since: new Date('1789-07-14T00:00:00Z') });
      const response = await policy.respond(() => answer, { validate: schema });
      assert.ok(response.success && response.result.since instanceof Date);
      assert.ok((await policy.wrap(() => answer, { validate: schema })()).since instanceof Date);
    });

    test('a mismatch is INVALID_RESPONSE: says where, is not retried, and counts', async () => {
      const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 } });
      const { events } = recordEvents(policy);
      const operation = script<unknown>({ city: 7, since: '1789-07-14T00:00:00Z' });
      const error = await rejectsWith(policy.execute(operation, { validate: schema }), 'INVALID_RESPONSE');
      assert.match(error.message, /^The value does not match the schema \((zod|valibot|arktype)\): city: /);
      assert.ok(Array.isArray(error.cause), 'the issues');
      assert.equal(operation.calls, 1);
      const failed = events.find((event) => event.type === 'attempt.failed');
      assert.ok(failed?.type === 'attempt.failed' && failed.counted);
      assert.equal(policy.breaker?.state, 'open');
    });

    test('it is retried where retryOn names it', async () => {
      const { clock, policy } = onVirtualClock({ retry: { retryOn: ['INVALID_RESPONSE'] } });
      const operation = script<unknown>({}, { city: 'Rome', since: '1870-01-01T00:00:00Z' });
      const result = policy.execute(operation, { validate: schema });
      await clock.advance(1000);
      assert.equal((await result).city, 'Rome');
      assert.equal(operation.calls, 2);
    });

    test('of a stream each chunk is parsed', async () => {
      const { policy } = onVirtualClock();
      const stream = policy.stream(
        async function* () {
          yield { city: 'Paris', since: '1789-07-14T00:00:00Z' };
          yield { city: 'Rome', since: '1870-01-01T00:00:00Z' };
          yield { town: 'Nowhere' };
        },
        { validate: schema },
      );
      const years: number[] = [];
      const error = await rejection(
        (async () => {
          for await (const { since } of stream) years.push(since.getUTCFullYear());
        })(),
      );
      assert.deepEqual([years, error.code, error.metadata.received], [[1789, 1870], 'INVALID_RESPONSE', 2]);
    });
  });
}

describe('whoever made the value reads what was wrong', () => {
  const price = { zod: z.number(), valibot: v.number(), arktype: type('number') };
  const orders: Record<string, StandardSchemaV1> = {
    zod: z.object({ order: z.object({ items: z.array(z.object({ price: price.zod })) }) }),
    valibot: v.object({ order: v.object({ items: v.array(v.object({ price: price.valibot })) }) }),
    arktype: type({ order: { items: type({ price: price.arktype }).array() } }),
  };
  const wrong = { order: { items: [{ price: 'twelve' }] } };

  for (const [name, schema] of Object.entries(orders))
    test(`a mismatch has its remedy and the paths: ${name}`, async () => {
      const { policy } = onVirtualClock();
      const error = await rejection(policy.execute(() => wrong, { validate: schema }));
      assert.deepEqual(error.remedy, { kind: 'ask-again', because: 'invalid-output' });
      assert.deepEqual(error.metadata.paths, ['order.items.0.price']);
      assert.match(feedbackFor(error) ?? '', /structure.* Wrong: order\.items\.0\.price\.$/);
      assert.ok(!error.retryable);
    });

  test('so does one of a function, with the paths that it knows', async () => {
    const { policy } = onVirtualClock();
    const parses = () => void (orders.zod as z.ZodType).parse(wrong);
    const thrown = await rejection(policy.execute(() => wrong, { validate: parses }));
    assert.deepEqual(thrown.remedy, { kind: 'ask-again', because: 'invalid-output' });
    assert.deepEqual(thrown.metadata.paths, ['order.items.0.price']);
    const refused = await rejection(policy.execute(() => wrong, { validate: () => false }));
    assert.deepEqual(refused.remedy, { kind: 'ask-again', because: 'invalid-output' });
    assert.deepEqual(refused.metadata, {});
    assert.match(feedbackFor(refused) ?? '', /as the schema requires\.$/);
    const hostile = Object.assign(new Error('bad'), { issues: [null, { path: 5 }] });
    const throws = () => {
      throw hostile;
    };
    const unread = await rejection(policy.execute(() => wrong, { validate: throws }));
    assert.deepEqual([unread.remedy, unread.metadata.paths], [refused.remedy, undefined]);
  });

  test('the hook `repair` is called with it, and the next value may fit', async () => {
    const { policy } = onVirtualClock({ retry: false });
    const feedback: (string | undefined)[] = [];
    const operation = script<unknown>(wrong, { order: { items: [{ price: 12 }] } });
    const repair = (_: unknown, error: unknown) => feedback.push(feedbackFor(error)) > 0;
    const value = await policy.execute(operation, { validate: orders.zod as StandardSchemaV1, repair });
    assert.deepEqual(value, { order: { items: [{ price: 12 }] } });
    assert.match(feedback.join(), /order\.items\.0\.price/);
  });
});

describe('a function', () => {
  test('fails the value by false, at once or later, and by what it throws', async () => {
    const { policy } = onVirtualClock();
    for (const validate of [
      () => false,
      async () => false,
      () => {
        throw new Error('an empty answer');
      },
      async () => {
        throw new Error('an empty answer');
      },
      // A schema that the function calls itself: its class of error says VALIDATION_ERROR of an input.
      () => void z.string().parse(5),
    ])
      await rejectsWith(
        policy.execute(() => 'x', { validate }),
        'INVALID_RESPONSE',
      );
  });

  test('passes the value as it is by true, by nothing, and by any other answer', async () => {
    const { policy } = onVirtualClock();
    for (const validate of [() => true, () => {}, async () => true, async () => {}, () => 0 as never])
      assert.equal(await policy.execute(() => 'x', { validate }), 'x');
  });

  test('what it throws as an error of its own code stays that', async () => {
    const { policy } = onVirtualClock({ retry: false });
    const throttled = Object.assign(new Error('slow down'), { status: 429 });
    const error = await rejection(
      policy.execute(() => ({ error: 'in the body' }), {
        validate: () => {
          throw throttled;
        },
      }),
    );
    assert.equal(error.code, 'RATE_LIMITED');
  });
});

test("a fallback's answer is not validated", async () => {
  const policy = createPolicy({ retry: false });
  const answer = await policy.execute(() => 5 as unknown, { validate: z.string(), fallback: () => 0 });
  assert.equal(answer, 0);
});

test('hostile schemas and results fail the attempt, and nothing else', async () => {
  const { policy } = onVirtualClock();
  const standard = (validate: () => unknown) =>
    ({ '~standard': { version: 1, vendor: 'evil', validate } }) as unknown as StandardSchemaV1;
  for (const validate of [
    standard(() => {
      throw new Error('boom');
    }),
    standard(() => Promise.reject(new Error('boom'))),
    standard(() => null),
    standard(() => ({ issues: 5 })),
    standard(() => ({
      issues: [
        {
          get message() {
            throw new Error('boom');
          },
        },
      ],
    })),
  ])
    await rejectsWith(
      policy.execute(() => 'x', { validate }),
      'INVALID_RESPONSE',
    );
});

test('a secret in what the schema says is redacted, and a long list is cut', async () => {
  const { policy } = onVirtualClock();
  const key = ['sk', 'proj', 'AbCdEfGh12345678AbCdEfGh12345678'].join('-');
  const issues = Array.from({ length: 100 }, () => ({ message: `got ${key}`, path: [{ key: 'auth' }, 0] }));
  const validate: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'own', validate: () => ({ issues }) },
  };
  const error = await rejection(policy.execute(() => 'x', { validate }));
  assert.ok(!error.message.includes(key));
  assert.match(error.message, /auth\.0: got /);
  assert.ok(error.message.length < 600);
});

test('what is neither is a TypeError', () => {
  const policy = createPolicy();
  for (const validate of [5, {}, { '~standard': {} }, null] as never[])
    assert.throws(
      () => policy.execute(() => 1, { validate }),
      /'validate' must be a function, or a Standard Schema/,
    );
});

test('types: the value, the schema’s output, and the fallback’s', () => {
  const policy = createPolicy();
  const withFallback = createPolicy({ fallback: () => null });
  const schema = z.object({ n: z.coerce.number() });
  const checked = async () => {
    const plain = await policy.execute(async () => 'x', { validate: (text) => text.length > 0 });
    same<typeof plain, string>(true);
    const signalled = await policy.execute(async ({ signal }) => ({ city: 'Rome', signal }), {
      validate: (answer) => answer.city !== '',
    });
    same<typeof signalled.city, string>(true);
    const parsed = await policy.execute(async () => 'x', { validate: schema });
    same<typeof parsed, { n: number }>(true);
    const other = await withFallback.execute(async () => 'x', { validate: schema, fallback: () => 7 });
    same<typeof other, { n: number } | null | number>(true);
    const valibot = await policy.execute(() => 'x', { validate: v.object({ n: v.number() }) });
    same<typeof valibot, { n: number }>(true);
    const ark = await policy.execute(() => 'x', { validate: type({ n: 'number' }) });
    same<typeof ark, { n: number }>(true);
    const response = await policy.respond(async () => 'x', { validate: schema });
    same<typeof response, AgentResponse<{ n: number }>>(true);
    const wrapped = policy.wrap(async (n: number) => `${n}`, { validate: schema });
    same<typeof wrapped, (this: unknown, n: number) => Promise<{ n: number }>>(true);
    const unchanged = policy.wrap(async (n: number) => `${n}`, { validate: (text) => text !== '' });
    same<typeof unchanged, (this: unknown, n: number) => Promise<string>>(true);
    const chunks = () =>
      (async function* () {
        yield 'a';
      })();
    const stream = policy.stream(chunks, { validate: schema });
    same<typeof stream, AsyncIterableIterator<{ n: number }>>(true);
    const reset = policy.stream(chunks, { validate: (chunk) => chunk.length > 0, onBreak: 'restart' });
    same<typeof reset, AsyncIterableIterator<string | typeof STREAM_RESET>>(true);
    // @ts-expect-error: the check knows the operation's value.
    await policy.execute(async () => ({ city: 'Rome' }), { validate: (value) => value.citty === '' });
  };
  assert.equal(typeof checked, 'function');
});
