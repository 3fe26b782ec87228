// The facts that an operation passes to `observe`, and those that are read from its answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock } from '../policy/given.js';

const usage = { inputTokens: 12, outputTokens: 3 };
const limits = (left: number) => ({
  'x-ratelimit-limit-requests': '60',
  'x-ratelimit-remaining-requests': `${left}`,
  'x-ratelimit-reset-requests': '10s',
});

function of<T extends HalfopenEvent['type']>(type: T, events: readonly HalfopenEvent[]) {
  return events.filter((event): event is Extract<HalfopenEvent, { type: T }> => event.type === type);
}
const remaining = (events: readonly HalfopenEvent[]): number[] =>
  of('limits.observed', events).map((event) => event.remaining);

test('observe takes an object, and says so', async () => {
  const { policy } = onVirtualClock();
  await policy.execute(({ observe }) => {
    for (const wrong of [null, undefined, 5, 'usage'])
      assert.throws(() => observe(wrong as never), {
        name: 'TypeError',
        message: 'halfopen: observe expects an object',
      });
  });
});

test('where one of its getters throws, nothing is known of either', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const facts = {
    headers: limits(7),
    get usage(): never {
      throw new Error('trap');
    },
  };
  await policy.execute(({ observe }) => observe(facts));
  assert.deepEqual(remaining(events), []);
  assert.equal(of('attempt.succeeded', events)[0]?.usage, undefined);
});

test('headers alone leave the tokens to the answer, and tokens alone leave it the limits', async () => {
  for (const facts of [{ headers: limits(7) }, { usage }]) {
    const { policy } = onVirtualClock();
    const { events } = recordEvents(policy);
    await policy.execute(({ observe }) => {
      observe(facts);
      return { usage, headers: limits(7) };
    });
    assert.deepEqual(of('attempt.succeeded', events)[0]?.usage, usage);
    assert.deepEqual(remaining(events), [7]);
  }
});

test('a stream has the id of its first chunk that has one', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  for await (const _ of policy.stream(async function* () {
    yield { choices: [] };
    yield { id: 'chatcmpl-1', choices: [] };
    yield { id: 'chatcmpl-2', choices: [] };
    yield { choices: [] };
  }));
  assert.equal(of('attempt.succeeded', events)[0]?.responseId, 'chatcmpl-1');
});

test('the limits of a stream are shown once: from the first of its chunks that has headers', async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  for await (const _ of policy.stream(async function* () {
    yield { type: 'start' };
    yield { type: 'response-metadata', headers: limits(5) };
    yield { type: 'finish', headers: limits(4) };
  }));
  assert.deepEqual(remaining(events), [5]);
});

test('nobody listens and no limit counts tokens: nothing is read of an answer', async () => {
  const { policy } = onVirtualClock();
  const read: string[] = [];
  const answer = {};
  for (const name of ['usage', 'usageMetadata', 'response', 'message', 'id'])
    Object.defineProperty(answer, name, { get: () => void read.push(name) });
  assert.equal(await policy.execute(() => answer), answer);
  assert.equal(read.join(), '');
  recordEvents(policy);
  await policy.execute(() => answer);
  assert.ok(read.includes('usage'), 'somebody listens');
});

test('an attempt has the generation of its breaker, where there is one', async () => {
  for (const breaker of [undefined, false] as const) {
    const { policy } = onVirtualClock({ breaker });
    const { events } = recordEvents(policy);
    await policy.execute(() => 'x');
    const started = of('attempt.started', events)[0];
    assert.ok(started !== undefined);
    assert.equal('generation' in started, breaker === undefined);
    if (breaker === undefined) assert.equal(started.generation, policy.breaker?.snapshot().generation);
  }
});

test("a call is called by its function's name, from three letters on", async () => {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  const named = { x: () => 1, ab: () => 2, ask: () => 3 };
  for (const operation of Object.values(named)) await policy.execute(operation);
  assert.deepEqual(
    of('call.started', events).map((event) => event.operation),
    [undefined, undefined, 'ask'],
  );
});

test('the ids of calls are the process and a number that counts up', async () => {
  const { policy } = onVirtualClock();
  const ids: string[] = [];
  for (let i = 0; i < 2; i++) await policy.execute(({ callId }) => void ids.push(callId));
  const [first, second] = ids.map((id) => /^(.{8})-(\d+)$/.exec(id));
  assert.ok(first && second, ids.join(' '));
  assert.equal(first[1], second[1]);
  assert.equal(Number(second[2]), Number(first[2]) + 1);
});
