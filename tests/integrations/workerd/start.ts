// Bundles the agent as wrangler does, and runs it in workerd on 127.0.0.1.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { freePort, listening } from '../../../pkg/test/ports.js';
import { recipeText } from '../recipe.js';

/** The path of the program. The package has no types. */
const { default: workerd } = createRequire(import.meta.url)('workerd') as { default: string };

const here = fileURLToPath(new URL('./', import.meta.url));
const dist = fileURLToPath(new URL('../../../pkg/dist/', import.meta.url));

/**
 * Leaves the runtime's own modules to it. Modules of Cloudflare's platform alone, such as sending mail, are empty.
 */
const runtime: esbuild.Plugin = {
  name: 'runtime',
  setup(build) {
    build.onResolve({ filter: /\.wasm$/ }, ({ path }) => ({ path: `./${basename(path)}`, external: true }));
    build.onResolve({ filter: /^cloudflare:email$/ }, () => ({ path: 'email', namespace: 'empty' }));
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export class EmailMessage {}' }));
    build.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, external: true }));
    build.onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path }) => ({
      path: path.startsWith('node:') ? path : `node:${path}`,
      external: true,
    }));
  },
};

/** The parts that the page leaves to its reader: the question is the provider's address, the answer its stream. */
const READERS_OWN = `
import { createPolicy } from 'halfopen';

const policy = createPolicy({ name: 'provider', retry: false });
async function answer(question, signal) {
  const body = JSON.stringify({ model: 'm', messages: [], stream: true });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(question, { method: 'POST', headers, body, signal });
  if (!response.ok) return response;
  const text = await response.text();
  if (!text.includes('[DONE]')) throw Object.assign(new Error('the stream broke off'), { code: 'ECONNRESET' });
  return text;
}
`;

/** The agent of the page as a module. */
const documented: esbuild.Plugin = {
  name: 'documented',
  setup(build) {
    build.onResolve({ filter: /^docs:guide$/ }, ({ path }) => ({ path, namespace: 'docs' }));
    build.onLoad({ filter: /.*/, namespace: 'docs' }, () => {
      const page = 'cloudflare-agents';
      const blocks = ['import { retryAdvice }', 'import { Agent }'].map((begins) => recipeText(page, begins));
      return { contents: READERS_OWN + blocks.join('\n'), loader: 'ts', resolveDir: here };
    });
  },
};

/**
 * The parts of a worker: its program, its entry in workerd's configuration, and the modules of the package that it
 * imports.
 */
export interface WorkerSource {
  readonly entry: string;
  readonly config: string;
  readonly modules: readonly string[];
}

const AGENT: WorkerSource = {
  entry: join(here, 'agent.ts'),
  config: join(here, 'config.capnp'),
  modules: ['policy.wasm', 'errors.wasm', 'agent.wasm'],
};

/** Starts a worker in a folder of its own. Its data is there too, or in `storage`, which outlives it. */
export async function startWorker(
  { entry, config, modules }: WorkerSource = AGENT,
  storage?: string,
): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-workerd-'));
  await esbuild.build({
    entryPoints: [entry],
    outfile: join(folder, 'main.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['workerd', 'worker', 'browser'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
    plugins: [runtime, documented],
    logLevel: 'error',
  });
  for (const name of modules) copyFileSync(join(dist, name), join(folder, name));
  const kept = storage ?? join(folder, 'storage');
  mkdirSync(kept, { recursive: true });
  const port = await freePort();
  writeFileSync(
    join(folder, 'config.capnp'),
    readFileSync(config, 'utf8').replace('STORAGE', kept).replace('PORT', `${port}`),
  );
  const child = spawn(workerd, ['serve', 'config.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await listening(port);
  return {
    url: `http://127.0.0.1:${port}/`,
    async stop() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
