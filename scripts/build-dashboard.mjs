// Builds the dashboard: its files in pkg/dist/dashboard, and all of them as one module in pkg/dist/embedded, which is what
// the package has of it.
//
// trunk compiles it and links its parts. Its own wasm-opt and minifier are off: binaryen comes from npm at a pinned
// version, and the minifier fails on this glue, so esbuild does it. The page's starter moves from an inline script to a
// file, because the server's Content-Security-Policy allows none inline.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { below, digest, NO_LOCAL_PATHS, root, unlessFresh, WASM_FEATURES } from './building.mjs';
import { embedDashboard } from './embed-dashboard.mjs';
import { kib, printSize } from './sizes.mjs';

const built = join(root, 'dist');
const target = join(root, 'pkg/dist/dashboard');

/** Leptos's own switch for smaller code: views of one type instead of one type for each view. */
const ERASED = '--cfg erase_components';

/**
 * Vectors of 128 bits, with which memchr searches the lines of a file. Every browser that knows the style sheet's
 * `light-dark()` has them; the package's modules, which run in older ones too, do without.
 */
const VECTORS = '-C target-feature=+simd128';

function compile() {
  rmSync(built, { recursive: true, force: true });
  execFileSync(join(root, 'scripts/wasm.sh'), ['trunk', 'build', '--release', '--offline'], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      NO_COLOR: 'true',
      RUSTFLAGS: [process.env.RUSTFLAGS, ERASED, VECTORS, NO_LOCAL_PATHS].filter(Boolean).join(' '),
    },
  });
}

function shrink(path) {
  if (path.endsWith('.wasm')) {
    const features = [...WASM_FEATURES, 'simd'].map((feature) => `--enable-${feature}`);
    execFileSync(
      join(root, 'node_modules/.bin/wasm-opt'),
      // -Oz takes twice as long: it makes the module 7 % smaller, and what brotli makes of it 1 % larger.
      [
        '-O1',
        '--shrink-level=2',
        '--low-memory-unused',
        ...features,
        '--strip-debug',
        '--strip-producers',
        path,
        '-o',
        path,
      ],
      { stdio: 'inherit' },
    );
  } else if (path.endsWith('.js')) {
    const { code } = esbuild.transformSync(readFileSync(path, 'utf8'), {
      minify: true,
      format: 'esm',
      target: 'es2022',
      legalComments: 'none',
    });
    writeFileSync(path, code);
  }
}

/** What a file's name says of its content, so that a browser may keep it. */
const fingerprint = (content) => createHash('sha256').update(content).digest('hex').slice(0, 16);

/** One style sheet of all that the page links, in its order: one request before the first paint. */
function joinStyles(path) {
  const html = readFileSync(path, 'utf8');
  const links = [...html.matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"[^>]*>\s*/g)];
  if (links.length === 0) throw new Error(`expected style sheets in ${path}, found none`);
  const sheets = links.map(([, name]) => readFileSync(join(built, name), 'utf8'));
  const { code } = esbuild.transformSync(sheets.join('\n'), { minify: true, loader: 'css' });
  const joined = `style-${fingerprint(code)}.css`;
  const linked = links.reduce((rest, [link], index) => {
    return rest.replace(link, index === 0 ? `<link rel="stylesheet" href="./${joined}">` : '');
  }, html);
  for (const [, name] of links) rmSync(join(built, name));
  writeFileSync(join(built, joined), code);
  writeFileSync(path, linked);
}

/** No inline script, and no integrity hashes: they were of the files before they were made small. */
function page(path) {
  const html = readFileSync(path, 'utf8')
    .replaceAll(/ integrity="[^"]*"/g, '')
    .replaceAll(/<script(?![^>]*\bsrc=)([^>]*)>([\s\S]+?)<\/script>/g, (_, attributes, code) => {
      const name = `start-${fingerprint(code)}.js`;
      writeFileSync(
        join(built, name),
        esbuild.transformSync(code, { minify: true, format: 'esm', target: 'es2022' }).code,
      );
      return `<script${attributes.replaceAll(/ nonce="[^"]*"/g, '')} src="./${name}"></script>`;
    });
  writeFileSync(path, html);
}

/** The largest first module that passes, in brotli, in KiB. */
const MOST = 464;

function checkSizes() {
  console.log('dashboard:');
  for (const path of below(target)) {
    const bytes = readFileSync(path);
    const brotli = brotliCompressSync(bytes).length;
    printSize(path.slice(target.length + 1), bytes, undefined, brotli);
    if (path.endsWith('_bg.wasm') && brotli > MOST * 1024)
      throw new Error(`the dashboard's wasm has ${kib(brotli)} in brotli, expected at most ${MOST}`);
  }
}

const inputs = [
  'web',
  'core/src',
  'core/Cargo.toml',
  'Cargo.toml',
  'Cargo.lock',
  'index.html',
  'Trunk.toml',
  'scripts/build-dashboard.mjs',
  'scripts/building.mjs',
  'scripts/answers-wasm.sh',
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
    outputs: ['pkg/dist/dashboard/index.html', 'pkg/dist/embedded/dashboard.js'],
  },
  async () => {
    compile();
    for (const path of below(built)) shrink(path);
    joinStyles(join(built, 'index.html'));
    page(join(built, 'index.html'));
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    cpSync(built, target, { recursive: true });
    const embedded = await embedDashboard();
    checkSizes();
    console.log(`  as one module: ${kib(embedded)}`);
  },
);
