// The files of the built site: links, what a first load takes, and what is written for models.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { dist, files, pages, read, root, rustFiles } from './site.js';

/** The search of VitePress, which is installed with the site alone: sources and tests are compiled without it. */
interface Search {
  loadJSON(
    json: string,
    options: object,
  ): { search(text: string): { id: unknown; match: Readonly<Record<string, unknown>> }[] };
}

const attributes = (html: string, name: string) =>
  [...html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value = '']) =>
    value.replaceAll('&amp;', '&'),
  );
const texts = new Map(pages.map((page) => [page, read(page)]));
const ids = new Map([...texts].map(([page, html]) => [page, new Set(attributes(html, 'id'))]));

test('links lead to pages and headings that exist', () => {
  const dead: string[] = [];
  for (const [page, html] of texts) {
    for (const href of new Set(attributes(html, 'href'))) {
      if (/^(https?|mailto|data):/.test(href)) continue;
      const { pathname, hash } = new URL(href, `http://site/${page}`);
      const path = decodeURIComponent(pathname)
        .slice(1)
        .replace(/(^|\/)$/, '$1index.html');
      const to = posix.extname(path) === '' ? `${path}.html` : path;
      const heading = decodeURIComponent(hash.slice(1));
      if (!files.has(to) && !rustFiles.has(to)) dead.push(`${page}: ${href}`);
      else if (heading !== '' && ids.get(to)?.has(heading) === false) dead.push(`${page}: ${href}`);
    }
  }
  assert.deepEqual(dead, []);
});

test('every page leads to the documentation of the crate', () => {
  const without = pages.filter((page) => !texts.get(page)?.includes('href="/rust/halfopen/index.html"'));
  assert.deepEqual(without, [], 'the site is built by `make docs`, which has cargo document the crate first');
});

/** Returns how much the browser fetches before a page can be read, in bytes as a server with gzip sends it. */
function firstLoad(html: string): number {
  const linked = [...html.matchAll(/<(link|script)\s([^>]*)>/g)]
    .filter(
      ([, tag, rest = '']) => tag === 'script' || /rel="(preload )?(stylesheet|modulepreload)/.test(rest),
    )
    .map(([, , rest = '']) => /(?:href|src)="\/([^"]+)"/.exec(rest)?.[1])
    .filter((path) => path !== undefined);
  const transferred = [html, ...[...new Set(linked)].map(read)].map((text) => gzipSync(text).length);
  return transferred.reduce((sum, bytes) => sum + bytes, 0);
}

test('the first load of a page takes less than 150 kB', () => {
  const sizes = [...texts].map(([page, html]) => ({ page, kB: Math.round(firstLoad(html) / 1000) }));
  sizes.sort((a, b) => b.kB - a.kB);
  console.log(
    sizes
      .slice(0, 3)
      .map(({ page, kB }) => `${page}: ${kB} kB`)
      .join(', '),
  );
  assert.deepEqual(
    sizes.filter(({ kB }) => kB >= 150),
    [],
  );
  const kBOf = (wanted: string) => sizes.find(({ page }) => page === wanted)?.kB ?? Number.NaN;
  assert.ok(kBOf('index.html') > 20, 'scripts and styles were counted');
});

test('llms.txt lists every page, and its links lead to their texts', () => {
  const list = read('llms.txt');
  const linked = [...list.matchAll(/\]\(\/([^)]+)\)/g)].map(([, path = '']) => path);
  assert.deepEqual(
    linked.filter((path) => !files.has(path)),
    [],
  );
  const listed = new Set(linked.map((path) => path.replace(/\.md$/, '.html')));
  assert.deepEqual(
    pages.filter((page) => page !== 'index.html' && !listed.has(page)),
    [],
  );
});

/** The names of all options: the members of the interfaces that are named so in the reports of the API. */
function optionNames(): Set<string> {
  const names = new Set(['retriesBeforeSwitch', 'maxWaitMs']); // of an interface that only others extend
  for (const report of readdirSync(join(root, 'pkg/api'))) {
    const text = readFileSync(join(root, 'pkg/api', report), 'utf8');
    for (const [, members = ''] of text.matchAll(/^export interface \w*Options\b[^{]*\{\n([\s\S]*?)^\}/gm))
      for (const [, name = ''] of members.matchAll(/^ {4}(?:readonly )?(\w+)\??[(:]/gm)) names.add(name);
  }
  return names;
}

test('the search finds every option, and those that are set most in a guide too', async () => {
  const [path = ''] = [...files].filter((file) => /@localSearchIndexroot/.test(file));
  const { default: json } = await import(pathToFileURL(join(dist, path)).href);
  const search: Search = createRequire(import.meta.url)('minisearch');
  const index = search.loadJSON(json, { fields: ['title', 'titles', 'text'] });
  const found = (name: string) =>
    index.search(name).map(({ id, match }) => ({ id: String(id), isExact: name.toLowerCase() in match }));
  const names = optionNames();
  assert.ok(names.size > 150, `${names.size} options`);
  assert.deepEqual(
    [...names].filter((name) => !found(name).some(({ isExact }) => isExact)),
    [],
  );
  const often = [
    'attemptMs',
    'stallTimeoutMs',
    'retriesBeforeSwitch',
    'surelyNot',
    'maxRetryAfterMs',
    'audience',
  ];
  const inGuides = (name: string) =>
    found(name).some(({ id, isExact }) => isExact && !id.startsWith('/api/'));
  assert.deepEqual(
    often.filter((name) => !inGuides(name)),
    [],
  );
});

test('llms-full.txt has the text of the guides, and not the API', () => {
  const full = read('llms-full.txt');
  assert.match(full, /^# Circuit breaker$/m);
  assert.doesNotMatch(full, /^# halfopen: classes/m);
});

/** WCAG 2.1: the relative luminance of `#rrggbb`, and the contrast of two colours. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('each colour of code has a contrast of 4.5 to the block, in light and in dark', () => {
  const css = [...files]
    .filter((path) => /^assets\/style.*\.css$/.test(path))
    .map(read)
    .join('');
  const backgrounds = [...css.matchAll(/--vp-c-bg-alt: ?(#\w{6})/g)].map(([, colour = '']) => colour);
  assert.equal(backgrounds.length, 2);
  const all = [...texts.values()].join('');
  for (const [index, theme] of ['light', 'dark'].entries()) {
    const colours = new Set(
      [...all.matchAll(new RegExp(`--shiki-${theme}:(#\\w{6})`, 'g'))].map(([, it = '']) => it),
    );
    assert.ok(colours.size > 3);
    const background = backgrounds[index] ?? '';
    assert.deepEqual(
      [...colours].filter((colour) => contrast(colour, background) < 4.5),
      [],
      theme,
    );
  }
});
