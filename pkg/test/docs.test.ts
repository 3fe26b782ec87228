// The documentation: every example whose output is shown prints exactly that. Tables that follow from the code:
// core/tests/generated.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { formatWithOptions } from 'node:util';

const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
/** Beside the tests, so that `halfopen` is found as in an application. */
const scratch = fileURLToPath(new URL(`./output-${process.pid}/`, import.meta.url));
mkdirSync(scratch, { recursive: true });
after(() => rmSync(scratch, { recursive: true, force: true }));

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

async function printed(file: string): Promise<string> {
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

for (const name of readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
)) {
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
