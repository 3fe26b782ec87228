// The cost of a connection to the devtools for each event of the agent, with the server there, away and frozen:
// microseconds of CPU time of the whole process, posting included, above the same loop without a connection. 5,000
// events a second, rounds of all cases interleaved, the best of ten, because anything above it is other work of the
// machine. A connected agent pays at most 2 µs. The last line measures real calls, which make no events without a
// listener: it includes making them and reading the time for them, and has no bound.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPolicy, type HalfopenEvent } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import { rounds } from './rows.js';

const BOUND_US = 2;
const ROUNDS = rounds(10);
const BURSTS = 10;
const EVENTS_A_BURST = 500;
const BURST_EVERY_MS = 100;

const home = mkdtempSync(join(tmpdir(), 'halfopen-bench-'));
const bin = fileURLToPath(new URL('../bin/halfopen.js', import.meta.url));

/** A server in a process of its own, so that its work is not counted. */
function serve(name: string): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [bin, 'devtools', '--port', '0', '--dir', join(home, name)], {
    env: { ...process.env, HALFOPEN_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.on('data', (text: Buffer) => {
      const url = /http:\S+/.exec(String(text))?.[0];
      if (url !== undefined) resolve({ child, url });
    });
  });
}

const running = await serve('running');
const frozen = await serve('frozen');
frozen.child.kill('SIGSTOP');

let seq = 0;

/** The largest of the events that come often. */
function event(): HalfopenEvent {
  seq += 1;
  return {
    v: 1,
    source: 'bench',
    seq,
    time: Date.now(),
    policy: 'openai',
    call: `bench-${seq}`,
    type: 'attempt.failed',
    attempt: 1,
    durationMs: 12.5,
    code: 'RATE_LIMITED',
    severity: 'retriable',
    retryable: true,
    rule: 'http.429.rate_limit',
    technicalDetails: 'HTTP 429 · requests · RateLimitError · openai gpt-5 · rule http.429.rate_limit',
    signals: { status: 429, type: 'requests' },
    counted: true,
    statusCode: 429,
  };
}

/** The repeated work of a round, and the connection to use. */
interface Load {
  burst(): unknown;
  readonly policies: readonly { onEvent(listener: (event: HalfopenEvent) => void): () => void }[];
}

let listener: (event: HalfopenEvent) => void = () => {};
const teller = {
  onEvent(given: typeof listener) {
    listener = given;
    return () => {
      listener = () => {};
    };
  },
};
const told: Load = {
  policies: [teller],
  burst() {
    for (let count = 0; count < EVENTS_A_BURST; count += 1) listener(event());
  },
};

const policy = createPolicy({ name: 'openai', provider: 'openai', model: 'gpt-5' });
/** A call that succeeds tells four times: it and its attempt begin and end. */
const EVENTS_A_CALL = 4;
const called: Load = {
  policies: [policy],
  async burst() {
    for (let count = 0; count < EVENTS_A_BURST / EVENTS_A_CALL; count += 1)
      await policy.execute(async () => 1);
  },
};

/** CPU time of one round, in microseconds for an event. */
async function round({ policies, burst }: Load, url: string | undefined): Promise<number> {
  const devtools = url === undefined ? undefined : connectDevtools({ url, policies });
  const before = process.cpuUsage();
  for (let count = 0; count < BURSTS; count += 1) {
    await burst();
    await new Promise((resolve) => setTimeout(resolve, BURST_EVERY_MS));
  }
  const { user, system } = process.cpuUsage(before);
  await devtools?.close();
  if (url === running.url && devtools?.dropped !== 0)
    throw new Error(`${devtools?.dropped} events were lost`);
  return (user + system) / BURSTS / EVENTS_A_BURST;
}

interface Case {
  readonly name: string;
  readonly load: Load;
  readonly url?: string;
  /** The case that this one is above. */
  readonly base?: string;
  readonly bound?: number;
}

const CASES: readonly Case[] = [
  { name: 'no connection', load: told },
  { name: 'connected', load: told, url: running.url, base: 'no connection', bound: BOUND_US },
  { name: 'server away', load: told, url: 'http://127.0.0.1:9', base: 'no connection' },
  { name: 'server frozen', load: told, url: frozen.url, base: 'no connection' },
  { name: 'calls nobody listens to', load: called },
  { name: 'calls, connected', load: called, url: running.url, base: 'calls nobody listens to' },
];

const best = new Map<string, number>();
try {
  for (let number = 0; number <= ROUNDS; number += 1) {
    for (const { name, load, url } of CASES) {
      const cost = await round(load, url);
      // The first round warms up.
      if (number > 0) best.set(name, Math.min(best.get(name) ?? Number.POSITIVE_INFINITY, cost));
    }
  }
} finally {
  running.child.kill('SIGTERM');
  frozen.child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

console.log('CPU of the agent for an event, at 5,000 events a second:');
let missed = false;
for (const { name, base, bound } of CASES) {
  if (base === undefined) continue;
  const cost = (best.get(name) ?? Number.NaN) - (best.get(base) ?? Number.NaN);
  const kept = bound === undefined || cost <= bound;
  missed ||= !kept;
  const verdict = bound === undefined ? '' : `   bound ${bound} µs: ${kept ? 'holds' : 'MISSED'}`;
  console.log(`  ${name.padEnd(18)} ${cost.toFixed(2)} µs${verdict}`);
}
process.exit(missed ? 1 : 0);
