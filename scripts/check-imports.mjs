// Checks the imports of pkg/src, imports of types included: no circles, nothing imports upward, and only `core` and
// `entry` import what wasm-bindgen has generated.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript-5.4';
import { root } from './building.mjs';

/**
 * The folders and files of pkg/src, lowest first. A file may import files of its own folder and of every layer below
 * its own; two folders of one layer do not know each other.
 */
const LAYERS = [
  [
    'message/locale',
    'clock.ts',
    'misuse.ts',
    'promises.ts',
    'async-context.ts',
    'codes-table.ts',
    'option-table.ts',
    'control-flow.ts',
  ],
  ['codes.ts'],
  ['options.ts', 'entry'],
  ['listeners.ts', 'controllable.ts'],
  ['core'],
  ['message'],
  ['classify'],
  ['error'],
  ['event'],
  ['retry', 'breaker', 'recovery', 'tool'],
  ['call'],
  ['policy', 'response'],
  ['fleet', 'repair', 'run', 'rehearse', 'hosts.ts'],
  ['once'],
  ['lab', 'mcp', 'otel-runs.ts'],
  ['index.ts', 'testing.ts', 'otel.ts', 'log.ts', 'devtools', 'ai-sdk', 'guard', 'langchain'],
  ['integrations', 'diagnose'],
  ['with-words.ts', 'with-late-words.ts'],
  ['every-language.ts'],
];
const MAY_IMPORT_WASM = ['core', 'entry'];

/** Imports that break a rule and are to go. An entry that is needed no more fails the check, so the list only shrinks. */
const TO_GO = [];

const source = join(root, 'pkg/src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
  .sort();

/** The messages of a language are plain data, which the lowest layers may import. */
const folderOf = (file) => (file.startsWith('message/locale/') ? 'message/locale' : file.split('/', 1)[0]);
const layerOf = (file) => LAYERS.findIndex((layer) => layer.includes(folderOf(file)));

/** Returns the imports of a file from pkg/src, and the generated modules that it imports. */
function importsOf(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(source, file), 'utf8'));
  const relative = importedFiles
    .map(({ fileName }) => fileName)
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(file), name));
  return {
    own: relative
      .map((path) => path.replace(/\.js$/, '.ts'))
      .filter((path) => existsSync(join(source, path)) && path.endsWith('.ts')),
    generated: relative.filter((path) => path.startsWith('../wasm/') || path.endsWith('.wasm')),
  };
}

/** All files that a file needs, directly or through others. */
function reachable(file, graph) {
  const seen = new Set();
  const open = [file];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const other of graph.get(next)) {
      if (!seen.has(other)) open.push(other);
      seen.add(other);
    }
  }
  return seen;
}

const faults = [];
const unused = new Set(TO_GO);
const graph = new Map();
for (const file of files) {
  if (layerOf(file) < 0)
    faults.push(`${file}: '${folderOf(file)}' has no layer in scripts/check-imports.mjs`);
  const { own, generated } = importsOf(file);
  graph.set(
    file,
    own.filter((other) => !unused.delete(`${file} -> ${other}`) && !TO_GO.includes(`${file} -> ${other}`)),
  );
  for (const other of graph.get(file)) {
    if (folderOf(other) === folderOf(file) || layerOf(other) < layerOf(file)) continue;
    faults.push(`${file} -> ${other}: '${folderOf(other)}' is not below '${folderOf(file)}'`);
  }
  for (const path of generated) {
    if (!MAY_IMPORT_WASM.includes(folderOf(file)))
      faults.push(`${file}: only ${MAY_IMPORT_WASM.join(' and ')} may import ${path}`);
  }
}
for (const [file, others] of graph) {
  for (const other of others) {
    if (reachable(other, graph).has(file)) faults.push(`${file} -> ${other}: lies on a circle`);
  }
}
for (const entry of unused) faults.push(`${entry}: nothing imports so any more; take it out of TO_GO`);

const left = TO_GO.length > 0 ? `, ${TO_GO.length} to go` : '';
console.log(`imports: ${files.length} files of pkg/src in ${LAYERS.length} layers${left}`);
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);
