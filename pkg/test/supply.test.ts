// SECURITY.md's promises about the package itself, and that its table names existing tests.
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

/** For a runtime of their own, which imports WebAssembly by its file. */
const ELSEWHERE = /-(?:workerd|edge-light)\./;

test('an import leaves the globals as they are, and the package works where they are frozen', () => {
  const code = `
    const before = Reflect.ownKeys(globalThis);
    const { createPolicy, onEvent } = await import('halfopen');
    const policy = createPolicy();
    const made = Reflect.ownKeys(globalThis).filter((key) => !before.includes(key));
    if (made.length > 0) throw new Error('made ' + made.map(String));
    // Node defines some of its own when they are first read, which it cannot do later.
    for (const key of before) void globalThis[key];
    Object.freeze(globalThis);
    const types = [];
    onEvent(({ type }) => types.push(type));
    await policy.execute(() => 1);
    if (!types.includes('call.succeeded')) throw new Error(String(types));
  `;
  execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: root, stdio: 'pipe' });
});

test('the package asks for nothing and runs nothing by itself', () => {
  const manifest = JSON.parse(read('pkg/package.json'));
  assert.equal(manifest.dependencies, undefined);
  for (const script of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
    assert.equal(manifest.scripts?.[script], undefined, script);
  // Every file behind the entry points, in both forms, in a process without a network, eval, child processes or files
  // to write. Files that import their host are imported if the tests have it installed.
  for (const form of ['esm', 'cjs', 'js']) {
    const folder = join(root, 'pkg/dist', form);
    const files = readdirSync(folder).filter((file) => /\.c?js$/.test(file) && !ELSEWHERE.test(file));
    assert.ok(files.length > 20, `${form}: ${files.length} files`);
    const code = `
      const refused = (what) => () => { throw new Error(what + ' at import'); };
      const forbid = (object, names, what) => {
        for (const name of names) object[name] = refused(what + ' (' + name + ')');
      };
      globalThis.WebSocket = globalThis.EventSource = class { constructor() { refused('a connection')(); } };
      forbid(globalThis, ['fetch'], 'a request');
      const { createRequire, syncBuiltinESMExports } = await import('node:module');
      const require = createRequire(${JSON.stringify(join(folder, 'x.js'))});
      forbid(require('node:net').Socket.prototype, ['connect'], 'a connection');
      forbid(require('node:net').Server.prototype, ['listen'], 'a server');
      forbid(require('node:dgram'), ['createSocket'], 'a connection');
      forbid(require('node:dns'), ['lookup', 'resolve'], 'a look-up');
      forbid(require('node:child_process'), ['spawn', 'spawnSync', 'exec', 'execSync', 'fork'], 'a process');
      forbid(require('node:fs'), ['writeFileSync', 'appendFileSync', 'mkdirSync', 'writeFile'], 'a file');
      syncBuiltinESMExports();
      for (const file of ${JSON.stringify(files)})
        ${form === 'cjs' ? 'require(' : 'await import('}${JSON.stringify(`${folder}/`)} + file);
    `;
    execFileSync(
      process.execPath,
      ['--disallow-code-generation-from-strings', '--input-type=module', '-e', code],
      { stdio: 'pipe' },
    );
  }
});
