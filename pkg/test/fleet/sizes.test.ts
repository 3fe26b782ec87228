// The statements of docs/fleet.md on fleets of many processes, checked with twenty processes of the package itself.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AWAY_FROM, nothing, quantile, STEADY_FROM, simulate } from './simulation.js';

test('a fleet of twenty knows of an outage sooner than each of them alone, and closes again by few probes', async () => {
  const [joined, alone] = [nothing(), nothing()];
  await simulate(20, 2, joined);
  for (let process = 0; process < 20; process++) await simulate(1, 2, alone);
  const each = (sum: number) => sum / 20;
  // Alone each needs five failures, and probes of its own.
  assert.ok(each(alone.wasted) > 5, `${each(alone.wasted)} calls lost`);
  assert.ok(each(joined.wasted) < 3, `${each(joined.wasted)} calls lost`);
  assert.ok(quantile(joined.known, 0.5) < quantile(alone.known, 0.5));
  // Open four times for five seconds: a probe each, and one more for each that comes in between.
  assert.ok(joined.probes <= 12, `${joined.probes} probes`);
  const seconds = (AWAY_FROM - STEADY_FROM) / 1_000;
  assert.ok(joined.syncs / seconds <= 20 * 5, `${joined.syncs / seconds} syncs a second`);
});
