// The counts of `costLimit`: which attempts, for how long, and its report if `costOf` misbehaves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { costLimit } from 'halfopen';
import { fatal, onVirtualClock, rejectsWith } from './given.js';

const used = (tokens: number) => ({ usage: { input_tokens: tokens, output_tokens: 0 } });

function capped(
  costOf = ({ inputTokens = 0 }: { inputTokens?: number | undefined }): unknown => inputTokens,
) {
  const debug: string[] = [];
  const { clock, policy } = onVirtualClock({
    name: 'mine',
    retry: { maxRetries: 1 },
    onDebug: (message) => debug.push(message),
  });
  const cap = costLimit(policy, { max: 100, windowMs: 1000, costOf: costOf as () => number });
  return { clock, policy, cap, debug };
}

test('an answer that validate refuses has cost what it has cost', async () => {
  const { policy, cap } = capped();
  const refused = policy.execute(() => used(30), { validate: () => false, retry: false });
  await rejectsWith(refused, 'INVALID_RESPONSE');
  assert.equal(cap.spent, 30);
});

test('the result of a broken stream costs the tokens it used', async () => {
  const { policy, cap } = capped();
  const stream = policy.stream(async function* () {
    yield { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } };
    throw fatal();
  });
  await assert.rejects(async () => {
    for await (const _ of stream);
  });
  assert.equal(cap.spent, 12);
});

test('a stream that its consumer closes, or that is aborted, costs what it has cost', async () => {
  const { policy, cap } = capped();
  const endless = () =>
    (async function* () {
      yield { type: 'message_start', message: { usage: { input_tokens: 12, output_tokens: 1 } } };
      await new Promise(() => {});
    })();
  for await (const _ of policy.stream(endless)) break;
  assert.equal(cap.spent, 12);
  const stop = new AbortController();
  const aborted = policy.stream(endless, { signal: stop.signal });
  await aborted.next();
  const rest = rejectsWith(aborted.next(), 'CANCELLED');
  stop.abort();
  await rest;
  assert.equal(cap.spent, 24);
});

test('under a limit on tokens a closed stream has taken what it took', async () => {
  const { policy } = onVirtualClock({ rateLimit: { limit: 1000, windowMs: 60_000, unit: 'tokens' } });
  let passed = 0;
  for (let n = 0; n < 5; n++) {
    const stream = policy.stream(async function* () {
      yield { type: 'message_start', message: { usage: { input_tokens: 1100, output_tokens: 1 } } };
      await new Promise(() => {});
    });
    await stream.next().then(
      () => passed++,
      () => {},
    );
    await stream.return?.();
  }
  assert.equal(passed, 1);
});

test('an attempt that was not needed costs nothing but what it said', async () => {
  const { clock, policy, cap } = capped();
  const answers: ((value: unknown) => void)[] = [];
  let isFirst = true;
  const call = policy.execute(
    ({ attempt, observe }) => {
      if (attempt === 3) observe({ usage: { inputTokens: 5 } });
      return new Promise((resolve) => answers.push(resolve));
    },
    {
      hedge: { afterMs: 10, max: 3 },
      validate: () => {
        const wasFirst = isFirst;
        isFirst = false;
        return !wasFirst;
      },
    },
  );
  await clock.advance(10);
  await clock.advance(10);
  await clock.advance(10);
  assert.equal(answers.length, 4);
  answers[0]?.(used(30)); // refused
  await clock.advance(0);
  answers[1]?.(used(1));
  await call;
  // The third said what it used, the fourth nothing.
  assert.equal(cap.spent, 36);
});

test('costOf is not called for an answer without usage', async () => {
  let calls = 0;
  const { policy, cap, debug } = capped(() => ++calls);
  await policy.execute(() => 'no usage');
  assert.deepEqual([calls, cap.spent, debug], [0, 0, []]);
});

test('answers within a hundredth of the window are forgotten together with the last of them, others by themselves', async () => {
  const { clock, policy, cap } = capped();
  const spend = (tokens: number) => policy.execute(() => used(tokens));
  await clock.advance(500);
  await spend(1);
  await clock.advance(5);
  await spend(2); // with the first
  await clock.advance(5);
  await spend(4); // a hundredth after the first
  await clock.advance(990);
  assert.equal(cap.spent, 7);
  await clock.advance(5);
  assert.equal(cap.spent, 4);
  await clock.advance(5);
  assert.equal(cap.spent, 0);
});

test('the refusal, wrong results of costOf and wrong options explain the fault', async () => {
  const { policy } = capped();
  await policy.execute(() => used(100));
  const refusal = await rejectsWith(
    policy.execute(() => 1),
    'CAPACITY_EXCEEDED',
  );
  assert.equal(refusal.message, "Cost limit is reached: policy 'mine'; try again in 1000 ms");

  const wrong = capped(() => -1);
  await wrong.policy.execute(() => used(1));
  assert.deepEqual(wrong.debug, ['costOf must return a number, 0 or more; the answer counts as free']);
  const throwing = capped(() => {
    throw new Error('no');
  });
  await throwing.policy.execute(() => used(1));
  assert.deepEqual(throwing.debug, ['costOf threw; the answer counts as free']);
  assert.throws(() => costLimit(policy, 5 as never), {
    name: 'TypeError',
    message: 'halfopen: costLimit expects an object of options, got 5',
  });
});
