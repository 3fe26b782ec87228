// Who hears what: listeners that come late, that come by options, or that nobody gave.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { HalfopenEvent } from 'halfopen';
import { cheapError } from '../../src/error/agent-error.js';
import { createPolicy as createFromSources } from '../../src/policy/policy.js';
import { deaf, fatal, onVirtualClock, rejectsWith, retryable } from './given.js';

const fails = () => Promise.reject(retryable());

test('a listener that comes while a call runs hears nothing of that call', async () => {
  const { policy } = onVirtualClock<string>({ fallback: () => 'spare' });
  const heard: string[] = [];
  const call = policy.execute(async () => {
    policy.onEvent(({ type }) => heard.push(type));
    throw fatal();
  });
  assert.equal(await call, 'spare');
  assert.deepEqual(heard, []);
  await policy.execute(() => 'x');
  assert.deepEqual(heard.slice(0, 2), ['policy.configured', 'call.started']);
});

test('a refusal that nobody hears leaves no gap in the numbers of the events', async () => {
  const { policy } = onVirtualClock();
  const seqs: number[] = [];
  const listen = () => policy.onEvent(({ seq }) => seqs.push(seq));
  const stop = listen();
  await policy.execute(() => 1);
  stop();
  await rejectsWith(
    policy.execute(() => 1, { signal: AbortSignal.abort() }),
    'CANCELLED',
  );
  listen();
  await policy.execute(() => 1);
  assert.ok(seqs.length > 6);
  assert.deepEqual(
    seqs,
    seqs.map((_, index) => (seqs[0] ?? 0) + index),
  );
});

test("a breaker's changes are events of a policy whose listener is an option, after an update too", async () => {
  const changes: string[] = [];
  const { policy } = onVirtualClock({
    retry: false,
    breaker: { failureThreshold: 1 },
    onEvent: (event) => event.type === 'breaker.changed' && changes.push(event.to),
  });
  await policy.execute(fails).catch(() => {});
  assert.deepEqual(changes, ['open']);
  policy.update({ timeout: { attemptMs: 5 } });
  policy.breaker?.reset();
  assert.deepEqual(changes, ['open', 'closed']);
});

test('a listener that is an option hears of calls after an update of something else', async () => {
  const heard: string[] = [];
  const { policy } = onVirtualClock({ onEvent: ({ type }) => heard.push(type) });
  policy.update({ timeout: { attemptMs: 5 } });
  await policy.execute(() => 1);
  assert.equal(heard.at(-1), 'call.succeeded');
});

test('an update before the first call: the options are said once, with the seed, when the first call begins', async () => {
  const events: HalfopenEvent[] = [];
  const { policy } = onVirtualClock({ onEvent: (event) => events.push(event) });
  policy.update({ timeout: { attemptMs: 5 } });
  assert.equal(events.length, 0);
  await policy.execute(() => 1);
  const configured = events.filter((event) => event.type === 'policy.configured');
  assert.deepEqual(
    configured.map(({ seed }) => typeof seed),
    ['number'],
  );
});

test('an update that nobody hears: a listener that comes later hears the options', async () => {
  const { policy } = onVirtualClock();
  await policy.execute(() => 1);
  policy.update({ timeout: { attemptMs: 5 } });
  const heard: string[] = [];
  policy.onEvent(({ type }) => heard.push(type));
  await policy.execute(() => 1);
  assert.equal(heard[0], 'policy.configured');
});

test('limits of which the headers say only a part are no event, and change nothing for the call', async () => {
  const events: HalfopenEvent[] = [];
  const { policy } = onVirtualClock({ onEvent: (event) => events.push(event) });
  const headers = { 'x-ratelimit-remaining-requests': '3' };
  const call = policy.execute(({ observe }) => {
    observe({ headers });
    return 7;
  });
  assert.equal(await call, 7);
  assert.ok(!events.some(({ type }) => type === 'limits.observed'));
});

test('what an isolation in a fleet refuses is refused by the breaker', async () => {
  const events: HalfopenEvent[] = [];
  const policy = createFromSources({ onEvent: (event) => events.push(event) });
  policy.host.gates.add(() => cheapError('CIRCUIT_OPEN', 'isolated'));
  await rejectsWith(policy.execute(deaf), 'CIRCUIT_OPEN');
  const refused = events.find((event) => event.type === 'call.rejected');
  assert.deepEqual([refused?.code, refused?.by], ['CIRCUIT_OPEN', 'breaker']);
});
