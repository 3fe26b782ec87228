// Languages are tables, and the main entry has all of them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import * as halfopen from 'halfopen';
import { en } from '../../src/message/locale/en.js';
import { TEMPLATES } from '../../src/message/templates.js';
import { getUserFriendlyMessage } from '../../src/message/user-message.js';

const LANGUAGES = ['de', 'es', 'fr', 'ja', 'zh'];
const here = fileURLToPath(new URL('.', import.meta.url));
const said = (locale: string) => getUserFriendlyMessage('CAPACITY_EXCEEDED', {}, { locale });

/** Runs a program of its own: a language that is registered stays so in its process. */
const printed = (type: 'module' | 'commonjs', program: string): string =>
  execFileSync(process.execPath, [`--input-type=${type}`, '-e', program], {
    cwd: here,
    encoding: 'utf8',
  }).trim();

test('every language has the rows of English', async () => {
  const rows = (text: string) => text.split('\u001e').length;
  for (const tag of LANGUAGES) {
    const language = (await import(`../../src/message/locale/${tag}.ts`)) as Record<string, () => string>;
    assert.equal(rows(language[tag]?.() ?? ''), rows(en()), tag);
  }
});

test('a language that is not there is English, until it is registered', () => {
  assert.equal(said('eo-XX'), said('en'));
  TEMPLATES.register({ eo: () => en().replaceAll('Too many requests', 'Tro da petoj') });
  assert.match(said('eo-XX'), /^Tro da petoj are already under way/);
  assert.match(said('eo_XX.UTF-8'), /^Tro da petoj/);
  assert.equal(said('tlh'), said('en'));
});

test('a language that is registered again is replaced', () => {
  TEMPLATES.register({ eo: en });
  assert.equal(said('eo'), said('en'));
});

test('there are six languages', () => {
  assert.deepEqual(halfopen.LOCALES, ['en', ...LANGUAGES]);
});

const SAY = `
  const say = async (locale) => {
    const message = halfopen.getUserFriendlyMessage('CAPACITY_EXCEEDED', {}, { locale });
    const thrown = new halfopen.AgentError('CAPACITY_EXCEEDED', 'busy').userMessage(locale);
    const report = halfopen.renderReport(halfopen.createErrorContext({}), { locale, now: 0 }).split('\\n')[0];
    const lines = [];
    const handler = new halfopen.ResponseHandler({ locale, statusCallback: (line) => lines.push(line) });
    await handler.collect(async function* () {}).catch(() => {});
    return [message === thrown, message, report.includes('Error report'), lines[0]];
  };`;

test('everything is said in each language, and in English whatever else the locale is', () => {
  const heard = JSON.parse(
    printed(
      'module',
      `const halfopen = await import('halfopen');${SAY}
       console.log(JSON.stringify(await Promise.all(${JSON.stringify([...LANGUAGES, 'eo'])}.map(say))));`,
    ),
  );
  assert.equal(new Set(heard.map(([, message]: unknown[]) => message)).size, LANGUAGES.length + 1);
  const [german, english] = [heard[0], heard.at(-1)];
  assert.deepEqual(english, [
    true,
    'Too many requests are already under way. Please try again in a moment.',
    true,
    '⏳ Sending message to AI...',
  ]);
  assert.deepEqual([german[0], german[2]], [true, false]);
  assert.match(german[1], /Bitte versuchen Sie es in Kürze erneut\.$/);
  assert.match(german[3], /Nachricht wird an die KI gesendet/);
});

test('require has the languages too', () => {
  const heard = printed(
    'commonjs',
    "console.log(require('halfopen').getUserFriendlyMessage('CANCELLED', {}, { locale: 'ja' }))",
  );
  assert.equal(heard, halfopen.getUserFriendlyMessage('CANCELLED', {}, { locale: 'ja' }));
});

/** A sentence of each table, in English and in German. */
const SENTENCES = {
  messages: ['sent back an empty answer', 'Der KI-Dienst'],
  'status lines': ['Sending message to AI', 'Nachricht wird an die KI'],
  labels: ['Total operations', 'Fehlerbericht'],
} as const;

/** Returns what an application carries that uses one export: bundles by its name. */
async function carried(): Promise<Map<string, string>> {
  const uses = Object.keys(halfopen);
  const { outputFiles } = await esbuild.build({
    entryPoints: uses.map((use, at) => ({ in: `use:${use}`, out: String(at) })),
    outdir: here,
    bundle: true,
    minifySyntax: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    charset: 'utf8',
    external: ['node:*', './*-inline.js'],
    logOverride: { 'ignored-bare-import': 'silent' },
    plugins: [
      {
        name: 'use',
        setup(build) {
          build.onResolve({ filter: /^use:/ }, ({ path }) => ({ path, namespace: 'use' }));
          build.onLoad({ filter: /.*/, namespace: 'use' }, ({ path }) => {
            const name = path.slice('use:'.length);
            return {
              contents: `import { ${name} } from 'halfopen'; globalThis.used = ${name};`,
              resolveDir: here,
            };
          });
        },
      },
    ],
  });
  return new Map(
    uses.map((use, at) => [use, outputFiles.find(({ path }) => path.endsWith(`/${at}.js`))?.text ?? '']),
  );
}

test('an export carries its texts in every language', async () => {
  const wrong: string[] = [];
  for (const [name, text] of await carried()) {
    assert.notEqual(text, '', name);
    for (const [table, [english, german]] of Object.entries(SENTENCES)) {
      if (text.includes(german) !== text.includes(english)) wrong.push(`${name}: ${table}`);
    }
  }
  assert.deepEqual(wrong, []);
});
