// Builds what Stryker runs: the package, and one file with its tests, whose `node:test` is that of runner.mjs.
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import * as esbuild from 'esbuild';

/** Tests of what a change of the sources moves even if nothing else changes (the crossings), and one that takes seven seconds. */
const LEFT_OUT = ['call/cost.test.ts', 'call/nothing-left.test.ts'];

/** `QUICK=1` leaves these out too: many random cases, every order of inputs, other processes. */
const SLOW = ['settle', 'stream-interleavings', 'time', 'unref'].map((name) => `call/${name}.test.ts`);
const leftOut = process.env.QUICK === '1' ? [...LEFT_OUT, ...SLOW] : LEFT_OUT;

/** Folders and files of pkg/test that make calls. */
const TESTED = [
  ...['call', 'policy', 'breaker', 'error', 'event', 'retry', 'known-suites'],
  ...['otel.test.ts', 'hostile.test.ts'],
];

const files = TESTED.flatMap((path) =>
  path.endsWith('.ts') ? [path] : readdirSync(`pkg/test/${path}`).map((name) => `${path}/${name}`),
).filter((name) => name.endsWith('.test.ts') && !leftOut.includes(name));

const nodeTest = {
  name: 'node-test',
  setup(build) {
    build.onResolve({ filter: /^node:test$/ }, ({ importer }) => ({
      path: relative('pkg/test', importer),
      namespace: 'node-test',
    }));
    build.onLoad({ filter: /.*/, namespace: 'node-test' }, ({ path }) => ({
      contents: `export const { test, describe, before, after } = globalThis.testsOf(${JSON.stringify(path)}); export default test;`,
    }));
  },
};

execFileSync(process.execPath, ['scripts/build-package.mjs', '--bare'], { stdio: 'inherit' });
await esbuild.build({
  stdin: { contents: files.map((name) => `import './${name}';`).join('\n'), resolveDir: 'pkg/test' },
  outfile: 'pkg/mutants/tests.mjs', // where `import 'halfopen'` is the package itself
  bundle: true,
  ignoreAnnotations: true, // pkg/package.json says that tests have no side effects
  packages: 'external',
  plugins: [nodeTest],
  format: 'esm',
  platform: 'node',
  target: `node${process.versions.node}`,
  sourcemap: true, // tests of stack traces look for their own files
  sourcesContent: false,
  logLevel: 'warning',
});
