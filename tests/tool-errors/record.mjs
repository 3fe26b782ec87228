// Runs libraries for real and writes what they throw to recorded/<library>.json: node record.mjs [library…]
// Needs `npm ci` here and the servers that README.md names; a library whose servers are not there is left as it is.
import { readFileSync, writeFileSync } from 'node:fs';
import { runLibrary } from './child.mjs';
import { load, names } from './libraries.mjs';

const wanted = process.argv.slice(2);
let wrong = 0;
for (const name of wanted.length > 0 ? wanted : names) {
  const { cases } = await load(name);
  const { results, versions, problems } = await runLibrary(name);
  for (const problem of problems) console.log(`${name}: ${problem}`);
  if (!versions) continue;
  const before = recordedBefore(name);
  const kept = [];
  for (const { name: id } of cases) {
    const result = results.get(id);
    if (result?.outcome === 'thrown') kept.push([id, result.value]);
    else if (result?.outcome === 'not here' && before[id]) {
      kept.push([id, before[id]]);
      console.log(`${name}: ${id} stays as it was, for want of ${result.value}`);
    } else {
      wrong++;
      console.log(`${name}: ${id} ${result?.outcome ?? 'did not run'} ${result?.value ?? ''}`);
    }
  }
  const lines = kept.map(([id, value]) => `    ${JSON.stringify(id)}: ${JSON.stringify(value)}`).join(',\n');
  const head = JSON.stringify({ ...versions, node: process.versions.node });
  writeFileSync(
    new URL(`./recorded/${name}.json`, import.meta.url),
    `{\n  "versions": ${head},\n  "cases": {\n${lines}\n  }\n}\n`,
  );
  console.log(`${name}: ${kept.length} of ${cases.length}`);
}
process.exitCode = wrong > 0 ? 1 : 0;

function recordedBefore(name) {
  try {
    return JSON.parse(readFileSync(new URL(`./recorded/${name}.json`, import.meta.url))).cases;
  } catch {
    return {};
  }
}
