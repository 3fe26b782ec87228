// Languages are tables: the main entry has all of them, `halfopen/slim` has English, and `halfopen/locale/<tag>` adds one more.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import * as halfopen from 'halfopen';
import * as slim from 'halfopen/slim';
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

test('halfopen/slim has the exports of halfopen, the very same, and English', () => {
  assert.deepEqual(Object.keys(slim), Object.keys(halfopen));
  const all = new Map(Object.entries(halfopen));
  const different = Object.entries(slim)
    .filter(([name, value]) => all.get(name) !== value)
    .map(([name]) => name);
  assert.deepEqual(different, ['LOCALES']);
  assert.deepEqual(slim.LOCALES, ['en']);
  assert.deepEqual(halfopen.LOCALES, ['en', ...LANGUAGES]);
});

test('there is a door for each language', () => {
  const doors = readdirSync(new URL('../../src/locale/', import.meta.url)).map((file) =>
    file.replace('.ts', ''),
  );
  assert.deepEqual(doors.sort(), LANGUAGES);
});

const SAY = `
  const say = async (locale) => {
    const message = slim.getUserFriendlyMessage('CAPACITY_EXCEEDED', {}, { locale });
    const thrown = new slim.AgentError('CAPACITY_EXCEEDED', 'busy').userMessage(locale);
    const report = slim.renderReport(slim.createErrorContext({}), { locale, now: 0 }).split('\\n')[0];
    const lines = [];
    const handler = new slim.ResponseHandler({ locale, statusCallback: (line) => lines.push(line) });
    await handler.collect(async function* () {}).catch(() => {});
    return [message === thrown, message, report.includes('Error report'), lines[0]];
  };`;

test('slim speaks English whatever the locale, and one language more after the import of its door', () => {
  const heard = JSON.parse(
    printed(
      'module',
      `const slim = await import('halfopen/slim');${SAY}
       const before = await say('de');
       await import('halfopen/locale/de');
       console.log(JSON.stringify([before, await say('de-AT'), await say('fr')]));`,
    ),
  );
  const english = [
    true,
    'Too many requests are already under way. Please try again in a moment.',
    true,
    '⏳ Sending message to AI...',
  ];
  const [before, german, french] = heard;
  assert.deepEqual(before, english);
  assert.deepEqual(french, english);
  assert.deepEqual([german[0], german[2]], [true, false]);
  assert.match(german[1], /Bitte versuchen Sie es in Kürze erneut\.$/);
  assert.match(german[3], /Nachricht wird an die KI gesendet/);
});

test('slim with all doors says what the whole package says, in every language', () => {
  const saying = (load: string) =>
    JSON.parse(
      printed(
        'module',
        `${load}${SAY}
         console.log(JSON.stringify(await Promise.all(${JSON.stringify(LANGUAGES)}.map(say))));`,
      ),
    );
  const doors = LANGUAGES.map((tag) => `await import('halfopen/locale/${tag}');`).join('\n');
  const heard = saying(`const slim = await import('halfopen/slim');\n${doors}`);
  assert.deepEqual(heard, saying("const slim = await import('halfopen');"));
  assert.equal(new Set(heard.map(([, message]: unknown[]) => message)).size, LANGUAGES.length);
});

test('require takes the doors too', () => {
  const heard = printed(
    'commonjs',
    `const slim = require('halfopen/slim'); require('halfopen/locale/ja');
     console.log(slim.getUserFriendlyMessage('CANCELLED', {}, { locale: 'ja' }))`,
  );
  assert.equal(heard, halfopen.getUserFriendlyMessage('CANCELLED', {}, { locale: 'ja' }));
});

/** A sentence of each table, in English and in German. */
const SENTENCES = {
  messages: ['sent back an empty answer', 'Der KI-Dienst'],
  'status lines': ['Sending message to AI', 'Nachricht wird an die KI'],
  labels: ['Total operations', 'Fehlerbericht'],
} as const;

/** Returns what an application carries that uses one export: bundles by `<door> <name>`. */
async function carried(): Promise<Map<string, string>> {
  const uses = Object.keys(slim).flatMap((name) => [`halfopen ${name}`, `halfopen/slim ${name}`]);
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
            const [door, name] = path.slice('use:'.length).split(' ');
            return {
              contents: `import { ${name} } from '${door}'; globalThis.used = ${name};`,
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

test('an export of halfopen carries its texts in every language; one of slim, in English only', async () => {
  const wrong: string[] = [];
  for (const [use, text] of await carried()) {
    assert.notEqual(text, '', use);
    for (const [table, [english, german]] of Object.entries(SENTENCES)) {
      const expected = use.startsWith('halfopen ') && text.includes(english);
      if (text.includes(german) !== expected) wrong.push(`${use}: ${table}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('a bundler keeps the import of a language, which has no names', async () => {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: "import 'halfopen/locale/de'; import 'halfopen';", resolveDir: here },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    charset: 'utf8',
    external: ['node:*'],
    logOverride: { 'ignored-bare-import': 'silent' },
  });
  const text = outputFiles[0]?.text ?? '';
  assert.match(text, /Der KI-Dienst/);
  assert.doesNotMatch(text, /Le service d’IA|WebAssembly/);
});
