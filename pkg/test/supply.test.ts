// What SECURITY.md promises of the package itself, and that its table names tests that are there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

test('every threat has a test, and the test is there', () => {
  const [, table = ''] = read('SECURITY.md').split('## Threat model');
  const rows = table.split('\n## ')[0]?.match(/^\| \*\*.*$/gm) ?? [];
  assert.ok(rows.length >= 10, `${rows.length} threats`);
  for (const row of rows) {
    const tests = [...row.matchAll(/\[[^\]]+\]\(([^)]+)\) "([^"]+)"/g)];
    assert.ok(tests.length > 0, `no test: ${row}`);
    for (const [, path = '', name = ''] of tests)
      assert.ok(testsOf(path).includes(name), `${path} has no test "${name}"`);
  }
});

/** The names of the tests in a file; `…` stands for what a name takes from a table. */
function testsOf(path: string): string[] {
  const text = read(path);
  if (path.endsWith('.rs'))
    return [...text.matchAll(/#\[test\]\s+(?:#\[[^\]]*\]\s+)*fn (\w+)/g)].map(([, name = '']) => name);
  // Packaging has steps instead of tests.
  const called = path.endsWith('.test.ts') ? 'test|it' : 'step';
  const names = new RegExp(`\\b(?:${called})\\(\\s*(['"\`])((?:\\\\.|(?!\\1).)*)\\1,`, 'g');
  return [...text.matchAll(names)].map(([, , name = '']) => name.replaceAll(/\$\{[^}]*\}/g, '…'));
}

test('the package asks for nothing and runs nothing by itself', () => {
  const manifest = JSON.parse(read('pkg/package.json'));
  assert.equal(manifest.dependencies, undefined);
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
    assert.equal(manifest.scripts?.[script], undefined, script);
  // Every entry point, imported in a process without a network, eval or child processes.
  const doors = readdirSync(join(root, 'pkg/dist/esm')).filter((file) =>
    /^(?:index|every-language|slim|log|testing|lab)\.js$/.test(file),
  );
  assert.ok(doors.includes('index.js'));
  const code = `
    const refused = (what) => () => { throw new Error(what + ' at import'); };
    globalThis.fetch = refused('fetch');
    globalThis.WebSocket = globalThis.EventSource = class { constructor() { refused('a connection')(); } };
    const { Socket } = await import('node:net');
    Socket.prototype.connect = refused('a connection');
    for (const door of ${JSON.stringify(doors)}) await import(${JSON.stringify(join(root, 'pkg/dist/esm/'))} + door);
  `;
  execFileSync(
    process.execPath,
    ['--disallow-code-generation-from-strings', '--input-type=module', '-e', code],
    {
      stdio: 'pipe',
    },
  );
});
