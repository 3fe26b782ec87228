// The quota: what a policy spends on retries where it was given none.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, createPolicy, type PolicyOptions, RetryBudget } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';

/** How many attempts each of so many calls makes that fail with this code. */
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

test('the first three calls have their retries, and no more without an answer', async () => {
  const { made, events } = await attempts({}, five);
  assert.deepEqual(made, [4, 4, 4, 1, 1]);
  assert.ok(events.some((event) => event.type === 'call.failed' && event.why === 'budget'));
  // Numbers of a budget that nobody gave say nothing.
  assert.ok(events.every((event) => event.type !== 'retry.scheduled' || event.budgetLeft === undefined));
});

test('one timeout is retried, once', async () => {
  const { made } = await attempts({}, ['TIMEOUT', 'TIMEOUT', 'SERVER_ERROR']);
  assert.deepEqual(made, [2, 1, 4]);
});

test('what is given has no quota, unless it names one', async () => {
  for (const options of [{ retry: {} }, { preset: 'service' }, { preset: 'capability' }] as const)
    assert.deepEqual((await attempts(options, five)).made, [4, 4, 4, 4, 4]);
  const { made, events } = await attempts({ retry: { maxRetries: 5, budget: RetryBudget.quota() } }, five);
  assert.deepEqual(made, [6, 5, 1, 1, 1]);
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

test('an update keeps it, and options in its place have none', async () => {
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
  for (let call = 0; call < 3; call++) await made();
  policy.update({ timeout: { attemptMs: 1000 } });
  assert.equal(await made(), 1);
  policy.update({ retry: {} });
  assert.equal(await made(), 4);
});
