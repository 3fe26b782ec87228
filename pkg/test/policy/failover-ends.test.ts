// How a failover ends: by which deadline, with which refusal and cause; and what its arguments may be.
import assert from 'node:assert/strict';
import test from 'node:test';
import { createPolicy, failover, type HalfopenEvent, onEvent } from 'halfopen';
import { script, VirtualClock } from 'halfopen/testing';
import { deaf, onVirtualClock, rejectsWith, retryable } from './given.js';

test("a target's own totalMs holds where it is shorter than what is left of the failover's", async () => {
  const clock = new VirtualClock();
  const quick = onVirtualClock({ clock, retry: false, timeout: { totalMs: 100 } }).policy;
  let answeredAt: number | undefined;
  const result = failover(
    [
      { policy: quick, run: deaf },
      { policy: createPolicy(), run: () => (answeredAt = clock.now()) },
    ],
    { totalMs: 5000 },
  );
  await clock.advance(99);
  assert.equal(answeredAt, undefined);
  await clock.advance(1);
  assert.equal(await result, 100);
});

test("a target's call has no deadline of its own where the failover leaves it as much as its policy does", async () => {
  const clock = new VirtualClock();
  for (const totalMs of [undefined, 100]) {
    const { policy } = onVirtualClock({ clock, timeout: { totalMs } });
    const options: unknown[] = [];
    policy.onEvent((event) => event.type === 'call.started' && options.push(event.options));
    await failover([{ policy, run: () => 'x' }], { totalMs });
    assert.deepEqual(options, [undefined]);
  }
});

test('where all are refused after the same wait, or for ever, the last refusal is what it rejects with', async () => {
  const clock = new VirtualClock();
  const refusing = (name: string, isolated: boolean) => {
    const { policy } = onVirtualClock({ clock, name, breaker: { failureThreshold: 1 } });
    if (isolated) policy.breaker?.isolate();
    else policy.breaker?.recordFailure();
    return { policy, run: script('x') };
  };
  for (const isolated of [false, true]) {
    const failed = failover([refusing('one', isolated), refusing('two', isolated)]);
    const error = await rejectsWith(failed, 'CIRCUIT_OPEN');
    assert.match(error.message, /^Circuit 'two' is open/);
  }
});

test('out of time: the cause is the error of the last target; the switch is an event of the policy before it', async () => {
  const clock = new VirtualClock();
  const target = (name: string) => onVirtualClock({ clock, name, retry: false }).policy;
  const failing = () =>
    new Promise<never>((_, reject) => clock.setTimeout(() => reject(retryable('one')), 10));
  const switches: HalfopenEvent[] = [];
  const stop = onEvent((event) => event.type === 'failover.switched' && switches.push(event));
  const failed = rejectsWith(
    failover(
      [
        { policy: target('one'), run: failing },
        { policy: target('two'), run: deaf },
        { policy: target('three'), run: () => assert.fail('out of time') },
      ],
      { totalMs: 100 },
    ),
    'TIMEOUT',
  );
  await clock.advance(10);
  await clock.advance(90);
  const { cause } = await failed;
  stop();
  assert.equal((cause as Error).message, 'Call timed out after 90 ms');
  assert.deepEqual(
    switches.map(({ policy }) => policy),
    ['one'],
  );
});

test('wrong arguments are TypeErrors that say what was expected', () => {
  const policy = createPolicy();
  for (const [targets, options, message] of [
    ['x', undefined, "halfopen: option 'targets' must be an array of targets, got 'x'"],
    [[{ policy, run: 1 }], undefined, "halfopen: option 'targets[0].run' must be a function, got 1"],
    [
      [{ policy: {}, run: () => 1 }],
      undefined,
      "halfopen: option 'targets[0].policy' must be a Policy, got an object",
    ],
    [[{ policy, run: () => 1 }], 5, 'halfopen: failover expects an object of options, got 5'],
  ] as const) {
    assert.throws(() => failover(targets as never, options as never), { name: 'TypeError', message });
  }
});
