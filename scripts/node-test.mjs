// Runs every *.test.ts below the given folders with Node's own test runner, except those below a folder that is left out:
//   node scripts/node-test.mjs pkg/test tests --except tests/e2e [-- options]
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A file that has not ended by then, in milliseconds, has failed, and is named: something in it keeps the process. */
const PATIENCE = 900_000;

function* tests(path) {
  if (statSync(path).isFile()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) {
    const below = join(path, name);
    if (name === 'node_modules' || excepted.includes(below)) continue;
    if (statSync(below).isDirectory()) yield* tests(below);
    else if (/\.test\.ts$/.test(name)) yield below;
  }
}

const split = process.argv.indexOf('--');
const given = process.argv.slice(2, split < 0 ? undefined : split);
const folders = given.filter((word, index) => word !== '--except' && given[index - 1] !== '--except');
const excepted = given.filter((_, index) => given[index - 1] === '--except').map((path) => join(path));
const options = split < 0 ? [] : process.argv.slice(split + 1);
const files = folders.flatMap((folder) => [...tests(folder)]);
if (files.length === 0) {
  console.error(`no *.test.ts below ${folders.join(', ')}`);
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  ['--import', 'tsx', '--test', `--test-timeout=${PATIENCE}`, '--test-reporter=spec', ...options, ...files],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
