// The core traps between a response of `policy.fetch` and the end of its body. It uses the sources, because the package
// exposes its memory to no one.
import assert from 'node:assert/strict';
import test from 'node:test';
import { trap } from '../../src/core/instance.js';
import { core } from '../../src/core/policy.js';
import { createPolicy } from '../../src/policy/policy.js';
import { recordEvents, VirtualClock } from '../../src/testing.js';

/** Nothing in it can be trusted after this; the first function that looks panics or reads out of bounds. */
function ruin(): void {
  new Uint8Array(core.memory?.buffer as ArrayBuffer).fill(0xff);
}

function given(t: test.TestContext) {
  // In a new instance: its first breaker has the number that the first breaker of the next one will have.
  core.replace(trap('of the test'));
  const said: string[] = [];
  const policy = createPolicy({
    clock: new VirtualClock(),
    breaker: { failureThreshold: 1 },
    onDebug: (message) => said.push(message),
  });
  let body!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      body = controller;
    },
  });
  t.mock.method(globalThis, 'fetch', async () => new Response(stream));
  return { policy, said, body };
}

test('the end of the body meets the trap: it is whole for its reader, and the policy goes on', async (t) => {
  const { policy, said, body } = given(t);
  const response = await policy.fetch('http://stand-in/');
  ruin();
  body.enqueue(new TextEncoder().encode('all of it'));
  body.close();
  assert.equal(await response.text(), 'all of it');
  assert.equal(said.filter((message) => /core failed/.test(message)).length, 1, String(said));
  assert.equal(await policy.execute(() => 'guarded again'), 'guarded again');
});

test('a body that breaks off after the trap counts for nobody: its breaker began anew', async (t) => {
  const { policy, body } = given(t);
  const { events } = recordEvents(policy);
  const response = await policy.fetch('http://stand-in/');
  ruin();
  await policy.execute(() => 'meets the trap');
  await policy.execute(() => 'guarded again');
  body.error(new TypeError('terminated'));
  await assert.rejects(response.text());
  assert.equal(policy.breaker?.state, 'closed');
  const failed = events.flatMap((event) => (event.type === 'attempt.failed' ? [event.counted] : []));
  assert.deepEqual(failed, [false]);
});
