// Builds the dashboard: its files in pkg/dist/dashboard, and all of them as one module in pkg/dist/embedded, which is what
// the package has of it. Beside it is diagnose.wasm.br: the same checks and views for the command line.
//
// index.html names the parts for trunk, which serves the page while one works on it (`trunk serve`). This script reads the
// same links and needs only cargo and wasm-bindgen: trunk takes as long to compile as all the rest of a first build. No script
// is inline, because the server's Content-Security-Policy allows none.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { below, digest, NO_LOCAL_PATHS, root, unlessFresh, WASM_FEATURES } from './building.mjs';
import { embedDashboard } from './embed-dashboard.mjs';
import { kib, printSize } from './sizes.mjs';

const target = join(root, 'pkg/dist/dashboard');
const builds = join(process.env.CARGO_TARGET_DIR ?? join(root, 'target'), 'wasm32-unknown-unknown/web');
const diagnose = join(builds, 'diagnose.wasm');

/** Leptos's own switch for smaller code: views of one type instead of one type for each view. */
const ERASED = '--cfg erase_components';

/**
 * Vectors of 128 bits, with which memchr searches the lines of a file. Every browser that knows the style sheet's
 * `light-dark()` has them; the package's modules, which run in older ones too, do without.
 */
const VECTORS = '-C target-feature=+simd128';

/** Runs a command with the Rust that builds for wasm32. */
function run(...command) {
  execFileSync(join(root, 'scripts/wasm.sh'), command, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      RUSTFLAGS: [process.env.RUSTFLAGS, ERASED, VECTORS, NO_LOCAL_PATHS].filter(Boolean).join(' '),
      TRUNK_STAGING_DIR: target,
    },
  });
}

/** Makes the page's module with its glue, and the module that the page fetches once it has been drawn. */
function compile() {
  const profile = ['--profile', 'web', '--target', 'wasm32-unknown-unknown'];
  run('cargo', 'build', '--locked', '-p', 'halfopen-web', ...profile);
  const module = join(builds, 'halfopen-web.wasm');
  run('wasm-bindgen', module, '--target', 'web', '--no-typescript', '--out-dir', target);
  run('scripts/answers-wasm.sh');
}

function shrinkModule(path) {
  const features = [...WASM_FEATURES, 'simd'].map((feature) => `--enable-${feature}`);
  // -Oz takes twice as long: it makes the module 7 % smaller, and what brotli makes of it 1 % larger.
  const passes = ['-O1', '--shrink-level=2', '--low-memory-unused', '--strip-debug', '--strip-producers'];
  execFileSync(join(root, 'node_modules/.bin/wasm-opt'), [...passes, ...features, path, '-o', path], {
    stdio: 'inherit',
  });
}

function minified(code, loader) {
  const js = { format: 'esm', target: 'es2022', legalComments: 'none' };
  return esbuild.transformSync(code, { minify: true, loader, ...(loader === 'js' && js) }).code;
}

/** Writes a file under a name that says what is in it, so that a browser may keep it; returns the name. */
function fingerprinted(name, content) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const written = name.replace(/(?:_bg)?\.\w+$/, (ending) => `-${hash}${ending}`);
  writeFileSync(join(target, written), content);
  return written;
}

/** Takes a file of `target` and gives it its lasting name. */
function renamed(name, change = (content) => content) {
  const content = change(readFileSync(join(target, name)));
  rmSync(join(target, name));
  return fingerprinted(name, content);
}

/** The glue, the module, and the script that starts them: the links for the head. */
function programLinks() {
  const module = renamed('halfopen-web_bg.wasm');
  const glue = renamed('halfopen-web.js', (code) => minified(code, 'js'));
  // The event that `trunk serve` emits too: tests wait for it.
  const start = `import init from './${glue}';
    const wasm = await init({ module_or_path: './${module}' });
    dispatchEvent(new CustomEvent('TrunkApplicationStarted', { detail: { wasm } }));`;
  return `<script type="module" src="./${fingerprinted('start.js', minified(start, 'js'))}"></script>
    <link rel="modulepreload" href="./${glue}" crossorigin="anonymous">
    <link rel="preload" href="./${module}" crossorigin="anonymous" as="fetch" type="application/wasm">`;
}

/** Writes index.html with what its links for trunk name: one style sheet of all, for one request before the first paint. */
function writePage() {
  const sheets = [];
  const part = ([, path]) => readFileSync(join(root, path), 'utf8');
  let page = readFileSync(join(root, 'index.html'), 'utf8')
    .replaceAll(/\n *<link data-trunk rel="css" href="([^"]+)" \/>/g, (...link) => {
      sheets.push(part(link));
      return '';
    })
    .replace(/<link data-trunk rel="icon" href="([^"]+)" \/>/, (...link) => {
      return `<link rel="icon" href="./${fingerprinted(basename(link[1]), part(link))}">`;
    })
    .replace(/<script data-trunk src="([^"]+)">/, (...link) => {
      return `<script src="./${fingerprinted(basename(link[1]), minified(part(link), 'js'))}">`;
    })
    .replace(/<link\s+data-trunk\s+rel="rust"[^>]*\/>/, programLinks);
  if (sheets.length === 0) throw new Error('expected links to style sheets in index.html, found none');
  const style = fingerprinted('style.css', minified(sheets.join('\n'), 'css'));
  page = page.replace('</title>', `</title>\n    <link rel="stylesheet" href="./${style}">`);
  if (page.includes('data-trunk'))
    throw new Error('index.html has a link for trunk that build-dashboard.mjs does not know');
  writeFileSync(join(target, 'index.html'), page);
}

/** The largest module of the command line that passes, in brotli, in KiB. */
const MOST_OF_DIAGNOSE = 190;

function checkSizes() {
  console.log('dashboard:');
  for (const path of below(target)) {
    printSize(path.slice(target.length + 1), readFileSync(path));
  }
  const bytes = readFileSync(diagnose);
  const brotli = brotliCompressSync(bytes);
  printSize('diagnose.wasm', bytes, undefined, brotli.length);
  if (brotli.length > MOST_OF_DIAGNOSE * 1024)
    throw new Error(
      `diagnose.wasm has ${kib(brotli.length)} in brotli, expected at most ${MOST_OF_DIAGNOSE}`,
    );
}

const inputs = [
  'web',
  'core/src',
  'core/Cargo.toml',
  'Cargo.toml',
  'Cargo.lock',
  'index.html',
  'scripts/answers-wasm.sh',
  'scripts/build-dashboard.mjs',
  'scripts/building.mjs',
  'scripts/diagnose-wasm.sh',
  'scripts/embed-dashboard.mjs',
  'scripts/env.sh',
  'scripts/sizes.mjs',
  'scripts/versions.sh',
];
await unlessFresh(
  {
    name: 'pkg/dist/dashboard',
    stampFile: 'pkg/.dashboard-stamp',
    key: digest(inputs),
    outputs: [
      'pkg/dist/dashboard/index.html',
      'pkg/dist/embedded/dashboard.js',
      'pkg/dist/embedded/diagnose.wasm.br',
    ],
  },
  async () => {
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    compile();
    for (const path of below(target)) if (path.endsWith('.wasm')) shrinkModule(path);
    writePage();
    const embedded = await embedDashboard();
    run('scripts/diagnose-wasm.sh', diagnose);
    shrinkModule(diagnose);
    // Only Node reads it, and the tarball's gzip would make a quarter more of it.
    writeFileSync(
      join(root, 'pkg/dist/embedded/diagnose.wasm.br'),
      brotliCompressSync(readFileSync(diagnose)),
    );
    checkSizes();
    console.log(`  as one module: ${kib(embedded)}`);
  },
);
