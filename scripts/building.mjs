// Shared parts of the build steps. Has anything changed since a step last ran? Inputs are hashed by content, so a
// checkout or a touch rebuilds nothing.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');

const SKIPPED = new Set(['node_modules', 'target', 'dist', 'wasm', 'output', '.git']);

function* files(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) {
    if (!SKIPPED.has(name)) yield* files(join(path, name));
  }
}

/** Every file below a folder, in order. */
export function* below(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* below(path);
    else yield path;
  }
}

/** The hash of all files under `inputs` (paths from the repository's root) and of `facts`, e.g. tool versions. */
export function digest(inputs, facts = []) {
  const hash = createHash('sha256');
  for (const input of inputs) {
    for (const file of files(join(root, input))) {
      hash
        .update(`${relative(root, file)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.update(JSON.stringify(facts)).digest('hex');
}

/**
 * Returns true if a step was built from these inputs and all its outputs are there. Where a development build (`dev`) is
 * wanted, the release does as well.
 */
export function isFresh({ stampFile, inputs, dev = false, outputs }) {
  const stamp = join(root, stampFile);
  if (!existsSync(stamp) || !outputs.every((output) => existsSync(join(root, output)))) return false;
  const made = readFileSync(stamp, 'utf8');
  return made === digest(inputs, [dev]) || (dev && made === digest(inputs, [false]));
}

/** Runs `build` unless it ran for these inputs. */
export async function unlessFresh(step, build) {
  if (isFresh(step)) {
    console.log(`${step.name}: up to date`);
    return false;
  }
  const stamp = join(root, step.stampFile);
  const key = digest(step.inputs, [step.dev ?? false]);
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, key);
  return true;
}

/**
 * Flags for rustc in a demonstration's build, for the package's modules as for the dashboard's, so that what they share is
 * compiled once. The dashboard needs Leptos's switch for views of one type, and nothing else reads it.
 */
export const DEMO_RUSTFLAGS = '--cfg erase_components';

/**
 * The WebAssembly features that wasm-opt may use: what rustc emits by default, and every engine accepts since Node 18,
 * Chrome 91, Firefox 89 and Safari 15. `--all-features` would produce what Node 20 rejects.
 */
export const WASM_FEATURES = [
  'mutable-globals',
  'sign-ext',
  'nontrapping-float-to-int',
  'bulk-memory',
  'multivalue',
  'reference-types',
];

/**
 * The core's modules: each is the crate `core/wasm` with the feature `<name>`. `level` is rustc's, `passes` are wasm-opt's. `policy`
 * runs with every call: a guarded call is as quick at `s` as at 3, which takes 3.4 KiB more. `lab` does five million events a
 * second at `s` too, with wasm-opt's `-O3`, and takes 15 kB more at 3: its limit is 120 KiB.
 * The others should be small. `translated`: `halfopen/js` has it as JavaScript, which of the lab would be 180 kB for a
 * simulator ten times as slow; pages, for which that is, are no fleet. `mostMemory`, in bytes: a scenario of the lab can ask for
 * more than a tab or a CI machine has, and then it must get an error, and not end the machine's work.
 *
 * Modules of one level follow each other: cargo compiles the core once for each level.
 */
export const WASM_MODULES = [
  { name: 'policy', translated: true, level: 's', passes: ['-Os'] },
  { name: 'fleet', level: 's', passes: ['-Os'] },
  { name: 'run', level: 's', passes: ['-Os'] },
  { name: 'lab', level: 's', passes: ['-O3'], mostMemory: 2 ** 30 },
  // The first two passes undo rustc's nesting of blocks, so that more of them are alike: 0.3 kB of gzip.
  { name: 'errors', translated: true, level: 'z', passes: ['--flatten', '--rereloop', '-Oz', '-Oz'] },
  { name: 'agent', translated: true, level: 'z', passes: ['-Oz', '--converge'] },
];

const cargoHome = process.env.CARGO_HOME ?? join(homedir(), '.cargo');

/** Flags for rustc that keep this machine's folders out of what is built: panics name the files of crates. The last that fits holds. */
export const NO_LOCAL_PATHS = Object.entries({
  [homedir()]: '/home',
  [root]: '/halfopen',
  [join(cargoHome, 'registry/src')]: '/crates',
})
  .map(([from, to]) => `--remap-path-prefix=${from}=${to}`)
  .join(' ');
