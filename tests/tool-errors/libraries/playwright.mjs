// playwright-core on Chromium: TimeoutError, net::ERR_* in messages, "Target closed".
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve, sleep } from '../servers/net.mjs';
import { find } from '../servers/process.mjs';

const chromium = () => process.env.CHROMIUM || find('chromium') || find('google-chrome');
const lib = library({ packages: ['playwright-core'], needs: ['chromium'] });
async function using(work, options = {}) {
  const { chromium: browsers } = await import('playwright-core');
  const browser = await browsers.launch({ executablePath: chromium(), args: ['--no-sandbox'], ...options });
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
  'redirects',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'net::ERR_TOO_MANY_REDIRECTS',
  async () => {
    const { url } = await serve({ status: 302, headers: { location: '/again' } });
    return using((on) => on.goto(url));
  },
);
lib.add(
  'download',
  final('VALIDATION_ERROR', 'NETWORK_ERROR', 'INVALID_RESPONSE', 'UNKNOWN'),
  'Download is starting',
  async () => {
    const { url } = await serve({ headers: { 'content-type': 'application/zip' }, body: 'x' });
    return using((on) => on.goto(url));
  },
);
lib.add(
  'unsafe-port',
  final('NETWORK_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED', 'CONFIG_ERROR'),
  'net::ERR_UNSAFE_PORT',
  () => using((on) => on.goto('http://127.0.0.1:25/')),
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'Cannot navigate to invalid URL', () =>
  using((on) => on.goto('nowhere')),
);
lib.add('no-file', final('NOT_FOUND'), 'net::ERR_FILE_NOT_FOUND', () =>
  using((on) => on.goto('file:///nowhere/page.html')),
);
lib.add('navigation-timeout', again('TIMEOUT'), 'page.goto: Timeout exceeded', async () => {
  const { url } = await serve({ silent: true });
  return using((on) => on.goto(url, { timeout: 300 }));
});
lib.add(
  'selector-timeout',
  unclear('TIMEOUT', 'NOT_FOUND'),
  'the element did not come: it may not be there at all',
  page('<p>hello</p>', (on) => on.click('#buy', { timeout: 300 })),
);
lib.add(
  'strict-mode',
  final('VALIDATION_ERROR'),
  'strict mode violation: a model wrote this locator',
  page('<p>a</p><p>b</p>', (on) => on.locator('p').click({ timeout: 500 })),
);
lib.add(
  'bad-selector',
  final('VALIDATION_ERROR'),
  'not a valid selector: a model wrote it',
  page('<p>a</p>', (on) => on.click('p[[', { timeout: 500 })),
);
lib.add(
  'covered',
  unclear('TIMEOUT', 'CONFLICT'),
  'another element intercepts pointer events',
  page(
    '<button style="position:fixed;top:0">x</button><div style="position:fixed;inset:0;z-index:9"></div>',
    (on) => on.click('button', { timeout: 400 }),
  ),
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
  'Target page, context or browser has been closed',
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
  'the browser ended under a command',
  page('<p>a</p>', async (on, browser) => {
    const waiting = on.waitForSelector('#never');
    waiting.catch(() => {});
    const session = await browser.newBrowserCDPSession();
    session.send('Browser.crash').catch(() => {});
    await sleep(50);
    return waiting;
  }),
);
lib.add(
  'no-browser',
  final('CONFIG_ERROR', 'NOT_FOUND', 'INITIALIZATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
  "Failed to launch: the executable doesn't exist",
  () => using(() => {}, { executablePath: '/nowhere/chromium' }),
);
lib.add('connect-refused', again('NETWORK_ERROR'), 'connectOverCDP: ECONNREFUSED', async () => {
  const { chromium: browsers } = await import('playwright-core');
  return browsers.connectOverCDP(`http://127.0.0.1:${await closedPort()}`);
});
lib.add(
  'intercepted',
  unclear('NETWORK_ERROR', 'CANCELLED', 'PERMISSION_DENIED'),
  'net::ERR_BLOCKED_BY_CLIENT: the program blocks it',
  () =>
    using(async (on) => {
      await on.route('**/*', (route) => route.abort('blockedbyclient'));
      return on.goto('http://example.invalid/');
    }),
);
lib.add('offline', again('NETWORK_ERROR'), 'net::ERR_INTERNET_DISCONNECTED', async () => {
  const { url } = await serve({});
  return using(async (on) => {
    await on.context().setOffline(true);
    return on.goto(url);
  });
});
export default lib;
