// Records tests/fixtures/export-cases.jsonl: calls whose outcome depends on more than their own attempts.
//
//   node --import tsx tests/exported/record.ts > tests/fixtures/export-cases.jsonl
import {
  AgentError,
  CircuitBreaker,
  createPolicy,
  type ExecuteOptions,
  onEvent,
  type PolicyOptions,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

const clock = new VirtualClock(1_790_000_000_000);
onEvent((event) => console.log(JSON.stringify(event)));

const unavailable = () => Object.assign(new Error('unavailable'), { status: 503 });
const limited = (retryAfter: number) =>
  Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': String(retryAfter) } });
const wait = (ms: number) => new Promise<void>((resolve) => void clock.setTimeout(resolve, ms));
const fails = (ms: number, make: () => unknown) => async () => {
  await wait(ms);
  throw make();
};
const answers = (ms: number) => async () => {
  await wait(ms);
  return 'fine';
};
const silent = () => new Promise<never>(() => {});

const make = (name: string, options: PolicyOptions<string>) =>
  createPolicy<string>({ name, clock, ...options });

async function play(
  task: string,
  policy: ReturnType<typeof make>,
  operation: () => Promise<string>,
  options: ExecuteOptions<string> = {},
) {
  const call = policy.execute(operation, { task: `case ${task}`, ...options }).catch(() => {});
  await clock.advance(600_000);
  await call;
}

const quick = { maxRetries: 2, baseDelayMs: 100 };

// The deadline ends it before a wait would.
await play(
  'deadline',
  make('deadline', { retry: { ...quick, baseDelayMs: 5_000 }, timeout: { totalMs: 3_000 } }),
  fails(20, unavailable),
);
await play('deadline within an attempt', make('deadline-2', { timeout: { totalMs: 3_000 } }), silent);
await play(
  'hint too long',
  make('hint', { retry: quick }),
  fails(20, () => limited(300)),
);
await play(
  'decorrelated',
  make('decorrelated', { retry: { ...quick, jitter: 'decorrelated' } }),
  fails(20, unavailable),
);
await play(
  'own rule',
  make('own', {
    retry: quick,
    classify: () => ({ code: 'CONTENT_FILTERED', retryable: true, severity: 'retriable' }),
  }),
  fails(20, unavailable),
);
await play(
  'unknown text',
  make('unknown', {}),
  fails(20, () => new Error("ßtrange `1` \u202e it's */ odd")),
);
await play(
  'thrown text',
  make('text', { retry: quick }),
  fails(20, () => 'Error: 503 Service Unavailable'),
);
await play('options of its own', make('plain', {}), fails(20, unavailable), {
  retry: { maxRetries: 1, baseDelayMs: 10 },
  timeout: { attemptMs: 50 },
  model: 'gpt-5-mini',
});
await play(
  'fallback fails',
  make('falls', {
    retry: false,
    fallback: () => {
      throw new Error('no');
    },
  }),
  fails(20, unavailable),
);

const cancelled = new AbortController();
clock.setTimeout(() => cancelled.abort(), 150);
await play(
  'cancelled',
  make('cancelled', { retry: { ...quick, baseDelayMs: 1_000 } }),
  fails(20, unavailable),
  { signal: cancelled.signal },
);

const bulkhead = make('bulkhead', { bulkhead: { maxConcurrent: 2, maxQueued: 1 } });
const held = [bulkhead.execute(answers(300)), bulkhead.execute(answers(300))];
const queued = bulkhead.execute(answers(10), { task: 'case queued for a place' });
await bulkhead.execute(answers(10), { task: 'case no place' }).catch(() => {});
await clock.advance(1_000);
await Promise.all([...held, queued]);

const rate = make('rate', { rateLimit: { limit: 2, windowMs: 1_000, maxWaitMs: 900 } });
await rate.execute(async () => 'one');
await rate.execute(async () => 'two');
await clock.advance(50);
await rate.execute(async () => 'late', { task: 'case over the rate' }).catch(() => {});
await clock.advance(300);
await play('queued by the rate', rate, answers(10));

const rates = make('rates', {
  rateLimit: [
    { limit: 50, windowMs: 60_000 },
    { limit: 2, windowMs: 1_000, maxWaitMs: 900 },
    { limit: 100_000, unit: 'tokens', windowMs: 60_000 },
  ],
});
await rates.execute(async () => 'one');
await rates.execute(async () => 'two');
await clock.advance(50);
await rates.execute(async () => 'late', { task: 'case over one of several rates' }).catch(() => {});
await clock.advance(300);
await play('queued by one of several rates', rates, answers(10));

const manual = make('manual', {});
manual.breaker?.isolate();
await play('isolated', manual, answers(10));

const shared = new CircuitBreaker({ name: 'both', failureThreshold: 2, resetTimeoutMs: 5_000 });
const opener = make('opener', { breaker: shared, retry: false });
await opener.execute(() => Promise.reject(unavailable())).catch(() => {});
const trip = opener.execute(fails(5, unavailable), { task: 'case opens a shared breaker' }).catch(() => {});
await clock.advance(100);
await trip;

const byAttempt = make('by-attempt', {
  breakerScope: 'attempt',
  breaker: { failureThreshold: 2 },
  retry: quick,
});
await play('opens between attempts', byAttempt, fails(10, unavailable));

const windowed = make('windowed', {
  retry: false,
  breaker: { window: { kind: 'count', size: 6, failureRate: 0.5, minimumCalls: 4 } },
});
for (let good = 0; good < 2; good++) await windowed.execute(async () => 'fine');
const bad = windowed.execute(fails(1, unavailable)).catch(() => {});
await clock.advance(10);
await bad;
await play('opens a window', windowed, fails(5, unavailable));

const inner = make('inner', { retry: quick });
const outer = make('outer', { retry: quick });
await play('nested', outer, () => inner.execute(fails(10, unavailable)));

const nobody = make('refuses', { retry: quick });
await play(
  'agent error',
  nobody,
  fails(5, () => new AgentError('MODEL_NOT_FOUND', 'no such model')),
);

async function* broken() {
  yield 'one';
  await wait(30);
  yield 'two';
  throw new TypeError('terminated', {
    cause: Object.assign(new Error('closed'), { code: 'UND_ERR_SOCKET' }),
  });
}
const streams = make('streams', { retry: quick });
const reading = (async () => {
  for await (const _chunk of streams.stream(() => broken(), { task: 'case stream that fails' }));
})().catch(() => {});
await clock.advance(10_000);
await reading;

async function* stalled() {
  yield 'one';
  await silent();
}
const stalling = (async () => {
  for await (const _chunk of streams.stream(() => stalled(), {
    task: 'case stream that stalls',
    stallTimeoutMs: 400,
    onBreak: 'restart',
  }));
})().catch(() => {});
await clock.advance(10_000);
await stalling;
