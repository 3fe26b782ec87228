// Measures the core natively (criterion, core/benches) and checks its bounds: exits 1 if one is missed. A missed case
// is measured twice more, and the best result counts, because other programs can only make it slower. Arguments go to
// criterion: `node scripts/bench-core.mjs delay` measures that group only.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = join(root, 'target/benches/criterion');
const RUNS = 3;

/** Nanoseconds, by criterion's group and case. */
const BOUNDS = [
  ['breaker: admit and success', 'halfopen', 10],
  ['delay', 'halfopen', 5],
  ['delay', 'halfopen, no jitter', 5],
  ['delay', 'halfopen, full jitter', 5],
  ['delay', 'halfopen, factor 1.5', 5],
];
/**
 * A time window costs the same however long it is: the dearest takes at most this many times as long as the cheapest.
 */
const WINDOWS = 'time window: admit and success, 1 ms apart';
const LENGTHS = ['a second', 'a minute', 'an hour', 'a day'];
const FLAT = 1.5;

/**
 * Runs criterion, and adds its results to `best`. Cases that are not measured again keep their results, for the page.
 */
function run(wanted) {
  const command = [
    'bench',
    '--manifest-path',
    'core/benches/Cargo.toml',
    '--target-dir',
    'target/benches',
    '--',
  ];
  const { status } = spawnSync('cargo', [...command, ...wanted], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CRITERION_HOME: results },
  });
  if (status !== 0) process.exit(status ?? 1);
  // Read before the next run writes over them.
  rows();
}

/** The best median of the runs so far, by group and case. */
const best = new Map();

/** Nanoseconds; `undefined` for what was not measured. */
function measured(group, name) {
  const key = `${group}: ${name}`;
  // Criterion names its folders so.
  const path = join(results, group.replace(':', '_'), name, 'new/estimates.json');
  if (existsSync(path)) {
    const { median } = JSON.parse(readFileSync(path, 'utf8'));
    best.set(key, Math.min(median.point_estimate, best.get(key) ?? Number.POSITIVE_INFINITY));
  }
  return best.get(key);
}

/** Returns the measurements against their bounds, one row each. */
function rows() {
  const found = [];
  for (const [group, name, bound] of BOUNDS) {
    const value = measured(group, name);
    if (value !== undefined) found.push({ group, what: `${group}: ${name}`, value, bound, unit: 'ns' });
  }
  const windows = LENGTHS.map((name) => measured(WINDOWS, name));
  if (windows.every((value) => value !== undefined)) {
    const value = Math.max(...windows) / Math.min(...windows);
    found.push({
      group: WINDOWS,
      what: 'time window: the dearest to the cheapest',
      value,
      bound: FLAT,
      unit: '×',
    });
  }
  return found;
}

const missedGroups = () => [
  ...new Set(
    rows()
      .filter(({ value, bound }) => value > bound)
      .map(({ group }) => group),
  ),
];

// Results of an earlier run would pass for results of this one.
rmSync(results, { recursive: true, force: true });
run(process.argv.slice(2));
for (let again = 1; again < RUNS; again += 1) {
  for (const group of missedGroups()) run([`^${group}/`]);
}

console.log('\nmedians against their bounds');
for (const { what, value, bound, unit } of rows()) {
  const verdict = value <= bound ? 'holds' : 'MISSED';
  console.log(
    `${what.padEnd(48)} ${value.toFixed(2).padStart(7)} ${unit.padEnd(2)}  bound ${bound}  ${verdict}`,
  );
}
if (rows().length === 0) console.error('nothing that has a bound was measured');
process.exit(rows().length > 0 && missedGroups().length === 0 ? 0 : 1);
