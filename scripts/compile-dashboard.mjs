// Compiles the dashboard's Rust: the page's module, the one that the page fetches once it has been drawn, and the one of the
// command line. A file of its own, because Cargo needs no npm package: `scripts/build.sh --dev` runs it while those come.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DEMO_RUSTFLAGS, isFresh, NO_LOCAL_PATHS, root } from './building.mjs';

/** A build for the demonstration: sooner, and nothing of it is small. */
export const dev = process.argv.includes('--dev');
const profile = dev ? 'demo' : 'web';

/** Where Cargo leaves the modules. */
export const builds = join(
  process.env.CARGO_TARGET_DIR ?? join(root, 'target'),
  'wasm32-unknown-unknown',
  profile,
);

/** The step: the files that the dashboard is made from, and those that it is made into. */
export const DASHBOARD = {
  name: 'pkg/dist/dashboard',
  stampFile: 'pkg/.dashboard-stamp',
  inputs: [
    'web',
    'core/src',
    'core/Cargo.toml',
    'Cargo.toml',
    'Cargo.lock',
    'index.html',
    'scripts/build-dashboard.mjs',
    'scripts/building.mjs',
    'scripts/compile-dashboard.mjs',
    'scripts/embed-dashboard.mjs',
    'scripts/env.sh',
    'scripts/sizes.mjs',
    'scripts/versions.sh',
  ],
  dev,
  outputs: [
    'pkg/dist/dashboard/index.html',
    'pkg/dist/embedded/dashboard.js',
    'pkg/dist/embedded/diagnose.wasm.br',
  ],
};

/**
 * Views of one type instead of one type for each view, which is Leptos's own switch for smaller code. And vectors of 128 bits,
 * with which memchr searches the lines of a file. Every browser that knows the style sheet's `light-dark()` has them; the
 * package's modules, which run in older ones too, do without.
 */
const RUSTFLAGS = dev
  ? DEMO_RUSTFLAGS
  : `--cfg erase_components -C target-feature=+simd128 ${NO_LOCAL_PATHS}`;

/** Runs a command with the Rust that builds for wasm32. */
export function run(...command) {
  execFileSync(join(root, 'scripts/wasm.sh'), command, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, RUSTFLAGS: [process.env.RUSTFLAGS, RUSTFLAGS].filter(Boolean).join(' ') },
  });
}

/** Compiles the modules, in one call of Cargo, so that each dependency is compiled once. */
export function compile() {
  const crates = ['web', 'answers', 'diagnose'].flatMap((name) => ['-p', `halfopen-${name}`]);
  const features = ['--features', 'halfopen-answers/module,halfopen-diagnose/module'];
  const how = ['--bins', '--profile', profile, '--target', 'wasm32-unknown-unknown', '--locked'];
  run('cargo', 'build', ...crates, ...features, ...how);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href && !isFresh(DASHBOARD)) compile();
