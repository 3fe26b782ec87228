// What a connection to the devtools costs the agent for each event, with the server there, away and frozen:
// microseconds of CPU time of the whole process, above the same loop without a connection. 5,000 events a second,
// rounds of all cases interleaved, the best of five. The aim is 2 µs; a busy machine may miss it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HalfopenEvent } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';

const ROUNDS = 5;
const BURSTS = 20;
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

const CASES: Record<string, string | undefined> = {
  'no connection': undefined,
  connected: running.url,
  'server away': 'http://127.0.0.1:9',
  'server frozen': frozen.url,
};

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

/** CPU time of one round, in microseconds for an event. */
async function round(url: string | undefined): Promise<number> {
  let listener: (event: HalfopenEvent) => void = () => {};
  const source = {
    onEvent(given: typeof listener) {
      listener = given;
      return () => {};
    },
  };
  const devtools = url === undefined ? undefined : connectDevtools({ url, policies: [source as never] });
  const before = process.cpuUsage();
  for (let burst = 0; burst < BURSTS; burst += 1) {
    for (let count = 0; count < EVENTS_A_BURST; count += 1) listener(event());
    await new Promise((resolve) => setTimeout(resolve, BURST_EVERY_MS));
  }
  const { user, system } = process.cpuUsage(before);
  await devtools?.close();
  return (user + system) / BURSTS / EVENTS_A_BURST;
}

const best: Record<string, number> = {};
try {
  for (let number = 0; number <= ROUNDS; number += 1) {
    for (const [name, url] of Object.entries(CASES)) {
      const cost = await round(url);
      // The first round warms up.
      if (number > 0) best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, cost);
    }
  }
} finally {
  running.child.kill('SIGTERM');
  frozen.child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
}

const base = best['no connection'] ?? 0;
console.log('CPU of the agent for an event, at 5,000 events a second:');
for (const [name, cost] of Object.entries(best)) {
  if (name !== 'no connection')
    console.log(`  ${name.padEnd(14)} ${(cost - base).toFixed(2)} µs (aim: 2 µs)`);
}
