// Packs the package and lets real consumers use the tarball: each folder here is one, run as its runtime or bundler does it,
// unconfigured; other versions of Node run the folder node-esm. `node pkg/packaging/run.mjs vite deno` runs only these.
// Those that take long, or need a framework, are in platforms.mjs.
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodeResolve } from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import { rollup } from 'rollup';
import { freePort } from '../../scripts/free-port.mjs';
import { until } from '../../scripts/patience.mjs';
import { checkTreeShaking } from './bundlers.mjs';
import { besideOtherVersions } from './hosts.mjs';
import { bin, here, root, run, runAll } from './packed.mjs';
import { bundle, inChromium, PAGE, page, sizeOf, WITH_WASM, WITHOUT_WASM } from './page.mjs';

/** Opens what a bundler has made of a consumer, and says how much that is. */
async function built(at) {
  writeFileSync(join(at, 'bundle/index.html'), PAGE);
  return `${await inChromium(join(at, 'bundle'), WITH_WASM)}; ${sizeOf(join(at, 'bundle'))}`;
}

/** A page and its worker, a bundle each. */
async function withWorker(at) {
  await bundle(at, { entryPoints: ['main.mjs', 'worker.mjs'], outfile: undefined, outdir: 'bundle' });
  writeFileSync(join(at, 'bundle/index.html'), PAGE);
  return inChromium(join(at, 'bundle'), `${WITH_WASM}; connect-src 'self'`);
}

async function webpackPage(at) {
  const { default: webpack } = await import('webpack');
  const compiler = webpack({
    mode: 'production',
    context: at,
    entry: './main.mjs',
    output: { path: join(at, 'bundle'), filename: 'main.js' },
  });
  const stats = await promisify(compiler.run.bind(compiler))();
  if (
    stats.hasErrors() ||
    stats.compilation.warnings.some((warning) => !/size limit|limit the size/.test(warning.message))
  )
    throw new Error(stats.toString());
  return built(at);
}

/** Other versions of Node, from npm's own packages of its binaries, which exist for some platforms. */
const NODES = Object.fromEntries(
  ['node-18', 'node-22', 'node-24', 'node-26'].map((name) => [
    name,
    async (at) => {
      if (process.platform !== 'linux' || process.arch !== 'x64')
        return `skipped: npm has this binary for Linux on x64, not for ${process.platform} on ${process.arch}`;
      const nodes = join(here, 'nodes');
      const node = join(nodes, 'node_modules', name, 'bin/node');
      if (!existsSync(node)) await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], nodes);
      cpSync(join(here, 'node-esm'), at, { recursive: true });
      return `${await run(node, ['--version'], at)}: ${await run(node, ['main.mjs'], at)}`;
    },
  ]),
);

const consumerAsCommonJs = (at) =>
  esbuild.build({
    absWorkingDir: at,
    entryPoints: ['consumer.mjs'],
    format: 'cjs',
    outfile: 'consumer.cjs',
  });

/** The oldest TypeScript that the package supports, and the newest, each with both formats. */
async function typed(at) {
  copyFileSync(join(at, 'main.mts'), join(at, 'main.cts'));
  const checks = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
  const places = ['--module', 'node16', '--typeRoots', join(root, 'node_modules/@types'), '--types', 'node'];
  const seen = [];
  for (const name of ['typescript-5.4', 'typescript']) {
    const tsc = join(root, 'node_modules', name, 'bin/tsc');
    seen.push(await run(process.execPath, [tsc, '--version'], at));
    await run(process.execPath, [tsc, ...checks, ...places, 'main.mts', 'main.cts'], at);
  }
  return `${seen.join(', ')}: as a module and as CommonJS`;
}

const MODULES = ['policy', 'errors', 'agent', 'lab', 'fleet', 'run'].map((name) => `${name}.wasm`);

/** The checks of packages before they are published. */
async function linted(at) {
  const work = dirname(at);
  const tarball = join(
    work,
    readdirSync(work).find((name) => name.endsWith('.tgz')),
  );
  await run(bin('publint'), [tarball, '--strict'], at);
  // halfopen/js is for bundlers and pages: ESM alone. The .wasm files are for edge workers, whose bundlers take them.
  const attw = [tarball, '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii'];
  await run(bin('attw'), [...attw, '--exclude-entrypoints', ...MODULES], at);
  return 'publint and attw have nothing to say';
}

const CONSUMERS = {
  linted,
  hosts: besideOtherVersions,
  'node-esm': (at) => run(process.execPath, ['main.mjs'], at),
  ...NODES,
  'node-cjs': async (at) => {
    await consumerAsCommonJs(at);
    return run(process.execPath, ['main.cjs'], at);
  },
  // One file that runs where no package is, from an application in either format.
  'node-bundled': async (at) => {
    await consumerAsCommonJs(at);
    const seen = [];
    for (const [main, format] of [
      ['node-esm/main.mjs', 'esm'],
      ['node-cjs/main.cjs', 'cjs'],
    ]) {
      copyFileSync(join(here, main), join(at, basename(main)));
      const outfile = `${dirname(at)}-bundled${extname(main)}`;
      await bundle(at, { entryPoints: [basename(main)], platform: 'node', format, outfile, minify: false });
      seen.push(await run(process.execPath, [outfile], dirname(outfile)).finally(() => rmSync(outfile)));
    }
    return seen.join('; ');
  },
  'worker-threads': (at) => run(process.execPath, ['main.mjs'], at),
  // Electron itself comes from GitHub; what its processes are to a package can be had in Node.
  electron: async (at) => {
    await consumerAsCommonJs(at);
    const seen = await run(process.execPath, ['renderer.cjs'], at);
    await bundle(at, { entryPoints: ['preload.mjs'], format: 'cjs', outfile: 'bundle/preload.js' });
    return `renderer: ${seen}; preload: ${await run(process.execPath, ['sandbox.cjs'], at)}`;
  },
  vitest: async (at) => {
    // Where an application has it; the package stays what was packed.
    symlinkSync(join(root, 'node_modules/vitest'), join(at, '../node_modules/vitest'));
    await run(bin('vitest'), ['run', '--root', at, '--reporter', 'dot'], at);
    return 'the package and fake timers, in Node';
  },
  typescript: typed,
  bun: (at) => run(bin('bun'), ['main.mjs'], at),
  deno: (at) =>
    run(bin('deno'), ['run', '--no-remote', '--no-lock', '--node-modules-dir=manual', 'main.mjs'], at),
  esbuild: (at) => page(at, WITH_WASM),
  js: (at) => page(at, WITHOUT_WASM),
  csp: (at) => page(at, WITHOUT_WASM),
  rollup: async (at) => {
    const bundle = await rollup({ input: join(at, 'main.mjs'), plugins: [nodeResolve({ browser: true })] });
    await bundle.write({ file: join(at, 'bundle/main.js'), format: 'es' });
    return built(at);
  },
  vite: async (at) => {
    await run(bin('vite'), ['build', '--logLevel', 'warn'], at);
    return `${await inChromium(join(at, 'dist'), WITH_WASM)}; ${sizeOf(join(at, 'dist'))}`;
  },
  webpack: webpackPage,
  'web-worker': withWorker,
  'service-worker': withWorker,
  'tree-shaking': checkTreeShaking,
  workerd: async (at) => {
    // Bundles as wrangler does: with these conditions, and .wasm files left to the runtime as modules.
    const plugin = {
      name: 'wasm-modules',
      setup: (build) =>
        build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({
          path: `./${basename(path)}`,
          external: true,
        })),
    };
    await bundle(at, { conditions: ['workerd', 'worker', 'browser'], plugins: [plugin] });
    for (const name of MODULES) {
      copyFileSync(join(at, '../node_modules/halfopen/dist', name), join(at, 'bundle', name));
    }
    const port = await freePort();
    writeFileSync(
      join(at, 'config.capnp'),
      readFileSync(join(at, 'config.capnp'), 'utf8').replace('PORT', String(port)),
    );
    // Its command is a script that starts the real one: a group of their own, so that both end.
    const worker = spawn(bin('workerd'), ['serve', 'config.capnp'], {
      cwd: at,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached: true,
    });
    try {
      const response = await until(
        () => fetch(`http://127.0.0.1:${port}/`).catch(() => undefined),
        'an answer of workerd',
      );
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      return text;
    } finally {
      process.kill(-worker.pid, 'SIGKILL');
    }
  },
};

await runAll(CONSUMERS);
