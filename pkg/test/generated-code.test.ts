// The build's changes to generated code: each one works, and fails loudly if the tool's output has changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: a build script, which has no types
import * as generated from '../../scripts/generated-code.mjs';

const GLUE =
  'let wasm;\nexport function __wbg_set_wasm(val) { wasm = val; }\nexport function one() { return wasm.one(); }\n';
const LIST = 'let heap = new Array(1024).fill(undefined);\n';

const TRANSLATED = `import * as glue from './policy_bg.js';
function wasm2js_trap() { throw new Error('abort'); }
function asmFunc(imports) {
 var buffer = new ArrayBuffer(65536);
 var end = imports.__wbindgen_externref_xform__.__wbindgen_externref_statics_end();
 function size() {
  return buffer.byteLength >> 16;
 }
 function grow(pagesToAdd) {
  var oldPages = size() | 0;
  var newPages = oldPages + pagesToAdd | 0;
  if ((oldPages < newPages) && (newPages < 65536)) {
   var newBuffer = new ArrayBuffer(newPages << 16);
   buffer = newBuffer;
  }
  return oldPages;
 }
 return { grow, size, end, first: buffer, memory: () => buffer, unreachable: wasm2js_trap };
}
var retasmFunc = asmFunc({ glue });
export var one = retasmFunc.one;
`;

async function load(code: string): Promise<Record<string, unknown>> {
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

test('each call of the glue makes one of its own', async () => {
  const { default: glue } = (await load(generated.glueAsFunction('policy', GLUE))) as {
    default: () => { __wbg_set_wasm(exports: unknown): void; one(): number };
  };
  const [first, second] = [glue(), glue()];
  first.__wbg_set_wasm({ one: () => 1 });
  second.__wbg_set_wasm({ one: () => 2 });
  assert.deepEqual([first.one(), second.one()], [1, 2]);
});

interface Translated {
  grow(pages: number): number;
  size(): number;
  end: number;
  first: ArrayBuffer;
  memory(): ArrayBuffer;
  unreachable(): never;
}

async function translated(): Promise<Translated> {
  const { instantiate } = await load(generated.translatedAsFunction(TRANSLATED, LIST));
  return (instantiate as (imports: object) => Translated)({});
}

test('a translated module is instantiated by a call, and detaches its buffer when it grows', async () => {
  const instance = await translated();
  assert.equal(instance.end, 1028);
  assert.equal(instance.grow(1), 1);
  assert.deepEqual([instance.first.byteLength, instance.memory().byteLength], [0, 131072]);
  assert.equal(instance.size(), 2);
});

test('a translated module traps with an error of the name that traps of WebAssembly have', async () => {
  const { unreachable } = await translated();
  assert.throws(unreachable, (error: Error) => error instanceof Error && error.name === 'RuntimeError');
});

test('where buffers cannot be detached, a translated module grows within one buffer, to 16 MiB', async (t) => {
  const { structuredClone } = globalThis;
  t.after(() => Object.assign(globalThis, { structuredClone }));
  Object.assign(globalThis, { structuredClone: undefined });
  const instance = await translated();
  assert.deepEqual([instance.size(), instance.grow(3), instance.size()], [1, 1, 4]);
  assert.equal(instance.memory(), instance.first);
  assert.deepEqual([instance.grow(252), instance.grow(1), instance.grow(40_000)], [4, -1, -1]);
});

test('features of a module are marked as not used', () => {
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const section = [...text('target_features'), 2, 0x2b, ...text('multivalue'), 0x2b, ...text('sign-ext')];
  const module = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 0, section.length, ...section]);
  const made = generated.withoutFeatures(module, ['multivalue']);
  assert.ok(made.includes('-\nmultivalue'));
  assert.ok(made.includes('+\bsign-ext'));
});

const without = (text: string, part: string) => text.replace(part, '');
for (const [what, run] of Object.entries({
  "no 'export function __wbg_set_wasm('": () =>
    generated.glueAsFunction('policy', 'export function one() {}'),
  "writes 'export { one };'": () => generated.glueAsFunction('policy', `${GLUE}export { one };\n`),
  "no 'function asmFunc\\('": () => generated.translatedAsFunction(without(TRANSLATED, 'asmFunc('), LIST),
  "no 'var retasmFunc = '": () => generated.translatedAsFunction(without(TRANSLATED, 'var retasmFunc'), LIST),
  "throw new Error\\('abort'\\)": () =>
    generated.translatedAsFunction(without(TRANSLATED, "throw new Error('abort');"), LIST),
  'return buffer': () => generated.translatedAsFunction(without(TRANSLATED, '>> 16;'), LIST),
  'buffer = newBuffer': () =>
    generated.translatedAsFunction(without(TRANSLATED, 'buffer = newBuffer;'), LIST),
  'another list of objects': () =>
    generated.translatedAsFunction(TRANSLATED.replace('_statics_end()', '_other()'), LIST),
  'new Array': () => generated.translatedAsFunction(TRANSLATED, ''),
  "no section 'target_features'": () => generated.withoutFeatures(Buffer.alloc(8), []),
})) {
  test(`output of another shape fails the build: ${what}`, () => {
    assert.throws(run, (error: Error) => error.message.includes(what.replaceAll('\\', '')));
  });
}
