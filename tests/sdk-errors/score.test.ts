// Real errors of real SDKs, scored: the levels below which the classification is not good enough.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { install } from './installed.js';

interface Score {
  n: number;
  strict: number;
  lenient: number;
  hopeless: number;
  givenUp: number;
  threw: number;
  noObject: number;
  leaks: number;
  recovered: Record<'statusCode' | 'retryAfterMs' | 'requestId', [hit: number, of: number]>;
  wrong: { id: string; problems: string[]; got: { code: string } }[];
}

const here = fileURLToPath(new URL('.', import.meta.url));

/** Scores a file of cases in a process of its own: the SDKs patch globals and leave sockets. */
function score(cases: string): Score {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['score.mjs', '../../pkg', '--cases', cases, '--json', '--wrong'],
    {
      cwd: here,
      encoding: 'utf8',
      maxBuffer: 1 << 26,
      timeout: 240_000,
    },
  );
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout.split('\n').find((line) => line.startsWith('{')) ?? '{}');
}

function isGoodEnough(found: Score, cases: number) {
  const wrong = found.wrong.map(({ id, problems, got }) => `${id} [${problems}] ${got.code}`).join('\n');
  const share = ([hit, of]: [number, number]) => hit / of;
  assert.ok(found.n >= cases, `${found.n} cases`);
  assert.ok(found.strict / found.n >= 0.97, `strict ${found.strict} of ${found.n}\n${wrong}`);
  assert.ok(found.lenient / found.n >= 0.99, `lenient ${found.lenient} of ${found.n}\n${wrong}`);
  assert.ok(found.hopeless <= 2, `retried but hopeless: ${found.hopeless}\n${wrong}`);
  assert.ok(found.givenUp <= 4, `given up though retryable: ${found.givenUp}\n${wrong}`);
  for (const [field, counts] of Object.entries(found.recovered)) {
    assert.ok(share(counts) >= 0.99, `${field} ${counts.join(' of ')}\n${wrong}`);
  }
  assert.equal(found.threw + found.noObject, 0);
  assert.equal(found.leaks, 0);
}

test('openai, anthropic, google, ai and fetch', { timeout: 300_000 }, () => {
  install();
  isGoodEnough(score('./cases.mjs'), 420);
});

test('the same faults through every other client', { timeout: 300_000 }, () => {
  install();
  isGoodEnough(score('./wider.mjs'), 310);
});
