// Builds pkg/wasm: the core as WebAssembly, its glue (made resettable), and the module as text for inlining.
// `--dev` leaves optimisation out: quicker to build, slower to run.
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { digest, root, unlessFresh, WASM_FEATURES } from './building.mjs';

const dev = process.argv.includes('--dev');
const out = join(root, 'pkg/wasm');
const file = (name) => join(out, name);

function compile() {
  execFileSync(
    join(root, 'scripts/wasm.sh'),
    [
      'wasm-pack',
      'build',
      'core',
      '--target',
      'bundler',
      '--mode',
      'no-install',
      dev ? '--dev' : '--release',
      '--no-pack',
      '--no-opt',
      '--out-dir',
      out,
      '--out-name',
      'core',
      '--',
      '--features',
      'js',
    ],
    {
      cwd: root,
      stdio: 'inherit',
      // The default stack of 1 MiB would make 17 pages of the first memory; the core recurses little.
      env: { ...process.env, CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: '-Clink-arg=-zstack-size=65536' },
    },
  );
}

function optimise() {
  const module = file('core_bg.wasm');
  if (dev) return;
  execFileSync(
    join(root, 'node_modules/.bin/wasm-opt'),
    [
      '-O3',
      ...WASM_FEATURES.map((feature) => `--enable-${feature}`),
      '--strip-debug',
      '--strip-producers',
      module,
      '-o',
      module,
    ],
    { stdio: 'inherit' },
  );
}

/**
 * The glue keeps views of the instance's memory in module variables. After a trap the facade instantiates afresh, so
 * taking in a new instance has to drop them. Objects that Rust frees through a FinalizationRegistry would free in
 * the wrong instance then: the surface uses plain handles instead, and this holds it to that.
 */
function makeResettable() {
  const path = file('core_bg.js');
  const glue = readFileSync(path, 'utf8');
  if (glue.includes('new FinalizationRegistry')) {
    throw new Error(
      'core/src/js exports a class or a closure: after a trap its finalizer would free memory of the new instance. Use u32 handles.',
    );
  }
  const views = [...glue.matchAll(/^let (cached\w*Memory\d*) = null;$/gm)].map((match) => match[1]);
  const setter = 'export function __wbg_set_wasm(val) {\n    wasm = val;\n';
  if (!glue.includes(setter))
    throw new Error('the glue of this wasm-bindgen has another __wbg_set_wasm: adapt scripts/build-wasm.mjs');
  const reset = views.map((view) => `    ${view} = null;\n`).join('');
  writeFileSync(path, glue.replace(setter, setter + reset));
  const types = readFileSync(file('core.d.ts'), 'utf8');
  writeFileSync(
    file('core_bg.d.ts'),
    `${types}\n/** Takes in an instance, in place of the one before. */\nexport function __wbg_set_wasm(val: WebAssembly.Exports): void;\n`,
  );
}

/** A file of its own, so that a stack trace or a debugger does not print it. */
function inline() {
  const base64 = readFileSync(file('core_bg.wasm')).toString('base64');
  writeFileSync(file('inline.js'), `// core.wasm, as base64.\nexport default '${base64}';\n`);
  writeFileSync(file('inline.d.ts'), 'declare const base64: string;\nexport default base64;\n');
}

const inputs = [
  'core/src',
  'core/Cargo.toml',
  'Cargo.toml',
  'Cargo.lock',
  'scripts/build-wasm.mjs',
  'scripts/env.sh',
  'scripts/versions.sh',
];
const outputs = ['core_bg.js', 'core_bg.wasm', 'core_bg.d.ts', 'inline.js'].map((name) => `pkg/wasm/${name}`);
await unlessFresh(
  { name: 'pkg/wasm', stampFile: 'pkg/wasm/.stamp', key: digest(inputs, [dev]), outputs },
  () => {
    rmSync(out, { recursive: true, force: true });
    compile();
    optimise();
    makeResettable();
    inline();
  },
);
