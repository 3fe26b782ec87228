// Checks that the libraries still throw the recorded errors, and that a recording is classified like the value itself:
// node live.mjs [--stubs] [library…]
// --stubs: only libraries that need no server and no browser. Needs `npm ci` in this folder.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runLibrary } from './child.mjs';
import { load, names } from './libraries.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { stubs: { type: 'boolean' } },
});
const CLASSIFIER = new URL('../../pkg/dist/esm/index.js', import.meta.url).href;
let ran = 0;
const changed = [];
for (const name of positionals.length > 0 ? positionals : names) {
  const { cases, needs = [] } = await load(name);
  if (options.stubs && needs.length > 0) continue;
  const { results, versions, problems } = await runLibrary(name, CLASSIFIER);
  if (!versions) {
    console.log(`${name}: ${problems.join('; ')}`);
    continue;
  }
  const [before, known] = [ran, changed.length];
  const recorded = JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url))).cases;
  for (const { name: id } of cases) {
    const { outcome, value, changed: lost } = results.get(id) ?? { outcome: 'did not run' };
    if (outcome === 'not here') continue;
    ran++;
    const now = outcome === 'thrown' ? gist(value.thrown) : outcome;
    const then = recorded[id] && gist(recorded[id].thrown);
    if (now !== then) changed.push(`${name}/${id}\n  was ${then}\n  is  ${now}`);
    else if (lost)
      changed.push(
        `${name}/${id} is classified in another way when it is rebuilt: serialise.mjs loses something`,
      );
  }
  // As it goes: all libraries take a quarter of an hour.
  const found = changed.slice(known);
  console.log(
    [`${name}: ${ran - before - found.length} of ${ran - before} as recorded`, ...found].join('\n'),
  );
}
console.log(`${ran - changed.length} passed, ${changed.length} failed`);
process.exitCode = changed.length > 0 ? 1 : 0;

/** Returns an error's identity: its class, its codes, and its first line without numbers, paths and full stop. */
function gist(thrown) {
  if (thrown === null || typeof thrown !== 'object') return JSON.stringify(thrown);
  const { chain = [thrown.$], own = {}, inherited = {} } = thrown;
  const { name, code, status, statusCode } = { ...inherited, ...own };
  const message = String(own.message ?? inherited.message ?? '').split('\n')[0];
  const words = message
    .replace(/\/data\/\S*|0?[0-9A-F]{12,}|[0-9a-f-]{24,}|\d+/g, '#')
    // gRPC adds what it was doing meanwhile.
    .replace(/(exceeded after) .*/, '$1')
    .replace(/[.\s]+$/, '')
    .slice(0, 120);
  return JSON.stringify([chain[0], name, code, status, statusCode, words]);
}
