// Packs the package and lets real consumers use the tarball: each folder here is one, run as its runtime or bundler does it,
// unconfigured; other versions of Node run the folder node-esm. `node pkg/packaging/run.mjs vite deno` runs only these.
import { execFile, spawn } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { chromium } from 'playwright-core';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../scripts/chromium.mjs';
import { checkTreeShaking } from './bundlers.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../..');
const bin = (name) => join(root, 'node_modules/.bin', name);
const execute = promisify(execFile);
const run = async (command, args, cwd) =>
  (
    await execute(command, args, {
      cwd,
      timeout: 120_000,
      env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
    })
  ).stdout.trim();

/** A consumer's folder outside of the repository, with nothing but the packed package in its node_modules. */
const work = mkdtempSync(join(tmpdir(), 'halfopen-packaging-'));

async function pack() {
  const [{ filename, size, entryCount }] = JSON.parse(
    await run('npm', ['pack', '--json', '--pack-destination', work], join(root, 'pkg')),
  );
  mkdirSync(join(work, 'node_modules'));
  await run('tar', ['-xzf', filename], work);
  checkContents(join(work, 'package'));
  cpSync(join(work, 'package'), join(work, 'node_modules/halfopen'), { recursive: true });
  rmSync(join(work, 'package'), { recursive: true });
  console.log(`${filename}: ${entryCount} files, ${(size / 1024).toFixed(0)} KiB packed`);
}

/** The notices of what is bundled are there, sources are there once, and no folder of this machine is named. */
function checkContents(folder) {
  const expected = [
    'THIRD-PARTY-NOTICES.txt',
    'sbom.cdx.json',
    'LICENSE-MIT',
    'src/index.ts',
    'dist/esm/index.js.map',
  ];
  for (const name of expected) statSync(join(folder, name));
  const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['hono', '@hono/node-server', 'leptos', 'serde_json', 'wasm-bindgen']) {
    if (!notices.includes(`\n${name} `)) throw new Error(`THIRD-PARTY-NOTICES.txt does not list ${name}`);
  }
  for (const path of readdirSync(folder, { recursive: true })) {
    const file = join(folder, path);
    if (!statSync(file).isFile()) continue;
    const content = readFileSync(file);
    const named = [`${root}/`, `${homedir()}/`, '.cargo/registry'].filter((text) => content.includes(text));
    if (named.length)
      throw new Error(`${path} names folders of the machine that built it: ${named.join(', ')}`);
    if (path.endsWith('.map') && JSON.parse(content).sourcesContent !== undefined)
      throw new Error(`${path} contains sources, which the package has in src`);
  }
}

async function folder(name) {
  const to = join(work, name);
  if (existsSync(join(here, name))) cpSync(join(here, name), to, { recursive: true });
  else mkdirSync(to);
  copyFileSync(join(here, 'consumer.mjs'), join(to, 'consumer.mjs'));
  writeFileSync(
    join(to, 'package.json'),
    JSON.stringify({ name: `consumer-${name}`, private: true, dependencies: { halfopen: '*' } }),
  );
  return to;
}

const TYPES = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
};

/** Opens a folder's index.html in Chromium under a Content-Security-Policy and waits for what the page says of itself. */
async function inChromium(directory, policy) {
  const server = createServer((request, response) => {
    const path = join(directory, request.url === '/' ? 'index.html' : request.url.slice(1));
    try {
      const body = readFileSync(path);
      response.writeHead(200, {
        'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
        'content-security-policy': policy,
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: CHROMIUM_FLAGS,
  });
  try {
    const page = await browser.newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && !message.text().includes('favicon') && complaints.push(message.text()),
    );
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const body = page.locator('body[data-result], body[data-error]');
    await body.waitFor({ state: 'attached', timeout: 20_000 }).catch(() => {
      throw new Error(`the page said nothing. ${complaints.join('\n')}`);
    });
    const error = await body.getAttribute('data-error');
    if (error) throw new Error(error);
    return await body.getAttribute('data-result');
  } finally {
    await browser.close();
    server.close();
  }
}

const WITH_WASM = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'";
const WITHOUT_WASM = "default-src 'none'; script-src 'self'";
const PAGE =
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>consumer</title></head><body><script type="module" src="./main.js"></script></body></html>';

const bundle = (at, options) =>
  esbuild.build({
    absWorkingDir: at,
    entryPoints: ['main.mjs'],
    bundle: true,
    format: 'esm',
    minify: true,
    outfile: 'bundle/main.js',
    logLevel: 'error',
    ...options,
  });

function sizeOf(directory) {
  const bytes = readdirSync(directory, { recursive: true })
    .map((name) => join(directory, name))
    .filter((path) => /\.m?js$/.test(path))
    .reduce((sum, path) => sum + statSync(path).size, 0);
  return `${(bytes / 1024).toFixed(0)} KiB of JavaScript`;
}

async function page(at, policy, options) {
  await bundle(at, options);
  writeFileSync(join(at, 'bundle/index.html'), PAGE);
  return `${await inChromium(join(at, 'bundle'), policy)}; ${sizeOf(join(at, 'bundle'))}`;
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
  writeFileSync(join(at, 'bundle/index.html'), PAGE);
  return `${await inChromium(join(at, 'bundle'), WITH_WASM)}; ${sizeOf(join(at, 'bundle'))}`;
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

/** What checks packages before they are published. */
async function linted(at) {
  const tarball = join(
    work,
    readdirSync(work).find((name) => name.endsWith('.tgz')),
  );
  await run(bin('publint'), [tarball, '--strict'], at);
  // halfopen/js is for bundlers and pages: ESM alone. The .wasm files are for edge workers, whose bundlers take them.
  const attw = [tarball, '--profile', 'node16', '--ignore-rules', 'cjs-resolves-to-esm', '--format', 'ascii'];
  await run(bin('attw'), [...attw, '--exclude-entrypoints', 'policy.wasm', 'errors.wasm', 'agent.wasm'], at);
  return 'publint and attw have nothing to say';
}

const CONSUMERS = {
  linted,
  'node-esm': (at) => run(process.execPath, ['main.mjs'], at),
  ...NODES,
  'node-cjs': async (at) => {
    await esbuild.build({
      absWorkingDir: at,
      entryPoints: ['consumer.mjs'],
      format: 'cjs',
      outfile: 'consumer.cjs',
    });
    return run(process.execPath, ['main.cjs'], at);
  },
  bun: (at) => run(bin('bun'), ['main.mjs'], at),
  deno: (at) =>
    run(bin('deno'), ['run', '--no-remote', '--no-lock', '--node-modules-dir=manual', 'main.mjs'], at),
  esbuild: (at) => page(at, WITH_WASM),
  js: (at) => page(at, WITHOUT_WASM),
  vite: async (at) => {
    await run(bin('vite'), ['build', '--logLevel', 'warn'], at);
    return `${await inChromium(join(at, 'dist'), WITH_WASM)}; ${sizeOf(join(at, 'dist'))}`;
  },
  webpack: webpackPage,
  'webpack-slim': webpackPage,
  'tree-shaking': checkTreeShaking,
  workerd: async (at) => {
    // What wrangler does: bundle with these conditions, leave .wasm files to the runtime as modules.
    const plugin = {
      name: 'wasm-modules',
      setup: (build) =>
        build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({
          path: `./${basename(path)}`,
          external: true,
        })),
    };
    await bundle(at, { conditions: ['workerd', 'worker', 'browser'], plugins: [plugin] });
    for (const name of ['policy.wasm', 'errors.wasm', 'agent.wasm']) {
      copyFileSync(join(work, 'node_modules/halfopen/dist', name), join(at, 'bundle', name));
    }
    const port = await freePort();
    writeFileSync(
      join(at, 'config.capnp'),
      readFileSync(join(at, 'config.capnp'), 'utf8').replace('PORT', String(port)),
    );
    const worker = spawn(bin('workerd'), ['serve', 'config.capnp'], {
      cwd: at,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    try {
      for (let attempt = 0; ; attempt++) {
        const response = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined);
        if (response) {
          const text = await response.text();
          if (!response.ok) throw new Error(text);
          return text;
        }
        if (attempt > 100) throw new Error('workerd does not answer');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    } finally {
      worker.kill('SIGKILL');
    }
  },
};

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

let failed = 0;
const wanted = process.argv.slice(2);
try {
  await pack();
  for (const [name, consumer] of Object.entries(CONSUMERS)) {
    if (wanted.length && !wanted.includes(name)) continue;
    try {
      console.log(`ok      ${name.padEnd(10)} ${await consumer(await folder(name))}`);
    } catch (error) {
      failed++;
      console.log(`FAILED  ${name.padEnd(10)} ${error.stderr || error.stack || error}`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
