// Builds the dashboard: its files in pkg/dist/dashboard, and all of them as one module in pkg/dist/embedded, which is what
// the package has of it. Beside it is diagnose.wasm.br: the same checks and views for the command line.
//
// index.html names the parts for trunk, which serves the page while one works on it (`trunk serve`). This script reads the
// same links and needs only cargo and wasm-bindgen: trunk takes as long to compile as all the rest of a first build. No script
// is inline, because the server's Content-Security-Policy allows none.
//
// `--dev` is for a demonstration: it builds sooner, and nothing of it is small.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import * as esbuild from 'esbuild';
import { below, root, unlessFresh, WASM_FEATURES } from './building.mjs';
import { builds, compile, DASHBOARD, dev, run } from './compile-dashboard.mjs';
import { embedDashboard } from './embed-dashboard.mjs';
import { kib, printSize } from './sizes.mjs';

const target = join(root, 'pkg/dist/dashboard');

/** Shrinks a module in place. */
function shrinkModule(path) {
  const features = [...WASM_FEATURES, 'simd'].map((feature) => `--enable-${feature}`);
  // -Oz takes twice as long: it makes the module 7 % smaller, and what brotli makes of it 1 % larger.
  const passes = ['-O1', '--shrink-level=2', '--low-memory-unused', '--strip-debug', '--strip-producers'];
  execFileSync(join(root, 'node_modules/.bin/wasm-opt'), [...passes, ...features, path, '-o', path], {
    stdio: 'inherit',
  });
}

function minified(code, loader) {
  if (dev) return code;
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

/** Writes the module of the command line. Only Node reads it, and the tarball's gzip would make a quarter more of it. */
function writeDiagnose() {
  const module = join(builds, 'diagnose.wasm');
  const small = join(builds, 'diagnose-small.wasm');
  copyFileSync(module, small);
  if (!dev) shrinkModule(small);
  const quality = dev ? 1 : constants.BROTLI_MAX_QUALITY;
  const packed = brotliCompressSync(readFileSync(small), {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  });
  writeFileSync(join(root, 'pkg/dist/embedded/diagnose.wasm.br'), packed);
}

function printSizes() {
  console.log('dashboard:');
  for (const path of below(target)) printSize(path.slice(target.length + 1), readFileSync(path));
  printSize('diagnose.wasm', readFileSync(join(builds, 'diagnose-small.wasm')));
}

await unlessFresh(DASHBOARD, async () => {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  compile();
  run(
    'wasm-bindgen',
    join(builds, 'halfopen-web.wasm'),
    '--target',
    'web',
    '--no-typescript',
    '--out-dir',
    target,
  );
  copyFileSync(join(builds, 'answers.wasm'), join(target, 'answers.wasm'));
  if (!dev) for (const path of below(target)) if (path.endsWith('.wasm')) shrinkModule(path);
  writePage();
  const embedded = await embedDashboard(dev);
  writeDiagnose();
  if (dev) return;
  printSizes();
  console.log(`  as one module: ${kib(embedded)}`);
});
