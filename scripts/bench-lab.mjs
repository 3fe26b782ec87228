// Measures the policy lab: events a second natively and as WebAssembly, a million clients through an outage, and SimPy beside them
// on a queue of the same events, without a policy: SimPy has less to do. It comes from pip, and is left out where that cannot be had.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './building.mjs';

/** Events a second, in millions, that must be reached, and how many seconds a million clients may take. */
const BOUNDS = { native: 10, wasm: 5, millionSeconds: 30 };
const SIMPY = '4.1.1';

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

function simpy() {
  const folder = mkdtempSync(join(tmpdir(), 'simpy-'));
  try {
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin/pip'), ['install', '--quiet', `simpy==${SIMPY}`]);
    return Number(run(join(folder, 'bin/python'), ['-c', QUEUE]));
  } catch (error) {
    console.log(`SimPy is left out: ${error.message}`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The lines of the example, by scenario: millions of events a second, and seconds. */
function parse(text) {
  const line = /^(.+): \d+ events of \d+ calls in ([\d.]+) s: ([\d.]+) M\/s/gm;
  return new Map([...text.matchAll(line)].map(([, name, seconds, rate]) => [name, { seconds, rate }]));
}

const example = ['run', '--release', '-q', '-p', 'halfopen', '--features', 'lab', '--example', 'lab_speed'];
const text = run('cargo', [...example, '--', '3']);
console.log(text);
const native = parse(text);
const rows = [
  [
    'native, M events/s',
    native.get('steady').rate,
    `at least ${BOUNDS.native}`,
    native.get('steady').rate >= BOUNDS.native,
  ],
  [
    'a million clients natively, s',
    native.get('a million clients').seconds,
    `at most ${BOUNDS.millionSeconds}`,
    native.get('a million clients').seconds <= BOUNDS.millionSeconds,
  ],
];
if (existsSync(join(root, 'pkg/wasm/lab/lab_bg.wasm'))) {
  const wasm = JSON.parse(run('node', ['scripts/bench-lab-wasm.mjs']));
  rows.push([
    'wasm, M events/s',
    wasm.steady.rate.toFixed(1),
    `at least ${BOUNDS.wasm}`,
    wasm.steady.rate >= BOUNDS.wasm,
  ]);
  rows.push([
    'a million clients as wasm, s',
    wasm.million.seconds.toFixed(1),
    `at most ${BOUNDS.millionSeconds}`,
    wasm.million.seconds <= BOUNDS.millionSeconds,
  ]);
  rows.push([
    'its memory, MiB',
    wasm.million.mebibytes.toFixed(0),
    'at most 256',
    wasm.million.mebibytes <= 256,
  ]);
}
const python = simpy();
if (python !== undefined) {
  rows.push([`SimPy ${SIMPY}, M events/s, without a policy`, python.toFixed(2), '', true]);
  rows.push(['native over SimPy', `${(native.get('steady').rate / python).toFixed(0)} ×`, '', true]);
}
for (const [what, value, bound, holds] of rows) {
  console.log(
    `${what.padEnd(44)} ${String(value).padStart(8)}  ${bound.padEnd(14)} ${bound === '' ? '' : holds ? 'holds' : 'MISSED'}`,
  );
}
process.exit(rows.every(([, , , holds]) => holds) ? 0 : 1);
