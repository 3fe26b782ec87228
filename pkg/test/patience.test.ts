// No test bounds a wait by a limit of its own: on a busy machine that limit fails the test. scripts/patience.mjs has the wait.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['tests', 'pkg/test', 'pkg/packaging', 'site/test', 'examples', 'scripts/demo*.mjs'];
/** These provoke the errors of clients, whose own timeouts they set. */
const PROVOKES = /^tests\/(tool-errors|sdk-errors)\//;

const LIMITS: Record<string, RegExp> = {
  'a limit of a test':
    /(?:test|describe)\([^\n]*(?:\{|\{[^}\n]*[ ,])\s*timeout: \d[\d_]*[^\n}]*(?:,\n)?\}, (?:async )?\(/g,
  'a limit of a page': /setDefault(?:Navigation)?Timeout\(\d/g,
  'a limit of a wait in a page': /\.(?:waitFor\w*|click|fill|press)\((?:[^()]*,)?\s*\{[^}]*\btimeout: [1-9]/g,
  'a browser that scripts/chromium.mjs or scripts/firefox.mjs should start':
    /\b(?:chromium|firefox)\.launch\(/g,
  'a loop that gives up':
    /\b(?:waited|tries|looks) < \d{2,}|for \([^\n]*(?:Date|performance)\.now\(\) [<>+-]/g,
};

test('every wait is as long as the runner allows', () => {
  const list = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...FOLDERS],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const files = list.split('\0').filter((file) => /\.m?[jt]s$/.test(file) && !PROVOKES.test(file));
  assert.ok(files.length > 300, `${files.length} files`);
  const found = files
    .filter((file) => file !== 'pkg/test/patience.test.ts' && existsSync(root + file))
    .flatMap((file) => {
      const text = readFileSync(root + file, 'utf8');
      return Object.entries(LIMITS).flatMap(([what, pattern]) =>
        [...text.matchAll(pattern)].map(({ 0: code, index }) => {
          const line = text.slice(0, index).split('\n').length;
          return `${file}:${line}: ${what}: ${code.slice(0, 100)}`;
        }),
      );
    });
  assert.deepEqual(found, []);
});
