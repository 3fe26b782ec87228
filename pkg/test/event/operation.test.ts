// A call without a task is named by the function that it runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { createPolicy, failover } from 'halfopen';
import { guardMiddleware } from 'halfopen/ai-sdk';
import { recordEvents } from 'halfopen/testing';
import { onVirtualClock } from '../policy/given.js';

type Started = Extract<HalfopenEvent, { type: 'call.started' }>;

async function searchFlights(): Promise<number> {
  return 1;
}
async function* writeAnswer(): AsyncGenerator<string> {
  yield 'x';
}

/** Returns the names in the events of the calls that `make` makes. */
async function names(make: (policy: ReturnType<typeof onVirtualClock>['policy']) => unknown) {
  const { policy } = onVirtualClock();
  const { events } = recordEvents(policy);
  await make(policy);
  const started = events.filter((event): event is Started => event.type === 'call.started');
  return started.map(({ task, operation }) => task ?? operation);
}

test('execute, respond, wrap and stream run a function, which has a name', async () => {
  assert.deepEqual(await names((policy) => policy.execute(searchFlights)), ['searchFlights']);
  assert.deepEqual(await names((policy) => policy.respond(searchFlights)), ['searchFlights']);
  assert.deepEqual(await names((policy) => policy.wrap(searchFlights)()), ['searchFlights']);
  const streamed = names(async (policy) => {
    for await (const _ of policy.stream(writeAnswer));
  });
  assert.deepEqual(await streamed, ['writeAnswer']);
});

test("a task is a better name; no name, a minified one or failover's `run` is none", async () => {
  assert.deepEqual(await names((policy) => policy.execute(searchFlights, { task: 'trip' })), ['trip']);
  assert.deepEqual(await names((policy) => policy.execute(() => 1)), [undefined]);
  const t = () => 1;
  assert.deepEqual(await names((policy) => policy.execute(t)), [undefined]);
});

test("failover's `run` is no name, that of a function given to it is", async () => {
  const target = createPolicy();
  const other = recordEvents(target);
  await failover([{ policy: target, run: () => 1 }]);
  await failover([{ policy: target, run: searchFlights }]);
  assert.deepEqual(
    other.events.flatMap((event) => (event.type === 'call.started' ? [event.operation] : [])),
    [undefined, 'searchFlights'],
  );
});

test('a name that is no text is none', async () => {
  const odd = Object.defineProperty(() => 1, 'name', { value: { toString: () => 'odd' } });
  assert.deepEqual(await names((policy) => policy.execute(odd)), [undefined]);
});

test("a model of the AI SDK is named by its policy: a function of the package's own is no name", async () => {
  const parts = [
    { type: 'text-delta', id: '0', delta: 'well' },
    { type: 'finish', finishReason: 'stop' },
  ];
  const model = {
    doStream: async () => ({
      stream: new ReadableStream<unknown>({
        start(controller) {
          for (const part of parts) controller.enqueue(part);
          controller.close();
        },
      }),
    }),
    doGenerate: async () => ({ content: [{ type: 'text', text: 'well' }], finishReason: 'stop' }),
  };
  const streamed = names(async (policy) => {
    const { stream } = await guardMiddleware(policy).wrapStream({ params: {}, model });
    for await (const _ of stream as unknown as AsyncIterable<unknown>);
  });
  assert.deepEqual(await streamed, [undefined]);
  const whole = names((policy) => guardMiddleware(policy).wrapGenerate({ params: {}, model }));
  assert.deepEqual(await whole, [undefined]);
});
