// Runs every test step, some at a time, and prints each step's output when it has ended. Called by scripts/test.sh.
//   scripts/test.sh              all steps, a summary at the end; exit code 0 only if every step passed
//   scripts/test.sh rust node    only these steps
//   scripts/test.sh --list       their names
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './building.mjs';
import { FIREFOX } from './firefox.mjs';

const CHROMIUM = process.env.HALFOPEN_CHROMIUM ?? '';
const wasmTests = (options, crate) => `scripts/wasm.sh wasm-pack test ${options} --mode no-install ${crate}`;
const VECTORS = 'core --features js --test vectors';
const IN_CHROMIUM = '--headless --chrome --chromedriver "$HALFOPEN_CHROMEDRIVER"';

/**
 * What must hold. `run`: the command. `needs`: the steps whose result it uses. `locks`: what only one step may use at a
 * time; Cargo locks its build folders anyway, and a step that waits for Cargo would keep another one from running.
 * The first step that may run begins first: long ones that others need stand first.
 */
const STEPS = [
  { name: 'format', about: 'rustfmt and biome', run: 'cargo fmt --all --check && npx biome check .' },
  {
    name: 'imports',
    about: 'no circles and no upward imports in pkg/src',
    run: 'node scripts/check-imports.mjs',
  },
  {
    name: 'build',
    about: 'the npm package: WebAssembly, bundles, types',
    run: 'npm run --silent build',
    locks: 'wasm',
  },
  {
    name: 'rust',
    about: 'unit, property and vector tests of the Rust crates',
    run: 'cargo test --workspace',
    locks: 'native',
  },
  {
    name: 'dashboard',
    about: 'the dashboard, built by trunk',
    run: 'node scripts/build-dashboard.mjs',
    needs: ['build'],
    locks: 'wasm',
  },
  {
    name: 'e2e',
    about: 'the whole in Chromium, and in Firefox',
    run: 'node scripts/node-test.mjs tests/e2e',
    needs: ['build', 'dashboard'],
  },
  {
    name: 'clippy',
    about: 'clippy over the workspace, with and without the JavaScript surface, and over the benches',
    run: [
      'cargo clippy --quiet --workspace --all-targets -- -D warnings',
      'cargo clippy --quiet -p halfopen --features js --all-targets -- -D warnings',
      'cargo clippy --quiet --manifest-path core/benches/Cargo.toml --target-dir target --all-targets -- -D warnings',
    ].join(' && '),
    locks: 'native',
  },
  {
    name: 'node',
    about: 'the built package in Node',
    run: 'node scripts/node-test.mjs pkg/test',
    needs: ['build', 'dashboard'],
  },
  {
    name: 'clients',
    about: 'the package with real SDKs and clients, exported tests, and the fake timers of Vitest',
    run: 'node scripts/node-test.mjs tests --except tests/e2e && npx vitest run --config tests/vitest/vitest.config.ts',
    needs: ['build', 'dashboard'],
  },
  {
    name: 'fuzz',
    locks: 'fuzz',
    about: 'the core on what nobody thought of: four targets, FUZZ_SECONDS (20) each',
    run: 'scripts/fuzz.sh',
  },
  {
    name: 'docs',
    about: 'rustdoc without warnings',
    run: "RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps -p halfopen --features js",
    locks: 'native',
  },
  {
    name: 'wasm_node',
    about: 'the vectors and the JavaScript surface as wasm, in Node',
    run: wasmTests('--node', VECTORS),
    locks: 'wasm',
  },
  {
    name: 'wasm_web',
    about: "the same in Chromium, and the dashboard's elements there",
    // wasm-bindgen's runner reads webdriver.json beside a crate's manifest.
    run: [
      'for crate in core web/element; do node scripts/webdriver.mjs "$HALFOPEN_CHROMIUM" >$crate/webdriver.json; done',
      'export WASM_BINDGEN_USE_BROWSER=1',
      wasmTests(IN_CHROMIUM, VECTORS),
      wasmTests(IN_CHROMIUM, 'web/element'),
    ].join(' && '),
    needs: ['wasm_node'],
    locks: 'wasm',
  },
  {
    name: 'types',
    about: 'tsc over sources and tests; the contract, also with TypeScript 5.4',
    run: 'npx tsc -p tsconfig.json && node pkg/test/contract/check.mjs',
    needs: ['build'],
  },
  {
    name: 'packaging',
    about: 'the packed package in real runtimes and bundlers',
    run: 'node pkg/packaging/run.mjs',
    needs: ['build', 'dashboard'],
  },
  { name: 'examples', about: 'the examples', run: 'node scripts/node-test.mjs examples', needs: ['build'] },
  {
    name: 'demo',
    about: 'the demo, its log and its dashboard checked',
    run: 'scripts/demo.sh --check',
    needs: ['build', 'dashboard'],
  },
  {
    name: 'deps',
    about: 'no async runtime in the core, licences and sources of what it stands on',
    run: 'scripts/check-deps.sh',
  },
];

/** As many as there are processors: more would make the tests in browsers wait for a processor. */
const AT_ONCE = availableParallelism();

const names = STEPS.map(({ name }) => name);
const asked = process.argv.slice(2);
if (asked[0] === '--list') {
  for (const { name, about } of STEPS) console.log(`${name.padEnd(10)} ${about}`);
  process.exit(0);
}
for (const name of asked) {
  if (names.includes(name)) continue;
  console.error(`unknown step '${name}'; there are: ${names.join(' ')}`);
  process.exit(2);
}
const steps = STEPS.filter(({ name }) => asked.length === 0 || asked.includes(name));

/** How many tests a runner says that it left out: Node's, Cargo's, Vitest's, and lines that begin with "skipped:". */
function countSkipped(output) {
  const counts = [/^ℹ skipped (\d+)/gm, /^test result:.* (\d+) ignored/gm, /^ *Tests .*?(\d+) skipped/gm];
  const counted = counts.flatMap((pattern) =>
    [...output.matchAll(pattern)].map(([, count]) => Number(count)),
  );
  return counted.reduce((sum, count) => sum + count, 0) + (output.match(/^skipped: /gm)?.length ?? 0);
}

function version(browser) {
  if (!browser) return 'none';
  return execFileSync(browser, ['--version'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}

const logs = mkdtempSync(join(tmpdir(), 'halfopen-test-'));
const running = new Map();
const ended = new Map();
const seconds = (since) => Math.round((performance.now() - since) / 1000);

function begin(step) {
  const began = performance.now();
  const path = join(logs, step.name);
  const log = openSync(path, 'w');
  const env = { FUZZ_SECONDS: '20', ...process.env };
  const child = spawn('bash', ['-c', step.run], { cwd: root, env, stdio: ['ignore', log, log] });
  running.set(step.name, step);
  child.on('close', (code) => {
    closeSync(log);
    const output = readFileSync(path, 'utf8');
    console.log(`\n━━ ${step.name.padEnd(10)} ${step.about}\n${output.trimEnd()}`);
    running.delete(step.name);
    const result = { ok: code === 0, took: seconds(began), skipped: countSkipped(output) };
    ended.set(step.name, result);
    goOn();
  });
}

const isLocked = (step) =>
  [...running.values()].some(({ locks }) => locks !== undefined && locks === step.locks);
const waitsFor = (step) =>
  (step.needs ?? []).filter((name) => steps.some((other) => other.name === name && !ended.get(name)?.ok));

function goOn() {
  for (const step of steps) {
    if (running.size >= AT_ONCE) return;
    const begun = running.has(step.name) || ended.has(step.name);
    if (!begun && !isLocked(step) && waitsFor(step).length === 0) begin(step);
  }
  if (running.size === 0) summarise();
}

function summarise() {
  rmSync(logs, { recursive: true, force: true });
  console.log('\n━━ summary');
  let skipped = 0;
  for (const step of steps) {
    const result = ended.get(step.name);
    const label = result === undefined ? 'NOT RUN' : result.ok ? 'ok' : 'FAILED';
    const took = result === undefined ? '' : `${String(result.took).padStart(4)} s`;
    const why = result === undefined ? `  (it needs ${waitsFor(step).join(', ')})` : '';
    const left = result?.skipped ? `  (${result.skipped} skipped)` : '';
    skipped += result?.skipped ?? 0;
    console.log(`${step.name.padEnd(10)} ${label.padEnd(7)} ${took}${why}${left}`);
  }
  console.log(`total      ${String(seconds(0)).padStart(12)} s`);
  console.log(`browsers   ${version(CHROMIUM)}; Firefox: ${version(FIREFOX)}`);
  if (skipped)
    console.log(
      `skipped    ${skipped} tests: their reasons stand in the output above, behind "SKIP", "ignored" or "skipped:"`,
    );
  const failed = steps.filter(({ name }) => !ended.get(name)?.ok).map(({ name }) => name);
  if (failed.length) console.log(`failed: ${failed.join(' ')}`);
  process.exit(failed.length ? 1 : 0);
}

console.log(`test: ${steps.length} steps, ${AT_ONCE} at a time; each prints its output when it has ended`);
goOn();
