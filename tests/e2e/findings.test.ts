// The checks look at logs of any size, whichever view is shown: the number beside the name of Findings is there.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openPage, setStage, until } from './stage.js';

/** Calls, of four events each: more events than one pass of the checks takes in many steps. */
const CALLS = 90_000;

const stage = setStage();
let folder: string;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'halfopen-findings-'));
});
after(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** A log in which all is well, but that the last ten calls are answered by their fallback only. */
function writeLog(path: string): void {
  const lines: string[] = [];
  const tell = (call: number, at: number, more: string) =>
    lines.push(
      `{"v":1,"source":"s","seq":${lines.length},"time":${1.7e12 + call * 50 + at},"policy":"chat","call":"c${call}",${more}}`,
    );
  for (let call = 0; call < CALLS; call++) {
    tell(call, 0, '"type":"call.started"');
    tell(call, 0, '"type":"attempt.started","attempt":1,"provider":"openai"');
    if (call < CALLS - 10) {
      tell(call, 30, '"type":"attempt.succeeded","attempt":1,"durationMs":30');
      tell(call, 30, '"type":"call.succeeded","attempts":1,"durationMs":30');
    } else {
      tell(
        call,
        30,
        '"type":"call.failed","attempts":1,"durationMs":30,"code":"SERVER_ERROR","why":"exhausted","userMessage":""',
      );
      tell(call, 31, '"type":"fallback.used","code":"SERVER_ERROR"');
    }
  }
  writeFileSync(path, lines.join('\n'));
}

test(`the last ten of ${CALLS} calls tell of an outage, while the timeline is shown`, async () => {
  const path = join(folder, 'long.jsonl');
  writeLog(path);
  const page = await openPage(stage.browser, stage.server.dashboardUrl);
  await page.locator('input[type=file]').setInputFiles(path);
  await page.getByText('360\u202f000 events').waitFor();
  const tab = page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: /^Findings ?1$/ });
  await tab.waitFor();
  // Forgotten with the log it was found in.
  await page.keyboard.press('c');
  await tab.waitFor({ state: 'detached' });
  await until(
    () => page.getByRole('option').count(),
    (rows) => rows === 0,
  );
  await page.close();
});
