// Lets a Node process of the tests import TypeScript that scripts/node-test.mjs has compiled: `node --import ./scripts/compiled.mjs`
// with the folder in HALFOPEN_COMPILED. It does what tsx does, which takes a third of a second of each process.
import { register } from 'node:module';

process.setSourceMapsEnabled(true);
register(new URL('compiled-hooks.mjs', import.meta.url));
