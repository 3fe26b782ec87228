// Runs every *.test.ts below the given folders with Node's own test runner, except those below a folder that is left out:
//   node scripts/node-test.mjs pkg/test tests --except tests/e2e [-- options]
// The files of a folder below pkg/test share a process, which saves the start of a hundred and forty. A file that says in a
// comment that it runs in a process of its own, and why, has one.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { PATIENCE } from './patience.mjs';

/**
 * The files at or below a path whose names end so, but those at or below a path that is left out. Git lists them: files that it
 * ignores come and go while other tests run.
 */
function sources(path, ending, except = []) {
  if (statSync(path).isFile()) return [path];
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', path];
  const isLeftOut = (file) => except.some((one) => file === one || file.startsWith(`${one}/`));
  return [...new Set(execFileSync('git', list, { encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0'))]
    .filter((file) => file.endsWith(ending) && !isLeftOut(file) && existsSync(file))
    .sort();
}

/** Compiles what tests import into a folder, all of it in half a second; scripts/compiled.mjs reads it. */
function compile() {
  const compiled = mkdtempSync(join(tmpdir(), 'halfopen-compiled-'));
  process.on('exit', () => rmSync(compiled, { recursive: true, force: true }));
  esbuild.buildSync({
    entryPoints: ['pkg/src', 'pkg/test', 'examples', 'tests', 'site/test', 'site/playground']
      .flatMap((folder) => sources(folder, '.ts'))
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
const excepted = given
  .filter((_, index) => given[index - 1] === '--except')
  .map((path) => join(path).replace(/\/$/, ''));
const options = split < 0 ? [] : process.argv.slice(split + 1);
const files = folders.flatMap((folder) => sources(folder, '.test.ts', excepted));
if (files.length === 0) {
  console.error(`no *.test.ts below ${folders.join(', ')}`);
  process.exit(1);
}
const compiled = compile();

/**
 * Folders whose files share a process. The other tests start servers and browsers, beside which a process costs nothing, or
 * concern the whole of the package, and change it.
 */
const SHARING = /^pkg\/test\/(?!devtools\/|rehearse\/)\w[\w-]*\//;
const ALONE = /^\/\/ In a process of its own: /m;

/** The files to give to Node's runner: for the files of a folder that share a process one that imports them in turn. */
function processes() {
  const folders = new Map();
  const alone = [];
  for (const file of files) {
    if (!SHARING.test(file) || ALONE.test(readFileSync(file, 'utf8'))) alone.push(file);
    else folders.set(dirname(file), [...(folders.get(dirname(file)) ?? []), file]);
  }
  const shared = [...folders].map(([folder, members]) => {
    const path = join(compiled, `${folder.replaceAll('/', '-')}.test.mjs`);
    writeFileSync(path, members.map((file) => `await import('${pathToFileURL(resolve(file))}');\n`).join(''));
    return path;
  });
  return [...shared, ...alone];
}

const { status } = spawnSync(
  process.execPath,
  [
    ...['--import', new URL('compiled.mjs', import.meta.url).href],
    ...['--test', `--test-timeout=${PATIENCE}`, '--test-reporter=spec', ...options, ...processes()],
  ],
  { stdio: 'inherit', env: { ...process.env, HALFOPEN_COMPILED: compiled } },
);
process.exit(status ?? 1);
