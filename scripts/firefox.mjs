// The Firefox of the tests that check another engine too, and its start.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { WAIT } from './patience.mjs';

/** Where set-up finds one and installs none. */
const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
const named = ['firefox-esr', 'firefox'].flatMap((name) => folders.map((folder) => join(folder, name)));

/** The browser that FIREFOX names, or Debian's, or the system's; undefined without Firefox. */
export const FIREFOX = [process.env.FIREFOX, ...named].find((path) => path !== undefined && existsSync(path));

/** Starts Firefox by Puppeteer. Nothing in its pages gives up before `WAIT`; Puppeteer's own limits are 30 and 180 seconds. */
export async function launchFirefox() {
  const { default: puppeteer } = await import('puppeteer-core');
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: FIREFOX ?? '',
    headless: true,
    defaultViewport: null,
    timeout: WAIT,
    protocolTimeout: WAIT,
  });
  const newPage = browser.newPage.bind(browser);
  browser.newPage = async (options) => {
    const page = await newPage(options);
    page.setDefaultTimeout(WAIT);
    return page;
  };
  return browser;
}
