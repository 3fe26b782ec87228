// Several policies: failover from one to the next, one for each key; and the counter for loops.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  AGENT_ERROR_CODES,
  AgentError,
  type AgentErrorCode,
  createPolicies,
  createPolicy,
  failover,
  onEvent,
  type Policy,
  RetryHandler,
} from 'halfopen';
import { script, VirtualClock } from 'halfopen/testing';
import {
  CountingClock,
  countingSignal,
  deaf,
  fatal,
  onVirtualClock,
  rejection,
  rejectsWith,
  retryable,
} from './given.js';

test('failover: the next target answers when the first cannot', async () => {
  const clock = new VirtualClock();
  const one = onVirtualClock({ clock, name: 'one', retry: false }).policy;
  const two = onVirtualClock({ clock, name: 'two', retry: false }).policy;
  const switched: unknown[] = [];
  const stop = onEvent((event) => {
    if (event.type === 'failover.switched') switched.push([event.from, event.to, event.code]);
  });
  const answer = await failover([
    { policy: one, run: script<string>(retryable()) },
    { name: 'second', policy: two, run: script('spare') },
  ]);
  stop();
  assert.equal(answer, 'spare');
  assert.deepEqual(switched, [['one', 'second', 'SERVER_ERROR']]);
});

test('failover: a target whose breaker is open is passed over', async () => {
  const clock = new VirtualClock();
  const one = onVirtualClock({ clock, breaker: { failureThreshold: 1 }, retry: false }).policy;
  const two = onVirtualClock({ clock }).policy;
  const first = script<string>(retryable());
  await failover([
    { policy: one, run: first },
    { policy: two, run: () => 'x' },
  ]);
  await failover([
    { policy: one, run: first },
    { policy: two, run: () => 'x' },
  ]);
  assert.equal(first.calls, 1);
});

test('failover: after which codes the next target is tried, and after which not', async () => {
  const policy = createPolicy({ retry: false, breaker: false });
  const tried = async (code: AgentErrorCode): Promise<boolean> => {
    const second = script('x');
    await failover([
      { policy, run: script<string>(new AgentError(code, 'no')) },
      { policy, run: second },
    ]).catch(() => {});
    return second.calls > 0;
  };
  const all: Record<string, boolean> = {};
  for (const code of AGENT_ERROR_CODES) all[code] = await tried(code);
  assert.deepEqual(
    Object.keys(all)
      .filter((code) => all[code])
      .sort(),
    [
      'AUTHENTICATION_ERROR',
      'CAPACITY_EXCEEDED',
      'CIRCUIT_OPEN',
      'CONFLICT',
      'CONTEXT_LENGTH_EXCEEDED',
      'INVALID_RESPONSE',
      'MODEL_NOT_FOUND',
      'NETWORK_ERROR',
      'PROVIDER_NOT_CONFIGURED',
      'PROVIDER_OVERLOADED',
      'QUOTA_EXCEEDED',
      'RATE_LIMITED',
      'SERVER_ERROR',
      'TIMEOUT',
    ],
  );
});

test('failover: an open breaker ends it where CIRCUIT_OPEN is not in the list', async () => {
  const { policy } = onVirtualClock({ name: 'one', breaker: { failureThreshold: 1 }, retry: false });
  await rejection(policy.execute(script(retryable())));
  const second = script('x');
  const targets = [
    { policy, run: script('y') },
    { policy: createPolicy(), run: second },
  ];
  await rejectsWith(failover(targets, { on: ['SERVER_ERROR'] }), 'CIRCUIT_OPEN');
  assert.equal(second.calls, 0);
  const refused = await rejectsWith(failover(targets.slice(0, 1)), 'CIRCUIT_OPEN');
  assert.match(refused.message, /^Circuit 'one' is open/);
});

test('failover: a signal that is aborted already ends it, whatever the breakers say', async () => {
  const { policy } = onVirtualClock({ breaker: { failureThreshold: 1 }, retry: false });
  await rejection(policy.execute(script(retryable())));
  const failed = failover([{ policy, run: script('x') }], { signal: AbortSignal.abort() });
  await rejectsWith(failed, 'CANCELLED');
});

test('failover: an error that another provider would make too ends it', async () => {
  const policy = createPolicy({ retry: false });
  const second = script('x');
  const targets = (error: AgentError) => [
    { policy, run: script<string>(error) },
    { policy, run: second },
  ];
  await rejectsWith(failover(targets(new AgentError('VALIDATION_ERROR', 'x'))), 'VALIDATION_ERROR');
  assert.equal(second.calls, 0);
  assert.equal(await failover(targets(fatal())), 'x');
  await rejectsWith(failover(targets(fatal()), { on: ['TIMEOUT'] }), 'AUTHENTICATION_ERROR');
});

test('failover: when all fail the last error says so, with the errors of all', async () => {
  const policy = (): Policy => createPolicy({ retry: false });
  const error = await rejection(
    failover([
      { policy: policy(), run: script<string>(retryable('a')) },
      { policy: policy(), run: script<string>(new AgentError('TIMEOUT', 'b')) },
    ]),
  );
  assert.deepEqual(
    [error.code, error.attempts, error.errors.map((one) => one.message)],
    ['TIMEOUT', 2, ['a', 'b']],
  );
});

test('failover: when all circuits are open it is refused with the shortest wait', async () => {
  const clock = new VirtualClock();
  const open = async (resetTimeoutMs: number) => {
    const { policy } = onVirtualClock({
      clock,
      breaker: { failureThreshold: 1, resetTimeoutMs },
      retry: false,
    });
    await rejection(policy.execute(script<string>(retryable())));
    return { policy, run: script('x') };
  };
  const error = await rejectsWith(
    failover([await open(500), await open(300), await open(900)]),
    'CIRCUIT_OPEN',
  );
  assert.deepEqual([error.attempts, error.retryAfterMs], [0, 300]);
});

test('failover: an abort ends it', async () => {
  const policy = createPolicy({ retry: false });
  const controller = new AbortController();
  const second = script('x');
  const result = failover(
    [
      { policy, run: deaf },
      { policy, run: second },
    ],
    { signal: controller.signal },
  );
  controller.abort();
  await rejectsWith(result, 'CANCELLED');
  assert.equal(second.calls, 0);
});

test('failover: a hint that is too long goes to the next target at once', async () => {
  const { clock, policy } = onVirtualClock();
  const answer = await failover([
    { policy, run: script<string>(new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 3_600_000 })) },
    { policy: createPolicy(), run: () => 'spare' },
  ]);
  assert.deepEqual([answer, clock.now()], ['spare', 0]);
});

test('failover: a misuse is a TypeError at once', () => {
  assert.throws(() => failover([]), TypeError);
  assert.throws(() => failover([{ policy: {} as never, run: () => 1 }]), /targets\[0\]\.policy/);
  assert.throws(
    () => failover([{ policy: createPolicy(), run: () => 1 }], { on: ['NOPE' as never] }),
    /on\[0\]/,
  );
});

test('policies by key: made once, each with its own breaker, disposed of together', async () => {
  const clock = new VirtualClock();
  const policies = createPolicies({ clock, breaker: { failureThreshold: 1 }, retry: false });
  const a = policies.get('a');
  assert.equal(policies.get('a'), a);
  assert.equal(a.name, 'a');
  await rejection(a.execute(script<string>(retryable())));
  assert.equal(a.breaker?.state, 'open');
  assert.equal(policies.get('b').breaker?.state, 'closed');
  assert.deepEqual(
    policies.all.map(({ name }) => name),
    ['a', 'b'],
  );
  policies.dispose();
  await rejectsWith(
    policies.get('b').execute(() => 1),
    'CANCELLED',
  );
  await rejectsWith(
    policies.get('c').execute(() => 1),
    'CANCELLED',
  );
  assert.throws(() => createPolicies({ retry: { maxRetries: -1 } }), /retry\.maxRetries/);
  assert.throws(
    () => createPolicies({ breaker: a.breaker }),
    /breaker.*options, of which each key has a breaker of its own/,
  );
});

test('the counter for loops has the defaults of its source', () => {
  const handler = new RetryHandler();
  const error = (
    errorType: 'llm_failed' | 'network' | 'timeout' | 'validation' | 'unknown' | 'tool_failed',
  ) => ({
    taskId: 't',
    errorType,
  });
  const delays: number[] = [];
  while (handler.shouldRetry(error('llm_failed'))) {
    delays.push(handler.getDelay('t'));
    handler.recordAttempt('t');
  }
  assert.deepEqual(delays, [1000, 2000, 4000]);
  assert.equal(handler.shouldRetry({ taskId: 'other', errorType: 'network' }), true);
  handler.reset('t');
  assert.equal(handler.getDelay('t'), 1000);
  for (const type of ['network', 'timeout', 'llm_failed'] as const)
    assert.equal(handler.shouldRetry(error(type)), true);
  for (const type of ['validation', 'unknown', 'tool_failed'] as const)
    assert.equal(handler.shouldRetry(error(type)), false);
  assert.equal(handler.shouldRetry({ taskId: 't', errorType: 'TIMEOUT' }), true);
  assert.equal(handler.shouldRetry({ taskId: 't', errorType: 'AUTHENTICATION_ERROR' }), false);
  const long = new RetryHandler({ maxRetries: 20 });
  for (let i = 0; i < 15; i++) long.recordAttempt('t');
  assert.equal(long.getDelay('t'), 60_000);
});

test('the counter runs an operation, and leaves nothing behind', async () => {
  const clock = new CountingClock();
  const handler = new RetryHandler({ clock });
  const { controller, signal, listeners } = countingSignal();
  const operation = script<string>(retryable(), retryable(), 'fine');
  const result = handler.executeWithRetry(operation, { taskId: 't', signal });
  await clock.advance(3000);
  assert.equal(await result, 'fine');
  assert.equal(handler.getDelay('t'), 1000);
  const failing = rejection(handler.executeWithRetry(script<string>(retryable()), { taskId: 't', signal }));
  await clock.advance(7000);
  const error = await failing;
  assert.deepEqual([error.attempts, error.errors.length], [4, 4]);
  await rejectsWith(handler.executeWithRetry(script(fatal()), { taskId: 't' }), 'AUTHENTICATION_ERROR');
  const aborted = rejection(handler.executeWithRetry(script<string>(retryable()), { taskId: 't', signal }));
  await clock.advance(10);
  controller.abort();
  assert.equal((await aborted).code, 'CANCELLED');
  assert.deepEqual([listeners(), clock.pending], [0, 0]);
  assert.throws(() => handler.executeWithRetry(operation, {} as never), TypeError);
  assert.throws(() => new RetryHandler({ maxRetries: 1.5 }), /maxRetries/);
});

test('failover: totalMs bounds all targets together', async () => {
  const clock = new VirtualClock();
  const target = (name: string) => onVirtualClock({ clock, name, retry: false }).policy;
  const seen: number[] = [];
  const switched: string[] = [];
  const stop = onEvent((event) => {
    if (event.type === 'failover.switched') switched.push(event.to);
  });
  const slow = {
    policy: target('slow'),
    run: () => new Promise((_, reject) => clock.setTimeout(() => reject(retryable()), 60)),
  };
  const hung = {
    policy: target('hung'),
    run: ({ remainingMs }: { remainingMs: number }) => {
      seen.push(remainingMs);
      return deaf();
    },
  };
  const never = { policy: target('never'), run: () => assert.fail('out of time') };
  const result = rejectsWith(failover([slow, hung, never], { totalMs: 100 }), 'TIMEOUT');
  await clock.advance(60);
  await clock.advance(40);
  const error = await result;
  stop();
  assert.equal(error.message, 'Failover timed out after 100 ms');
  assert.deepEqual([seen, switched], [[40], ['hung']]);
  assert.deepEqual(
    error.errors.map(({ code }) => code),
    ['SERVER_ERROR', 'TIMEOUT'],
  );
  assert.equal(error.attempts, 2);
});

test("failover: a target's own deadline holds where it is shorter, and totalMs is checked", async () => {
  const clock = new VirtualClock();
  const quick = onVirtualClock({ clock, retry: false, timeout: { attemptMs: 90, totalMs: 20 + 80 } }).policy;
  const result = failover(
    [
      { policy: quick, run: deaf },
      { policy: createPolicy(), run: () => 'spare' },
    ],
    {
      // Shorter than the first target's attemptMs: no mistake of anybody's.
      totalMs: 5000,
    },
  );
  await clock.advance(90);
  assert.equal(await result, 'spare');
  assert.throws(
    () => failover([{ policy: quick, run: deaf }], { totalMs: 0 }),
    /'totalMs' must be .* above 0/,
  );
});

test('failover: no targets, and a target whose policy has its own fallback, are TypeErrors that say so', () => {
  assert.throws(() => failover([]), {
    name: 'TypeError',
    message: 'halfopen: failover expects one target or more, got none',
  });
  const withFallback = createPolicy({ name: 'openai', fallback: () => 'sorry' }) as unknown as Policy<never>;
  assert.throws(() => failover([{ policy: withFallback, run: () => 1 }]), {
    name: 'TypeError',
    message:
      /targets\[0\]\.policy \('openai'\) has a fallback, which would answer before the next target could/,
  });
});
