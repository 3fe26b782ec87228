// What of pkg/src the tests of pkg/test run, by line: they use the built package, so what Node saw of dist/esm is mapped back.
//   node scripts/coverage-pkg.mjs   runs the tests, prints the files below 100 % and the sum; exits with 1 below LEAST
// What runs in a browser alone counts as not run: tests/e2e has it. Install first: scripts/setup.sh house
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

/** Percent of the lines. */
const LEAST = 95;

const { CoverageReport } = createRequire(join(root, 'scripts/house/package.json'))(
  'monocart-coverage-reports',
);
const dist = join(root, 'pkg/dist/esm');
const seen = join(root, 'target/coverage/pkg');
const tests = process.argv.slice(2);

rmSync(seen, { recursive: true, force: true });
const { status } = spawnSync(
  process.execPath,
  ['scripts/node-test.mjs', ...(tests.length ? tests : ['pkg/test'])],
  {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_V8_COVERAGE: seen },
  },
);

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
for (const name of readdirSync(seen)) {
  const { result } = JSON.parse(readFileSync(join(seen, name), 'utf8'));
  const entries = result.flatMap((entry) =>
    built.has(entry.url) ? [{ ...entry, ...built.get(entry.url) }] : [],
  );
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
