// Builds pkg/wasm: the core as six WebAssembly modules, each in a folder with its glue, and as text for
// inlining. `--dev` leaves optimisation and the translation to JavaScript out: quicker to build, slower to run. It shares
// the profile, the flags and the folder of the dashboard's development build, so that each crate is compiled once for both.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DEMO_RUSTFLAGS,
  NO_LOCAL_PATHS,
  root,
  unlessFresh,
  WASM_FEATURES,
  WASM_MODULES,
} from './building.mjs';
import { glueAsFunction, translatedAsFunction, withoutFeatures } from './generated-code.mjs';
import { tableFor, textOf, unpacker } from './module-text.mjs';
import { printSize } from './sizes.mjs';

const dev = process.argv.includes('--dev');
const out = join(root, 'pkg/wasm');

function run(command, args, env = {}) {
  execFileSync(join(root, 'scripts/wasm.sh'), [command, ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
}

const profile = dev ? 'demo' : 'release';

/** Where cargo leaves a module that it has linked; the next one takes its place. */
const linked = join(
  process.env.CARGO_TARGET_DIR ?? join(root, 'target'),
  'wasm32-unknown-unknown',
  profile,
  'halfopen_wasm.wasm',
);

/** The core and its allocator have the level of the module; the other dependencies are compiled once for all modules. */
const OWN_CRATES = ['halfopen', 'halfopen-fleet', 'halfopen-lab', 'halfopen-wasm', 'rlsf'];

/**
 * Compiles one module: `core/wasm` with the feature that has its functions, linked alone. Compiled as a library for
 * Rust in the same run, which is what wasm-pack does, a module takes 9 to 17 % more.
 */
function compile({ name, level, mostMemory }) {
  const env = dev
    ? { RUSTFLAGS: DEMO_RUSTFLAGS }
    : {
        CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS: NO_LOCAL_PATHS,
        RUSTC_WORKSPACE_WRAPPER: join(root, 'scripts/inlining-rustc.sh'),
      };
  const crate = ['--package', 'halfopen-wasm', '--lib', '--crate-type', 'cdylib', '--features', name];
  const levels = OWN_CRATES.map(
    (name) => `profile.release.package.${name}.opt-level=${JSON.stringify(level)}`,
  );
  const settings = dev ? [] : levels.flatMap((setting) => ['--config', setting]);
  // Arguments that differ by module go to the last crate alone: in RUSTFLAGS they would compile every dependency again. The default
  // stack of 1 MiB would make 17 pages of the first memory; the core recurses little.
  const linking = ['-Clink-arg=-zstack-size=65536'];
  if (mostMemory !== undefined) linking.push(`-Clink-arg=--max-memory=${mostMemory}`);
  run(
    'cargo',
    [
      'rustc',
      '--locked',
      ...crate,
      '--profile',
      profile,
      ...settings,
      '--target',
      'wasm32-unknown-unknown',
      '--',
      ...linking,
    ],
    env,
  );
  bindgen(name, linked, join(out, name));
}

function bindgen(name, module, folder) {
  run('wasm-bindgen', [module, '--target', 'bundler', '--out-dir', folder, '--out-name', name]);
}

function optimise({ name, passes }) {
  const module = join(out, name, `${name}_bg.wasm`);
  const features = WASM_FEATURES.map((feature) => `--enable-${feature}`);
  const strips = ['debug', 'producers', 'target-features'].map((what) => `--strip-${what}`);
  run('wasm-opt', [...passes, ...features, ...strips, module, '-o', module]);
}

/** Writes the glue of a module, with its types. */
function makeGlue(name, folder) {
  writeFileSync(
    join(folder, 'glue.js'),
    glueAsFunction(name, readFileSync(join(folder, `${name}_bg.js`), 'utf8')),
  );
  writeFileSync(
    join(out, name, 'glue.d.ts'),
    `import type * as functions from './${name}.js';\n\nexport type Glue = typeof functions & { __wbg_set_wasm(exports: WebAssembly.Exports): void };\nexport default function glue(): Glue;\n`,
  );
}

/** Writes the modules as texts. In a function: a text that no function has is hashed and stored by the import already. */
function inline() {
  const modules = WASM_MODULES.map(({ name }) => readFileSync(join(out, name, `${name}_bg.wasm`)));
  // The lab is the largest and, as the fleet's and the run's, loaded by few: the table suits the others.
  const table = tableFor(
    modules.filter((_, index) => !['lab', 'fleet', 'run'].includes(WASM_MODULES[index].name)),
  );
  for (const [index, { name }] of WASM_MODULES.entries()) {
    const text = textOf(modules[index], table);
    writeFileSync(
      join(out, name, 'inline.js'),
      `// ${name}.wasm\nexport default function () {\n  return '${text}';\n}\n`,
    );
    writeFileSync(join(out, name, 'inline.d.ts'), 'export default function (): string;\n');
  }
  const hex = unpacker(table, run).toString('hex');
  writeFileSync(join(out, 'unpacker.js'), `// In hexadecimal.\nexport default '${hex}';\n`);
  writeFileSync(join(out, 'unpacker.d.ts'), 'declare const hex: string;\nexport default hex;\n');
}

/** Declares the translated module: `pkg/src/entry/js.ts` imports it, also in a build that leaves the translation out. */
function declareTranslated({ name }) {
  mkdirSync(join(out, name, 'translated'), { recursive: true });
  writeFileSync(
    join(out, name, `translated/${name}.d.ts`),
    'export function instantiate(imports: WebAssembly.Imports): WebAssembly.Exports;\n',
  );
}

/**
 * Translates the same module to JavaScript, for pages whose Content-Security-Policy forbids compiling WebAssembly.
 * wasm2js supports neither reference types nor multiple values, so the glue is generated as if the module had been
 * built without them, according to its list of features. Other instructions beyond the first WebAssembly are lowered.
 */
function translate({ name }) {
  const folder = join(out, name, 'translated');
  mkdirSync(folder);
  const path = (file) => join(folder, file);
  writeFileSync(
    path('linked.wasm'),
    withoutFeatures(readFileSync(linked), ['reference-types', 'multivalue']),
  );
  bindgen(name, path('linked.wasm'), folder);
  const [module, glue, code] = [path(`${name}_bg.wasm`), path(`${name}_bg.js`), path(`${name}.js`)];
  run('wasm-opt', [
    ...['mutable-globals', 'sign-ext', 'nontrapping-float-to-int', 'bulk-memory'].map(
      (name) => `--enable-${name}`,
    ),
    ...['--signext-lowering', '--llvm-nontrapping-fptoint-lowering', '--llvm-memory-copy-fill-lowering'],
    ...['-Os', module, '-o', module],
  ]);
  run('wasm2js', ['-O', '--disable-bulk-memory', module, '-o', code]);
  writeFileSync(code, translatedAsFunction(readFileSync(code, 'utf8'), readFileSync(glue, 'utf8')));
  makeGlue(name, folder);
  for (const file of ['linked.wasm', `${name}_bg.wasm`, `${name}_bg.wasm.d.ts`]) rmSync(path(file));
}

const inputs = [
  ...['core', 'core/fleet', 'core/lab', 'core/wasm'].flatMap((crate) => [
    `${crate}/src`,
    `${crate}/Cargo.toml`,
  ]),
  'Cargo.toml',
  'Cargo.lock',
  'scripts/build-wasm.mjs',
  'scripts/building.mjs',
  'scripts/generated-code.mjs',
  'scripts/inlining-rustc.sh',
  'scripts/module-text.mjs',
  'scripts/sizes.mjs',
  'scripts/env.sh',
  'scripts/versions.sh',
];
const outputs = WASM_MODULES.flatMap(({ name }) =>
  [`${name}_bg.wasm`, 'glue.js', 'glue.d.ts', 'inline.js'].map((file) => `pkg/wasm/${name}/${file}`),
);
outputs.push('pkg/wasm/unpacker.js');
await unlessFresh({ name: 'pkg/wasm', stampFile: 'pkg/wasm/.stamp', inputs, dev, outputs }, () => {
  rmSync(out, { recursive: true, force: true });
  for (const module of WASM_MODULES) {
    compile(module);
    if (!dev) optimise(module);
    makeGlue(module.name, join(out, module.name));
    if (!module.translated) continue;
    if (!dev) translate(module);
    declareTranslated(module);
  }
  inline();
  console.log('sizes:');
  for (const { name } of WASM_MODULES) {
    printSize(`${name}.wasm`, readFileSync(join(out, name, `${name}_bg.wasm`)));
  }
});
