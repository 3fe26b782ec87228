// The example of the AI SDK: the second model answers at once, where the first asks for a long wait.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from './ai-sdk.js';

test('the second model answers', async () => {
  assert.deepEqual(await answer(), ['first → second: RATE_LIMITED', 'All is well.', '2 requests']);
});
