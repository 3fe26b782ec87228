// Replay: a log of the package reproduces its own outcomes, and shows those of other policies.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { createPolicy, type HalfopenEvent, type PolicyOptions } from 'halfopen';
import { type LabPolicy, type Replay, replay } from 'halfopen/lab';
import { random, recorded } from './recorded.js';

const own = (log: readonly (string | HalfopenEvent)[]) => replay(log, { policies: {}, seeds: 2 });

function assertSame(result: Replay): void {
  assert.equal(result.identity, 1, JSON.stringify(result.changed.slice(0, 5), undefined, 2));
  assert.deepEqual(result.changed, []);
  const { userMs: was, events: _, ...before } = result.before;
  const { userMs: is, events: __, ...after } = result.after;
  assert.deepEqual(after, before);
  // Right to the bucket of 0.4 % of a histogram; under a real clock, timers are late by themselves.
  for (const part of ['p50', 'p95', 'p99', 'max'] as const)
    assert.ok(
      Math.abs(is[part] - was[part]) <= was[part] * 0.005,
      `${part}: ${is[part]} instead of ${was[part]}`,
    );
  assert.deepEqual(result.afterBand.low, result.afterBand.high);
}

const everything: PolicyOptions<unknown> = {
  retry: { maxRetries: 3, baseDelayMs: 300, jitter: 'full', budget: { ratio: 0.3, minPerSecond: 1 } },
  breaker: { failureThreshold: 4, resetTimeoutMs: 3000 },
  breakerScope: 'attempt',
  rateLimit: { limit: 8, windowMs: 1000, maxWaitMs: 900 },
  bulkhead: { maxConcurrent: 4, maxQueued: 3 },
  timeout: { attemptMs: 2500, totalMs: 8000 },
  fallback: () => 'later',
};

const policies: [string, PolicyOptions<unknown>][] = [
  ['everything', everything],
  ['the default', {}],
  [
    'a breaker over calls with a window',
    { breaker: { window: { kind: 'time', durationMs: 10_000, failureRate: 0.4 } } },
  ],
  ['a throttle', { breaker: { throttle: { windowMs: 20_000 } } }],
  ['hedges', { hedge: { afterMs: 250, max: 2 }, timeout: { attemptMs: 1000 } }],
  [
    'decorrelated jitter and a deadline',
    { retry: { maxRetries: 6, baseDelayMs: 100, jitter: 'decorrelated' }, timeout: { totalMs: 4000 } },
  ],
];

for (const [name, options] of policies) {
  test(`a log under ${name} gives back its own outcomes`, async () => {
    for (const seed of [1, 2, 3]) {
      const log = await recorded(options, { seed });
      assert.ok(log.length > 1000);
      assertSame(await own(log));
    }
  });
}

test('calls that are aborted, and calls with options of their own, come out as they did', async () => {
  const log = await recorded(everything, {
    use: (policy, operation, draw) => {
      const abort = new AbortController();
      const chance = draw();
      return policy.execute(
        (context) => {
          if (chance < 0.1) abort.abort(new Error('left'));
          return operation(context.signal);
        },
        {
          signal: abort.signal,
          ...(chance > 0.8 && { retry: { maxRetries: 1 } }),
          ...(chance > 0.6 && chance <= 0.8 && { retry: false, timeout: { attemptMs: 500, totalMs: 1000 } }),
        },
      );
    },
  });
  assertSame(await own(log));
});

test('any policy gives back its own outcomes', async () => {
  const draw = random(7);
  const one = <T>(...values: T[]): T => values[Math.floor(draw() * values.length)] as T;
  for (let round = 0; round < 12; round++) {
    const options: PolicyOptions<unknown> = {
      retry: one<PolicyOptions<unknown>['retry']>(
        false,
        {
          maxRetries: one(0, 1, 4),
          baseDelayMs: one(50, 700),
          jitter: one<number | 'full' | 'equal'>(0, 0.5, 'full', 'equal'),
        },
        { maxRetries: 2, maxRetryAfterMs: one(500, 5000), budget: { ratio: 0.1 } },
      ),
      breaker: one<PolicyOptions<unknown>['breaker']>(
        false,
        { failureThreshold: 3, resetTimeoutMs: 2000, halfOpenMaxCalls: 2, successThreshold: 2 },
        {
          window: { kind: 'count', size: 10, failureRate: 0.5 },
          resetTimeoutMs: 1000,
          resetBackoffFactor: 2,
        },
      ),
      breakerScope: one('call', 'attempt'),
      ...(draw() < 0.5 && { bulkhead: { maxConcurrent: one(1, 3), maxQueued: one(0, 5) } }),
      ...(draw() < 0.5 && { rateLimit: { limit: one(3, 6), windowMs: 1000, maxWaitMs: one(0, 2000) } }),
      timeout: {
        ...(draw() < 0.5 && { attemptMs: one(300, 1500) }),
        ...(draw() < 0.5 && { totalMs: one(1600, 5000) }),
      },
    };
    const result = await own(await recorded(options, { seed: round, seconds: 130, perSecond: one(2, 6) }));
    assert.equal(
      result.identity,
      1,
      `${JSON.stringify(options)} ${JSON.stringify(result.changed.slice(0, 3))}`,
    );
  }
});

const fixture = (name: string) =>
  readFileSync(new URL(`../../../tests/fixtures/${name}.jsonl`, import.meta.url), 'utf8');

for (const name of ['incident', 'agent-day', 'export-cases']) {
  test(`the recorded ${name} gives back its own outcomes`, async () => {
    assertSame(await own(fixture(name).split('\n')));
  });
}

test('reads lines, events, a text, and all of them from a stream', async () => {
  const text = fixture('incident');
  const lines = text.split('\n').filter((line) => line !== '');
  const events = lines.map((line) => JSON.parse(line) as HalfopenEvent);
  async function* streamed() {
    for (const [index, line] of lines.entries())
      yield index % 2 === 0 ? line : (events[index] as HalfopenEvent);
  }
  const policies = { 'support-desk': { retry: { maxRetries: 0 } } };
  const expected = await replay(lines, { policies });
  assert.ok(expected.changed.length > 0);
  for (const log of [events, streamed(), text as unknown as Iterable<string>, [text]])
    assert.deepEqual(await replay(log, { policies }), expected);
});

const without: Record<string, LabPolicy> = { chat: { retry: false, breaker: false } };

test('retries that never happened are drawn, and the sums have a band', async () => {
  const log = await recorded({ retry: false, breaker: false });
  const result = await replay(log, {
    policies: { chat: { retry: { maxRetries: 3, baseDelayMs: 1000, budget: false }, breaker: false } },
    seeds: 40,
  });
  const { before, after, afterBand, changed } = result;
  assert.equal(result.identity, 1);
  assert.ok(after.failed < before.failed && after.attempts > before.attempts);
  assert.ok(afterBand.low.succeeded < afterBand.high.succeeded);
  assert.ok(afterBand.low.succeeded <= after.succeeded && after.succeeded <= afterBand.high.succeeded);
  assert.ok(changed.length > 0 && changed.every(({ modelled }) => modelled));
  assert.match(changed[0]?.before ?? '', /^failed [A-Z_]+ \(1 attempt, \d+ ms\)$/);
  assert.deepEqual(
    await replay(log, {
      policies: { chat: { retry: { maxRetries: 3, baseDelayMs: 1000, budget: false }, breaker: false } },
      seeds: 40,
    }),
    result,
  );
});

test('under a longer timeout, the attempts that the shorter one cut off are counted as unknown', async () => {
  const options = {
    retry: { maxRetries: 1 },
    breaker: false,
    timeout: { attemptMs: 300, totalMs: 2000 },
  } as const;
  const log = await recorded(options, { seed: 3 });
  const cut = log.filter(
    (event) =>
      typeof event === 'object' &&
      event.type === 'attempt.failed' &&
      event.code === 'TIMEOUT' &&
      (event.durationMs ?? 0) >= 300,
  ).length;
  assert.ok(cut > 5, `${cut}`);
  const [name = ''] = new Set(log.flatMap((event) => ('policy' in event && event.policy) || []));
  const under = (timeout: LabPolicy['timeout']) =>
    replay(log, { policies: { [name]: { ...options, timeout } }, seeds: 2 });
  const longer = await under({ attemptMs: 1500, totalMs: 9000 });
  const [first] = longer.censored ?? [];
  assert.deepEqual(first, { timeout: 'attemptMs', ms: 300, attempts: cut });
  assert.equal((await under({ attemptMs: 200, totalMs: 2000 })).censored, undefined);
  assert.equal((await under({ attemptMs: 300, totalMs: 2000 })).censored, undefined);
  assert.equal((await own(log)).censored, undefined);
});

/** A log of calls without a provider's name, each with one attempt: its policy, when it began, how long it took, its timeout. */
function bare(
  calls: readonly { policy: string; at: number; took: number; failed?: 'TIMEOUT' | 'SERVER_ERROR' }[],
  options: Record<string, LabPolicy>,
): HalfopenEvent[] {
  let seq = 0;
  const event = (time: number, rest: object) =>
    ({ v: 1, source: 's', seq: seq++, time, ...rest }) as unknown as HalfopenEvent;
  const configured = Object.entries(options).map(([policy, options]) =>
    event(0, { type: 'policy.configured', policy, options, seed: 1 }),
  );
  return [
    ...configured,
    ...calls.flatMap(({ policy, at, took, failed }, index) => {
      const of = (time: number, rest: object) => event(time, { policy, call: `c${index}`, ...rest });
      const begun = [of(at, { type: 'call.started' }), of(at, { type: 'attempt.started', attempt: 1 })];
      const [ended, durationMs] = [at + took, took];
      if (failed === undefined)
        return [
          ...begun,
          of(ended, { type: 'attempt.succeeded', attempt: 1, durationMs }),
          of(ended, { type: 'call.succeeded', attempts: 1, durationMs }),
        ];
      const rule = failed === 'TIMEOUT' ? 'policy.timeout' : 'http.5xx';
      const failure = { code: failed, severity: 'retriable', retryable: true, rule, counted: true };
      return [
        ...begun,
        of(ended, { type: 'attempt.failed', attempt: 1, durationMs, ...failure }),
        of(ended, {
          type: 'call.failed',
          attempts: 1,
          durationMs,
          code: failed,
          why: 'exhausted',
          userMessage: '',
        }),
      ];
    }),
  ];
}

const single = { retry: false, breaker: false } as const;

test('the attempts of one policy are drawn from its own, not from those of others', async () => {
  // 'shop' always answers and 'mail' always fails, neither names a provider.
  const calls = Array.from({ length: 200 }, (_, index) => ({
    policy: index % 2 === 0 ? 'shop' : 'mail',
    at: index * 100,
    took: 20,
    ...(index % 2 === 1 && { failed: 'SERVER_ERROR' as const }),
  }));
  const retrying = { retry: { maxRetries: 2, baseDelayMs: 10, budget: false }, breaker: false } as const;
  const log = bare(calls, { shop: single, mail: single });
  const { after, changed } = await replay(log, { policies: { mail: retrying } });
  assert.deepEqual([after.succeeded, after.failed, after.attempts], [100, 100, 400]);
  assert.ok(changed.every(({ policy }) => policy === 'mail'));
});

test('each policy has results of its own, which sum to those of all', async () => {
  const calls = Array.from({ length: 30 }, (_, index) => ({
    policy: index % 3 === 0 ? 'mail' : 'shop',
    at: index * 100,
    took: 20,
    ...(index % 3 === 0 && { failed: 'SERVER_ERROR' as const }),
  }));
  const log = bare(calls, { shop: single, mail: single });
  const { before, after, policies } = await replay(log, {
    policies: { mail: { ...single, fallback: true } },
  });
  const { shop, mail } = policies as Record<'shop' | 'mail', (typeof policies)[string]>;
  assert.deepEqual(Object.keys(policies).sort(), ['mail', 'shop']);
  assert.deepEqual([shop.before.succeeded, shop.after.succeeded, shop.after.fallbacks], [20, 20, 0]);
  assert.deepEqual([mail.before.failed, mail.after.failed, mail.after.fallbacks], [10, 0, 10]);
  assert.deepEqual([mail.identity, shop.identity], [1, 1]);
  for (const name of ['offered', 'attempts', 'succeeded', 'failed', 'fallbacks'] as const) {
    assert.equal(shop.before[name] + mail.before[name], before[name], name);
    assert.equal(shop.after[name] + mail.after[name], after[name], name);
  }
});

/** A service of 100 to 290 ms behind a timeout of 200 ms, which cuts off nearly half of the attempts. */
const cutOff = (extra: Parameters<typeof bare>[0] = []) =>
  bare(
    [
      ...Array.from({ length: 100 }, (_, index) => {
        const took = 100 + ((index * 7) % 20) * 10;
        // A timer is late by a millisecond at times: an answer that comes then says nothing of longer ones.
        if (index === 50) return { policy: 'model', at: index * 1000, took: 200 };
        if (took <= 190) return { policy: 'model', at: index * 1000, took };
        return { policy: 'model', at: index * 1000, took: 201, failed: 'TIMEOUT' as const };
      }),
      ...extra,
    ],
    {
      model: { ...single, timeout: { attemptMs: 200 } },
      patient: { ...single, timeout: { attemptMs: 5000 } },
    },
  );

test('under a longer timeout, a log without longer attempts says that it cannot tell', async () => {
  const policies = { model: { ...single, timeout: { attemptMs: 400 } } };
  const {
    identity,
    before,
    after,
    afterBand,
    policies: of,
    says,
    changed,
  } = await replay(cutOff(), { policies });
  const cut = before.failed;
  assert.ok(cut > 30 && cut < 60, `${cut}`);
  // The calls that were cut off are not what the other policy gives back.
  assert.equal(identity, before.succeeded / before.offered);
  assert.deepEqual(of.model?.unknown, { attempts: cut, calls: cut });
  // Not a number that looks certain, but everything between an answer at once and none at all.
  assert.ok(Number.isNaN(after.succeeded) && Number.isNaN(after.failed));
  assert.equal(after.offered, 100);
  assert.deepEqual([afterBand.low.succeeded, afterBand.high.succeeded], [100 - cut, 100]);
  assert.deepEqual([afterBand.low.failed, afterBand.high.failed], [0, cut]);
  assert.ok(
    says.some((sentence) => sentence.includes('the log cannot tell')),
    says.join('\n'),
  );
  assert.ok(changed.length === cut && changed.every(({ after }) => after === 'the log cannot tell'));
});

test('an answer just after the timeout of a call says nothing of longer ones', async () => {
  // The timer was late once, by 4 ms: no attempt is known to have had more time.
  const calls = Array.from({ length: 51 }, (_, index) => ({
    policy: 'model',
    at: index * 1000,
    took: index === 25 ? 204 : 200,
    ...(index !== 25 && { failed: 'TIMEOUT' as const }),
  }));
  const log = bare(calls, { model: { ...single, timeout: { totalMs: 200 } } });
  const policies = { model: { ...single, timeout: { totalMs: 1000 } } };
  const { after, unknown, changed } = await replay(log, { policies });
  assert.deepEqual(unknown, { attempts: 50, calls: 50 });
  assert.ok(Number.isNaN(after.succeeded));
  assert.ok(changed.every(({ modelled, unknown }) => !modelled && unknown === true));
});

test('under a longer timeout, attempts that were cut off go on like those that are known to have taken longer', async () => {
  // A call with options of its own to the same service had more time: 260, 300 or 340 ms.
  const log = cutOff();
  const longer = [260, 300, 340].flatMap((took, index) => {
    const at = 10_000 * (index + 1) + 500;
    const call = `longer${index}`;
    const of = (time: number, seq: number, rest: object) =>
      ({
        v: 1,
        source: 's',
        seq: 10_000 + index * 10 + seq,
        time,
        policy: 'model',
        call,
        ...rest,
      }) as unknown as HalfopenEvent;
    return [
      of(at, 0, { type: 'call.started', options: { timeout: { attemptMs: 2000 } } }),
      of(at, 1, { type: 'attempt.started', attempt: 1 }),
      of(at + took, 2, { type: 'attempt.succeeded', attempt: 1, durationMs: took }),
      of(at + took, 3, { type: 'call.succeeded', attempts: 1, durationMs: took }),
    ];
  });
  const replayed = (attemptMs: number) =>
    replay([...log, ...longer], { policies: { model: { ...single, timeout: { attemptMs } } } });
  const enough = await replayed(400);
  assert.equal(enough.unknown, undefined);
  assert.deepEqual([enough.after.succeeded, enough.after.failed], [103, 0]);
  assert.ok(enough.identity < 0.7, `${enough.identity}`);
  const some = await replayed(280);
  assert.ok(some.after.succeeded > 65 && some.after.succeeded < 95, `${some.after.succeeded}`);
  assert.ok(some.afterBand.low.succeeded < some.afterBand.high.succeeded);
});

test('it says that calls which follow from a call are not modelled', async () => {
  const { says } = await replay(cutOff(), { policies: {} });
  assert.ok(
    says.some((sentence) => /follow from .* not modelled/.test(sentence)),
    says.join('\n'),
  );
});

test('less than was done is known, not modelled', async () => {
  const log = await recorded({ retry: { maxRetries: 3, baseDelayMs: 200 }, breaker: false });
  const { before, after, afterBand, changed } = await replay(log, {
    policies: without,
    cost: { perAttempt: 0.01, perToken: 0.001 },
  });
  assert.equal(after.amplification, 1);
  assert.ok(before.amplification > 1 && after.cost < before.cost && after.tokens <= before.tokens);
  assert.deepEqual(afterBand.low, afterBand.high);
  assert.ok(changed.length > 0 && changed.every(({ modelled }) => !modelled));
});

test('tokens of a stream that was closed, of one that was cancelled, and of a body count too', async () => {
  const log: HalfopenEvent[] = [];
  const policy = createPolicy({ name: 'chat', retry: false, onEvent: (event) => void log.push(event) });
  const usage = { prompt_tokens: 10, completion_tokens: 5 };
  async function* answer() {
    for (;;) {
      yield { choices: [{ delta: { content: 'a word ' } }], usage };
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  for await (const _ of policy.stream(answer)) break;
  const caller = new AbortController();
  const cancelled = (async () => {
    for await (const _ of policy.stream(answer, { signal: caller.signal })) caller.abort();
  })();
  await assert.rejects(cancelled);
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [], usage }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await (await policy.fetch(`http://127.0.0.1:${port}/`)).json();
  await new Promise((resolve) => setTimeout(resolve, 20));
  server.close();
  const known = log.flatMap((event) => ('usage' in event && event.usage !== undefined ? [event.type] : []));
  assert.deepEqual(known, ['call.succeeded', 'call.failed', 'stream.chunk']);
  const { identity, before, after } = await replay(log, { policies: {}, seeds: 2 });
  assert.deepEqual([identity, before.tokens, after.tokens], [1, 45, 45]);
});

test('lost events show in the identity', async () => {
  const log = await recorded({ retry: { maxRetries: 1 }, breaker: { failureThreshold: 2 } });
  const result = await own(log.filter(({ type }, index) => type !== 'attempt.failed' || index % 3 > 0));
  assert.ok(result.identity < 1 && result.identity > 0.3, String(result.identity));
});

const event = '{"v":1,"source":"s","seq":1,"time":1,"policy":"p","call":"c","type":"call.dequeued"}';
const misfits: [what: string, log: unknown, policies: unknown, message: string][] = [
  ['no log', 7, {}, "option 'log' must be lines or events, got 7"],
  [
    'no policies',
    [],
    undefined,
    "option 'policies' must be an object with a policy for each name, got undefined",
  ],
  [
    'nothing',
    [],
    {},
    'log: expected events of a call from its beginning to its end, got 0 lines without one',
  ],
  ['no JSON', [event, '', 'hello'], {}, 'log line 3: expected an event of Halfopen as JSON, got '],
  [
    'a cut line',
    [event, event.slice(0, 40)],
    {},
    'log line 2: expected an event of Halfopen as JSON, got a line that ends in the middle of its JSON',
  ],
  ['a list', ['[1]'], {}, 'log line 1: expected an event of Halfopen as JSON, got [1]'],
  ['another version', [event.replace('"v":1', '"v":2')], {}, 'log line 1.v: expected 1, got 2'],
  [
    'no time',
    [event.replace('"time":1', '"time":"now"')],
    {},
    "log line 1.time: expected a number, 0 or more, got 'now'",
  ],
  [
    'a field of another type',
    [event.replace('call.dequeued', 'attempt.started')],
    {},
    'log line 1.attempt: expected a number, 0 or more, got nothing',
  ],
  [
    'options that are no object',
    [event.replace('"type":"call.dequeued"', '"seed":1,"type":"policy.configured"')],
    {},
    'log line 1.options: expected an object, got nothing',
  ],
  [
    'an unknown policy',
    fixture('incident').split('\n'),
    { chat: {} },
    "policies.chat: expected the name of a policy in the log, 'support-desk', got one that is not there",
  ],
  [
    'a policy that does not fit',
    [],
    { chat: { retry: { maxRetries: -1 } } },
    'policies.chat.retry.maxRetries: expected a whole number from 0 to 100000000, got -1',
  ],
  [
    'NaN',
    [],
    { chat: { timeout: { totalMs: Number.NaN } } },
    "policies.chat.timeout.totalMs: expected a number of milliseconds above 0, got 'NaN'",
  ],
];

for (const [what, log, given, message] of misfits) {
  test(`refuses ${what} and says where it is`, async () => {
    const running = replay(log as string[], { policies: given as Record<string, LabPolicy> });
    await assert.rejects(running, (error: Error) => {
      assert.equal(error.name, 'TypeError');
      assert.ok(error.message.startsWith(`halfopen: ${message}`), error.message);
      return true;
    });
  });
}

test('reports progress, and ends when it is aborted', async () => {
  const log = await recorded({ retry: false, breaker: false }, { seconds: 60 });
  const abort = new AbortController();
  const reason = new Error('enough');
  const shares: number[] = [];
  const options = { policies: { chat: {} }, seeds: 5000, signal: abort.signal };
  const onProgress = (share: number) => {
    shares.push(share);
    if (shares.length === 5) abort.abort(reason);
  };
  await assert.rejects(replay(log, { ...options, onProgress }), reason);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => a - b),
  );
  await assert.rejects(
    replay(log, { ...options, seeds: 0 }),
    /option 'seeds' must be a whole number from 1 to 100000, got 0/,
  );
});
