// The site in the form for models (https://llmstxt.org): llms.txt is the list of the pages, llms-full.txt all of their
// text, and each page.html has a page.md beside it. The API is left out of the second: it would outweigh the prose.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { partsOf } from './navigation.mjs';
import { arrangedPages, pagesFolder } from './pages.mjs';

const SUMMARY =
  'Error handling and resilience for TypeScript agents: classify, retry, break, fall back, explain.';

/** The first sentence of a page that is no heading, list or table. */
function firstSentence(text) {
  const paragraph = text
    .replace(/^---[\s\S]*?^---/m, '')
    .split(/\n\s*\n/)
    .find((part) => /^[A-Z`"]/.test(part.trim()));
  const plain = (paragraph ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();
  return /^.*?[.?](?= |$)/.exec(plain)?.[0] ?? plain.replace(/:$/, '.');
}

/** @param base - The path that the site is served below, with a slash at both ends. */
export function writeForModels(dist, base) {
  const pages = arrangedPages();
  const textOf = (path) => readFileSync(join(pagesFolder, `${path}.md`), 'utf8');
  const list = [`# Halfopen`, `> ${SUMMARY}`];
  const full = [];
  for (const { text: title, items } of partsOf(pages)) {
    const lines = items.map(({ text, link }) => {
      const path = link.endsWith('/') ? `${link.slice(1)}index` : link.slice(1);
      const page = textOf(path);
      if (!path.startsWith('api/')) full.push(page.trim());
      const sentence = firstSentence(page);
      return `- [${text}](${base}${path}.md)${sentence ? `: ${sentence}` : ''}`;
    });
    list.push(`## ${title}`, lines.join('\n'));
  }
  for (const path of pages.keys()) {
    const to = join(dist, `${path}.md`);
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(join(pagesFolder, `${path}.md`), to);
  }
  writeFileSync(join(dist, 'llms.txt'), `${list.join('\n\n')}\n`);
  writeFileSync(join(dist, 'llms-full.txt'), `${full.join('\n\n---\n\n')}\n`);
}
