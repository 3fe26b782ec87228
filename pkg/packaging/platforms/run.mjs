// The consumers that take long or need a framework, each a folder here: they run the packed package as ../run.mjs has it.
// `node pkg/packaging/platforms/run.mjs next` runs only that one. scripts/setup.sh platforms installs the frameworks.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { freePort } from '../../../scripts/free-port.mjs';
import { until } from '../../../scripts/patience.mjs';
import { run, runAll } from '../packed.mjs';
import { bundle, inChromium, PAGE, seenAt, sizeOf, WITH_WASM } from '../page.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const bin = (name) => join(here, 'node_modules/.bin', name);

process.env.NEXT_TELEMETRY_DISABLED = '1';

/** Asks until there is an answer; returns its text. */
async function text(url) {
  const response = await until(() => fetch(url).catch(() => undefined), `an answer of ${url}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} ${response.status}: ${body}`);
  return body;
}

const CONSUMERS = {
  rspack: async (at) => {
    const { rspack } = await import('@rspack/core');
    const open = async (entry, folder) => {
      const compiler = rspack({
        mode: 'production',
        context: at,
        entry,
        output: { path: join(at, folder), filename: 'main.js' },
        performance: false,
      });
      const stats = await promisify(compiler.run.bind(compiler))();
      if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());
      writeFileSync(join(at, folder, 'index.html'), PAGE);
      return `${await inChromium(join(at, folder), WITH_WASM)}; ${sizeOf(join(at, folder))}`;
    };
    return `${await open('./main.mjs', 'bundle')}; ${await open('./late-page.mjs', 'late')}`;
  },
  'vite-dev': async (at) => {
    // Unbundled sources, and dependencies that Vite bundles before the first request.
    const { createServer } = await import('vite');
    const headers = { 'content-security-policy': `${WITH_WASM}; connect-src 'self' ws:` };
    const server = await createServer({
      root: at,
      configFile: false,
      logLevel: 'error',
      server: { host: '127.0.0.1', port: 0, headers },
    });
    try {
      await server.listen();
      return await seenAt(server.resolvedUrls.local[0]);
    } finally {
      await server.close();
      delete process.env.NODE_ENV; // Vite has set it, and Next would heed it
    }
  },
  jest: async (at) => {
    await esbuild.build({
      absWorkingDir: at,
      entryPoints: ['consumer.mjs'],
      format: 'cjs',
      outfile: 'consumer.cjs',
    });
    await run(bin('jest'), ['--rootDir', at, '--env', 'node', '--ci'], at);
    const setUp = join(at, 'text-encoding.js');
    await run(bin('jest'), ['--rootDir', at, '--env', 'jsdom', '--ci', '--setupFiles', setUp], at);
    return 'the package and fake timers, under the environments node and jsdom, and a rehearsal';
  },
  next: async (at) => {
    await run(bin('next'), ['build'], at);
    const port = await freePort();
    const server = spawn(bin('next'), ['start', '--hostname', '127.0.0.1', '--port', String(port)], {
      cwd: at,
      stdio: ['ignore', 'ignore', 'inherit'],
      detached: true, // a group of its own: it starts processes
    });
    try {
      const url = `http://127.0.0.1:${port}`;
      const seen = {
        'route handler': await text(`${url}/api/node`),
        'edge route': await text(`${url}/api/edge`),
        'server component': /id="server">([^<]+)/.exec(await text(url))?.[1],
        'hydrated page': await seenAt(`${url}/`),
      };
      const [first, ...others] = new Set(Object.values(seen));
      if (first === undefined || others.length > 0) throw new Error(JSON.stringify(seen));
      for (const [page, expected] of [
        ['moved', 307],
        ['missing', 404],
      ]) {
        const { status } = await fetch(`${url}/${page}`, { redirect: 'manual' });
        if (status !== expected) throw new Error(`/${page}: ${status} instead of ${expected}`);
      }
      return `${Object.keys(seen).join(', ')}: ${first}; ${await seenAt(`${url}/late`)}`;
    } finally {
      process.kill(-server.pid, 'SIGKILL');
    }
  },
  hermes: async (at) => {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      return `skipped: npm has this engine for Linux on x64, not for ${process.platform} on ${process.arch}`;
    await bundle(at, {
      entryPoints: ['globals.mjs', 'main.mjs'],
      outfile: undefined,
      outdir: 'bundle',
      format: 'iife',
      minify: false,
      platform: 'neutral',
      conditions: ['react-native'],
    });
    // Metro's translation: React Native's own preset. `default` is for any engine, `hermes-stable` for the newest
    // Hermes.
    const babel = require('@babel/core');
    const transformed = async (profile) => {
      const preset = require.resolve('@react-native/babel-preset');
      const options = {
        babelrc: false,
        configFile: false,
        compact: false,
        presets: [[preset, { enableBabelRuntime: false, unstable_transformProfile: profile }]],
      };
      const parts = ['globals.js', 'main.js'].map((name) =>
        babel.transformFileAsync(join(at, 'bundle', name), options),
      );
      // Each in a scope of its own, as a module of Metro's is.
      const text = (await Promise.all(parts)).map(({ code }) => `(function () {${code}\n})();\n`).join('');
      writeFileSync(join(at, `bundle/${profile}.js`), text);
      return join(at, `bundle/${profile}.js`);
    };
    const engine = join(here, 'node_modules/hermes-engine-cli/linux64-bin/hermes');
    const seen = await run(engine, ['-w', await transformed('default')], at);
    if (!seen.includes('AUTHENTICATION_ERROR')) throw new Error(seen);
    const compiler = join(here, 'node_modules/hermes-compiler/hermesc/linux64-bin/hermesc');
    const compiled = ['-O', '-emit-binary', '-out', join(at, 'bundle/main.hbc')];
    await run(compiler, ['-w', ...compiled, await transformed('hermes-stable')], at);
    const version = /release version: (\S+)/.exec(await run(compiler, ['--version'], at))?.[1];
    return `${seen} (Hermes 0.12.0); the compiler of ${version} takes it`;
  },
};

await runAll(CONSUMERS, here, here);
