// Counts the engine's work for a call: instructions, by Valgrind's callgrind, and allocations. Neither depends on the
// load of the machine, so both must match core/benches/counts/counts.json; `UPDATE=1 node scripts/counts.mjs` rewrites
// it.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './building.mjs';

const path = join(root, 'core/benches/counts/counts.json');
/** Instructions may be more by this share: another patch release of the compiler. */
const TOLERANCE = 0.05;
/** Others have other instructions, so that only allocations are compared. */
const ARCHITECTURE = 'x64';
const TIMES = 1000;

// A folder of its own: the core's library has no hash in its name, and one of another lock file would take its place.
const target = process.env.CARGO_TARGET_DIR ?? join(root, 'target/counts');
const manifest = ['--manifest-path', join(root, 'core/benches/counts/Cargo.toml'), '--target-dir', target];
execFileSync('cargo', ['build', '--quiet', '--locked', '--release', ...manifest], { stdio: 'inherit' });
const program = join(target, 'release/halfopen-counts');

/** Returns all instructions of a process that runs the case `times` times. */
function instructions(name, times) {
  const valgrind = ['--tool=callgrind', '--callgrind-out-file=/dev/null', program, name, String(times)];
  const printed = execFileSync('bash', ['-c', 'valgrind "$@" 2>&1', 'valgrind', ...valgrind], {
    encoding: 'utf8',
  });
  const counted = /Collected : (\d+)/.exec(printed);
  if (counted === null) throw new Error(`Valgrind printed no count:\n${printed}`);
  return Number(counted[1]);
}

const counts = {};
for (const line of execFileSync(program, { encoding: 'utf8' }).trim().split('\n')) {
  const [name, allocations] = line.split(': ');
  // The start and the end of a process are in both.
  const of = instructions(name, 2 * TIMES) - instructions(name, TIMES);
  counts[name] = { instructions: Math.round(of / TIMES), allocations: Number(allocations) };
}

if (process.env.UPDATE !== undefined) writeFileSync(path, `${JSON.stringify(counts, null, 2)}\n`);
const stored = JSON.parse(readFileSync(path, 'utf8'));
let more = 0;
console.log(
  `${'for each'.padEnd(32)}${'instructions'.padStart(13)}${'stored'.padStart(9)}${'allocations'.padStart(13)}${'stored'.padStart(8)}`,
);
for (const [name, { instructions, allocations }] of Object.entries(counts)) {
  const before = stored[name] ?? { instructions: 0, allocations: 0 };
  const isMore =
    allocations > before.allocations ||
    (process.arch === ARCHITECTURE && instructions > before.instructions * (1 + TOLERANCE));
  if (isMore) more += 1;
  console.log(
    `${name.padEnd(32)}${String(instructions).padStart(13)}${String(before.instructions).padStart(9)}${String(allocations).padStart(13)}${String(before.allocations).padStart(8)}${isMore ? '  MORE' : ''}`,
  );
}
if (more > 0)
  console.error('the engine does more than it did: make it do less, or write the counts anew with UPDATE=1');
process.exit(more === 0 ? 0 : 1);
