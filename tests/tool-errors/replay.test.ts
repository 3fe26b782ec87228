// The recorded errors of tools, classified: quick, and without a client or a server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Scored {
  total: { threw: number; leaks: number };
  differing: Record<string, string>;
  wrong: { id: string; problems: string[]; got: object }[];
}
const here = fileURLToPath(new URL('.', import.meta.url));

function score(...options: string[]): Scored {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['score.mjs', '--json', ...options], {
    cwd: here,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout);
}

test('libraries and recordings belong together, and every value is rebuilt as it was', async () => {
  const { problems } = await import(new URL('./check.mjs', import.meta.url).href);
  const { found, cases, libraries } = await problems();
  assert.deepEqual(found, []);
  assert.ok(cases >= 500, `${cases} cases`);
  assert.ok(libraries >= 40, `${libraries} libraries`);
});

test('each error gets the right code, or the one that differing.json has for it', () => {
  const known = JSON.parse(readFileSync(new URL('./differing.json', import.meta.url), 'utf8'));
  assert.deepEqual(score().differing, known, 'other errors differ: node score.mjs --wrong, then --write');
});

// Words alone never justify a retry: any program could put these libraries' words into a plain Error, and the value
// does not show which one did. The list may only shrink.
test('whether to retry, status, wait and request id are right wherever they are clear, but for the list', () => {
  const known: string[] = JSON.parse(readFileSync(new URL('./given-up.json', import.meta.url), 'utf8'));
  const wrong = score('--wrong').wrong.filter(({ problems }) =>
    problems.some((problem) => problem !== 'code'),
  );
  assert.deepEqual(wrong.map(({ id }) => id).sort(), known, 'others are wrong: node score.mjs --wrong');
});

test('no error makes classify throw or puts a secret into a classification', () => {
  const { threw, leaks } = score('--all').total;
  assert.deepEqual({ threw, leaks }, { threw: 0, leaks: 0 });
});
