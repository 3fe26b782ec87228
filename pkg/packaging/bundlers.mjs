// The size that each bundler makes of an import, as gzip. The package promises that unused code costs nothing, and each
// bundler detects unused code in its own way.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';

/** Sizes in kB of 1000 bytes, for the imports of `tree-shaking/`. The limits of createPolicy are in scripts/bundle-sizes.mjs. */
const MOST = { unused: 0.3, truncate: 3, 'create-policy': 98 };

/** Each bundles one file of a folder for browsers, for production, and returns the text of its first chunk. */
const BUNDLERS = {
  esbuild: async (at, file) => {
    const { outputFiles } = await esbuild.build({
      absWorkingDir: at,
      entryPoints: [file],
      bundle: true,
      format: 'esm',
      minify: true,
      splitting: true,
      outdir: 'esbuild',
      outExtension: { '.js': '.mjs' },
      write: false,
      logLevel: 'error',
    });
    return outputFiles.find(({ path }) => path.endsWith(`/${file}`)).text;
  },
  rollup: async (at, file) => {
    const { rollup } = await import('rollup');
    const bundle = await rollup({
      input: join(at, file),
      plugins: [nodeResolve({ browser: true })],
      onwarn: ({ message }) => {
        throw new Error(message);
      },
    });
    const { output } = await bundle.generate({ format: 'es' });
    return (await esbuild.transform(output[0].code, { minify: true })).code;
  },
  vite: async (at, file) => {
    const { build } = await import('vite');
    const { output } = await build({
      root: at,
      configFile: false,
      logLevel: 'error',
      build: { write: false, minify: true, modulePreload: false, rollupOptions: { input: join(at, file) } },
    });
    return output.find(({ isEntry }) => isEntry).code;
  },
  webpack: async (at, file) => {
    const { default: webpack } = await import('webpack');
    const output = { path: join(at, 'webpack'), filename: file };
    const compiler = webpack({
      mode: 'production',
      context: at,
      entry: `./${file}`,
      output,
      performance: false,
    });
    const stats = await promisify(compiler.run.bind(compiler))();
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
    return readFileSync(join(at, 'webpack', file), 'utf8');
  },
};

/** Bundles each file of the folder with each bundler; throws where one carries more than it may. Returns the sizes. */
export async function checkTreeShaking(at) {
  const lines = [];
  for (const [bundler, bundle] of Object.entries(BUNDLERS)) {
    for (const [name, most] of Object.entries(MOST)) {
      const size = gzipSync(await bundle(at, `${name}.mjs`), { level: 9 }).length / 1000;
      lines.push(`${bundler} ${name} ${size.toFixed(1)}`);
      if (size > most) throw new Error(`${bundler} carries ${size} kB of ${name}.mjs, at most ${most}`);
    }
  }
  return `${lines.join(', ')} kB`;
}
