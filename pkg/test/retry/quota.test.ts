// The quota: a policy's own budget for retries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy, type PolicyOptions, RetryBudget, RetryHandler } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';

/** Returns the attempts of each of a row of calls that fail with this code. */
async function attempts(options: PolicyOptions, codes: ConstructorParameters<typeof AgentError>[0][]) {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false, ...options });
  const { events } = recordEvents(policy);
  const made: number[] = [];
  for (const code of codes) {
    let count = 0;
    const call = policy
      .execute(() => {
        count++;
        throw new AgentError(code, 'down');
      })
      .catch(() => {});
    await clock.advance(60_000);
    await call;
    made.push(count);
  }
  return { made, events };
}

const five = Array.from({ length: 5 }, () => 'SERVER_ERROR' as const);

test('the first four calls have their retries, and no more without an answer', async () => {
  const { made, events } = await attempts({}, five);
  assert.deepEqual(made, [4, 4, 4, 4, 1]);
  assert.ok(events.some((event) => event.type === 'call.failed' && event.why === 'budget'));
  // The numbers of a default budget are left out.
  assert.ok(events.every((event) => event.type !== 'retry.scheduled' || event.budgetLeft === undefined));
});

test('the first call that fails has all its retries after timeouts too, then one timeout of the first minute has one', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false, timeout: { attemptMs: 2000 } });
  const made: number[] = [];
  for (let call = 0; call < 4; call++) {
    let count = 0;
    const answer = policy.execute(() => new Promise(() => count++)).catch(() => {});
    await clock.advance(19_000);
    await answer;
    made.push(count);
  }
  assert.deepEqual(made, [4, 2, 1, 1]);
});

test('a process that has had an answer pays for its first retry', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false, timeout: { attemptMs: 2000 } });
  await policy.execute(() => 'fine');
  let count = 0;
  const answer = policy.execute(() => new Promise(() => count++)).catch(() => {});
  await clock.advance(60_000);
  await answer;
  assert.equal(count, 2);
});

test('a quota that is given can be shared', async () => {
  const { made, events } = await attempts({ retry: { maxRetries: 5, budget: RetryBudget.quota() } }, five);
  assert.deepEqual(made, [6, 6, 5, 1, 1]);
  const [configured] = events;
  assert.ok(configured?.type === 'policy.configured');
  assert.equal((configured.options.retry as { budget?: unknown }).budget, 'default');
});

test('a retry that is answered is given back', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock });
  for (let call = 0; call < 100; call++) {
    let count = 0;
    const answer = policy.execute(() => {
      if (++count < 4) throw new AgentError('SERVER_ERROR', 'by chance');
      return count;
    });
    await clock.advance(60_000);
    assert.equal(await answer, 4);
  }
});

test('an update keeps it, and `budget: false` takes it away', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false });
  const made = async () => {
    let count = 0;
    const call = policy
      .execute(() => {
        count++;
        throw new AgentError('SERVER_ERROR', 'down');
      })
      .catch(() => {});
    await clock.advance(60_000);
    await call;
    return count;
  };
  for (let call = 0; call < 4; call++) await made();
  policy.update({ timeout: { attemptMs: 1000 } });
  assert.equal(await made(), 1);
  policy.update({ retry: { maxRetries: 2 } });
  assert.equal(await made(), 1);
  policy.update({ retry: { budget: false } });
  assert.equal(await made(), 4);
});

test('a retry that is never made is refunded, and a stream that is closed early counts as answered', async () => {
  const clock = new VirtualClock();
  const policy = createPolicy({ clock, breaker: false });
  const down = () => Promise.reject(new AgentError('SERVER_ERROR', 'down'));
  for (let call = 0; call < 20; call++) {
    const stop = new AbortController();
    const answer = policy.execute(down, { signal: stop.signal }).catch(() => {});
    await clock.advance(100); // it waits to retry
    stop.abort();
    await answer;
  }
  for (let call = 0; call < 30; call++) {
    let attempts = 0;
    const read = (async () => {
      const stream = policy.stream(async function* () {
        if (++attempts === 1) throw new AgentError('SERVER_ERROR', 'by chance');
        yield 1;
        yield 2;
      });
      for await (const chunk of stream) return chunk;
    })();
    await clock.advance(60_000);
    assert.equal(await read, 1);
    assert.equal(attempts, 2);
  }
});

test('a retry loop without a policy has no use for a quota', () => {
  assert.throws(() => new RetryHandler({ budget: RetryBudget.quota() }), /budget.*one with numbers/);
  assert.ok(RetryBudget.quota().available >= 9);
});
