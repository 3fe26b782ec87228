// What of pkg/src the tests in Node run, by line: they use the built package, so what Node saw of dist/esm is mapped back;
// so is what a test imports of pkg/src itself, as the devtools server.
//   node scripts/coverage-pkg.mjs   runs the tests, prints the files below 100 % and the sum; exits with 1 below LEAST
// What runs in a browser alone counts as not run: tests/e2e has it. Install first: scripts/setup.sh house
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from './building.mjs';

/** Percent of the lines. */
const LEAST = 95;
/** Those of the package, those with real hosts, and the store that needs PostgreSQL. */
const ALL = [
  ...['pkg/test', 'tests', 'tests/fleet/devtools-postgres.test.ts'],
  ...['e2e', 'agreement', 'soak', 'fleet'].flatMap((folder) => ['--except', `tests/${folder}`]),
  // It counts bytes, and what Node notes of coverage has some.
  ...['--except', 'pkg/test/call/cost.test.ts'],
];

const { CoverageReport } = createRequire(join(root, 'scripts/house/package.json'))(
  'monocart-coverage-reports',
);
const dist = join(root, 'pkg/dist/esm');
const seen = join(root, 'target/coverage/pkg');
const tests = process.argv.slice(2);

rmSync(seen, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['scripts/node-test.mjs', ...(tests.length ? tests : ALL)], {
  cwd: root,
  stdio: 'inherit',
  // More of the same runs no other lines.
  env: { HALFOPEN_TEST_KILLS: '10', ANYTHING_RUNS: '20', ...process.env, NODE_V8_COVERAGE: seen },
});

/** The built files that have a map, by their address: text and map, with the sources that the package has in src. */
const built = new Map(
  readdirSync(dist)
    .filter((name) => existsSync(join(dist, `${name}.map`)))
    .map((name) => {
      const file = join(dist, name);
      const sourceMap = JSON.parse(readFileSync(`${file}.map`, 'utf8'));
      // The Lab's worker is a text that the build makes.
      const text = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
      sourceMap.sourcesContent = sourceMap.sources.map((path) => text(join(dirname(file), path)));
      return [pathToFileURL(file).href, { source: readFileSync(file, 'utf8'), sourceMap }];
    }),
);

const sources = pathToFileURL(join(root, 'pkg/src/')).href;

/** A file that Node ran, with its map: one of dist, or of src as scripts/node-test.mjs compiles it; `undefined` for any other. */
function ran(url) {
  if (!built.has(url) && url.startsWith(sources) && url.endsWith('.ts')) {
    const file = fileURLToPath(url);
    const text = readFileSync(file, 'utf8');
    const { code, map } = esbuild.transformSync(text, {
      loader: 'ts',
      format: 'esm',
      target: `node${process.versions.node}`,
      sourcemap: 'external',
      sourcefile: file,
    });
    // Named as in the maps of dist, so that the two count as one file.
    const sourceMap = { ...JSON.parse(map), sources: [relative(dist, file)], sourcesContent: [text] };
    built.set(url, { source: code, sourceMap });
  }
  return built.get(url);
}

const report = new CoverageReport({
  outputDir: join(root, 'target/coverage/report'),
  reports: ['json-summary'],
  logging: 'error',
  sourceFilter: (path) => /(?:^|\/)src\//.test(path) && !/node_modules|\/wasm\//.test(path),
});
// A file that no process has loaded counts too.
await report.add(
  [...built].map(([url, file]) => {
    const ranges = [{ startOffset: 0, endOffset: file.source.length, count: 0 }];
    return { url, ...file, functions: [{ functionName: '', isBlockCoverage: true, ranges }] };
  }),
);
/** What Node noted of a process; nothing where it was killed over it. */
function noted(name) {
  try {
    return JSON.parse(readFileSync(join(seen, name), 'utf8')).result;
  } catch {
    return [];
  }
}
for (const name of readdirSync(seen)) {
  const result = noted(name);
  const entries = result.flatMap((entry) => {
    const file = ran(entry.url);
    return file === undefined ? [] : [{ ...entry, ...file }];
  });
  if (entries.length > 0) await report.add(entries);
}
const { files, summary } = await report.generate();
const rows = files.map(({ sourcePath, summary: { lines } }) => ({ sourcePath, ...lines }));
for (const { sourcePath, pct, covered, total } of rows.sort((a, b) => a.pct - b.pct)) {
  if (pct < 100)
    console.log(
      `${String(pct).padStart(6)} %  ${String(total - covered).padStart(4)} lines not run  pkg/${sourcePath}`,
    );
}
console.log(
  `coverage of pkg/src: ${summary.lines.pct} % of ${summary.lines.total} lines, at least ${LEAST} %`,
);
process.exitCode = status !== 0 || summary.lines.pct < LEAST ? 1 : 0;
