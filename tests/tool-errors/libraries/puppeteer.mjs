// puppeteer-core on Chromium: TimeoutError, ProtocolError, TargetCloseError, net::ERR_*.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve } from '../servers/net.mjs';
import { find } from '../servers/process.mjs';

const lib = library({ packages: ['puppeteer-core'], needs: ['chromium'] });
async function using(work, options = {}) {
  const { default: puppeteer } = await import('puppeteer-core');
  const browser = await puppeteer.launch({
    executablePath: process.env.CHROMIUM || find('chromium'),
    args: ['--no-sandbox'],
    ...options,
  });
  try {
    return await work(await browser.newPage(), browser);
  } finally {
    await browser.close().catch(() => {});
  }
}
const page = (body, work) => async () =>
  using(async (on, browser) => {
    await on.goto((await serve({ headers: { 'content-type': 'text/html' }, body })).url);
    return work(on, browser);
  });
lib.add('refused', again('NETWORK_ERROR'), 'net::ERR_CONNECTION_REFUSED', async () => {
  const port = await closedPort();
  return using((on) => on.goto(`http://127.0.0.1:${port}/`));
});
lib.add('unknown-host', again('NETWORK_ERROR'), 'net::ERR_NAME_NOT_RESOLVED', () =>
  using((on) => on.goto('http://nonexistent.invalid/')),
);
lib.add('reset', again('NETWORK_ERROR'), 'net::ERR_EMPTY_RESPONSE', async () => {
  const { url } = await serve({ reset: true });
  return using((on) => on.goto(url));
});
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'net::ERR_CERT_AUTHORITY_INVALID',
  async () => {
    const { url } = await serve({}, { tls: true });
    return using((on) => on.goto(url));
  },
);
lib.add(
  'bad-url',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'Protocol error (Page.navigate): Cannot navigate to invalid URL',
  () => using((on) => on.goto('nowhere')),
);
lib.add('navigation-timeout', again('TIMEOUT'), 'Navigation timeout', async () => {
  const { url } = await serve({ silent: true });
  return using((on) => on.goto(url, { timeout: 300 }));
});
lib.add(
  'selector-timeout',
  unclear('TIMEOUT', 'NOT_FOUND'),
  'Waiting for selector failed',
  page('<p>a</p>', (on) => on.waitForSelector('#buy', { timeout: 300 })),
);
lib.add(
  'no-element',
  unclear('NOT_FOUND', 'VALIDATION_ERROR'),
  'No element found for selector',
  page('<p>a</p>', (on) => on.click('#buy')),
);
lib.add(
  'eval-no-element',
  unclear('NOT_FOUND', 'VALIDATION_ERROR'),
  'failed to find element matching selector',
  page('<p>a</p>', (on) => on.$eval('#buy', (one) => one.textContent)),
);
lib.add(
  'bad-selector',
  final('VALIDATION_ERROR'),
  'is not a valid selector',
  page('<p>a</p>', (on) => on.$('p[[')),
);
lib.add(
  'not-clickable',
  unclear('CONFLICT', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'Node is either not clickable or not an Element',
  page('<button style="display:none">x</button>', (on) => on.click('button')),
);
lib.add(
  'detached',
  unclear('CONFLICT', 'NOT_FOUND'),
  'Node is detached from document',
  page('<button>x</button>', async (on) => {
    const button = await on.$('button');
    await on.evaluate(() => document.querySelector('button').remove());
    return button.click();
  }),
);
lib.add(
  'script-threw',
  unclear('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'VALIDATION_ERROR'),
  'the script that was run in the page threw',
  page('<p>a</p>', (on) => on.evaluate('frob()')),
);
lib.add(
  'navigated-away',
  again('CONFLICT', 'NETWORK_ERROR', 'UNKNOWN'),
  'Execution context was destroyed',
  page('<p>a</p>', async (on) => {
    const slow = on.evaluate(() => new Promise(() => {}));
    slow.catch(() => {});
    await on.goto('about:blank');
    return slow;
  }),
);
lib.add(
  'page-closed',
  unclear('CANCELLED', 'NETWORK_ERROR', 'CONFLICT'),
  'TargetCloseError',
  page('<p>a</p>', async (on) => {
    const waiting = on.waitForSelector('#never');
    waiting.catch(() => {});
    await on.close();
    return waiting;
  }),
);
lib.add(
  'browser-killed',
  unclear('NETWORK_ERROR', 'CANCELLED', 'SERVER_ERROR'),
  'TargetCloseError: the browser ended',
  page('<p>a</p>', async (on, browser) => {
    const waiting = on.evaluate(() => new Promise(() => {}));
    waiting.catch(() => {});
    browser.process().kill('SIGKILL');
    return waiting;
  }),
);
lib.add(
  'no-browser',
  final('CONFIG_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
  'Browser was not found at the configured executablePath',
  () => using(() => {}, { executablePath: '/nowhere/chromium' }),
);
lib.add(
  'launch-failed',
  unclear('INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'Failed to launch the browser process',
  () => using(() => {}, { executablePath: '/bin/false' }),
);
lib.add('connect-refused', again('NETWORK_ERROR'), 'Failed to fetch browser webSocket URL', async () => {
  const { default: puppeteer } = await import('puppeteer-core');
  return puppeteer.connect({ browserURL: `http://127.0.0.1:${await closedPort()}` });
});
lib.add('protocol-timeout', again('TIMEOUT'), 'ProtocolError: Runtime.callFunctionOn timed out', async () =>
  using(async (on) => on.evaluate(() => new Promise(() => {})), { protocolTimeout: 1500 }),
);
export default lib;
