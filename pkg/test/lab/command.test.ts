// `npx halfopen simulate`: a table, JSON, and how it ends.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { HalfopenEvent } from 'halfopen';
import type { Replay, Scenario, Simulation } from 'halfopen/lab';
import { createRun } from 'halfopen/run';
import { paused } from './paused.js';
import { recorded as record } from './recorded.js';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'halfopen-lab-'));
after(() => rmSync(folder, { recursive: true }));

/** A log with attempts that a timeout has cut off. */
const cutOff = () => record({ retry: false, breaker: false, timeout: { attemptMs: 300 } });
const emptyFolder = join(folder, 'empty');
mkdirSync(emptyFolder);

const scenario: Scenario = {
  ...paused,
  durationMs: 60_000,
  clients: { ...paused.clients, processes: 1 },
};

function file(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, 'simulate', ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

test('prints a table of the policies, and ends with 0', async () => {
  const { code, stdout, stderr } = await run(file('plain.json', scenario));
  assert.deepEqual([code, stderr], [0, '']);
  const [head = '', retries = '', none = ''] = stdout.split('\n');
  assert.match(head, /^policy {3}success +load +user p50 +user p95 +failed +refused +abandoned +wasted$/);
  assert.match(retries, /^retries +\d\d\.\d % +2\.\d\dx /);
  assert.match(none, /^none {5} *9\d\.\d % +1\.00x /);
});

test('ends with 1 where a limit does not hold, and says which', async () => {
  const path = file('expect.json', { ...scenario, expect: { maxAmplification: 1.5 } });
  const { code, stdout } = await run(path);
  assert.equal(code, 1);
  assert.match(stdout, /^BROKEN {2}retries: maxAmplification 1\.5, got 2\.\d+$/m);
  assert.match(stdout, /^ok {6}none: maxAmplification 1\.5, got 1$/m);
});

test('--json prints the results; with --seeds their bands too', async () => {
  const { code, stdout } = await run(file('plain.json', scenario), '--json', '--seeds', '3');
  assert.equal(code, 0);
  const result = JSON.parse(stdout) as Simulation & {
    bands: Record<string, Record<string, { mean: number }>>;
  };
  assert.deepEqual(Object.keys(result.policies), ['retries', 'none']);
  // This scenario draws nothing that is visible.
  assert.equal(result.bands.none?.amplification?.mean, 1);
});

const arriving = (perSecond: number) => ({
  ...scenario,
  clients: { ...scenario.clients, arrivals: { kind: 'open', perSecond } },
});

test('reports the faults of the command, the file and the scenario', async () => {
  const cases: [string[], number, RegExp][] = [
    [[], 2, /'simulate' expects one file with a scenario, got none/],
    [['a.json', '--port', '1'], 2, /'simulate' has no option --port/],
    [['a.json', '--seeds', '0'], 2, /--seeds expects a whole number from 1 to 100000, got '0'/],
    [[join(folder, 'missing.json')], 1, /the scenario could not be read: /],
    [[file('broken.json', '{')], 1, /is not valid JSON: /],
    [
      [file('misfit.json', { ...scenario, durationMs: 0 })],
      1,
      /^halfopen: durationMs: expected a number of milliseconds above 0, got 0$/m,
    ],
    [
      [file('negative.json', arriving(-7))],
      1,
      /^halfopen: clients\.arrivals\.perSecond: expected a number above 0, got -7$/m,
    ],
    [[file('unknown.json', { ...scenario, speed: 2 })], 1, /^halfopen: speed: expected one of the keys /m],
    [
      [file('large.json', arriving(1e12))],
      1,
      /^halfopen: clients\.arrivals\.perSecond: expected a number above 0/m,
    ],
    [
      [file('long.json', arriving(1e9))],
      1,
      /^halfopen: clients\.arrivals\.perSecond: expected what needs 1e10 events at most, got 1000000000, .* takes \d+ (hours|days)$/m,
    ],
  ];
  for (const [args, code, message] of cases) {
    const ended = await run(...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /halfopen: halfopen/);
  }
});

/** A run that reads one file ten times, and one that reads ten files; both only observe. */
async function observedRuns(): Promise<HalfopenEvent[]> {
  const log: HalfopenEvent[] = [];
  for (const isLost of [true, false]) {
    const run = createRun({ name: 'coder', ladder: [], onEvent: (event) => log.push(event) });
    const read = run.tool('read_file', async ({ path }: { path: string }) => `contents of ${path}`);
    for (let step = 1; step <= 10; step++) {
      run.step();
      await read({ path: isLost ? 'a.ts' : `${step}.ts` });
    }
    run.finish();
  }
  return log;
}

const lines = (log: readonly HalfopenEvent[]): string => log.map((event) => JSON.stringify(event)).join('\n');

function halfopen(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

const incident = fileURLToPath(new URL('../../../tests/fixtures/incident.jsonl', import.meta.url));

test('replay shows before and after side by side, and the calls that end otherwise', async () => {
  const policy = file('policy.json', { 'support-desk': { retry: false, fallback: true } });
  const { code, stdout, stderr } = await halfopen('replay', incident, '--policy', policy);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^ +before +after +95 % of the seeds$/m);
  assert.match(stdout, /^calls +\d+ +\d+$/m);
  assert.match(stdout, /^Under its own policies the log gives back its own outcomes\.$/m);
  assert.match(stdout, /^\d+ calls end otherwise:$/m);
  const json = await halfopen('replay', incident, '--policy', policy, '--json', '--seeds', '3');
  assert.equal((JSON.parse(json.stdout) as { identity: number }).identity, 1);
});

test('replay says that the log cannot tell how long attempts take that a timeout has cut off', async () => {
  const recorded = await cutOff();
  const log = file('cut.jsonl', recorded.map((event) => JSON.stringify(event)).join('\n'));
  const policy = file('patient.json', {
    chat: { retry: false, breaker: false, timeout: { attemptMs: 5000 } },
  });
  const { code, stdout, stderr } = await halfopen('replay', log, '--policy', policy, '--seeds', '2');
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^success +\d+\.\d % +unknown +\d+\.\d % to \d+\.\d %$/m);
  assert.match(
    stdout,
    /^\d+ attempts of 'chat' were cut off at 300 ms \(timeout\.attemptMs\), and have more time now\./m,
  );
  assert.match(stdout, /the log cannot tell how \d+ calls end\./);
  const json = await halfopen('replay', log, '--policy', policy, '--json', '--seeds', '2');
  const { after, censored, identity } = JSON.parse(json.stdout) as {
    after: { succeeded: number | null };
    censored: { attempts: number; ms: number }[];
    identity: number;
  };
  assert.deepEqual([censored.length, censored[0]?.ms, after.succeeded], [1, 300, null]);
  assert.ok(identity < 1, `${identity}`);
});

test('replay takes the folder of the devtools: its files in the order of their positions', async () => {
  const lines = readFileSync(incident, 'utf8').split(/(?<=\n)/);
  const cut = Math.floor(lines.length / 2);
  const log = join(folder, 'devtools');
  mkdirSync(log);
  const bytes = lines.slice(0, cut).join('').length;
  const name = (position: number) => `events-0a1b2c3d-${String(position).padStart(15, '0')}.jsonl`;
  writeFileSync(join(log, name(bytes)), lines.slice(cut).join(''));
  writeFileSync(join(log, name(0)), lines.slice(0, cut).join(''));
  writeFileSync(join(log, 'server.json'), '{}');
  const policy = file('same.json', {});
  const ofFolder = await halfopen('replay', log, '--policy', policy);
  const ofFile = await halfopen('replay', incident, '--policy', policy);
  assert.deepEqual([ofFolder.code, ofFolder.stdout], [0, ofFile.stdout]);
});

test('replay shows which runs other rules would have advised, stopped and cut off', async () => {
  const log = file('runs.jsonl', lines(await observedRuns()));
  const rules = file('runs.json', { coder: { limits: { toolCalls: 8 } } });
  const { code, stdout, stderr } = await halfopen('replay', log, '--runs', rules);
  assert.deepEqual([code, stderr], [0, '']);
  const shown = stdout.trimEnd().split('\n');
  assert.deepEqual(shown.slice(0, 4), [
    '         all  completed in the log',
    'runs       2                     2',
    'advised    2                     2',
    'stopped    1                     1',
  ]);
  assert.match(
    stdout,
    /^The stops save at most \d+ steps, 4 tool calls, 0 tokens, \d+ ms, and a cost of 0\.00\.$/m,
  );
  assert.match(stdout, /^1 of 1 stops are modelled: /m);
  assert.match(
    stdout,
    /^ {2}coder [\w-]{36}, completed: steer in step 4 \(repeats of read_file: 3\), stop before step 7 \(repeats of read_file: 4\), cut off, modelled$/m,
  );
  assert.match(stdout, /^ {2}coder [\w-]{36}, completed: refuse in step 9 \(toolCalls: 8 of 8\)$/m);
  const json = await halfopen('replay', log, '--runs', rules, '--json');
  const { runs } = JSON.parse(json.stdout) as Replay;
  assert.deepEqual([runs?.runs, runs?.stopped, runs?.changed.length], [2, 1, 2]);
  const patient = file('patient-runs.json', { coder: { loops: { repeats: 20 } } });
  const left = await halfopen('replay', log, '--runs', patient);
  assert.match(left.stdout, /^No run would have been advised\.$/m);
});

test('replay shows calls and runs if it gets rules for both', async () => {
  const log = file(
    'both.jsonl',
    `${readFileSync(incident, 'utf8').trimEnd()}\n${lines(await observedRuns())}`,
  );
  const policy = file('both-policy.json', { 'support-desk': { retry: false, fallback: true } });
  const rules = file('both-runs.json', { coder: {} });
  const { code, stdout, stderr } = await halfopen('replay', log, '--policy', policy, '--runs', rules);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^calls +\d+ +\d+$[\s\S]+^runs +2 +2$/m);
});

test('replay reports the faults of the command, the log and the policies', async () => {
  // Without a newline, and longer than any text may be.
  const huge = file('huge.jsonl', '');
  truncateSync(huge, 600 * 1024 * 1024);
  const cases: [string[], number, RegExp][] = [
    [['replay'], 2, /'replay' expects one file with a log, got none/],
    [['replay', incident, '--vary', 'a=1'], 2, /'replay' has no option --vary/],
    [['replay', join(folder, 'missing.jsonl')], 1, /^halfopen: the log could not be read: /],
    [['replay', huge], 1, /^halfopen: the log could not be read: line 1 is longer than 128 MiB$/m],
    [['simulate', huge], 1, /^halfopen: the scenario could not be read: it is larger than 64 MiB$/m],
    [
      ['replay', emptyFolder],
      1,
      /has no log of the devtools, whose files are events-<log>-<position>\.jsonl/,
    ],
    [
      ['replay', file('no.jsonl', 'hello')],
      1,
      /^halfopen: log line 1: expected an event of Halfopen as JSON/,
    ],
    [
      ['replay', file('later.jsonl', readFileSync(incident, 'utf8').replace('"v":1', '"v":2'))],
      1,
      /^halfopen: log line 1\.v: expected 1, got 2$/m,
    ],
    [
      ['replay', incident, '--policy', file('other.json', { chat: {} })],
      1,
      /^halfopen: policies\.chat: expected/,
    ],
    [['replay', incident, '--runs'], 2, /--runs expects a value/],
    [
      ['replay', incident, '--runs', join(folder, 'none.json')],
      1,
      /^halfopen: the rules of runs could not be read: /,
    ],
    [
      ['replay', incident, '--runs', file('no-runs.json', { coder: {} })],
      1,
      /^halfopen: runs\.coder: expected the name of a run in the log, but it has no runs$/m,
    ],
    [
      ['replay', incident, '--runs', file('wrong-runs.json', { coder: { limits: { step: 3 } } })],
      1,
      /limits\.step.*steps/,
    ],
  ];
  for (const [args, code, message] of cases) {
    const ended = await halfopen(...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
  }
});

test('explore prints the policies worth a choice as code, and exits with 1 if no policy meets the limits', async () => {
  const path = file('explore.json', { ...scenario, expect: { minSuccessRate: 0.9, maxAmplification: 2 } });
  const vary = ['--policy', 'retries', '--vary', 'retry.maxRetries=0,1,3', '--vary', 'retry.jitter=0,full'];
  const { code, stdout, stderr } = await halfopen('explore', path, ...vary);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^present +\d+\.\d % +\d\.\d\dx/m);
  assert.match(stdout, /^1 {2}createPolicy\(\{"retry":\{.*"maxRetries":\d.*\}\)$/m);
  assert.match(
    stdout,
    /^6 points over retry\.maxRetries, retry\.jitter, \d of them on the front within the limits\.$/m,
  );
  const strict = file('strict.json', { ...scenario, expect: { minSuccessRate: 1, maxAmplification: 5 } });
  const none = await halfopen('explore', strict, ...vary);
  assert.equal(none.code, 1);
  assert.match(none.stdout, /^BROKEN {2}no point meets the limits; the cause is minSuccessRate$/m);
  const missing = await halfopen('explore', path, '--policy', 'retries');
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /'explore' expects --vary/);
  const inherited = await halfopen('explore', path, '--policy', '__proto__', '--vary', 'retry.maxRetries=1');
  assert.equal(inherited.code, 1);
  assert.match(inherited.stderr, /'policy' must be the name of a policy of the scenario, got '__proto__'/);
  const wrong = await halfopen('explore', path, '--policy', 'retries', '--vary', 'retry.maxRetris=1');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /^halfopen: policies\.retries\.retry\.maxRetris: expected one of the keys/);
});

test('simulate --watch runs again when the file has changed', async () => {
  const path = file('watched.json', scenario);
  const child = spawn(process.execPath, [BIN, 'simulate', path, '--watch'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const tables = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => (output.match(/^policy /gm) ?? []).length >= count && resolve();
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        look();
      });
      look();
    });
  try {
    await tables(1);
    // The clock of a file system may count in seconds; what is written is looked at a while later.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    file('watched.json', { ...scenario, durationMs: 40_000 });
    await tables(2);
  } finally {
    child.kill();
  }
});
