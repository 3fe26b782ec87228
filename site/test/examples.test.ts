// The code of the documentation: every block of TypeScript has the right types, those of the migration pages print what is
// shown, with the real libraries, and the first code of the front page, start page, README and npm's page works with clients of a
// provider that fails first.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startFaultyProvider } from '../../examples/faulty-provider/server.js';
import { printed, testExamples } from '../../pkg/test/docs-examples.js';
import { scratch } from '../../scripts/scratch.mjs';
import { faultsOf } from './check-types.js';
import { root } from './site.js';

/** Packages are found as in site/, where the other libraries are installed. */
const folder = scratch(import.meta.dirname);

const markdown = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
const textOf = (page: string) => readFileSync(join(root, page), 'utf8');

/** Their hosts are installed beside the tests of the integrations, which check and run them: tests/integrations/docs.test.ts. */
const INTEGRATION = /^docs\/integrations\//;

test('every block of TypeScript has the right types', () => {
  const inDocs = markdown('docs').filter((page) => !INTEGRATION.test(page));
  const pages = ['README.md', 'site/home.md', ...inDocs, ...markdown('site/pages/codes')];
  assert.deepEqual(faultsOf(new Map(pages.map((page) => [page, textOf(page)])), import.meta.dirname), []);
});

testExamples(
  join(root, 'docs/'),
  markdown('docs/migration').map((page) => page.slice('docs/'.length)),
  join(root, 'site/test/'),
);

describe('the first code of the front page, of the start page, of the README and of the page on npm answers after a failure of the provider', async () => {
  const tabs = [...textOf('docs/start.md').matchAll(/^```ts \[([^\]]+)\]\n([\s\S]*?)^```/gm)];
  assert.equal(tabs.length, 4);
  const firstOf = (page: string) => ['', page, /^```ts\n([\s\S]*?)^```/m.exec(textOf(page))?.[1]];
  const provider = await startFaultyProvider();
  after(() => provider.close());
  process.env.OPENAI_API_KEY = 'sk-no-real-key';
  process.env.OPENAI_BASE_URL = provider.openaiUrl;
  process.env.ANTHROPIC_API_KEY = 'sk-no-real-key';
  process.env.ANTHROPIC_BASE_URL = provider.anthropicUrl;
  for (const [, name = '', code = ''] of [
    ...tabs,
    firstOf('site/home.md'),
    firstOf('README.md'),
    firstOf('docs/contributing/npm.md'),
  ]) {
    test(name, async () => {
      provider.next(name === 'Anthropic' ? 'anthropic' : 'openai', {
        kind: 'rate-limited',
        retryAfterMs: 20,
      });
      const before = provider.received.length;
      const file = join(folder, `first-${name.replaceAll(/\W/g, '-')}.ts`);
      writeFileSync(file, code);
      assert.equal((await printed(file)).replaceAll('\n', ''), 'All is well.');
      assert.equal(provider.received.length - before, 2);
    });
  }

  test('the front page shows what its code prints after a long rate limit', async () => {
    const [, , code = ''] = firstOf('site/home.md');
    const [, shown] = /^> (.*)$/m.exec(textOf('site/home.md')) ?? [];
    provider.next('openai', { kind: 'rate-limited', retryAfterSeconds: 90 });
    const file = join(folder, 'front-page-refused.ts');
    writeFileSync(file, code);
    assert.equal(await printed(file), `${shown}\n`);
  });
});
