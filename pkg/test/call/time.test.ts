// Clocks: the virtual one, the platform's, fakes of it, and delays longer than its timers (rules 4 and 5).
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { AgentError, createPolicy } from 'halfopen';
import { chaos, script, VirtualClock } from 'halfopen/testing';
import { WAIT } from '../../../scripts/patience.mjs';
import { deaf, isPending, onVirtualClock, rejection, retryable } from '../policy/given.js';

test('a virtual clock runs due timers in order and lets promises settle between them', async () => {
  const clock = new VirtualClock(1000);
  const seen: [string, number][] = [];
  clock.setTimeout(() => seen.push(['b', clock.now()]), 20);
  clock.setTimeout(async () => {
    seen.push(['a', clock.now()]);
    for (let i = 0; i < 50; i++) await undefined;
    clock.setTimeout(() => seen.push(['c', clock.now()]), 5);
  }, 10);
  const gone = clock.setTimeout(() => seen.push(['gone', 0]), 15);
  clock.clearTimeout(gone);
  assert.equal(clock.pending, 2);
  await clock.advance(100);
  assert.deepEqual(seen, [
    ['a', 1010],
    ['c', 1015],
    ['b', 1020],
  ]);
  assert.deepEqual([clock.now(), clock.wall(), clock.pending], [1100, 1100, 0]);
  await assert.rejects(clock.advance(-1), TypeError);
});

test('script repeats its last outcome and counts', async () => {
  const operation = script<unknown>(
    1,
    new Error('x'),
    () => 'called',
    () => Promise.resolve(4),
  );
  assert.equal(await operation(), 1);
  await assert.rejects(operation(), /x/);
  assert.equal(await operation(), 'called');
  assert.deepEqual([await operation(), await operation(), operation.calls], [4, 4, 5]);
});

test('chaos fails at its rate, the same way for the same seed', async () => {
  const run = async (seed: number): Promise<string> => {
    const operation = chaos(() => 'ok', { seed, failureRate: 0.3 });
    let story = '';
    for (let i = 0; i < 300; i++)
      story += await operation().then(
        () => '.',
        () => 'x',
      );
    return story;
  };
  const story = await run(1);
  assert.equal(story, await run(1));
  assert.notEqual(story, await run(2));
  const failures = story.split('x').length - 1;
  assert.ok(failures > 60 && failures < 120, String(failures));
  const clock = new VirtualClock();
  const slow = chaos(() => 'ok', { failureRate: 0, latencyMs: 100, clock })();
  assert.equal(await isPending(slow), true);
  await clock.advance(100);
  assert.equal(await slow, 'ok');
});

test('a delay beyond 2^31-1 ms does not fire early', async () => {
  const timers: { callback: () => void; ms: number }[] = [];
  let now = 0;
  const clock = {
    now: () => now,
    wall: () => now,
    setTimeout: (callback: () => void, ms: number) => timers.push({ callback, ms }),
    clearTimeout: () => {},
  };
  const month = 40 * 24 * 3600 * 1000;
  const policy = createPolicy({ clock, retry: { maxRetryAfterMs: month } });
  const operation = script<string>(new AgentError('RATE_LIMITED', 'x', { retryAfterMs: month }), 'at last');
  const result = policy.execute(operation);
  await isPending(result);
  for (const expected of [2 ** 31 - 1, month - (2 ** 31 - 1)]) {
    const timer = timers.shift();
    assert.equal(timer?.ms, expected);
    assert.equal(operation.calls, 1);
    now += timer.ms;
    timer.callback();
  }
  assert.equal(await result, 'at last');
});

test('when a timer due at t fires, it is at least t, also on a clock that stands still', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const policy = createPolicy({
    retry: { enableJitter: false },
    timeout: { attemptMs: 500, totalMs: 10_000 },
  });
  let calls = 0;
  const result = policy.execute<string>(({ remainingMs }) => {
    calls++;
    if (calls === 1) throw retryable();
    if (calls === 2) return deaf();
    assert.ok(remainingMs <= 10_000 - 1000 - 500 - 2000, String(remainingMs));
    return 'fine';
  });
  const settle = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await undefined;
  };
  await settle();
  t.mock.timers.tick(1000);
  await settle();
  t.mock.timers.tick(500);
  await settle();
  t.mock.timers.tick(2000);
  assert.equal(await result, 'fine');
  assert.equal(calls, 3);
});

test('a timeout under fake timers, advanced right after the call', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const result = rejection(createPolicy({ timeout: { attemptMs: 100 }, retry: false }).execute(deaf));
  t.mock.timers.tick(100);
  assert.equal((await result).code, 'TIMEOUT');
});

test('a clock that goes back or says NaN does no harm', async () => {
  const inner = new VirtualClock(10_000);
  let offset = 0;
  const clock = {
    now: () => inner.now() + offset,
    setTimeout: (callback: () => void, ms: number) => inner.setTimeout(callback, ms),
    clearTimeout: (handle: unknown) => inner.clearTimeout(handle),
  };
  const { policy } = onVirtualClock({
    clock,
    breaker: { failureThreshold: 1, resetTimeoutMs: 60_000 },
    retry: false,
  });
  await rejection(policy.execute(script<string>(retryable())));
  offset = -9000;
  assert.equal(policy.breaker?.retryAfterMs, 60_000);
  offset = Number.NaN;
  assert.equal(policy.breaker?.retryAfterMs, 60_000);
  offset = 0;
  await inner.advance(60_000);
  assert.equal(await policy.execute(() => 1), 1);
});

test('an idle policy does not keep Node alive, and a waiting one does', () => {
  const run = (code: string): { status: number | null; stdout: string } =>
    spawnSync(
      process.execPath,
      ['--input-type=module', '-e', `import { createPolicy } from 'halfopen'; ${code}`],
      {
        cwd: import.meta.dirname ?? new URL('.', import.meta.url).pathname,
        encoding: 'utf8',
        timeout: WAIT,
      },
    );
  const idle = run(`
    const policy = createPolicy({ timeout: { attemptMs: 1e9, totalMs: 1e9 }, rateLimit: { limit: 5, windowMs: 1e9, maxWaitMs: 1e9 } });
    await policy.execute(() => 1);
    console.log('idle');`);
  assert.deepEqual([idle.status, idle.stdout.trim()], [0, 'idle']);
  const waiting = run(`
    let calls = 0;
    const policy = createPolicy({ retry: { baseDelayMs: 50 } });
    console.log(await policy.execute(() => { if (calls++ === 0) throw Object.assign(new Error('x'), { status: 503 }); return 'waited'; }));`);
  assert.deepEqual([waiting.status, waiting.stdout.trim()], [0, 'waited']);
});

test('many calls leave nothing behind', async () => {
  const { policy } = onVirtualClock({
    timeout: { attemptMs: 1000 },
    bulkhead: { maxConcurrent: 10, maxQueued: 100 },
  });
  const run = async (calls: number): Promise<void> => {
    for (let i = 0; i < calls; i++) await policy.execute(() => i);
    for (let i = 0; i < calls / 10; i++)
      await policy.execute(() => Promise.reject(new AgentError('NOT_FOUND', 'x'))).catch(() => {});
  };
  await run(2000);
  const { host } = policy as unknown as {
    host: { openCalls: { newest?: unknown }; queue: { calls: Map<unknown, unknown> } };
  };
  assert.ok('newest' in host.openCalls, 'the list is where this test looks for it');
  assert.equal(host.openCalls.newest, undefined);
  assert.equal(host.queue.calls.size, 0);
});

for (const missing of [['setImmediate'], ['setImmediate', 'MessageChannel']])
  test(`a virtual clock advances where there is no ${missing.join(' and no ')}`, () => {
    const program = `
      for (const name of ${JSON.stringify(missing)}) delete globalThis[name];
      const { createPolicy } = await import('halfopen');
      const { VirtualClock } = await import('halfopen/testing');
      const clock = new VirtualClock();
      const policy = createPolicy({ clock, retry: { maxRetries: 1, baseDelayMs: 1000, enableJitter: false } });
      let calls = 0;
      const result = policy.execute(() => {
        if (++calls === 1) throw Object.assign(new Error('busy'), { status: 503 });
        return 'fine';
      });
      await clock.advance(999);
      const before = calls;
      await clock.advance(1);
      console.log(before, await result, calls);`;
    const cwd = fileURLToPath(new URL('.', import.meta.url));
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd,
      encoding: 'utf8',
    });
    assert.equal(printed, '1 fine 2\n');
  });
