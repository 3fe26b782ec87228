// The Chromium of every test, bench and check in a browser: its path, its flags, and its start.
import { WAIT } from './patience.mjs';

/** The browser that scripts/env.sh found, or Debian's. */
export const CHROMIUM = process.env.CHROMIUM || process.env.HALFOPEN_CHROMIUM || '/usr/bin/chromium';

/** Runs as root and without a screen, and sends no request outside. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium by Playwright. Nothing in its pages gives up before `WAIT`; Playwright's own limit is 30 seconds. */
export async function launchChromium(...flags) {
  const { chromium } = await import('playwright-core');
  const args = [...CHROMIUM_FLAGS, ...flags];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args, timeout: WAIT });
  const newContext = browser.newContext.bind(browser);
  // `newPage` calls this too.
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(WAIT);
    return context;
  };
  return browser;
}
