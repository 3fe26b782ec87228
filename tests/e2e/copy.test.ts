// Copy: on this machine's HTTP, on that of another machine, where browsers give no clipboard, and where they refuse.
import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { serve, urlOf } from './embedding.js';
import { openPage, root, startBrowser } from './stage.js';

/** A name that is this machine's for the browser, and no `localhost`: its HTTP is not a secure context. */
const NAME = 'dashboard.example';

let browser: Browser;
let server: Server;
before(async () => {
  browser = await startBrowser(`--host-resolver-rules=MAP ${NAME} 127.0.0.1`);
  server = await serve(join(root, 'pkg/dist/dashboard'), "default-src 'self' 'wasm-unsafe-eval'");
});
after(async () => {
  await browser?.close();
  server?.close();
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Returns the clipboard as a user sees it: pasted into a field. */
async function pasted(page: Page): Promise<string> {
  await page.getByLabel('Filter calls').focus();
  await page.keyboard.press('Control+V');
  return page.getByLabel('Filter calls').inputValue();
}

for (const host of ['127.0.0.1', NAME]) {
  test(`${host}: what is copied is there, and the button says so for a moment`, async () => {
    const page = await openPage(browser, urlOf(server).replace('127.0.0.1', host));
    assert.equal(await page.evaluate('isSecureContext'), host === '127.0.0.1');
    for (let times = 0; times < 2; times++) {
      await button(page, 'Copy').click();
      await button(page, 'Copied').waitFor();
      await button(page, 'Copy').waitFor();
    }
    assert.match(await pasted(page), /import \{ connectDevtools \} from 'halfopen\/devtools'/);
    assert.equal(await page.locator('textarea').count(), 0);
    await page.close();
  });
}

test('where the browser refuses the button says that it could not, and works again', async () => {
  const page = await openPage(browser, urlOf(server), 1400, 'light', (fresh) =>
    fresh.addInitScript(() => {
      let refusals = 1;
      const { writeText } = Clipboard.prototype;
      Clipboard.prototype.writeText = function (text) {
        return refusals-- > 0
          ? Promise.reject(new DOMException('no', 'NotAllowedError'))
          : writeText.call(this, text);
      };
      document.execCommand = () => false;
    }),
  );
  await button(page, 'Copy').click();
  await button(page, 'Could not copy').waitFor();
  await button(page, 'Copy').click();
  await button(page, 'Copied').waitFor();
  await page.close();
});
