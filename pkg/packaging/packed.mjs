// The packed package, and folders of consumers that have nothing else in their node_modules.
import { execFile } from 'node:child_process';
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
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WAIT } from '../../scripts/patience.mjs';
import { EXPECTED } from '../../scripts/prepack.mjs';

export const here = dirname(fileURLToPath(import.meta.url));
/** The repository. */
export const root = join(here, '../..');
/** A command of the repository's own node_modules. */
export const bin = (name) => join(root, 'node_modules/.bin', name);
const execute = promisify(execFile);
/** Runs a command; returns what it prints. */
export const run = async (command, args, cwd) =>
  (
    await execute(command, args, {
      cwd,
      timeout: WAIT,
      env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
    })
  ).stdout.trim();

/** Packs the package into the node_modules of a folder. Returns whether it has what it should. */
async function pack(work) {
  const [{ filename, size, entryCount }] = JSON.parse(
    await run('npm', ['pack', '--json', '--pack-destination', work], join(root, 'pkg')),
  );
  mkdirSync(join(work, 'node_modules'));
  await run('tar', ['-xzf', filename], work);
  const isFit = await step('contents', () => checkContents(join(work, 'package')));
  cpSync(join(work, 'package'), join(work, 'node_modules/halfopen'), { recursive: true });
  rmSync(join(work, 'package'), { recursive: true });
  console.log(`${filename}: ${entryCount} files, ${(size / 1024).toFixed(0)} KiB packed`);
  if (size > MOST_PACKED) throw new Error(`the package takes ${size} bytes packed, at most ${MOST_PACKED}`);
  return isFit;
}

/** Does one thing and prints under its name how it went. Returns whether it went well. */
async function step(name, run) {
  try {
    console.log(`ok      ${name.padEnd(10)} ${await run()}`);
    return true;
  } catch (error) {
    console.log(`FAILED  ${name.padEnd(10)} ${error.stderr || error.stack || error}`);
    return false;
  }
}

/**
 * Bytes that the package may take packed; the aim is 2 MB. A third is the dashboard, a quarter the core's modules: as .wasm for
 * workers, Node and CommonJS, as text for bundlers. `halfopen/js` has three of them as JavaScript. 360 kB are for coding agents and the
 * command line: the module of `diagnose` (196, in brotli), the documentation (120), and the server of `mcp` with the SDK (50).
 */
const MOST_PACKED = 3_460_000;

/** Folders of the machine that builds. A path within a web address does not count: a clone may be at /halfopen. */
const FOLDERS_OF_THE_BUILD = [
  ...[root, homedir()].map((path) => new RegExp(`(?<![\\w.-])${path.replace(/[^\w/]/g, '\\$&')}/`)),
  /\.cargo\/registry/,
];

/** The contents of the package. Nothing of the repository's tests, scripts and Rust, and no foreign source. */
const OWN = [
  /^(?:AGENTS\.md|CHANGELOG\.md|LICENSE-APACHE|LICENSE-MIT|README\.md|llms\.txt|THIRD-PARTY-NOTICES\.txt|package\.json|sbom\.cdx\.json)$/,
  /^bin\/(?:defaults|diagnose|effects|explore|fleet|halfopen|lab|mcp|rehearse|rehearse-page|replay|simulate|store-client)\.js$/,
  /^docs\/(?:[\w-]+\/)?[\w.-]+\.md$/,
  /^skills\/halfopen\/SKILL\.md$/,
  /^examples\/incident\.jsonl$/,
  /^schema\/scenario\.schema\.json$/,
  /^dist\/(?:agent|errors|fleet|lab|policy|run)\.wasm$/,
  /^dist\/embedded\/dashboard\.js$/, // the dashboard, once
  /^dist\/embedded\/diagnose\.wasm\.br$/,
  /^dist\/(?:cjs|esm|js)\/[\w-]+\.js$/,
  /^dist\/(?:cjs|esm)\/(?:[\w-]+\/)*[\w-]+\.d\.ts$/,
  /^dist\/cjs\/package\.json$/,
];

/** The notices of what is bundled are there, sources are not, and no folder of this machine is named. */
function checkContents(folder) {
  for (const name of EXPECTED) statSync(join(folder, name));
  const notices = readFileSync(join(folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  for (const name of ['hono', '@hono/node-server', 'leptos', 'serde_json', 'wasm-bindgen']) {
    if (!notices.includes(`\n${name} `)) throw new Error(`THIRD-PARTY-NOTICES.txt does not list ${name}`);
  }
  for (const path of readdirSync(folder, { recursive: true })) {
    const file = join(folder, path);
    if (!statSync(file).isFile()) continue;
    if (!OWN.some((pattern) => pattern.test(path)))
      throw new Error(`${path} does not belong into the package`);
    const content = readFileSync(file, 'latin1');
    const named = FOLDERS_OF_THE_BUILD.flatMap((folder) => folder.exec(content)?.[0] ?? []);
    if (named.length)
      throw new Error(`${path} names folders of the machine that built it: ${named.join(', ')}`);
    if (/^\/\/# sourceMappingURL=/m.test(content))
      throw new Error(`${path} names a source map, which the package does not have`);
  }
  return 'what belongs into the package, and nothing else';
}

/** Copies a consumer into a folder of its own; returns its path. */
function folder(name, sources, work) {
  const to = join(work, name);
  if (existsSync(join(sources, name))) cpSync(join(sources, name), to, { recursive: true });
  else mkdirSync(to);
  for (const name of ['consumer.mjs', 'late.mjs']) copyFileSync(join(here, name), join(to, name));
  writeFileSync(
    join(to, 'package.json'),
    JSON.stringify({ name: `consumer-${name}`, private: true, dependencies: { halfopen: '*' } }),
  );
  return to;
}

/**
 * Lets each consumer, or those that the command line names, use the package; exits with 1 where one fails.
 *
 * @param consumers - by its name, what a consumer does in the folder that it is given.
 * @param sources - where the consumers' folders are.
 * @param parent - the folder that they are copied into: there is nothing but the packed package in their node_modules, and
 * what else the folders above this one have.
 */
export async function runAll(consumers, sources = here, parent = tmpdir()) {
  const work = mkdtempSync(join(parent, 'halfopen-packaging-'));
  let failed = 0;
  const wanted = process.argv.slice(2);
  try {
    if (!(await pack(work))) failed++;
    for (const [name, consumer] of Object.entries(consumers)) {
      if (wanted.length && !wanted.includes(name)) continue;
      if (!(await step(name, () => consumer(folder(name, sources, work))))) failed++;
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  process.exit(failed ? 1 : 0);
}
