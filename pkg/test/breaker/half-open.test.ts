// A half-open breaker of a policy decides within the time that its probes need, whatever retries its calls have.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, type PolicyOptions } from 'halfopen';
import { onVirtualClock } from '../policy/given.js';

/** Makes four calls a second; each attempt takes `takesMs`, and fails if it begins before `downUntil`. */
async function traffic(options: PolicyOptions, seconds: number, takesMs: number, downUntil: number) {
  const { clock, policy } = onVirtualClock({ seed: 7, ...options });
  const changes: { to: string; at: number }[] = [];
  policy.breaker?.onStateChange(({ to, at }) => changes.push({ to, at }));
  const operation = async (): Promise<void> => {
    const isDown = clock.now() < downUntil;
    await new Promise<void>((resolve) => clock.setTimeout(resolve, isDown ? 100 : takesMs));
    if (isDown) throw new AgentError('SERVER_ERROR', 'down');
  };
  for (let call = 0; call < seconds * 4; call++) {
    policy.execute(operation).catch(() => {});
    await clock.advance(250);
  }
  return { policy, changes };
}

test('an outage of three minutes costs the calls of three probes for each opening, with their retries', async () => {
  for (const retry of [false, { maxRetries: 3 }] as const) {
    const { policy, changes } = await traffic({ retry }, 180, 0, Number.POSITIVE_INFINITY);
    const { attempts } = policy.stats();
    const openings = changes.filter(({ to }) => to === 'open').length;
    assert.ok(openings >= 20, `it opened ${openings} times`);
    // It takes 8 s, in which 34 calls begin, until five of them have used up their retries.
    const most = (retry === false ? 1 : 4) * (34 + 3 * openings);
    assert.ok(attempts <= most, `${attempts} attempts, ${openings} openings`);
  }
});

test('a model that answers after ten seconds closes it', async () => {
  const { policy, changes } = await traffic({ retry: false }, 60, 10_000, 30_000);
  const closed = changes.at(-1);
  assert.equal(closed?.to, 'closed');
  assert.ok(closed.at < 42_000, `it closed after ${closed.at} ms`);
  assert.equal(policy.breaker?.state, 'closed');
});
