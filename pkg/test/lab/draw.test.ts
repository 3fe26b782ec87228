import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { drawScenario, simulate } from 'halfopen/lab';

const drawn = JSON.parse(
  readFileSync(new URL('../../../tests/vectors/lab/drawn.json', import.meta.url), 'utf8'),
) as { seed: number; scenarios: { name: string; hash: string }[] };

test('draws and decides in WebAssembly as natively', async () => {
  for (const [index, expected] of drawn.scenarios.entries()) {
    const scenario = drawScenario(drawn.seed, index);
    const { policies } = await simulate(scenario);
    assert.deepEqual({ hash: policies['the default']?.hash, name: scenario.name }, expected);
  }
});

test('gives every policy the timeouts of the scenario', () => {
  const { policies } = drawScenario(1, 3, { a: {}, b: { retry: false } });
  assert.deepEqual(Object.keys(policies), ['a', 'b']);
  assert.ok((policies.a?.timeout?.attemptMs ?? 0) > 0);
  assert.deepEqual(policies.b, { retry: false, timeout: policies.a?.timeout });
});

test('says what a seed and an index are', () => {
  for (const wrong of [-1, 1.5, Number.NaN, Number.MAX_VALUE, '1' as unknown as number]) {
    assert.throws(() => drawScenario(wrong, 0), /seed/);
    assert.throws(() => drawScenario(0, wrong), /index/);
  }
});
