// The embedded dashboard is not in what is built for production, and its options are checked.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import * as esbuild from 'esbuild';
import { build } from 'vite';
import webpack from 'webpack';
import { scratch } from '../../../scripts/scratch.mjs';
import { mountDevtools } from '../../src/devtools/embed/index.js';
import { matches, readShortcut } from '../../src/devtools/embed/shortcut.js';

/** Texts that only the dashboard, or the panel around it, contains. */
const MARKS = /halfopen-embedded|Size of the devtools|halfopenWasm/;

const folder = scratch(import.meta.dirname);
before(() => {
  writeFileSync(
    join(folder, 'app.js'),
    "import { defineDevtoolsElement, mountDevtools } from 'halfopen/devtools/embed';\nmountDevtools();\ndefineDevtoolsElement();\n",
  );
  writeFileSync(join(folder, 'index.html'), '<script type="module" src="./app.js"></script>');
});

/** Everything that was built, as one text. */
function built(name: string): string {
  const out = join(folder, name);
  return readdirSync(out, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(js|html)$/.test(path))
    .map((path) => readFileSync(join(out, path), 'utf8'))
    .join('\n');
}

function withEsbuild(outdir: string, conditions?: string[]) {
  return esbuild.build({
    entryPoints: [join(folder, 'app.js')],
    outdir: join(folder, outdir),
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    logLevel: 'silent',
    external: ['node:*'],
    ...(conditions === undefined ? {} : { conditions }),
  });
}

function withWebpack(outdir: string, mode: 'production' | 'development') {
  return new Promise<void>((resolve, reject) => {
    const options = {
      mode,
      entry: join(folder, 'app.js'),
      output: { path: join(folder, outdir) },
      devtool: false as const,
      performance: false as const,
    };
    webpack(options, (error, stats) => {
      if (error !== null) reject(error);
      else if (stats?.hasErrors()) reject(new Error(stats.toString('errors-only')));
      else resolve();
    });
  });
}

test('esbuild: nothing of it is built unless development is asked for', async () => {
  await withEsbuild('esbuild');
  assert.doesNotMatch(built('esbuild'), MARKS);
  assert.ok(built('esbuild').length < 600, `${built('esbuild').length} characters`);
  await withEsbuild('esbuild-development', ['development']);
  assert.match(built('esbuild-development'), MARKS);
});

test('vite: nothing of it is built for production', async () => {
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    build: { outDir: 'vite', emptyOutDir: false },
  });
  assert.doesNotMatch(built('vite'), MARKS);
});

test('webpack: in development only', async () => {
  await withWebpack('webpack', 'production');
  assert.doesNotMatch(built('webpack'), MARKS);
  await withWebpack('webpack-development', 'development');
  assert.match(built('webpack-development'), MARKS);
});

test('where there is no document nothing happens; wrong options are told at once', () => {
  const mounted = mountDevtools();
  mounted.toggle();
  assert.equal(mounted.open, false);
  for (const options of [
    { shortcut: 'H' },
    { shortcut: 'Alt+' },
    { dock: 'left' },
    { buffer: 0 },
    { chanel: 'x' },
  ]) {
    assert.throws(
      () => mountDevtools(null, options as never),
      /mountDevtools|halfopen/,
      JSON.stringify(options),
    );
  }
});

test('a shortcut is these keys, and no others', () => {
  const keys = readShortcut('Alt+Shift+H');
  assert.ok(keys !== undefined);
  const event = (more: object) =>
    ({
      altKey: true,
      shiftKey: true,
      ctrlKey: false,
      metaKey: false,
      code: 'KeyH',
      key: 'Ó',
      ...more,
    }) as KeyboardEvent;
  assert.equal(matches(keys, event({})), true);
  for (const more of [{ altKey: false }, { ctrlKey: true }, { code: 'KeyJ' }]) {
    assert.equal(matches(keys, event(more)), false, JSON.stringify(more));
  }
  for (const [text, pressed, other] of [
    ['Control+1', { ctrlKey: true, code: 'Digit1', key: '&' }, { ctrlKey: true, code: 'Numpad1', key: '1' }],
    ['F9', { code: 'F9', key: 'F9' }, { code: 'F8', key: 'F8' }],
    ['Meta+Shift+Enter', { metaKey: true, shiftKey: true, key: 'Enter' }, { metaKey: true, key: 'Enter' }],
  ] as const) {
    const shortcut = readShortcut(text);
    assert.ok(shortcut !== undefined, text);
    const bare = { altKey: false, shiftKey: false };
    assert.deepEqual(
      [pressed, other].map((keys) => matches(shortcut, event({ ...bare, ...keys }))),
      [true, false],
      text,
    );
  }
  for (const wrong of ['', 'H', 'Shift+H', 'Alt', 'Hyper+H', 7])
    assert.equal(readShortcut(wrong), undefined, `${wrong}`);
});
