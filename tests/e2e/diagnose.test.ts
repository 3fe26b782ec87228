// The page and the command line say the same of a log, word for word, except the time of day.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPage, setStage } from './stage.js';

const BIN = fileURLToPath(new URL('../../pkg/bin/halfopen.js', import.meta.url));
const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}.jsonl`, import.meta.url));

interface Finding {
  check: string;
  title: string;
  what: string;
  fix: string;
  code: string;
  evidence: { text: string; at?: string }[];
}

/** The page says the time of day of a call or a run, the command the time after the log's beginning, beside the moment itself. */
const onPage = ({ text, at }: { text: string; at?: string }) =>
  at === undefined
    ? text
    : text.replace(/ at [\d:.]+( m?s)?$/, ` at ${new Date(at).toTimeString().slice(0, 8)}`);

const stage = setStage();

for (const name of ['incident', 'agent-day', 'throttled']) {
  test(`the findings of ${name} are the same on the page and in the command`, async () => {
    const printed = execFileSync(process.execPath, [BIN, 'diagnose', fixture(name), '--json'], {
      encoding: 'utf8',
    });
    const { findings } = JSON.parse(printed) as { findings: Finding[] };
    assert.ok(findings.length > 0);
    const page = await openPage(stage.browser, stage.server.dashboardUrl);
    await page.locator('input[type=file]').setInputFiles(fixture(name));
    await page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Findings/ })
      .click();
    const cards = page.locator('article.finding .finding-of');
    await cards.nth(findings.length - 1).waitFor({ state: 'attached' });
    // No function within this one: tsx would name it by a helper that the page does not have.
    const shown = await cards.evaluateAll((all) =>
      all.map((card) => {
        const [what, fix] = card.querySelectorAll('p:not(.links):not(.dim)');
        return {
          check: card.closest('article')?.querySelector('header code')?.textContent?.trim(),
          title: card.querySelector('h4')?.textContent?.trim(),
          what: what?.textContent?.trim(),
          fix: fix?.textContent?.trim(),
          code: card.querySelector('pre')?.textContent?.trim(),
          places: [...card.querySelectorAll('.links button')].map((button) => button.textContent?.trim()),
        };
      }),
    );
    // The page has one card for each check.
    const checks = [...new Set(findings.map(({ check }) => check))];
    const byCheck = checks.flatMap((check) => findings.filter((finding) => finding.check === check));
    assert.equal(await page.locator('article.finding').count(), checks.length);
    assert.deepEqual(
      shown,
      byCheck.map(({ check, title, what, fix, code, evidence }) => ({
        ...{ check, title, what, fix, code },
        places: evidence.map(onPage),
      })),
    );
    await page.close();
  });
}
