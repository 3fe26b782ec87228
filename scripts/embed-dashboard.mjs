// Makes pkg/dist/embedded/dashboard.js of the built dashboard: one module with all of its files, gzip in base64.
//
// The devtools server serves them (pkg/src/devtools/server/dashboard.ts). Pages that embed the dashboard fetch nothing by an
// address (pkg/src/devtools/embed/frame.ts): they take the style sheet and the wasm from here, and a script that has all
// others in it.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { gzipAsync } from '@gfx/zopfli';
import * as esbuild from 'esbuild';
import { root } from './building.mjs';

const from = join(root, 'pkg/dist/dashboard');
const to = join(root, 'pkg/dist/embedded');

/** The one file of the dashboard whose name begins and ends so. */
function only(beginning, ending) {
  const found = readdirSync(from).filter((name) => name.startsWith(beginning) && name.endsWith(ending));
  if (found.length !== 1)
    throw new Error(`expected one ${beginning}*${ending} in ${from}, found ${found.join(', ') || 'none'}`);
  return found[0];
}

/** Zopfli's gzip is 5 % smaller than zlib's best, in half a minute. A second iteration saves another 0.2 %. */
const packed = async (name, dev) => {
  const bytes = readFileSync(join(from, name));
  const gzip = dev ? gzipSync(bytes, { level: 1 }) : await gzipAsync(bytes, { numiterations: 1 });
  return Buffer.from(gzip).toString('base64');
};

const HTML = `<!doctype html><html lang="en" data-theme="system"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>Halfopen</title></head><body></body></html>`;

/** Writes the module, large and soon if `dev`; returns its size in bytes. */
export async function embedDashboard(dev) {
  const bundled = await esbuild.build({
    stdin: {
      // Imported as text. An import for its effects alone would be left out, because the package declares its files
      // free of effects.
      contents: `${readFileSync(join(from, only('crash', '.js')), 'utf8')}\nimport init from './${only('halfopen-web', '.js')}';\nawait init({ module_or_path: globalThis.halfopenWasm });\n`,
      resolveDir: from,
    },
    bundle: true,
    minify: !dev,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = {};
  for (const name of readdirSync(from)) files[name] = await packed(name, dev);
  const exported = {
    html: HTML,
    script: bundled.outputFiles[0].text,
    css: only('style', '.css'),
    wasm: only('halfopen-web', '_bg.wasm'),
    answers: 'answers.wasm',
    files,
  };
  mkdirSync(to, { recursive: true });
  const path = join(to, 'dashboard.js');
  const names = Object.entries(exported).map(
    ([name, value]) => `export const ${name} = ${JSON.stringify(value)};`,
  );
  writeFileSync(path, `${names.join('\n')}\n`);
  return statSync(path).size;
}
