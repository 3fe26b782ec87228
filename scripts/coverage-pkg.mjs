// Measures which lines of pkg/src the tests run. They use the built package, so V8's coverage of dist/esm is mapped
// back; so is a test's own import of pkg/src, such as the devtools server, and a page's bundle, such as the embedded
// dashboard.
//
// Lines are those of Istanbul, and so of nyc, Jest and Vitest: a line counts if a statement begins on it, and it ran if one of
// them did. Types, comments and the further lines of a statement do not count.
//   node scripts/coverage-pkg.mjs   runs the tests, prints the files below 100 % and the sum; exits with 1 below LEAST
// Install first: scripts/setup.sh house hosts fleet
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import * as esbuild from 'esbuild';
import { root } from './building.mjs';

/** Percent of the lines. */
const LEAST = 95;
/** Those of the package, those with real hosts, the store that needs PostgreSQL, and what runs only in a page. */
const ALL = [
  ...['pkg/test', 'tests', 'tests/fleet/devtools-postgres.test.ts', 'tests/e2e/embed.test.ts'],
  ...['e2e', 'agreement', 'soak', 'fleet'].flatMap((folder) => ['--except', `tests/${folder}`]),
  // It counts bytes, and what Node notes of coverage has some.
  ...['--except', 'pkg/test/call/cost.test.ts'],
];

const { CoverageReport } = createRequire(join(root, 'scripts/house/package.json'))(
  'monocart-coverage-reports',
);
const dist = join(root, 'pkg/dist/esm');
const seen = join(root, 'target/coverage/pkg');
const outputDir = join(root, 'target/coverage/report');
const tests = process.argv.slice(2);

rmSync(seen, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, ['scripts/node-test.mjs', ...(tests.length ? tests : ALL)], {
  cwd: root,
  stdio: 'inherit',
  // More of the same runs no other lines.
  env: { HALFOPEN_TEST_KILLS: '10', ANYTHING_RUNS: '20', ...process.env, NODE_V8_COVERAGE: seen },
});

/**
 * Returns a map that contains the texts of its sources. The Lab's worker has no map, because the build makes its text.
 */
function withSources(sourceMap, folder) {
  const text = (path) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return { ...sourceMap, sourcesContent: sourceMap.sources.map((path) => text(join(folder, path))) };
}

/** The built files that have a map, by their address: text and map, with the sources that the package has in src. */
const built = new Map(
  readdirSync(dist)
    .filter((name) => existsSync(join(dist, `${name}.map`)))
    .map((name) => {
      const file = join(dist, name);
      const sourceMap = withSources(JSON.parse(readFileSync(`${file}.map`, 'utf8')), dist);
      return [pathToFileURL(file).href, { source: readFileSync(file, 'utf8'), sourceMap }];
    }),
);

const sources = pathToFileURL(join(root, 'pkg/src/')).href;
const bundles = pathToFileURL(join(seen, '/')).href;

/**
 * Returns a script with its map: a file of dist, one of src as scripts/node-test.mjs compiles it, or one that a test
 * bundled, which has its map at its end: a page stores its text, and the devtools server's is beside the stored data.
 * `undefined` for any other.
 */
function ran({ url, source: noted }) {
  const source = url.startsWith(bundles) ? readFileSync(fileURLToPath(url), 'utf8') : noted;
  const inlined = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(source ?? '');
  if (inlined !== null) {
    const map = JSON.parse(Buffer.from(inlined[1], 'base64').toString());
    // Named as in the maps of dist, so that the two count as one file: here and below.
    const named = map.sources.map((path) => path.replace(/^(?:.*\/)?pkg\/src\//, '../../src/'));
    return { source, sourceMap: withSources({ ...map, sources: named }, dist) };
  }
  if (!built.has(url) && url.startsWith(sources) && url.endsWith('.ts')) {
    const file = fileURLToPath(url);
    const { code, map } = esbuild.transformSync(readFileSync(file, 'utf8'), {
      loader: 'ts',
      format: 'esm',
      target: `node${process.versions.node}`,
      sourcemap: 'external',
      sourcefile: file,
    });
    const sourceMap = withSources({ ...JSON.parse(map), sources: [relative(dist, file)] }, dist);
    built.set(url, { source: code, sourceMap });
  }
  return built.get(url);
}

const report = new CoverageReport({
  outputDir,
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
/** Returns the coverage that a process or a page stored; nothing if it was killed while storing it. */
function noted(name) {
  try {
    return JSON.parse(readFileSync(join(seen, name), 'utf8')).result;
  } catch {
    return [];
  }
}
for (const name of readdirSync(seen)) {
  const entries = noted(name).flatMap((entry) => {
    const file = ran(entry);
    return file === undefined ? [] : [{ ...entry, ...file }];
  });
  if (entries.length > 0) await report.add(entries);
}
await report.generate();
const { total, ...files } = JSON.parse(readFileSync(join(outputDir, 'coverage-summary.json'), 'utf8'));
const rows = Object.entries(files).map(([path, { lines }]) => ({ path, ...lines }));
for (const { path, pct, covered, total: all } of rows.sort((a, b) => a.pct - b.pct)) {
  if (pct < 100)
    console.log(
      `${String(pct).padStart(6)} %  ${String(all - covered).padStart(4)} lines not run  pkg/${path}`,
    );
}
console.log(`coverage of pkg/src: ${total.lines.pct} % of ${total.lines.total} lines, at least ${LEAST} %`);
process.exitCode = status !== 0 || total.lines.pct < LEAST ? 1 : 0;
