// The example of the fleet: three workers, one outage, one probe.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outage } from './fleet.js';

test('what three workers see of an outage', async () => {
  assert.deepEqual(await outage(), [
    'all is well: worker 1 closed, worker 2 closed, worker 3 closed',
    'two failures each: worker 1 open, worker 2 open, worker 3 open',
    '0 requests in the next ten seconds',
    '1 probe',
    'after it: worker 1 closed, worker 2 closed, worker 3 closed',
  ]);
});
