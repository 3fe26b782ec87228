// `halfopen/log`: one structured line for each call that matters.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { AgentError, costLimit, createPolicy, failover, type PolicyOptions } from 'halfopen';
import { type LogOptions, logEvents } from 'halfopen/log';
import { script } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, retryable } from './policy/given.js';

type Line = [level: string, message: string, fields: Record<string, unknown>];

/** Returns the lines logged while `run` runs. */
async function lines<F = never>(
  run: (given: ReturnType<typeof onVirtualClock<F>>) => unknown,
  options: PolicyOptions<F> = {},
  log?: LogOptions,
): Promise<Line[]> {
  const written: Line[] = [];
  const stop = logEvents((level, message, fields) => written.push([level, message, fields]), log);
  try {
    await run(onVirtualClock<F>({ name: 'openai', ...options }));
  } finally {
    stop();
  }
  return written;
}

const heads = (written: Line[]): string[] => written.map(([level, message]) => `${level} ${message}`);

test('a call that succeeds at once has no line; with the level all it has one', async () => {
  const run = ({ policy }: ReturnType<typeof onVirtualClock>) => policy.execute(() => 1);
  assert.deepEqual(await lines(run), []);
  const [line, ...others] = await lines(run, {}, { level: 'all' });
  assert.deepEqual(others, []);
  assert.deepEqual(line?.slice(0, 2), ['info', 'openai: succeeded']);
});

test('one that needed a retry has one line, with what it took', async () => {
  const written = await lines(async ({ clock, policy }) => {
    const limited = new AgentError('RATE_LIMITED', 'x', { retryAfterMs: 2000 });
    const call = policy.execute(script<unknown>(retryable(), limited, 'fine'), { task: 'plan', model: 'm' });
    await clock.advance(60_000);
    await call;
  });
  assert.deepEqual(heads(written), ['warn openai: succeeded after 3 attempts']);
  const { call, details, ...fields } = written[0]?.[2] ?? {};
  assert.ok(typeof call === 'string' && typeof details === 'string');
  assert.deepEqual(fields, {
    event: 'call.succeeded',
    policy: 'openai',
    task: 'plan',
    model: 'm',
    attempts: 3,
    durationMs: 3000,
    waitedMs: 3000,
    failed: ['SERVER_ERROR', 'RATE_LIMITED'],
    errorClass: 'AgentError',
  });
});

test('a 400 can be debugged from its line; a call that a cap on cost refused says so', async () => {
  const refused = Object.assign(new Error("400 Invalid schema for function 'weather'"), {
    status: 400,
    headers: { 'x-request-id': 'req_0123' },
    error: {
      type: 'invalid_request_error',
      param: 'tools[0].function.parameters',
      message: "Invalid schema for function 'weather'",
    },
  });
  const [line] = await lines(({ policy }) => policy.respond(() => Promise.reject(refused)));
  assert.equal(
    line?.[2].errorMessage,
    "HTTP 400 · invalid_request_error · tools[0].function.parameters: Invalid schema for function 'weather'",
  );
  assert.equal(line?.[2].requestId, 'req_0123');
  const [private_] = await lines(({ policy }) => policy.respond(() => Promise.reject(refused)), {
    messages: 'private',
  });
  assert.doesNotMatch(JSON.stringify(private_), /Invalid schema/);
  assert.match(String(private_?.[2].details), /tools\[0\]/);
  const capped = await lines(async ({ policy }) => {
    costLimit(policy, { max: 1, windowMs: 1000, costOf: () => 2 });
    await policy.execute((context) => context.observe({ usage: { inputTokens: 1, outputTokens: 1 } }));
    await policy.respond(() => 1);
  });
  assert.deepEqual(heads(capped), ['warn openai: refused by the cost limit: CAPACITY_EXCEEDED']);
});

test('one that failed is an error, and a fallback that answered says so', async () => {
  const failing = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { status: 401 }));
  const written = await lines(({ policy }) => policy.execute<unknown>(failing, { fallback: () => 'less' }));
  assert.deepEqual(heads(written), [
    'error openai: failed after 1 attempt: AUTHENTICATION_ERROR',
    'warn openai: a fallback answered, after AUTHENTICATION_ERROR',
  ]);
  assert.equal(written[0]?.[2].statusCode, 401);
  assert.equal(written[0]?.[2].why, 'not-retryable');
});

test('a refused call, and the change of the breaker before it', async () => {
  const written = await lines(
    async ({ policy }) => {
      for (const _ of [1, 2]) await policy.execute(() => Promise.reject(retryable())).catch(() => {});
    },
    { retry: false, breaker: { failureThreshold: 1 } },
  );
  assert.deepEqual(
    written.map(([level, , { event }]) => [level, event]),
    [
      ['warn', 'breaker.changed'],
      ['error', 'call.failed'],
      ['warn', 'call.rejected'],
    ],
  );
  assert.equal(written[2]?.[2].retryAfterMs, 1000);
});

test('the share that a closed breaker refuses has a line, before the call that it refused', async () => {
  const written = await lines(
    async ({ clock, policy }) => {
      await policy.execute(() => Promise.reject(retryable())).catch(() => {});
      await clock.advance(1000);
      for (const _ of ['probe', 'first']) await policy.execute(() => 1);
      await clock.advance(250);
      await policy.execute(() => 1).catch(() => {});
    },
    { retry: false, breaker: { failureThreshold: 1, resetTimeoutMs: 1000, rampMs: 1000 } },
  );
  const throttled = written.findIndex(([, , { event }]) => event === 'breaker.throttled');
  assert.deepEqual(heads(written.slice(throttled)), [
    "warn openai: breaker 'openai' refuses 75 % of calls",
    'warn openai: refused by the breaker: CIRCUIT_OPEN',
  ]);
  assert.equal(written[throttled]?.[2].rate, 0.75);
});

test('a failover that worked is one info line: from where, to where, and why', async () => {
  const busy = new AgentError('RATE_LIMITED', 'slow down', { retryAfterMs: 30_000 });
  const written = await lines(async () => {
    const big = createPolicy({ name: 'big', retry: false });
    const small = createPolicy({ name: 'small', retry: false });
    await failover([
      { policy: big, run: () => Promise.reject(busy) },
      { policy: small, run: () => 'fine' },
    ]);
  });
  assert.deepEqual(heads(written), ["info big: 'small' is tried in place of 'big', after RATE_LIMITED"]);
  const { event, from, to, code, attempts, failed } = written[0]?.[2] ?? {};
  assert.deepEqual(
    { event, from, to, code, attempts, failed },
    {
      ...{ event: 'failover.switched', from: 'big', to: 'small', code: 'RATE_LIMITED' },
      ...{ attempts: 1, failed: ['RATE_LIMITED'] },
    },
  );
});

test('a failover that failed is one error line, of the last target; what the calls between wrote keeps its order', async () => {
  const failing = () => Promise.reject(retryable());
  const written = await lines(async () => {
    const policies = ['big', 'small'].map((name) => createPolicy({ name, retry: false }));
    const other = createPolicy({ name: 'other', retry: false });
    await Promise.all([
      failover(policies.map((policy) => ({ policy, run: failing }))).catch(() => {}),
      other.execute(failing).catch(() => {}),
    ]);
  });
  assert.deepEqual(heads(written), [
    "info big: 'small' is tried in place of 'big', after SERVER_ERROR",
    'error other: failed after 1 attempt: SERVER_ERROR',
    'error small: failed after 1 attempt: SERVER_ERROR',
  ]);
});

test('a target that is passed over because its breaker is open has a line too', async () => {
  const written = await lines(async () => {
    const big = createPolicy({ name: 'big', retry: false });
    const small = createPolicy({ name: 'small', retry: false });
    big.breaker?.isolate();
    await failover([
      { policy: big, run: () => 'big' },
      { policy: small, run: () => 'fine' },
    ]);
  });
  assert.deepEqual(heads(written).slice(-1), [
    "info big: 'small' is tried in place of 'big', after CIRCUIT_OPEN",
  ]);
});

test('one failed call is one error line: the calls within it are warnings, and so are those of one that succeeded', async () => {
  const tool = createPolicy({ name: 'tool', retry: false });
  const search = () => tool.execute(() => Promise.reject(fatal()));
  const failed = await lines(({ policy }) => policy.execute(search).catch(() => {}), { retry: false });
  assert.deepEqual(heads(failed), [
    'warn tool: failed after 1 attempt: AUTHENTICATION_ERROR',
    'error openai: failed after 1 attempt: AUTHENTICATION_ERROR',
  ]);
  const succeeded = await lines(({ policy }) => policy.execute(() => search().catch(() => 'without')));
  assert.deepEqual(heads(succeeded), ['warn tool: failed after 1 attempt: AUTHENTICATION_ERROR']);
});

test('with the level all there is a line for each retry, and for each change of a breaker', async () => {
  const written = await lines(
    async ({ clock, policy }) => {
      const call = policy.execute(script<unknown>(retryable(), 'fine')).catch(() => {});
      await clock.advance(60_000);
      await call;
      await policy.execute(() => Promise.reject(fatal())).catch(() => {});
      policy.breaker?.isolate().dispose();
    },
    {},
    { level: 'all' },
  );
  assert.deepEqual(heads(written), [
    'info openai: attempt 2 follows in 1000 ms, after SERVER_ERROR',
    'warn openai: succeeded after 2 attempts',
    'error openai: failed after 1 attempt: AUTHENTICATION_ERROR',
    "warn halfopen: breaker 'openai' is isolated: isolated by hand",
    "info halfopen: breaker 'openai' is closed: isolation lifted",
  ]);
  const { attempt, delayMs, delaySource, code } = written[0]?.[2] ?? {};
  assert.deepEqual([attempt, delayMs, delaySource, code], [2, 1000, 'backoff', 'SERVER_ERROR']);
});

test('a line says what the error said, and where', async () => {
  const written = await lines(({ policy }) =>
    policy
      .execute(() => {
        throw new TypeError('no such city');
      })
      .catch(() => {}),
  );
  const { errorMessage, errorClass, frame } = written[0]?.[2] ?? {};
  assert.deepEqual([errorMessage, errorClass], ['no such city', 'TypeError']);
  assert.match(String(frame), /log\.test/);
});

test('a refusal says by which limit', async () => {
  const written = await lines(
    async ({ policy }) => {
      const running = policy.execute(() => new Promise((resolve) => setTimeout(resolve, 5)));
      await policy.execute(() => 1).catch(() => {});
      await running;
    },
    { bulkhead: { maxConcurrent: 1, maxQueued: 0 } },
  );
  assert.deepEqual(heads(written), ['warn openai: refused by the bulkhead: CAPACITY_EXCEEDED']);
});

test('a program that exits as soon as its call has failed has its line', () => {
  const program = `
    import { createPolicy } from 'halfopen';
    import { logEvents } from 'halfopen/log';
    logEvents((level, message) => console.log(level, message));
    const policy = createPolicy({ name: 'openai', retry: false });
    policy.execute(() => { throw Object.assign(new Error('no'), { status: 401 }); }).catch(() => process.exit(1));
  `;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
    encoding: 'utf8',
  });
  assert.equal(stdout, 'error openai: failed after 1 attempt: AUTHENTICATION_ERROR\n');
});

test('a cancelled call is no problem', async () => {
  const run = async ({ policy }: ReturnType<typeof onVirtualClock>) => {
    const controller = new AbortController();
    const call = policy.execute(deaf, { signal: controller.signal }).catch(() => {});
    controller.abort();
    await call;
  };
  assert.deepEqual(await lines(run), []);
  assert.deepEqual(heads(await lines(run, {}, { level: 'all' })), ['info openai: cancelled']);
});

test('an attempt that lost against another is no problem', async () => {
  const written = await lines(
    async ({ clock, policy }) => {
      const call = policy.execute(({ attempt }) => (attempt === 1 ? deaf() : 'fine'));
      await clock.advance(10);
      await call;
    },
    { hedge: { afterMs: 10 } },
  );
  assert.deepEqual(written, []);
});

test('no secret of an error comes into a line', async () => {
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789';
  const written = await lines(({ policy }) =>
    policy.execute(() => Promise.reject(fatal(`bad key ${secret}`))).catch(() => {}),
  );
  assert.equal(written.length, 1);
  assert.ok(!JSON.stringify(written).includes(secret));
});

for (const [name, extra, fieldsFirst] of [
  ['console and winston', {}, false],
  ['pino', { bindings: () => ({}) }, true],
  ['bunyan', { addSerializers: () => {} }, true],
] as const) {
  test(`${name} get their arguments in the order they take them`, async () => {
    const got: unknown[][] = [];
    const write = (...args: unknown[]) => got.push(args);
    const stop = logEvents({ ...extra, info: write, warn: write, error: write });
    await onVirtualClock({ retry: false })
      .policy.execute(() => Promise.reject(fatal()))
      .catch(() => {});
    stop();
    assert.deepEqual(
      got.map((args) => args.map((arg) => typeof arg)),
      [fieldsFirst ? ['object', 'string'] : ['string', 'object']],
    );
  });
}

test('a logger keeps its `this`, and one that throws changes nothing', async () => {
  class Failing {
    calls = 0;
    info(): void {}
    warn(): void {}
    error(): void {
      this.calls++;
      throw new Error('the disk is full');
    }
  }
  const logger = new Failing();
  const stop = logEvents(logger);
  const { policy } = onVirtualClock({ retry: false });
  await assert.rejects(
    policy.execute(() => Promise.reject(fatal())),
    { code: 'AUTHENTICATION_ERROR' },
  );
  stop();
  assert.equal(logger.calls, 1);
});

test('after stop nothing is written', async () => {
  const written: unknown[] = [];
  logEvents((...line) => written.push(line))();
  await onVirtualClock({ retry: false })
    .policy.execute(() => Promise.reject(fatal()))
    .catch(() => {});
  assert.deepEqual(written, []);
});

test('wrong options are TypeErrors that say what was expected', () => {
  assert.throws(
    () => logEvents({ info() {} } as never),
    /option 'logger' must be a logger \(info, warn, error\), or a function, got an object/,
  );
  assert.throws(
    () => logEvents(console, { level: 'some' as never }),
    /option 'level' must be 'all', 'problems', got 'some'/,
  );
});
