// Prints the webdriver.json for wasm-pack's browser tests with the Chromium found here.
const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
console.log(JSON.stringify({ 'goog:chromeOptions': { binary: process.argv[2], args } }, null, 2));
