// cosmiconfig: parsers' errors with a file in front, plain errors about its options, errno of files.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

let place;
const FILES = {
  'bad.json': '{"name": "shop",, }',
  'cut.json': '{"name": "sh',
  'bad.yaml': 'name: [shop\nother: ]',
  'tab.yaml': 'name:\n\t- shop',
  'bad.cjs': 'module.exports = {',
  'throws.cjs': 'throw new Error("no region set");',
  'missing.cjs': 'require("no-such-package");',
  'undefined.cjs': 'module.exports = { port: undefinedName.port };',
  'other.toml': 'name = "shop"',
};
const lib = library({
  packages: ['cosmiconfig'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'config-'));
    mkdirSync(path.join(place, 'folder.json'));
    mkdirSync(path.join(place, 'broken'));
    writeFileSync(path.join(place, 'broken', 'package.json'), '{"name": "shop", ');
    for (const [name, text] of Object.entries(FILES)) writeFileSync(path.join(place, name), text);
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const explorer = async (options) => (await import('cosmiconfig')).cosmiconfig('shop', options);
const load = async (name) => (await explorer()).load(path.join(place, name));
const wrong = final('CONFIG_ERROR', 'VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add('bad-json', wrong, 'JSON Error in a file', () => load('bad.json'));
lib.add(
  'cut-json',
  unclear('CONFIG_ERROR', 'VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'a file that breaks off',
  () => load('cut.json'),
);
lib.add('bad-yaml', wrong, 'YAML Error in a file', () => load('bad.yaml'));
lib.add('tab-yaml', wrong, 'a tab in YAML', () => load('tab.yaml'));
const program = final(
  'CONFIG_ERROR',
  'VALIDATION_ERROR',
  'UNKNOWN',
  'INITIALIZATION_ERROR',
  'TOOL_EXECUTION_ERROR',
);
lib.add('bad-cjs', program, 'SyntaxError of a file', () => load('bad.cjs'));
lib.add('throws', program, 'the file throws', () => load('throws.cjs'));
lib.add('undefined-name', program, 'the file has a ReferenceError', () => load('undefined.cjs'));
lib.add(
  'missing-module',
  final('INITIALIZATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
  'MODULE_NOT_FOUND of the file',
  () => load('missing.cjs'),
);
lib.add('missing', final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'), 'ENOENT', () => load('none.json'));
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'EISDIR', () => load('folder.json'));
lib.add(
  'no-loader',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'No loader specified for extension',
  () => load('other.toml'),
);
lib.add(
  'no-place-loader',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a place for which there is no loader',
  async () => explorer({ searchPlaces: ['.shop.toml'] }),
);
lib.add('bad-loader', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'a loader that is no function', async () =>
  explorer({ loaders: { '.json': 'frob' } }),
);
lib.add('found-broken', wrong, 'a package.json that search() meets', async () =>
  (await explorer()).search(path.join(place, 'broken')),
);
export default lib;
