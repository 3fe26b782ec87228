// `npx halfopen simulate`: a table, JSON, and how it ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Scenario, Simulation } from 'halfopen/lab';
import { paused } from './paused.js';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'halfopen-lab-'));
after(() => rmSync(folder, { recursive: true }));

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
  // Nothing is drawn in this scenario but what nobody sees.
  assert.equal(result.bands.none?.amplification?.mean, 1);
});

test('says what is wrong with the command, the file and the scenario', async () => {
  const cases: [string[], number, RegExp][] = [
    [[], 2, /'simulate' expects one file with a scenario, got none/],
    [['a.json', '--port', '1'], 2, /'simulate' has no option --port/],
    [['a.json', '--seeds', '0'], 2, /--seeds expects a whole number from 1 to 100000, got '0'/],
    [[join(folder, 'missing.json')], 1, /the scenario could not be read: /],
    [[file('broken.json', '{')], 1, /is no JSON: /],
    [
      [file('misfit.json', { ...scenario, durationMs: 0 })],
      1,
      /^halfopen: durationMs: expected a number of milliseconds above 0, got 0$/m,
    ],
  ];
  for (const [args, code, message] of cases) {
    const ended = await run(...args);
    assert.equal(ended.code, code, ended.stderr);
    assert.match(ended.stderr, message);
    assert.doesNotMatch(ended.stderr, /halfopen: halfopen/);
  }
});
