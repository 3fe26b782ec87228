// Names of fleets and policies that are odd: no error, no two keys of one, nothing that reaches a terminal.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { createPolicy } from 'halfopen';
import { fleet, inspect, isolate, memoryStore } from 'halfopen/fleet';
import { VirtualClock } from 'halfopen/testing';
import { WAIT } from '../../../scripts/patience.mjs';

for (const name of [
  'half \uD83D of a pair',
  '\uDE00',
  'a NUL \0 within',
  '\0',
  '{a}/policy/b',
  'ä\n\u001B[31m',
]) {
  test(`${JSON.stringify(name)} is one policy`, async () => {
    const clock = new VirtualClock(1_000_000);
    const store = memoryStore({ clock });
    const joined = fleet({ store, name });
    const policy = createPolicy({ name, clock, retry: false, fleet: joined });
    await policy.execute(() => 'fine');
    await clock.advance(1000);
    const listed = await inspect(store, name);
    assert.equal(listed.length, 1, JSON.stringify(listed));
    assert.equal(listed[0]?.nodes, 1);
    await isolate(store, name, listed[0]?.policy ?? '');
    assert.equal((await inspect(store, name))[0]?.state, 'isolated');
    await joined.close();
  });
}

test('closing a fleet whose store never answers goes on in a process that waits for nothing else', () => {
  const program = `
    import { createPolicy } from 'halfopen';
    import { fleet } from 'halfopen/fleet';
    const joined = fleet({ store: { sync: () => new Promise(() => {}), close: async () => {} }, name: 'f' });
    const policy = createPolicy({ name: 'p', fleet: joined });
    await policy.execute(() => 'fine');
    await new Promise((resolve) => setTimeout(resolve, 100));
    await joined.close();
    console.log('closed');
  `;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: WAIT,
  });
  assert.deepEqual([status, stdout], [0, 'closed\n'], stderr);
});
