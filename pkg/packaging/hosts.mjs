// The packages that subpaths import, in other versions than those that the tests use: installing halfopen beside them never
// conflicts, and the subpath works, or says at its first use which version it found, which it needs and what to run.
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { here, run } from './packed.mjs';

const OLD = join(here, 'hosts');
const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const NAMES = ['ai', 'effect', 'langchain', '@langchain/langgraph', '@opentelemetry/api', 'pg'];

/**
 * Returns the installations: several packages each, in one version. The old ones are npm's, named in
 * hosts/package.json.
 */
function projects() {
  const old = Object.keys(manifestOf(OLD).dependencies)
    .filter((name) => /-[\d.]+$/.test(name))
    .map((alias) => manifestOf(join(OLD, 'node_modules', alias)));
  const older = NAMES.map((name) => old.find((one) => one.name === name));
  const later = old.filter((one) => !older.includes(one));
  return [
    ...[older, later],
    ...['99.0.0', '99.0.0-beta.1'].map((version) => NAMES.map((name) => ({ name, version }))),
  ];
}

/** Packs a package that has a name and a version, and exports nothing: npm looks at no more to find a conflict. */
async function stub(folder, { name, version }) {
  const at = join(folder, `${name.replace('/', '-')}-${version}`);
  mkdirSync(join(at, 'package'), { recursive: true });
  writeFileSync(
    join(at, 'package/package.json'),
    JSON.stringify({ name, version, type: 'module', main: 'index.js' }),
  );
  writeFileSync(join(at, 'package/index.js'), 'export {};\n');
  await run('tar', ['-czf', `${at}.tgz`, '-C', at, 'package'], folder);
  return `${at}.tgz`;
}

/** A folder whose node_modules has the packed package. */
function project(at) {
  const folder = join(at, 'first-use');
  cpSync(join(at, '../node_modules/halfopen'), join(folder, 'node_modules/halfopen'), { recursive: true });
  // The dependencies of the old hosts.
  for (const name of readdirSync(join(OLD, 'node_modules')))
    if (!/^\.|^@|-[\d.]+$/.test(name))
      symlinkSync(join(OLD, 'node_modules', name), join(folder, 'node_modules', name));
  return folder;
}

/**
 * Puts a host into the project instead of another version of it. It is a copy, because some import themselves by their
 * name.
 */
function place(folder, host, from) {
  const to = join(folder, 'node_modules', host);
  rmSync(to, { recursive: true, force: true });
  if (host === 'effect') cpSync(from, to, { recursive: true });
  else {
    mkdirSync(dirname(to), { recursive: true });
    symlinkSync(from, to);
  }
}

const EFFECT = `import { createPolicy } from 'halfopen';
import { underPolicy } from 'halfopen/effect';
underPolicy(createPolicy());`;
const LANGCHAIN = `import { guardAgent } from 'halfopen/langchain';
guardAgent({});`;
const LANGGRAPH = `import { recoverable, recoveryState } from 'halfopen/langgraph';
recoveryState();
const node = recoverable('search', () => { throw new Error('busy'); });
console.log((await node({})).goto);`;
const OTEL = `import { createPolicy } from 'halfopen';
import { instrument } from 'halfopen/otel';
const policy = createPolicy();
instrument(policy);
console.log(await policy.execute(() => 'traced'));`;
const AI = (version) => `import { generateText } from 'ai';
import { createPolicy } from 'halfopen';
import { failoverModel } from 'halfopen/ai-sdk';
const content = [{ type: 'text', text: 'hello' }];
const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
const model = {
  specificationVersion: '${version}', provider: 'p', modelId: 'm', supportedUrls: {},
  doGenerate: async () => ({ content, finishReason: 'stop', usage, warnings: [] }),
};
const { text } = await generateText({ model: failoverModel([{ model, policy: createPolicy() }]), prompt: 'hi', maxRetries: 0 });
console.log(text);`;
const GUARD_CALL = `import { createPolicy } from 'halfopen';
import { guardCall } from 'halfopen/ai-sdk';
guardCall(createPolicy(), () => ({})).toUIMessageStreamResponse();`;
const PG = `import { startDevtoolsServer } from 'halfopen/devtools';
await startDevtoolsServer({ port: 0, database: 'postgres://127.0.0.1:1/log', directory: 'log' });`;

const needs = (entry, host, needed, found) =>
  new RegExp(
    `halfopen/${entry} works with ${host} ${needed}, found ${found.replaceAll('.', '\\.')} without .*npm install ${host}@`,
  );

/** The output of a program with a host of this version, or its error. */
const FIRST_USE = [
  [
    'ai',
    'ai-4',
    AI('v1'),
    /halfopen\/ai-sdk works with ai 5 or 6 or 7, found 4\.3\.19 with models .*npm install ai@7/,
  ],
  ['ai', 'ai-4', GUARD_CALL, needs('ai-sdk', 'ai', '5 or 6 or 7', '4.3.19')],
  ['ai', 'ai-5', AI('v2'), /^hello$/],
  ['effect', 'effect-2', EFFECT, needs('effect', 'effect', '4', '2.4.19')],
  ['effect', 'effect-3', EFFECT, needs('effect', 'effect', '4', '3.10.0')],
  // It cannot be imported as a whole, so Node ends the program first, and names the package.
  ['langchain', 'langchain-0.3', LANGCHAIN, /No "exports" main defined in .*\/langchain\/package\.json/],
  ['@langchain/langgraph', 'langgraph-0.2', LANGGRAPH, /recover/],
  ['@langchain/langgraph', 'langgraph-1.0', LANGGRAPH, /recover/],
  ['@opentelemetry/api', 'opentelemetry-1.0', OTEL, needs('otel', '@opentelemetry/api', '1', '1.0.4')],
  ['@opentelemetry/api', 'opentelemetry-1.8', OTEL, /^traced$/],
  ['pg', 'pg-8.4', PG, /The log cannot be kept in postgres:.*ECONNREFUSED/],
  ['pg', 'pg-8.11', PG, /The log cannot be kept in postgres:.*ECONNREFUSED/],
];
const FUTURE_USE = [
  ['ai', GUARD_CALL, needs('ai-sdk', 'ai', '5 or 6 or 7', '99.0.0')],
  ['effect', EFFECT, needs('effect', 'effect', '4', '99.0.0')],
  ['langchain', LANGCHAIN, needs('langchain', 'langchain', '1', '99.0.0')],
  ['@langchain/langgraph', LANGGRAPH, needs('langgraph', '@langchain/langgraph', '1', '99.0.0')],
  // Imported by name, except for the metrics, which came in 1.3: without the rest there is no such API.
  ['@opentelemetry/api', OTEL, /module '@opentelemetry\/api' does not provide an export named/],
  ['pg', PG, /needs the package 'pg' with Pool and Client, found 99\.0\.0.*npm install pg@8/],
];

/** Runs a program beside a host; what it prints, or ends with, has to be what is expected. */
async function firstUse(folder, host, from, program, expected) {
  place(folder, host, from);
  writeFileSync(join(folder, 'main.mjs'), program);
  const printed = await run(process.execPath, ['main.mjs'], folder).catch((error) => String(error.stderr));
  if (!expected.test(printed)) throw new Error(`${from}: expected ${expected}, got\n${printed}`);
}

/** Beside each of these versions: npm installs the tarball, and the subpath does what it should at its first use. */
export async function besideOtherVersions(at) {
  if (!existsSync(join(OLD, 'node_modules')))
    await run('npm', ['ci', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'], OLD);
  const work = dirname(at);
  const tarball = join(
    work,
    readdirSync(work).find((name) => name.endsWith('.tgz')),
  );
  let installed = 0;
  for (const [index, hosts] of projects().entries()) {
    const folder = join(at, `project-${index}`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true }));
    const files = await Promise.all(hosts.map((host) => stub(at, host)));
    // The stubs have no peers of their own, so any conflict here is ours.
    const install = [
      'install',
      '--offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ];
    await run('npm', [...install, ...files], folder);
    await run('npm', [...install, tarball], folder);
    installed += hosts.length;
  }
  const folder = project(at);
  for (const [host, alias, program, expected] of FIRST_USE)
    await firstUse(folder, host, join(OLD, 'node_modules', alias), program, expected);
  for (const [host, program, expected] of FUTURE_USE)
    await firstUse(folder, host, join(at, `${host.replace('/', '-')}-99.0.0/package`), program, expected);
  return `installed beside ${installed} other versions of ${NAMES.length} packages; ${FIRST_USE.length + FUTURE_USE.length} first uses`;
}
