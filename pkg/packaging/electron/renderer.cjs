// What Electron's renderer with nodeIntegration is to a package: CommonJS and all of Node, in a global scope that has a window.
const location = { protocol: 'file:', href: 'file:///app/index.html', hostname: '', search: '' };
const document = { addEventListener() {}, removeEventListener() {}, visibilityState: 'visible' };
Object.assign(globalThis, { window: globalThis, self: globalThis, document, location });

const halfopen = require('halfopen');
const testing = require('halfopen/testing');
const devtools = require('halfopen/devtools');
const { consume } = require('./consumer.cjs');

if (typeof devtools.connectDevtools !== 'function') throw new Error('the devtools are those of a page');
consume({ halfopen, testing }).then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
