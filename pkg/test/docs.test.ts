// The documentation: every example whose output is shown prints exactly that. Tables that follow from the code:
// core/tests/generated.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

/** The anchor that a heading gets, as GitHub makes it. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

test('relative links lead to files and headings that exist', () => {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const inRoot = ['README.md', 'HACKING.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CODE_OF_CONDUCT.md'];
  const inDocs = readdirSync(docs, { recursive: true, encoding: 'utf8' });
  const pages = [...inRoot, ...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const dead: string[] = [];
  for (const page of pages) {
    const text = readFileSync(root + page, 'utf8').replaceAll(/^```[\s\S]*?^```/gm, '');
    for (const [, target = ''] of text.matchAll(/\]\(((?!https?:|mailto:)[^)\s]+)\)/g)) {
      const [path = '', heading] = target.split('#');
      const file = path === '' ? root + page : fileURLToPath(new URL(path, pathToFileURL(root + page)));
      if (!existsSync(file)) dead.push(`${page}: ${target}`);
      else if (heading !== undefined && file.endsWith('.md')) {
        const anchors = [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, it = '']) =>
          anchor(it),
        );
        if (!anchors.includes(heading)) dead.push(`${page}: ${target}`);
      }
    }
  }
  assert.deepEqual(dead, []);
});
