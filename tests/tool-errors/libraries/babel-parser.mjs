// @babel/parser: SyntaxError with `code`, `reasonCode`, `loc` and `pos`, and plain errors about its plugins.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['@babel/parser'] });
const parse = (text, options) => async () => (await import('@babel/parser')).parse(text, options);
// A model writes programs: what is wrong with one stays wrong.
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
for (const [name, why, text, options] of [
  ['token', 'UnexpectedToken', 'const a = ;'],
  ['cut', 'UnexpectedToken at the end: a program that breaks off', 'function total(items) { return items'],
  ['open-text', 'UnterminatedString', 'const a = "abc'],
  ['open-template', 'UnterminatedTemplate', 'const a = `abc'],
  ['open-comment', 'UnterminatedComment', 'a(); /* later'],
  ['twice', 'VarRedeclaration', 'const a = 1; let a = 2;'],
  ['return', 'IllegalReturn', 'return 7;'],
  [
    'await',
    'UnexpectedReservedWord: await in a function that is not async',
    'function f() { await g(); }',
    { sourceType: 'module' },
  ],
  ['escape', 'InvalidCodePoint', 'const a = "\\u{110000000}";'],
  ['assignment', 'InvalidLhs', '1 = a;'],
  ['reserved', 'UnexpectedReservedWord: enum', 'const enum = 1;', { sourceType: 'module' }],
  ['prose', 'MissingSemicolon: what a model said before the program', 'Here is the program: a();'],
  ['number', 'UnexpectedNumericSeparator', 'const a = 1_000_;'],
  ['private', 'InvalidPrivateFieldResolution', 'class A { total() { return this.#items; } }'],
])
  lib.add(name, wrong, why, parse(text, options));
lib.add(
  'module',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE'),
  'BABEL_PARSER_SOURCETYPE_MODULE_REQUIRED: may appear only with \'sourceType: "module"\'',
  parse('import a from "a";'),
);
const plugin = final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED', 'INVALID_RESPONSE');
lib.add('jsx', plugin, 'MissingOneOfPlugins: a syntax that is not enabled', parse('const a = <b>c</b>;'));
lib.add('decorators', plugin, 'MissingOneOfPlugins of decorators', parse('@a class B {}'));
const options = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add(
  'two-plugins',
  options,
  'Cannot combine flow and typescript plugins',
  parse('a()', { plugins: ['flow', 'typescript'] }),
);
lib.add(
  'plugin-option',
  options,
  '"pipelineOperator" requires "proposal" option',
  parse('a()', { plugins: [['pipelineOperator', { proposal: 'frob' }]] }),
);
lib.add(
  'no-text',
  final('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'no text: the engine says it',
  parse(undefined),
);
export default lib;
