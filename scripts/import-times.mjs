// The cost of a program's start, by runtime, in processor time: the import over that of an empty module, the first
// guarded call, the first failure. `node scripts/import-times.mjs` prints the table, `--write` renews it in
// docs/platforms/node.md. The runtimes are those that the consumers of pkg/packaging use; one that is not installed has
// no row.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './building.mjs';

/** How many processes are measured of each, in turns. The least counts: other programs can only make one slower. */
const PROCESSES = 11;
const PAGE = join(root, 'docs/platforms/node.md');
const [BEGIN, END] = ['<!-- times -->', '<!-- /times -->'];

const PROGRAM = `
import process from 'node:process';
const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const times = [spent()];
await import('data:text/javascript,');
times.push(spent());
const { createPolicy } = await import('halfopen');
times.push(spent());
const policy = createPolicy();
await policy.execute(async () => 1);
times.push(spent());
await policy.execute(() => { throw Object.assign(new Error('x'), { status: 400 }); }).catch(() => {});
times.push(spent());
console.log(JSON.stringify(times));
`;

const inPackaging = (path) => join(root, 'pkg/packaging/nodes/node_modules', path);
const inRoot = (path) => join(root, 'node_modules/.bin', path);
const NODE = ['--input-type=module', '--eval'];
const RUNTIMES = [
  ...[18, 22, 24, 26].map((version) => [inPackaging(`node-${version}/bin/node`), NODE]),
  [process.execPath, NODE],
  [inRoot('bun'), ['--eval']],
  [inRoot('deno'), ['eval', '--no-lock', '--node-modules-dir=manual']],
];

const run = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' });

/** `Node v20.20.2`, `Bun 1.4.5`, `Deno 2.9.5`. */
function nameOf(command) {
  const version = run(command, ['--version']).split('\n')[0];
  if (version.startsWith('v')) return `Node ${version.slice(1)}`;
  return version.startsWith('deno') ? `Deno ${version.split(' ')[1]}` : `Bun ${version}`;
}

function measured([command, args]) {
  const readings = Array.from({ length: PROCESSES }, () => JSON.parse(run(command, [...args, PROGRAM])));
  const spans = readings.map((times) => times.slice(1).map((time, n) => time - times[n]));
  const [empty, whole, call, failure] = [0, 1, 2, 3].map((n) => Math.min(...spans.map((span) => span[n])));
  return [Math.max(whole - empty, 0), call, failure];
}

const rows = RUNTIMES.filter(([command]) => existsSync(command))
  .map(([command, args]) => ({ name: nameOf(command), times: measured([command, args]) }))
  .sort((a, b) => a.name.localeCompare(b.name, 'en', { numeric: true }))
  .map(({ name, times }) => `| ${name} | ${times.map((time) => `${time.toFixed(1)} ms`).join(' | ')} |`);
const table = `| | Import | First guarded call | First failure |\n|---|---|---|---|\n${rows.join('\n')}`;
console.log(table);
if (process.argv.includes('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  const [before, rest] = page.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n${table}\n${END}${rest.slice(rest.indexOf(END) + END.length)}`);
}
