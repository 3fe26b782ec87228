// Records the package's code that a page runs, for `make coverage`.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/**
 * Writes what a page ran when it is closed, as Node does for its own processes: `make coverage` counts what of the package
 * runs only in browsers (scripts/coverage-pkg.mjs).
 */
export async function noteCoverage(page: Page): Promise<void> {
  const folder = process.env.NODE_V8_COVERAGE;
  if (folder === undefined) return;
  await page.coverage.startJSCoverage({ resetOnNavigation: false });
  const close = page.close.bind(page);
  page.close = async (options) => {
    const result = await page.coverage.stopJSCoverage();
    writeFileSync(join(folder, `coverage-page-${randomUUID()}.json`), JSON.stringify({ result }));
    await close(options);
  };
}
