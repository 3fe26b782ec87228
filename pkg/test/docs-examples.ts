// The examples of the documentation, run: what is shown as their output is what they print.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';
import { scratch } from '../../scripts/scratch.mjs';
import { ELSEWHERE, FRAGMENTS, type Fragment } from './docs-fragments.js';

interface Example {
  heading: string;
  code: string;
  output: string;
}

/** The blocks of TypeScript that a block of text follows. */
function examplesIn(markdown: string): Example[] {
  return [...markdown.matchAll(/^```ts\n([\s\S]*?)^```\n+```text\n([\s\S]*?)^```/gm)].map(
    ([, code = '', output = ''], n) => ({
      heading: `example ${n + 1}`,
      code,
      output,
    }),
  );
}

/** Returns the output of a file while it is imported. */
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
  const folder = scratch(beside);
  for (const name of pages) {
    const examples = examplesIn(readFileSync(docs + name, 'utf8'));
    if (examples.length === 0) continue;
    describe(`docs/${name}`, () => {
      for (const { heading, code, output } of examples) {
        test(`${heading} prints what is shown`, async () => {
          const file = `${folder}/${name.replaceAll(/\W/g, '-')}-${heading.replaceAll(' ', '-')}.ts`;
          writeFileSync(file, code);
          assert.equal(await printed(file), output);
        });
      }
    });
  }
}

/**
 * Returns the blocks of code of a page that no block of output follows. Commands, headers and other programs' settings
 * do not count.
 */
function blocksWithoutOutput(markdown: string): string[] {
  const blocks = markdown.matchAll(
    /^(> )?```(?:ts|js)(?: \[[^\]]*\])?\n((?:(?!^(?:> )?```)[\s\S])*)^(?:> )?```$(?!\n+```text$)/gm,
  );
  return [...blocks].map(([, quoted, code = '']) => (quoted ? code.replaceAll(/^> ?/gm, '') : code));
}

/** Returns the faults in the lists of docs-fragments.ts: blocks that nothing runs, and entries without a block. */
export function unaccounted(pages: ReadonlyMap<string, string>): string[] {
  const faults: string[] = [];
  for (const [page, text] of pages) {
    const entries = [
      ...FRAGMENTS.filter((fragment) => fragment.page === page).map(({ begins }) => begins),
      ...(ELSEWHERE[page] ?? []).map(([begins]) => begins),
    ];
    const blocks = blocksWithoutOutput(text);
    for (const block of blocks)
      if (!entries.some((begins) => block.startsWith(begins)))
        faults.push(`${page}: nothing runs ${block.slice(0, 60)}`);
    for (const begins of entries)
      if (!blocks.some((block) => block.startsWith(begins)))
        faults.push(`${page}: no block begins with ${begins}`);
  }
  const named = [...FRAGMENTS.map(({ page }) => page), ...Object.keys(ELSEWHERE)];
  return [...faults, ...named.filter((page) => !pages.has(page)).map((page) => `no page ${page}`)];
}

/** Tests that each fragment runs, and prints what it should, with its page in `root` and its packages found from `beside`. */
export function testFragments(root: string, fragments: readonly Fragment[], beside: string): void {
  const folder = scratch(beside);
  for (const [n, fragment] of fragments.entries()) {
    const { page, begins, before = '', after: behind = '', prints = '', isCommonJs = false } = fragment;
    test(`${page} runs: ${begins}`, async () => {
      const blocks = blocksWithoutOutput(readFileSync(root + page, 'utf8'));
      const code = blocks.find((block) => block.startsWith(begins));
      assert.ok(code, 'the page has it');
      const file = `${folder}/${n}.${isCommonJs ? 'cjs' : 'ts'}`;
      writeFileSync(file, before + code + behind);
      assert.equal(await printed(file), prints);
    });
  }
}
