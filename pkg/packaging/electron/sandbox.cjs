// Runs the bundled preload script in a context that has what a page has, and neither `require` of packages nor `process`.
const { readFileSync } = require('node:fs');
const { createContext, runInContext } = require('node:vm');

const names = [
  'AbortController',
  'AbortSignal',
  'DOMException',
  'MessageChannel',
  'TextDecoder',
  'TextEncoder',
];
const more = ['URL', 'clearTimeout', 'console', 'performance', 'queueMicrotask', 'setTimeout'];
const preload = { exports: {} };
const refuse = (name) => {
  throw new Error(`a sandboxed preload script cannot require ${name}`);
};
const own = { module: preload, exports: preload.exports, require: refuse };
const given = Object.fromEntries([...names, ...more].map((name) => [name, globalThis[name]]));
runInContext(readFileSync('bundle/preload.js', 'utf8'), createContext({ ...given, ...own }));
preload.exports.seen.then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
