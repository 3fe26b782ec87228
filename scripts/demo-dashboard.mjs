// Looks at the demo's dashboard as a person would, in headless Chromium.
import { launchChromium } from './chromium.mjs';

/**
 * Opens the dashboard by its printed URL and goes through what must be there.
 *
 * Returns what it found, and all text it saw (page, attributes, address, storage), to be searched for keys.
 */
export async function checkDashboard(url, screenshot) {
  const browser = await launchChromium();
  const findings = [];
  const seen = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const troubles = [];
    page.on('console', (message) => {
      seen.push(message.text());
      if (message.type() === 'error') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));

    /** One thing that must come to be true. */
    const step = async (what, look) => {
      try {
        await look();
        findings.push({ what });
      } catch (error) {
        findings.push({ what, wrong: error.message.split('\n')[0] });
      }
      seen.push(await page.content());
    };
    const visible = (locator) => locator.first().waitFor({ state: 'visible' });
    const view = async (name) => {
      const tab = page.getByRole('navigation', { name: 'Views' }).getByText(name, { exact: true });
      await tab.click();
    };

    await page.goto(url);
    await step('the dashboard: the token has left the address', async () => {
      await page.waitForURL((address) => !address.searchParams.has('token'));
    });
    await step('the dashboard: the calls are there', async () => {
      await view('Timeline');
      await visible(page.getByRole('listbox', { name: 'Calls' }));
      await visible(page.getByRole('option', { name: /report/ }));
    });
    await step("the dashboard: the breaker's track shows that it was open", async () => {
      await view('Breakers');
      const breaker = page.getByRole('article', { name: 'Breaker openai' });
      await visible(breaker);
      const track = await breaker.locator('.track').getAttribute('aria-label');
      if (!/open/i.test(track ?? '')) throw new Error(`the track says '${track}'`);
    });
    await step(
      'the dashboard: a selected call shows the rule that classified it, and the message for people',
      async () => {
        await view('Timeline');
        const search = page.getByLabel('Filter calls');
        await search.fill('chapter 5');
        const option = page.getByRole('option', { name: /openai: chapter 5:/ });
        await option.first().click();
        const details = page.locator('#details');
        await visible(details);
        await visible(details.locator('.steps').getByText('http.5xx'));
        const message = details.getByRole('region', { name: 'What the user reads' });
        await visible(message);
        if (!/technical problems/.test((await message.textContent()) ?? ''))
          throw new Error('another message');
        await search.fill('');
      },
    );
    await step('the dashboard: the whole day fits into one picture', async () => {
      await page.getByText('Fit', { exact: true }).click();
      await page.mouse.move(0, 0);
      // Layout and paint come with the next frames.
      await page.evaluate(
        () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
    });
    await page.screenshot({ path: screenshot });
    seen.push(
      await page.evaluate(
        () => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + location.href,
      ),
    );
    findings.push({
      what: 'the dashboard: the browser blocked nothing and threw nothing',
      wrong: troubles.length === 0 ? undefined : troubles.slice(0, 3).join(' | '),
    });
  } finally {
    await browser.close();
  }
  return { findings, seen: seen.join('\n') };
}
