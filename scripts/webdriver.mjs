// Prints the webdriver.json for wasm-pack's browser tests with the Chromium found here.
import { CHROMIUM_FLAGS } from './chromium.mjs';

const args = ['--headless', ...CHROMIUM_FLAGS];
console.log(JSON.stringify({ 'goog:chromeOptions': { binary: process.argv[2], args } }, null, 2));
