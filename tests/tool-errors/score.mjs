// How rightly the package classifies what the libraries threw: node score.mjs [--held-out | --all] [--wrong] [--json]
//   --live              runs the cases now instead of reading recorded/
//   --library <name>    only this one      --package <folder>   another build      --layer tool   with that context
//   --figures <file>    writes the figures by library as JSON
//   --write             renews docs/recognised.md and differing.json; with --held-out the held-out row too
// Held-out libraries are scored only where --held-out or --all asks for it, and their misses are never listed.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runLibrary } from './child.mjs';
import { SECRET } from './expect.mjs';
import { load, names } from './libraries.mjs';
import { write } from './recognised.mjs';
import { unpack } from './serialise.mjs';

const { values: options } = parseArgs({
  options: {
    'held-out': { type: 'boolean' },
    all: { type: 'boolean' },
    wrong: { type: 'boolean' },
    json: { type: 'boolean' },
    live: { type: 'boolean' },
    library: { type: 'string' },
    package: { type: 'string' },
    layer: { type: 'string' },
    figures: { type: 'string' },
    write: { type: 'boolean' },
  },
});
const { classify } = await import(entryOf(options.package ?? new URL('../../pkg', import.meta.url).pathname));

const empty = () => ({
  cases: 0,
  strict: 0,
  neighbour: 0,
  clear: 0,
  decided: 0,
  hopeless: 0,
  givenUp: 0,
  threw: 0,
  leaks: 0,
  status: [0, 0],
  retryAfterMs: [0, 0],
  requestId: [0, 0],
});
const total = empty();
const libraries = [];
const wrong = [];
/** The code of each error that does not get the one right code. */
const differing = {};
for (const name of options.library ? [options.library] : names) {
  const library = await load(name);
  if (!options.all && library.heldOut !== Boolean(options['held-out'] && !options.write)) continue;
  const row = { name, heldOut: library.heldOut, ...empty() };
  const { versions, values } = options.live ? await live(name) : recorded(name);
  row.versions = versions;
  for (const one of library.cases) {
    if (values.has(one.name)) score(library, one, values.get(one.name), row);
  }
  libraries.push(row);
}

if (options.figures) {
  const figures = { node: process.versions.node, total, libraries };
  writeFileSync(options.figures, `${JSON.stringify(figures, null, 2)}\n`);
}
if (options.write) {
  const heldOut = options['held-out'] && JSON.parse(again('--held-out', '--json'));
  write({ total, libraries }, heldOut);
  writeFileSync(new URL('./differing.json', import.meta.url), `${JSON.stringify(differing, null, 2)}\n`);
  console.log('docs/recognised.md and differing.json are renewed');
} else if (options.json) {
  console.log(JSON.stringify({ total, libraries, differing, wrong: options.wrong ? wrong : [] }));
} else print();

/** Returns this program's output with other options. */
function again(...args) {
  const [program] = process.argv.slice(1);
  return execFileSync(process.execPath, [program, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 });
}

function recorded(name) {
  try {
    const { versions, cases } = JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url)));
    return { versions, values: new Map(Object.entries(cases)) };
  } catch {
    return { versions: {}, values: new Map() };
  }
}

async function live(name) {
  const { results, versions = {}, problems } = await runLibrary(name);
  for (const problem of problems) console.error(`${name}: ${problem}`);
  const thrown = [...results].filter(([, { outcome }]) => outcome === 'thrown');
  return { versions, values: new Map(thrown.map(([id, { value }]) => [id, value])) };
}

function score({ name, heldOut }, { name: id, expect, why }, { at, thrown }, row) {
  const value = unpack(thrown);
  let got;
  let threw;
  try {
    got = classify(value, { now: at, ...(options.layer && { layer: options.layer }) });
  } catch (error) {
    threw = String(error);
  }
  const problems = [];
  const count = (field, by = 1) => {
    row[field] += by;
    total[field] += by;
  };
  count('cases');
  if (threw) {
    count('threw');
    problems.push('threw');
  }
  const { code, retryable, retryAfterMs, provider } = got ?? {};
  const strict = code === expect.code;
  const neighbour = strict || expect.neighbours.includes(code);
  if (strict) count('strict');
  else if (!heldOut) differing[`${name}/${id}`] = code;
  if (neighbour) count('neighbour');
  else problems.push('code');
  if (expect.clear) {
    count('clear');
    if (retryable === expect.retryable) count('decided');
    else {
      count(retryable ? 'hopeless' : 'givenUp');
      problems.push(retryable ? 'retried but hopeless' : 'given up though retryable');
    }
  }
  const found = { status: provider?.statusCode, retryAfterMs, requestId: provider?.requestId };
  for (const field of ['status', 'retryAfterMs', 'requestId']) {
    const right = expect[field];
    if (right === undefined) continue;
    const hit =
      field === 'retryAfterMs'
        ? Math.abs((found[field] ?? -1e9) - right) <= (expect.within ?? 50)
        : found[field] === right;
    for (const to of [row, total]) {
      to[field][1]++;
      if (hit) to[field][0]++;
    }
    if (!hit) problems.push(field);
  }
  if (leaks(got)) {
    count('leaks');
    problems.push('leak');
  }
  if (problems.length > 0 && !heldOut) {
    wrong.push({
      id: `${name}/${id}`,
      problems,
      expect,
      got: { code, retryable, ...found, rule: got?.rule },
      why,
    });
  }
}

function leaks(got) {
  try {
    return JSON.stringify(got, (key, value) =>
      key === 'originalError' || key === 'cause' ? undefined : value,
    ).includes(SECRET);
  } catch {
    return false;
  }
}

function entryOf(folder) {
  const { exports: map } = JSON.parse(readFileSync(path.join(folder, 'package.json')));
  let entry = map['.'];
  while (typeof entry === 'object') entry = entry.node ?? entry.import ?? entry.default;
  return pathToFileURL(path.join(folder, entry)).href;
}

function print() {
  const share = (part, of) => (of === 0 ? '    –' : `${((100 * part) / of).toFixed(1).padStart(5)}%`);
  const line = (name, row) =>
    `${name.padEnd(24)} ${String(row.cases).padStart(4)}  ${share(row.strict, row.cases)}  ${share(row.neighbour, row.cases)}  ` +
    `${share(row.decided, row.clear)}  ${String(row.hopeless).padStart(4)}  ${String(row.givenUp).padStart(4)}  ` +
    `${['status', 'retryAfterMs', 'requestId'].map((field) => row[field].join('/').padStart(7)).join(' ')}`;
  console.log('library                 cases  strict  or near   retry  hopel  gave   status    hint      id');
  for (const row of libraries) console.log(line(row.name, row));
  console.log(line('all', total));
  console.log(`threw ${total.threw}, leaks ${total.leaks}, libraries ${libraries.length}`);
  if (!options.wrong) return;
  for (const { id, problems, expect, got, why } of wrong) {
    console.log(
      `\n${id} [${problems.join(', ')}]\n  right ${JSON.stringify(expect)}\n  got   ${JSON.stringify(got)}\n  why   ${why}`,
    );
  }
}
