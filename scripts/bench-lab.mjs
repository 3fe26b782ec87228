// Measures the policy lab: events a second natively and as WebAssembly, a million clients through an outage, a replay of a million
// events with a hundred seeds, the size of the module; and SimPy and NeXosim beside them on a queue of the same events, without a
// policy: they have less to do. They come from PyPI and crates.io, and are left out where those cannot be had.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { root } from './building.mjs';

/** The bounds: millions of events a second, seconds, MiB, bytes after gzip. */
const BOUNDS = {
  native: 10,
  wasm: 5,
  millionSeconds: 30,
  millionMebibytes: 256,
  replaySeconds: 60,
  zippedBytes: 120_000,
};
const SIMPY = '4.1.1';
const NEXOSIM = '1.0.0';

function run(command, args, env = {}) {
  const { status, stdout } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}`);
  return stdout;
}

/** The same in Python: arrivals and service are exponential, each call has an arrival, a wait for a server and an end. */
const QUEUE = `
import random, time, simpy
random.seed(1)
def serve(env, servers):
    with servers.request() as slot:
        yield slot
        yield env.timeout(random.expovariate(1 / 100))
def arrive(env, servers):
    while env.now < 10000:
        yield env.timeout(random.expovariate(10))
        env.process(serve(env, servers))
env = simpy.Environment()
env.process(arrive(env, simpy.Resource(env, 1500)))
began, events = time.process_time(), 0
while env.peek() != float('inf'):
    env.step()
    events += 1
print(events / (time.process_time() - began) / 1e6)
`;

/**
 * Returns the result of `measure`, run in its own folder; undefined, with a printed reason, if a peer cannot be
 * installed.
 */
function peer(name, measure) {
  const folder = mkdtempSync(join(tmpdir(), 'lab-peer-'));
  try {
    return measure(folder);
  } catch (error) {
    console.log(`${name} is left out: ${error.message}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function simpy(folder) {
  run('python3', ['-m', 'venv', folder]);
  run(join(folder, 'bin/pip'), ['install', '--quiet', `simpy==${SIMPY}`]);
  return Number(run(join(folder, 'bin/python'), ['-c', QUEUE]));
}

/** A package of its own, whose lock file pins what NeXosim needs. */
function nexosim() {
  const manifest = ['--manifest-path', 'core/benches/nexosim/Cargo.toml', '--target-dir', 'target/benches'];
  return Number(run('cargo', ['run', '--release', '-q', '--locked', ...manifest]));
}

/** The lines of the example, by scenario: millions of events a second, and seconds. */
function parse(text) {
  const line = /^(.+): \d+ events of \d+ calls in ([\d.]+) s: ([\d.]+) M\/s/gm;
  return new Map([...text.matchAll(line)].map(([, name, seconds, rate]) => [name, { seconds, rate }]));
}

const example = ['run', '--release', '-q', '-p', 'halfopen-lab', '--example', 'lab_speed'];
const text = run('cargo', [...example, '--', process.env.BENCH_ROUNDS ?? '3']);
console.log(text);
const native = parse(text);
const nativeReplay = Number(text.match(/^replay: .* in ([\d.]+) s$/m)[1]);

/** Each row: what, the value, and the bound that it has to keep, if there is one. */
const rows = [
  ['native, M events/s', native.get('steady').rate, '>=', BOUNDS.native],
  ['a million clients natively, s', native.get('a million clients').seconds, '<=', BOUNDS.millionSeconds],
  ['a million events, 100 seeds, natively, s', nativeReplay, '<=', BOUNDS.replaySeconds],
];
const module = join(root, 'pkg/wasm/lab/lab_bg.wasm');
if (existsSync(module)) {
  const { steady, million } = JSON.parse(run('node', ['scripts/bench-lab-wasm.mjs']));
  const replay = JSON.parse(run('node', ['scripts/bench-lab-replay.mjs']));
  rows.push(
    ['wasm, M events/s', steady.rate, '>=', BOUNDS.wasm],
    ['a million clients as wasm, s', million.seconds, '<=', BOUNDS.millionSeconds],
    ['its memory, MiB', million.mebibytes, '<=', BOUNDS.millionMebibytes],
    ['a million events, 100 seeds, as wasm, s', replay.seconds, '<=', BOUNDS.replaySeconds],
    [
      'the module after gzip, bytes',
      gzipSync(readFileSync(module), { level: 9 }).length,
      '<=',
      BOUNDS.zippedBytes,
    ],
  );
}
const peers = [
  [`SimPy ${SIMPY}`, peer('SimPy', simpy)],
  [`NeXosim ${NEXOSIM}`, peer('NeXosim', nexosim)],
];
for (const [name, rate] of peers.filter(([, rate]) => rate !== undefined))
  rows.push(
    [`${name}, M events/s, without a policy`, rate],
    [`native over ${name}`, native.get('steady').rate / rate],
  );

console.log(`Node ${process.version}, ${cpus()[0]?.model}`);
const shown = (value) => (value >= 100 ? String(Math.round(value)) : value.toPrecision(3));
const keeps = { '>=': (value, bound) => value >= bound, '<=': (value, bound) => value <= bound };
const holds = ([, value, sign, bound]) => sign === undefined || keeps[sign](Number(value), bound);
for (const row of rows) {
  const [what, value, sign, bound] = row;
  const verdict = sign === undefined ? '' : `${sign} ${bound}  ${holds(row) ? 'holds' : 'MISSED'}`;
  console.log(`${what.padEnd(44)} ${shown(Number(value)).padStart(8)}  ${verdict}`);
}
process.exit(rows.every(holds) ? 0 : 1);
