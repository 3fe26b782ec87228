// Real errors of real SDKs: each gets the right code, retry, status, wait and request id, or what differing.json has for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { install } from './installed.js';

interface Score {
  n: number;
  threw: number;
  noObject: number;
  leaks: number;
  differing: Record<string, string[]>;
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** Scores a file of cases in a process of its own: the SDKs patch globals and leave sockets. */
function score(cases: string): Score {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['score.mjs', '../../pkg', '--cases', cases, '--json'],
    {
      cwd: here,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
    },
  );
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout.split('\n').find((line) => line.startsWith('{')) ?? '{}');
}

function isAsKnown(cases: string, atLeast: number) {
  const found = score(cases);
  const known = JSON.parse(readFileSync(new URL('./differing.json', import.meta.url), 'utf8'));
  assert.ok(found.n >= atLeast, `${found.n} cases`);
  assert.deepEqual(
    found.differing,
    known[cases],
    'others differ: score.mjs --wrong lists them, --write keeps them',
  );
  assert.equal(found.threw + found.noObject, 0);
  assert.equal(found.leaks, 0);
}

test('openai, anthropic, google, ai and fetch', () => {
  install();
  isAsKnown('./cases.mjs', 420);
});

test('the same faults through every other client', () => {
  install();
  isAsKnown('./wider.mjs', 310);
});
