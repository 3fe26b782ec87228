// Runs test steps, some at a time, and prints each step's output when it has ended. Called by scripts/test.sh.
//   scripts/test.sh              all steps but those of the night, a summary at the end; exit code 0 only if every step passed
//   scripts/test.sh --quick      the steps of a developer between two edits, those whose inputs have changed
//   scripts/test.sh rust node    only these steps, the nightly ones too
//   scripts/test.sh --list       their names; those of --quick and of the night are marked
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './building.mjs';
import { FIREFOX } from './firefox.mjs';

const CHROMIUM = process.env.HALFOPEN_CHROMIUM ?? '';

/**
 * Clippy replaces the compiler of our own crates and lints them as it compiles, so the crates and their dependencies
 * are compiled once for lints and tests. `cargo clippy` would compile all of them once more.
 */
const LINTING = 'RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings';

const WASM_PACK = 'scripts/wasm.sh wasm-pack test';
const CHROME = '--headless --chrome --chromedriver "$HALFOPEN_CHROMEDRIVER"';

/** The tests in Chromium that `make test-quick` runs: each view of the dashboard opens and shows what it should. */
const VIEWS = ['tests/e2e/dashboard.test.ts', 'tests/e2e/walkthrough.test.ts'];
const IN_FIREFOX = 'tests/e2e/firefox.test.ts';

/** Inputs of the Rust crates, and of what the package and the page are built from. */
const RUST = [
  'core',
  'web',
  'examples/rust-service',
  'tests/vectors',
  'tests/fixtures',
  'Cargo.toml',
  'Cargo.lock',
  'clippy.toml',
  'rustfmt.toml',
];
const BUILT = [...RUST, 'pkg', 'scripts', 'index.html', 'package-lock.json'];
const EVERYTHING = ['.'];
const except = (paths) => paths.map((path) => `--except ${path}`).join(' ');

/**
 * The steps. `run`: the command. `needs`: the steps whose result it uses. `locksDebug`: it compiles in Cargo's folder
 * `debug`, native or as wasm, which one step may use at a time: Cargo locks it, and a step that waits for Cargo would
 * keep another one from running. The package and the dashboard are compiled in folders of their own. `reads`: a step of
 * `make test-quick` too, which leaves it out while these files are those of its last run that passed. `nightly`: a step of
 * `make nightly` alone, because it needs a compilation or a tool of its own. The first step that may run begins first, so
 * long ones that others need come first.
 */
const STEPS = [
  {
    name: 'dashboard',
    about: 'the dashboard: its page, its modules',
    run: 'node scripts/build-dashboard.mjs',
    reads: BUILT,
  },
  {
    name: 'build',
    about: 'the npm package: WebAssembly, bundles, types',
    run: 'npm run --silent build',
    reads: BUILT,
  },
  {
    name: 'clippy',
    about: 'clippy over the Rust crates, natively',
    // Each crate with its tests and without them, where what only tests use shows as unused.
    run: `${LINTING} cargo build --quiet --lib --tests --examples`,
    locksDebug: true,
    reads: RUST,
  },
  {
    name: 'clippy_wasm',
    about: 'clippy over what is compiled for wasm alone: the JavaScript surface, and the dashboard',
    // A separate check, because rustc compiles the shipped code and Clippy would make larger code.
    run: `${LINTING} RUSTFLAGS="--cfg erase_components" scripts/wasm.sh cargo check --quiet --target wasm32-unknown-unknown -p halfopen-wasm -p halfopen-web -p halfopen-answers -p halfopen-diagnose --features halfopen-wasm/all,halfopen-answers/module,halfopen-diagnose/module`,
    locksDebug: true,
    reads: RUST,
  },
  {
    name: 'format',
    about: 'rustfmt and biome',
    run: 'cargo fmt --all --check && npx biome check .',
    reads: EVERYTHING,
  },
  {
    name: 'imports',
    reads: EVERYTHING,
    about: 'imports of pkg/src, the core and web go one way; names are plain English',
    run: [
      'node scripts/check-words.mjs',
      'node scripts/check-imports.mjs',
      'node scripts/doors.mjs',
      `${LINTING} cargo test --quiet --test imports`,
    ].join(' && '),
    needs: ['clippy'],
    locksDebug: true,
  },
  {
    name: 'rust',
    about:
      'unit, property and vector tests of the Rust crates, the inputs that fuzzing has kept, the Rust service',
    run: `${LINTING} cargo test`,
    needs: ['clippy'],
    locksDebug: true,
    reads: RUST,
  },
  {
    name: 'e2e',
    about: 'the whole in Chromium',
    run: `node scripts/node-test.mjs tests/e2e ${except([...VIEWS, IN_FIREFOX])}`,
    needs: ['build', 'dashboard'],
  },
  {
    name: 'views',
    about: 'the views of the dashboard, in Chromium',
    run: `node scripts/node-test.mjs ${VIEWS.join(' ')}`,
    needs: ['build', 'dashboard'],
    reads: [...BUILT, 'tests'],
  },
  {
    name: 'firefox',
    about: 'the dashboard in Firefox',
    run: `node scripts/node-test.mjs ${IN_FIREFOX}`,
    needs: ['build', 'dashboard'],
  },
  {
    name: 'node',
    about: 'the built package in Node',
    run: 'node scripts/node-test.mjs pkg/test',
    needs: ['build', 'dashboard'],
    reads: EVERYTHING,
  },
  {
    name: 'clients',
    about: 'the package with real SDKs and clients, exported tests, and the fake timers of Vitest',
    run: [
      'scripts/setup.sh hosts',
      'npx tsc -p tests/integrations',
      'node scripts/node-test.mjs tests --except tests/e2e --except tests/agreement --except tests/fleet --except tests/soak',
      'npx vitest run --config tests/vitest/vitest.config.ts',
    ].join(' && '),
    needs: ['build'],
  },
  {
    name: 'fleet',
    about:
      'processes that share what they know, under faults: real Redis and PostgreSQL; FLEET_SEEDS (1) seeds',
    run: 'scripts/setup.sh fleet && node scripts/node-test.mjs tests/fleet',
    needs: ['build'],
  },
  {
    name: 'agreement',
    about:
      'the same decisions natively, as wasm and as JavaScript, in Node, Chromium and Firefox: AGREEMENT (10000) inputs; the same states of a fleet natively, in the memory and on Redis: FLEET_HISTORIES (100)',
    run: `scripts/setup.sh fleet && ${LINTING} cargo build --quiet --lib --tests --examples && node scripts/node-test.mjs tests/agreement`,
    needs: ['clippy', 'build'],
    locksDebug: true,
  },
  {
    name: 'fuzz',
    about: 'the core on what nobody thought of: eleven targets, FUZZ_SECONDS (8) each',
    run: 'scripts/fuzz.sh',
    nightly: true,
  },
  {
    name: 'soak',
    about:
      'calls made by chance under faults, for SOAK_SECONDS (60): all settle once, nothing is left, memory is flat',
    run: 'scripts/soak.sh',
    needs: ['build'],
  },
  {
    name: 'benches',
    about: 'clippy over the benches',
    run: ['core/benches', 'core/benches/counts']
      .map(
        (folder) =>
          `cargo clippy --quiet --manifest-path ${folder}/Cargo.toml --target-dir target --all-targets -- -D warnings`,
      )
      .join(' && '),
    locksDebug: true,
    nightly: true,
  },
  {
    name: 'counts',
    about: 'instructions and allocations of the engine, by Valgrind, against the stored ones',
    nightly: true,
    run: 'scripts/setup.sh counts && node scripts/counts.mjs',
  },
  {
    name: 'docs',
    about: 'rustdoc without warnings',
    run: "RUSTDOCFLAGS='-D warnings' cargo doc --quiet --no-deps -p halfopen -p halfopen-fleet -p halfopen-lab -p halfopen-log -p halfopen-wasm --features halfopen-wasm/all",
    locksDebug: true,
    reads: RUST,
  },
  {
    name: 'site',
    about: 'the documentation site: built, its pages in Chromium, the code in it with the real libraries',
    run: 'scripts/setup.sh site && node site/build.mjs && node scripts/node-test.mjs site/test',
    needs: ['build', 'docs'],
  },
  {
    name: 'wasm',
    about:
      'the vectors and the JavaScript surface as wasm, in Node and in Chromium: by wasm-pack, on one build',
    // wasm-bindgen's runner reads webdriver.json beside a crate's manifest.
    run: [
      'scripts/setup.sh wasm_pack',
      `${WASM_PACK} --node --mode no-install core/vectors`,
      'node scripts/webdriver.mjs "$HALFOPEN_CHROMIUM" >core/vectors/webdriver.json',
      'export WASM_BINDGEN_USE_BROWSER=1',
      // Seconds. The tests hold the page, which answers nothing meanwhile; the runner's own 20 end on a busy machine.
      'export WASM_BINDGEN_TEST_TIMEOUT=900',
      `${WASM_PACK} ${CHROME} --mode no-install core/vectors`,
    ].join(' && '),
    locksDebug: true,
  },
  {
    name: 'types',
    about: 'tsc over sources and tests; the contract, also with TypeScript 5.4',
    run: 'npx tsc -p tsconfig.json && node pkg/test/contract/check.mjs',
    needs: ['build'],
    reads: EVERYTHING,
  },
  {
    name: 'api',
    about: 'the public types are those of pkg/api, by api-extractor',
    run: 'scripts/setup.sh house && node scripts/api-reports.mjs',
    needs: ['build'],
  },
  {
    name: 'crate',
    about: 'the public items of the crate are those of core/api.txt',
    run: 'scripts/rust-api.sh',
    nightly: true,
  },
  {
    name: 'packaging',
    about: 'the packed package in real runtimes and bundlers',
    run: 'node pkg/packaging/run.mjs',
    needs: ['build', 'dashboard'],
  },
  {
    name: 'platforms',
    about: "the packed package in Next, Vite's dev server, rspack, Jest and Hermes",
    run: 'scripts/setup.sh platforms && node pkg/packaging/platforms/run.mjs',
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
    name: 'planted',
    about: 'the patches of the planted bugs apply; `make planted` plants them',
    run: 'node scripts/planted.mjs --check',
    reads: EVERYTHING,
  },
  {
    name: 'deps',
    about: 'no async runtime, clock or network in what the core stands on; what the crate is published with',
    run: 'scripts/check-deps.sh && node scripts/check-crate.mjs',
    reads: RUST,
  },
  {
    name: 'deny',
    about:
      'licenses, sources and banned crates of the Rust crates, by cargo-deny; no crate that nothing uses, by cargo-machete',
    run: 'scripts/setup.sh deny machete && cargo deny --locked check bans licenses sources && cargo machete',
    nightly: true,
  },
  {
    name: 'unused',
    about: 'no file, export or npm package that nothing uses',
    run: 'scripts/unused.sh',
  },
];

/** One more than there are processors: most tests sleep for a part of their time. */
const AT_ONCE = availableParallelism() + 1;

const names = STEPS.map(({ name }) => name);
const wanted = process.argv.slice(2);
if (wanted[0] === '--list') {
  for (const { name, about, reads, nightly } of STEPS)
    console.log(`${name.padEnd(12)} ${(nightly ? 'nightly' : reads ? 'quick' : '').padEnd(7)}  ${about}`);
  process.exit(0);
}
const isQuick = wanted.length === 1 && wanted[0] === '--quick';
for (const name of isQuick ? [] : wanted) {
  if (names.includes(name)) continue;
  console.error(`unknown step '${name}'; there are: ${names.join(' ')}`);
  process.exit(2);
}

const RUST_VERSION = execFileSync('rustc', ['--version'], { encoding: 'utf8' });

const isClone = existsSync(join(root, '.git'));

/** The hash of what a step's result depends on: the files that it reads, as git lists them, its command, Node and Rust. */
function key({ reads, run }) {
  const listed = [
    'ls-files',
    '--cached',
    '--others',
    '--exclude-standard',
    '--deduplicate',
    '-z',
    '--',
    ...reads,
  ];
  const paths = execFileSync('git', listed, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
  const hash = createHash('sha256').update(JSON.stringify([run, process.version, RUST_VERSION]));
  for (const path of paths.filter((path) => path !== '' && existsSync(join(root, path))))
    hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** Where the key of a step's last run that passed is kept. */
const passed = ({ name }) => join(root, 'target/passed', name);
const isUnchanged = (step) => existsSync(passed(step)) && readFileSync(passed(step), 'utf8') === key(step);

/** These steps, and those whose results they use. */
const withNeeds = (steps) =>
  STEPS.filter((step) => steps.some(({ name, needs = [] }) => [name, ...needs].includes(step.name)));

const unchanged = isQuick ? STEPS.filter((step) => step.reads && isClone && isUnchanged(step)) : [];
const steps = isQuick
  ? withNeeds(STEPS.filter((step) => step.reads && !unchanged.includes(step)))
  : STEPS.filter(({ name, nightly }) => (wanted.length === 0 ? !nightly : wanted.includes(name)));

/** How many tests a runner says that it left out: Node's, Cargo's, Vitest's, and lines that begin with "skipped:". */
function countSkipped(output) {
  const counts = [/^ℹ skipped (\d+)/gm, /^test result:.* (\d+) ignored/gm, /^ *Tests .*?(\d+) skipped/gm];
  const counted = counts.flatMap((pattern) =>
    [...output.matchAll(pattern)].map(([, count]) => Number(count)),
  );
  return counted.reduce((sum, count) => sum + count, 0) + (output.match(/^skipped: /gm)?.length ?? 0);
}

/** Lines that name a failed test, as Node, Cargo and Vitest print it, or an error. */
const NAMES_A_FAILURE = /^\s*✖ (?!failing tests)|^test .* FAILED$|panicked at| FAIL |^\s*\w*[Ee]rror\b/;
const MOST_REASONS = 8;

/** Returns the last lines of a failed step that name a failure, or else its last lines. */
function reasons(output) {
  const lines = new Set(output.split('\n').map((line) => line.trim()));
  const naming = [...lines].filter((line) => NAMES_A_FAILURE.test(line));
  return (naming.length > 0 ? naming : [...lines].filter(Boolean)).slice(-MOST_REASONS);
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

/**
 * When it exits, Bash writes the processor time, user and system, of itself and of all processes below it that were waited
 * for. Some of a browser's are not: their parent is killed first.
 */
const MEASURED = 'trap \'times >"$STEP_TIMES"\' EXIT';

/** The sum, in seconds, of what the `times` of Bash wrote: `1m2.345s 0m0.678s`, on a line for itself and one for those below. */
function processorSeconds(path) {
  if (!existsSync(path)) return 0;
  return [...readFileSync(path, 'utf8').matchAll(/(\d+)m([\d.]+)s/g)]
    .map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest))
    .reduce((sum, one) => sum + one, 0);
}

function begin(step) {
  const began = performance.now();
  const before = step.reads && isClone && key(step);
  const path = join(logs, step.name);
  const log = openSync(path, 'w');
  // Incremental compilation would cost the first build an eighth, and helps only later ones. The clone is new when it
  // matters.
  const env = { FUZZ_SECONDS: '8', CARGO_INCREMENTAL: '0', ...process.env, STEP_TIMES: `${path}.times` };
  const script = `${MEASURED}\n${step.run}`;
  const child = spawn('bash', ['-c', script], {
    cwd: root,
    env,
    stdio: ['ignore', log, log],
  });
  running.set(step.name, step);
  child.on('close', (code) => {
    closeSync(log);
    const output = readFileSync(path, 'utf8');
    console.log(`\n━━ ${step.name.padEnd(10)} ${step.about}\n${output.trimEnd()}`);
    running.delete(step.name);
    const result = {
      ok: code === 0,
      took: seconds(began),
      processors: processorSeconds(`${path}.times`),
      skipped: countSkipped(output),
      reasons: code === 0 ? [] : reasons(output),
    };
    ended.set(step.name, result);
    if (before && result.ok) {
      mkdirSync(join(root, 'target/passed'), { recursive: true });
      writeFileSync(passed(step), before);
    }
    goOn();
  });
}

const isLocked = (step) => step.locksDebug && [...running.values()].some(({ locksDebug }) => locksDebug);
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
  let processors = 0;
  const row = (name, label, took, used) =>
    `${name.padEnd(10)} ${label.padEnd(7)} ${String(took).padStart(4)} s ${String(Math.round(used)).padStart(6)} s`;
  console.log(`${''.padEnd(18)} ${'took'.padStart(6)} ${'CPU'.padStart(8)}`);
  for (const step of steps) {
    const result = ended.get(step.name);
    const label = result === undefined ? 'NOT RUN' : result.ok ? 'ok' : 'FAILED';
    if (result === undefined) {
      console.log(`${step.name.padEnd(10)} ${label}  (it needs ${waitsFor(step).join(', ')})`);
      continue;
    }
    const left = result.skipped ? `  (${result.skipped} skipped)` : '';
    skipped += result.skipped;
    processors += result.processors;
    console.log(row(step.name, label, result.took, result.processors) + left);
  }
  console.log(row('total', '', seconds(0), processors));
  console.log(`browsers   ${version(CHROMIUM)}; Firefox: ${version(FIREFOX)}`);
  if (skipped)
    console.log(
      `skipped    ${skipped} tests: their reasons stand in the output above, behind "SKIP", "ignored" or "skipped:"`,
    );
  for (const { name } of unchanged.filter((step) => !steps.includes(step)))
    console.log(`${name.padEnd(10)} unchanged since it passed`);
  const failed = steps.filter(({ name }) => !ended.get(name)?.ok).map(({ name }) => name);
  if (failed.length) console.log(`failed: ${failed.join(' ')}`);
  for (const name of failed)
    for (const reason of ended.get(name)?.reasons ?? []) console.log(`${name}: ${reason}`);
  process.exit(failed.length ? 1 : 0);
}

console.log(`test: ${steps.length} steps, ${AT_ONCE} at a time; each prints its output when it has ended`);
goOn();
