// The recorded errors of tools, classified: quick, and without a client or a server.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

interface Row {
  cases: number;
  strict: number;
  neighbour: number;
  clear: number;
  decided: number;
  hopeless: number;
  threw: number;
  leaks: number;
  status: [number, number];
  retryAfterMs: [number, number];
  requestId: [number, number];
}
const here = fileURLToPath(new URL('.', import.meta.url));

function score(...options: string[]): Row {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['score.mjs', '--json', ...options], {
    cwd: here,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  assert.equal(status, 0, stderr.slice(-2000));
  return JSON.parse(stdout).total;
}

test('libraries and recordings belong together, and every value is rebuilt as it was', async () => {
  const { problems } = await import(new URL('./check.mjs', import.meta.url).href);
  const { found, cases, libraries } = await problems();
  assert.deepEqual(found, []);
  assert.ok(cases >= 500, `${cases} cases`);
  assert.ok(libraries >= 40, `${libraries} libraries`);
});

test('what is not held out is classified as well as levels.json promises', () => {
  const levels = JSON.parse(readFileSync(new URL('./levels.json', import.meta.url), 'utf8'));
  const found = score();
  const share = ([hit, of]: readonly [number, number]) => (100 * hit) / of;
  const reached = {
    strict: share([found.strict, found.cases]),
    neighbour: share([found.neighbour, found.cases]),
    decided: share([found.decided, found.clear]),
    status: share(found.status),
    retryAfterMs: share(found.retryAfterMs),
    requestId: share(found.requestId),
  };
  for (const [name, level] of Object.entries(reached)) {
    assert.ok(
      level >= levels[name],
      `${name}: ${level.toFixed(1)} %, promised ${levels[name]} % (node score.mjs --wrong)`,
    );
  }
  const hopeless = share([found.hopeless, found.clear]);
  assert.ok(
    hopeless <= levels.hopeless,
    `hopeless retries: ${hopeless.toFixed(1)} %, at most ${levels.hopeless} %`,
  );
});

test('no error makes classify throw or puts a secret into a classification', () => {
  const { threw, leaks } = score('--all');
  assert.deepEqual({ threw, leaks }, { threw: 0, leaks: 0 });
});
