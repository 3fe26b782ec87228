// The build's form of a source file, from which a bundler can drop unused parts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
// @ts-expect-error: a build script, which has no types
import { withPureConstants } from '../../scripts/pure-calls.mjs';

const made = (text: string): string => withPureConstants('/pkg/src/x.ts', text);

test('a constant that is more than a literal becomes the result of a marked call', () => {
  assert.equal(
    made('const a = new Map([[1, 2]]);\nexport const b = { ...a, c: 1 } as const;'),
    'const a = /* @__PURE__ */ new Map([[1, 2]]);\nexport const b = /* @__PURE__ */ (() => ({ ...a, c: 1 } as const))();',
  );
});

test('a call whose arguments do something is marked with all of it', () => {
  assert.equal(made('const a = f(g());'), 'const a = /* @__PURE__ */ (() => (f(g())))();');
  assert.equal(made('const a = f(globalThis);'), 'const a = /* @__PURE__ */ (() => (f(globalThis)))();');
  assert.equal(made('const a = f().g(1);'), 'const a = /* @__PURE__ */ (() => (f().g(1)))();');
  assert.equal(made('const a = b.f(1, () => g());'), 'const a = /* @__PURE__ */ b.f(1, () => g());');
});

test('a class that does something when it is made becomes the result of a marked call', () => {
  assert.equal(
    made('export class A extends B { static c = /* @__PURE__ */ d(this); }'),
    'export const A = /* @__PURE__ */ (() => ({ A: class extends B { static c = /* @__PURE__ */ d(this); } }).A)();',
  );
  assert.equal(
    made('class A { [Symbol.iterator]() {} }'),
    'const A = /* @__PURE__ */ (() => ({ A: class { [Symbol.iterator]() {} } }).A)();',
  );
  for (const text of ['class A { static c = 1; }', 'class A { [b]() {} }']) assert.equal(made(text), text);
});

test('literals, functions and declarations stay as they are', () => {
  const text =
    "let at = -1;\nconst list = [1, 'b', { c: true }];\nexport const f = () => g();\nfunction g() {}\n";
  assert.equal(made(text), text);
});

for (const text of [
  'start();',
  'for (const a of []) a();',
  'const { a } = b;',
  'class A { static { a(); } }',
  'class A { static a = b(); }',
]) {
  test(`a statement that runs at import fails the build, with its line: ${text}`, () => {
    assert.throws(() => made(`const a = 1;\n${text}`), /x\.ts:2: this runs at import/);
  });
}

test('a sum of literals is a literal: a long text is not a function that runs at import', () => {
  const text = "const a = { b: 'x' + 'y' + `z`, c: 1 + 2 };\n";
  assert.equal(made(text), text);
  // The result of `+` on objects depends on their `valueOf`.
  assert.equal(made('const a = b + 1;'), 'const a = /* @__PURE__ */ (() => (b + 1))();');
});
