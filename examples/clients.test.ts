// The example of the clients: each answers, after a second request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answers } from './clients.js';

test('every client answers', async () => {
  assert.deepEqual(await answers(), ['All is well.', 'All is well.', 'All is well.', '6 requests']);
});
