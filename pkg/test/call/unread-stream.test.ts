// Values that look like an unread stream result of the AI SDK, and the reports of onDebug about them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPolicy } from 'halfopen';

const RESULT = { textStream: 1, fullStream: 1 };
const TEXT =
  'An AI SDK stream result was returned from an operation: the attempt counts as a success before the first chunk, and what the stream fails with is not seen. Stream it under the policy instead: policy.stream(({ signal }) => streamText({ …, abortSignal: signal, maxRetries: 0 }).fullStream)';

/** The calls of the policy's onDebug. */
type Said = [message: string, details: Record<string, unknown>][];

test('onDebug has the policy and the attempt, once it is there', async () => {
  const said: Said = [];
  const policy = createPolicy({ name: 'chat' });
  await policy.execute(() => RESULT);
  policy.update({ onDebug: (...words) => said.push(words) });
  await policy.execute(() => RESULT);
  await policy.execute(() => RESULT);
  assert.deepEqual(said, [[TEXT, { policy: 'chat', attempt: 1 }]]);
});

test('a value with one of the two streams is none, nor one that throws when it is looked at', async () => {
  const said: Said = [];
  const policy = createPolicy({ onDebug: (...words) => said.push(words) });
  const throwing = new Proxy(
    {},
    {
      has() {
        throw new Error('trap');
      },
    },
  );
  for (const value of [{ textStream: 1 }, { fullStream: 1 }, throwing])
    assert.equal(await policy.execute(() => value), value);
  assert.deepEqual(said, []);
});
