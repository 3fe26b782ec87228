// A breaker that refuses a share of the calls, in Chromium: its share is in Breakers and at each refused call.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { drawn, go, openFixture, openPage, output, seriousFindings, setStage, troublesOf } from './stage.js';

const stage = setStage();

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1400, 400]) {
    test(`the share that a closed breaker refuses shows at ${width} px, ${theme}`, async () => {
      const page = await openPage(stage.browser, `${stage.server.dashboardUrl}&view=breakers`, width, theme);
      const troubles = troublesOf(page);
      await openFixture(page, 'throttled.jsonl');
      const card = page.getByRole('article', { name: 'Breaker search' });
      await card.getByText('Share refused').waitFor();
      assert.match(await card.innerText(), /\d+ % of calls, last at 0?:?\d+/);
      await page.getByRole('article', { name: 'Breaker chat' }).getByText('Share refused').waitFor();
      await drawn(page);
      await page.screenshot({ path: join(output, `throttled-${width}-${theme}.png`), fullPage: true });
      const findings = await seriousFindings(page);

      // A call that was refused says which share of calls was.
      await page.getByLabel('Filter calls').fill('policy:search status:rejected');
      await go(page, 'Timeline');
      await page.getByRole('option').first().click();
      await page
        .getByText(
          /Refused by the breaker without an attempt: CIRCUIT_OPEN\. It refused [\d.]+ % of calls at that time/,
        )
        .waitFor();
      await drawn(page);
      await page.screenshot({ path: join(output, `throttled-call-${width}-${theme}.png`) });
      findings.push(...(await seriousFindings(page)));
      await page.keyboard.press('Escape');
      await go(page, 'Timeline');
      assert.deepEqual(findings, []);
      assert.deepEqual(troubles, []);
      await page.close();
    });
  }
}
