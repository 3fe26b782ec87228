// The examples of the documentation, run: what is shown as their output is what they print.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';

export interface Example {
  heading: string;
  code: string;
  output: string;
}

/** The blocks of TypeScript that a block of text follows. */
export function examplesIn(markdown: string): Example[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```\n+```text\n([\s\S]*?)^```/gm)].map(
    ([, code = '', output = ''], n) => ({
      heading: `example ${n + 1}`,
      code,
      output,
    }),
  );
}

/** What a file prints while it is imported. */
export async function printed(file: string): Promise<string> {
  const lines: string[] = [];
  const { log } = console;
  console.log = (...values: unknown[]) => lines.push(`${formatWithOptions({ colors: false }, ...values)}\n`);
  try {
    await import(pathToFileURL(file).href);
  } finally {
    console.log = log;
  }
  return lines.join('');
}

/**
 * Tests that each example of the pages prints what is shown below it.
 *
 * @param docs - The folder that the pages' names are relative to.
 * @param beside - The folder from which examples import their packages.
 */
export function testExamples(docs: string, pages: readonly string[], beside: string): void {
  const scratch = `${beside}output-${process.pid}/`;
  mkdirSync(scratch, { recursive: true });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  for (const name of pages) {
    const examples = examplesIn(readFileSync(docs + name, 'utf8'));
    if (examples.length === 0) continue;
    describe(`docs/${name}`, () => {
      for (const { heading, code, output } of examples) {
        test(`${heading} prints what is shown`, async () => {
          const file = `${scratch}${name.replaceAll(/\W/g, '-')}-${heading.replaceAll(' ', '-')}.ts`;
          writeFileSync(file, code);
          assert.equal(await printed(file), output);
        });
      }
    });
  }
}
