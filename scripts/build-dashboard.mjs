// Builds the dashboard and puts it into the package: pkg/dist/dashboard, which the devtools server serves.
//
// trunk compiles it and links its parts. Its own wasm-opt and minifier are off: binaryen comes from npm at a pinned
// version, and the minifier fails on this glue, so esbuild does it. The page's starter moves from an inline script to a
// file, because the server's Content-Security-Policy allows none inline.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { digest, root, unlessFresh, WASM_FEATURES } from './building.mjs';
import { embedDashboard } from './embed-dashboard.mjs';

const built = join(root, 'dist');
const target = join(root, 'pkg/dist/dashboard');

function* files(folder) {
  for (const name of readdirSync(folder).sort()) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else yield path;
  }
}

function compile() {
  rmSync(built, { recursive: true, force: true });
  execFileSync(join(root, 'scripts/wasm.sh'), ['trunk', 'build', '--release', '--offline'], {
    cwd: root,
    stdio: 'inherit',
    // Leptos's own switch for smaller code: views of one type instead of one type for each view.
    env: {
      ...process.env,
      NO_COLOR: 'true',
      RUSTFLAGS: `${process.env.RUSTFLAGS ?? ''} --cfg erase_components`.trim(),
    },
  });
}

function shrink(path) {
  if (path.endsWith('.wasm')) {
    const features = WASM_FEATURES.map((feature) => `--enable-${feature}`);
    execFileSync(
      join(root, 'node_modules/.bin/wasm-opt'),
      ['-Oz', ...features, '--strip-debug', '--strip-producers', path, '-o', path],
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
  } else if (path.endsWith('.css')) {
    const { code } = esbuild.transformSync(readFileSync(path, 'utf8'), { minify: true, loader: 'css' });
    writeFileSync(path, code);
  }
}

/** No inline script, and no integrity hashes: they were of the files before they were made small. */
function page(path) {
  const html = readFileSync(path, 'utf8')
    .replaceAll(/ integrity="[^"]*"/g, '')
    .replaceAll(/<script(?![^>]*\bsrc=)([^>]*)>([\s\S]+?)<\/script>/g, (_, attributes, code) => {
      const name = `start-${createHash('sha256').update(code).digest('hex').slice(0, 16)}.js`;
      writeFileSync(
        join(built, name),
        esbuild.transformSync(code, { minify: true, format: 'esm', target: 'es2022' }).code,
      );
      return `<script${attributes.replaceAll(/ nonce="[^"]*"/g, '')} src="./${name}"></script>`;
    });
  writeFileSync(path, html);
}

/** Compressed once here, served as they are. */
function compress(path) {
  if (!/\.(?:js|css|wasm|html|svg|json|txt)$/.test(path)) return;
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}

function printSizes() {
  const kib = (path) => `${(statSync(path).size / 1024).toFixed(1)} KiB`.padStart(10);
  console.log('dashboard:');
  for (const path of files(target)) {
    if (existsSync(`${path}.br`))
      console.log(
        `  ${path.slice(target.length + 1).padEnd(40)} ${kib(path)}  gzip ${kib(`${path}.gz`)}  brotli ${kib(`${path}.br`)}`,
      );
  }
}

/** What the compressed wasm should stay below, and what fails the build, in KiB. */
const WANTED = 250;
const MOST = 340;

function checkSize() {
  for (const path of files(target)) {
    if (!path.endsWith('.wasm.br')) continue;
    const kib = statSync(path).size / 1024;
    console.log(`  the wasm takes ${kib.toFixed(1)} KiB in brotli (wanted: ${WANTED}, at most ${MOST})`);
    if (kib > MOST)
      throw new Error(`the dashboard's wasm has ${kib.toFixed(1)} KiB in brotli, expected at most ${MOST}`);
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
  'style',
  'scripts/build-dashboard.mjs',
  'scripts/embed-dashboard.mjs',
  'scripts/env.sh',
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
    for (const path of files(built)) shrink(path);
    page(join(built, 'index.html'));
    for (const path of [...files(built)]) compress(path);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(target, { recursive: true });
    cpSync(built, target, { recursive: true });
    const embedded = await embedDashboard();
    printSizes();
    console.log(`  as one module, for pages that embed it: ${(embedded / 1024).toFixed(1)} KiB`);
    checkSize();
  },
);
