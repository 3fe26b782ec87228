/** Search in the package's own documentation: the Markdown files of `docs/`. Needs no network. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a page, under one heading. */
interface Section {
  /** The page's path below `docs/`, without `.md`. */
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** A section that was found. */
export interface Hit {
  readonly page: string;
  readonly heading: string;
  readonly excerpt: string;
}

/** Most characters of an excerpt. */
const EXCERPT = 600;
/** A word of a heading or of a page's name counts as often as six of the text. */
const TITLE_WEIGHT = 6;

/** The documentation of a folder. */
export class Docs {
  private readonly pages: ReadonlyMap<string, string>;
  private readonly sections: readonly Section[];

  constructor(folder: string) {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md'))
      .sort();
    this.pages = new Map(
      names.map((name) => [name.slice(0, -'.md'.length), readFileSync(join(folder, name), 'utf8')]),
    );
    this.sections = [...this.pages].flatMap(([page, text]) => sectionsOf(page, text));
  }

  /** The names of all pages. */
  get names(): readonly string[] {
    return [...this.pages.keys()];
  }

  /** A page's text; `undefined` for an unknown name. */
  page(name: string): string | undefined {
    return this.pages.get(name.replace(/^(?:\.?\/)?(?:docs\/)?/, '').replace(/\.md$/, ''));
  }

  /** The sections that have most of the words, best first. */
  search(query: string): Hit[] {
    const words = wordsOf(query);
    const found = this.sections
      .map((section) => ({ section, score: score(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
    return found.map(({ section: { page, heading, text } }) => ({
      page,
      heading,
      excerpt: excerptOf(text, words),
    }));
  }
}

/** Cuts a page at its headings; lines of code do not count. */
function sectionsOf(page: string, text: string): Section[] {
  const sections: { heading: string; lines: string[] }[] = [{ heading: '', lines: [] }];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    const heading = isCode ? undefined : /^#{1,6} +(.*)$/.exec(line)?.[1];
    if (heading !== undefined) sections.push({ heading, lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections
    .map(({ heading, lines }) => ({ page, heading, text: lines.join('\n').trim() }))
    .filter(({ heading, text }) => heading !== '' || text !== '');
}

function wordsOf(text: string): string[] {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])].slice(0, 20);
}

/** Each word counts once more for each time that its number doubles, so that one that is everywhere outweighs no other. */
function score({ page, heading, text }: Section, words: readonly string[]): number {
  const title = `${page} ${heading}`.toLowerCase();
  const body = text.toLowerCase();
  let sum = 0;
  let held = 0;
  for (const word of words) {
    const count = body.split(word).length - 1 + (title.includes(word) ? TITLE_WEIGHT : 0);
    if (count > 0) held += 1;
    sum += Math.log2(1 + count);
  }
  return held === 0 ? 0 : sum * (held / words.length) ** 2;
}

/** The text around the first of the words. */
function excerptOf(text: string, words: readonly string[]): string {
  const body = text.toLowerCase();
  const places = words.map((word) => body.indexOf(word)).filter((place) => place >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const from = at < EXCERPT / 2 ? 0 : text.lastIndexOf('\n', at - EXCERPT / 4) + 1;
  const cut = text.slice(from, from + EXCERPT).trim();
  return `${from > 0 ? '… ' : ''}${cut}${from + EXCERPT < text.length ? ' …' : ''}`;
}
