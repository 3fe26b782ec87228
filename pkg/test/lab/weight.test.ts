// An application without the lab does not carry it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const modules: Record<string, string> = {
  '#modules': './modules.js',
  '#words-now': './words.js',
  '#words-late': './languages.js',
  '#lab-module': './lab-module.js',
};

/** The files of dist that one imports, itself included. */
function carried(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*"([.#][^"]+)"/g))
    carried(join(dirname(file), modules[from] ?? from), seen);
  return seen;
}

/** Returns `true` if a file contains a module's text, which only the modules' own files do. */
const holdsModule = (file: string): boolean =>
  !/^(?:modules|texts|words)/.test(basename(file)) && /"[^"\n]{30000}/.test(readFileSync(file, 'utf8'));

for (const door of ['index', 'testing', 'log', 'otel', 'ai-sdk']) {
  test(`${door} carries nothing of the lab`, () => {
    const files = [...carried(join(dist, `esm/${door}.js`))];
    assert.ok(files.length > 1);
    assert.deepEqual(
      files.filter(
        (file) =>
          basename(file).startsWith('lab') ||
          /labAdvance|wasm\/lab/.test(readFileSync(file, 'utf8')) ||
          holdsModule(file),
      ),
      [],
    );
  });
}

test('the lab carries its module, which is no larger than it may be', () => {
  const files = [...carried(join(dist, 'esm/lab.js'))];
  assert.ok(files.some((file) => file.endsWith('lab-module.js')));
  const size = gzipSync(readFileSync(join(dist, 'lab.wasm')), { level: 9 }).length;
  // With the machine of runs, which the replay of runs drives, and the table of options, by which scenarios are read.
  assert.ok(size <= 151 * 1024, `${size} bytes, gzip`);
});

test('the lab asks for a gibibyte of memory at most: then it says what to do, and the machine goes on', () => {
  const module = new WebAssembly.Module(readFileSync(join(dist, 'lab.wasm')));
  const imports: Record<string, Record<string, () => number>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module))
    imports[from] = { ...imports[from], [name]: () => 0 };
  const { memory } = new WebAssembly.Instance(module, imports).exports as { memory: WebAssembly.Memory };
  const present = memory.buffer.byteLength / 65_536;
  memory.grow(1);
  assert.throws(() => memory.grow(16_384 - present), RangeError);
});
