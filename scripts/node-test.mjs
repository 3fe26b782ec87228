// Runs every *.test.ts below the given folders with Node's own test runner, except those below a folder that is left out:
//   node scripts/node-test.mjs pkg/test tests --except tests/e2e [-- options]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as esbuild from 'esbuild';
import { PATIENCE } from './patience.mjs';

/** The TypeScript files at or below a path whose names end so, but those at or below a path that is left out. */
function* sources(path, ending, except = []) {
  if (statSync(path).isFile()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) {
    const below = join(path, name);
    if (name === 'node_modules' || except.includes(below)) continue;
    if (statSync(below).isDirectory()) yield* sources(below, ending, except);
    else if (name.endsWith(ending)) yield below;
  }
}

/** Compiles what tests import into a folder, all of it in half a second; scripts/compiled.mjs reads it. */
function compile() {
  const compiled = mkdtempSync(join(tmpdir(), 'halfopen-compiled-'));
  process.on('exit', () => rmSync(compiled, { recursive: true, force: true }));
  esbuild.buildSync({
    entryPoints: ['pkg/src', 'pkg/test', 'examples', 'tests', 'site/test', 'site/playground']
      .flatMap((folder) => [...sources(folder, '.ts')])
      .filter((path) => !path.endsWith('.d.ts')),
    outbase: '.',
    outdir: compiled,
    format: 'esm',
    target: `node${process.versions.node}`,
    sourcemap: 'inline',
    sourcesContent: false,
    logLevel: 'warning',
  });
  return compiled;
}

const split = process.argv.indexOf('--');
const given = process.argv.slice(2, split < 0 ? undefined : split);
const folders = given.filter((word, index) => word !== '--except' && given[index - 1] !== '--except');
const excepted = given.filter((_, index) => given[index - 1] === '--except').map((path) => join(path));
const options = split < 0 ? [] : process.argv.slice(split + 1);
const files = folders.flatMap((folder) => [...sources(folder, '.test.ts', excepted)]);
if (files.length === 0) {
  console.error(`no *.test.ts below ${folders.join(', ')}`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [
    ...['--import', new URL('compiled.mjs', import.meta.url).href],
    ...['--test', `--test-timeout=${PATIENCE}`, '--test-reporter=spec', ...options, ...files],
  ],
  { stdio: 'inherit', env: { ...process.env, HALFOPEN_COMPILED: compile() } },
);
process.exit(status ?? 1);
