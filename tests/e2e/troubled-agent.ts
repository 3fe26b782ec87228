// An agent whose every policy is set wrongly in one way: what the dashboard's checks are there for. Real policies; the
// operations fail by themselves, as providers would make them fail.
import { setTimeout as sleep } from 'node:timers/promises';
import { AgentError, createPolicy, type PolicyOptions } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import { createRun } from 'halfopen/run';

const devtools = connectDevtools();

const failure = (status: number, headers = {}) => Object.assign(new Error(`${status}`), { status, headers });
const fails =
  (status = 500, headers = {}) =>
  (): never => {
    throw failure(status, headers);
  };
/** Only the policy that shall have no timeout is without one. */
const timeout = { attemptMs: 10_000 };
const quick = { maxRetries: 2, baseDelayMs: 5, maxDelayMs: 10, budget: false } as const;

/** Calls a policy that number of times, one after the other; the events report the failures. */
async function calls(count: number, options: PolicyOptions, operation: () => unknown): Promise<void> {
  const policy = createPolicy({ provider: 'openai', timeout, ...options });
  for (let call = 0; call < count; call += 1) await policy.execute(operation).catch(() => undefined);
}

// Retries never succeed; the budget is spent; UNKNOWN; deadlines.
await calls(4, { name: 'futile', retry: quick, breaker: false }, fails());
const budget = { ratio: 0, minPerSecond: 0 };
await calls(6, { name: 'spent', retry: { ...quick, budget }, breaker: false }, fails(503));
await calls(20, { name: 'puzzled', retry: quick }, () => {
  throw new Error('the flux is inverted');
});
await calls(1, { name: 'hasty', timeout: { totalMs: 400 } }, fails());
await calls(1, { name: 'patient', retry: quick, timeout: { attemptMs: 100, totalMs: 100 } }, () =>
  sleep(1_000),
);

// A policy without any timeout; a stream that an operation returns as streamText does, unread.
await calls(1, { name: 'endless', timeout: undefined }, () => 'well');
await calls(1, { name: 'unread' }, () => ({ textStream: [], fullStream: [] }));

// A stream that may fall silent for as long as it likes.
const streaming = createPolicy({ name: 'streaming', timeout, retry: false });
for await (const _ of streaming.stream(async function* () {
  yield 'well';
})) {
  // Read to its end.
}

// Answers without content.
let asked = 0;
await calls(4, { name: 'silent', retry: quick, breaker: false }, () => {
  asked += 1;
  if (asked % 2 === 0) return 'well';
  throw new AgentError('INVALID_RESPONSE', 'no text', {
    retryable: true,
    remedy: { kind: 'ask-again', because: 'empty' },
  });
});

// A history that lacks the same result in each request.
const forgetful = createPolicy({ name: 'forgetful', timeout, retry: false });
for (let turn = 0; turn < 4; turn += 1) {
  let complete = false;
  const ask = () => {
    if (complete) return 'well';
    throw new AgentError('VALIDATION_ERROR', 'a call without a result', {
      remedy: { kind: 'pair-tool-calls', ids: ['call_7'] },
    });
  };
  const repair = () => {
    complete = true;
    return true;
  };
  await forgetful.execute(ask, { repair });
}

// A run without a limit that searches for the same, whatever it is advised.
const lost = createRun({ name: 'lost' });
const search = { name: 'search', arguments: { query: 'flights' } };
while (lost.step().do !== 'stop') {
  lost.toolCall(search);
  lost.toolResult(search, { result: [{ flight: 'LX 1' }] });
}

// A timeout cuts off answers of a healthy service: every third one takes longer than it allows.
let turn = 0;
await calls(18, { name: 'hurried', timeout: { attemptMs: 150 }, retry: false, breaker: false }, () => {
  turn += 1;
  return sleep(turn % 3 === 0 ? 400 : 130, 'well');
});

// Words alone speak for a failure that passes.
await calls(3, { name: 'wordy', retry: quick, breaker: false }, () => {
  throw new Error('Gateway timeout while the mail was on its way');
});

// A policy for each request.
for (let request = 0; request < 12; request += 1) await calls(1, { name: 'fresh' }, () => 'well');

// One failure opens the breaker.
await calls(2, { name: 'nervous', retry: false, breaker: { failureThreshold: 1 } }, fails());

// A fallback hides an outage.
const covered = createPolicy({ name: 'covered', retry: false, timeout, fallback: () => 'as ever' });
for (let call = 0; call < 6; call += 1) await covered.execute(fails());

// A breaker flaps.
const flapping = createPolicy({
  name: 'flapping',
  timeout,
  retry: false,
  breaker: { failureThreshold: 2, resetTimeoutMs: 40 },
});
for (let round = 0; round < 5; round += 1) {
  for (let call = 0; call < 2; call += 1) await flapping.execute(fails()).catch(() => undefined);
  // A little more: Node's timers may fire a part of a millisecond early.
  await sleep((flapping.breaker?.retryAfterMs ?? 0) + 5);
  await flapping.execute(() => 'well');
}

// Nested retries multiply.
const inner = createPolicy({ name: 'inner', timeout, retry: { ...quick, maxRetries: 1 }, breaker: false });
const outer = createPolicy({
  name: 'outer',
  timeout,
  retry: { ...quick, maxRetries: 1, retryNested: true },
  breaker: false,
});
await outer.execute(() => inner.execute(fails())).catch(() => undefined);

// The provider requests a wait of one call; those beside it are not held back.
const crowd = createPolicy({
  name: 'crowd',
  timeout,
  provider: 'crowded',
  model: 'm',
  retry: { maxRetries: 1 },
  breaker: false,
});
const refused = () => crowd.execute(fails(429, { 'retry-after-ms': '700' })).catch(() => undefined);
const first = refused();
await sleep(80);
await Promise.all([first, ...Array.from({ length: 6 }, refused)]);

await devtools.close();
