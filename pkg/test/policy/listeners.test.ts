// Listeners that come late, that come by options, or that do not exist.
import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CircuitBreaker, createPolicy, type HalfopenEvent, onEvent } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { cheapError } from '../../src/error/agent-error.js';
import { createPolicy as createFromSources } from '../../src/policy/policy.js';
import { deaf, fatal, onVirtualClock, rejectsWith, retryable } from './given.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

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

test('a listener that comes while the first call of a policy falls back from a refusal hears nothing of it', async () => {
  const heard: string[] = [];
  const policy = createFromSources<string>({
    fallback: () => {
      policy.onEvent(({ type }) => heard.push(type));
      return 'spare';
    },
  });
  policy.host.gates.add(() => cheapError('CAPACITY_EXCEEDED', 'enough'));
  assert.equal(await policy.execute(deaf), 'spare');
  assert.deepEqual(heard, []);
});

test('a policy without listeners does not stay in memory for the breaker that it shares', async () => {
  const breaker = new CircuitBreaker();
  const stop = onEvent(() => {});
  const used = async (): Promise<WeakRef<object>> => {
    const fallback = (): string => 'spare'; // held by the policy alone
    await createPolicy({ breaker, fallback }).execute(() => 1);
    return new WeakRef(fallback);
  };
  const gone = await used();
  // A reference is held until the end of the turn in which it was made.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  stop();
  assert.equal(gone.deref(), undefined);
  assert.equal(breaker.state, 'closed');
});

test('no time is read for a policy whose listeners have gone', async () => {
  let reads = 0;
  class CountedClock extends VirtualClock {
    override now(): number {
      reads += 1;
      return super.now();
    }
  }
  const { policy } = onVirtualClock({ clock: new CountedClock() });
  const stop = policy.onEvent(() => {});
  await policy.execute(() => 1);
  stop();
  await policy.execute(() => 1); // the core learns that there is no listener
  reads = 0;
  await policy.execute(() => 1);
  assert.equal(reads, 0);
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

test('an update without a listener: a later listener gets the options', async () => {
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

test('a call that an isolation in a fleet refuses is refused by the breaker', async () => {
  const events: HalfopenEvent[] = [];
  const policy = createFromSources({ onEvent: (event) => events.push(event) });
  policy.host.gates.add(() => cheapError('CIRCUIT_OPEN', 'isolated'));
  await rejectsWith(policy.execute(deaf), 'CIRCUIT_OPEN');
  const refused = events.find((event) => event.type === 'call.rejected');
  assert.deepEqual([refused?.code, refused?.by], ['CIRCUIT_OPEN', 'breaker']);
});
