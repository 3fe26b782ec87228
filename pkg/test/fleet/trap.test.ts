// A fleet whose core begins again: the new instance has nothing of the shared state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeExports, guarded, trap } from '../instances.js';

/** The export that traps when it is called next. */
let armed = '';

changeExports((_module, real) =>
  guarded(real, (name, value) => (...args) => {
    if (name !== armed) return value(...args);
    armed = '';
    return trap(real);
  }),
);

const { codeOf, world } = await import('./processes.js');

test('a core that began again does not ramp a closed breaker up', async () => {
  const { clock, process } = world();
  const [a, b] = [process({ breaker: { rampMs: 60_000 } }), process()];
  const answers = async () => {
    for (let i = 0; i < 20; i++)
      for (const { policy } of [a, b]) assert.equal(await codeOf(policy.execute(() => 'fine')), 'ok');
    await clock.advance(1000);
  };
  await answers();
  armed = 'breakerShared';
  for (let i = 0; i < 4; i++) await answers();
  assert.equal(armed, '', 'it trapped');
  for (const { fleet } of [a, b]) await fleet.close();
});
