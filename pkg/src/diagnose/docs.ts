/** Search in the package's own documentation: the Markdown files of `docs/`. Needs no network. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A part of a page, under one heading. */
interface Section {
  /** The page's path below `docs/`, without `.md`. */
  readonly page: string;
  /** The page's name, its title and the section's heading. */
  readonly title: string;
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

  /**
   * The sections that have all words: first those with all of them in their headings and their page's title, then those with
   * all in their text. Without such a section, the best one of each page that has all words. Nothing for a word that no page has.
   */
  search(query: string): Hit[] {
    const words = wordsOf(query);
    if (words.length === 0) return [];
    const scored = this.sections.map((section) => ({ section, ...rated(section, words) }));
    const whole = scored.filter(({ held }) => held.size === words.length);
    const found = whole.length > 0 ? whole : this.bestOfPages(scored, words);
    return found
      .sort((a, b) => b.titled - a.titled || b.score - a.score)
      .map(({ section: { page, heading, text } }) => ({ page, heading, excerpt: excerptOf(text, words) }));
  }

  /** The words of a query that no page has. */
  unknownOf(query: string): string[] {
    return wordsOf(query).filter(
      (word) => !this.sections.some(({ title, text }) => has(`${title} ${text}`, word)),
    );
  }

  private bestOfPages(scored: readonly Rated[], words: readonly string[]): Rated[] {
    const pages = new Map<string, { held: Set<string>; best: Rated }>();
    for (const rated of scored) {
      const of = pages.get(rated.section.page) ?? { held: new Set(), best: rated };
      pages.set(rated.section.page, of);
      for (const word of rated.held) of.held.add(word);
      const isBetter = rated.held.size - of.best.held.size || rated.score - of.best.score;
      if (isBetter > 0) of.best = rated;
    }
    return [...pages.values()].filter(({ held }) => held.size === words.length).map(({ best }) => best);
  }
}

/** A section, and how well it fits a query. */
interface Rated {
  readonly section: Section;
  /** The words that it has. */
  readonly held: ReadonlySet<string>;
  /** 1 if its heading and the page's title have them all. */
  readonly titled: number;
  readonly score: number;
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
  const first = sections.find(({ heading }) => heading !== '')?.heading ?? '';
  return sections
    .map(({ heading, lines }) => ({
      page,
      title: `${page} ${first} ${heading}`.toLowerCase(),
      heading,
      text: lines.join('\n').trim(),
    }))
    .filter(({ heading, text }) => heading !== '' || text !== '');
}

/** Words that say nothing of what is searched for. */
const EMPTY = new Set(
  'a an and are as at be by can do does for from how i in is it its my of on or set that the this to use using what when where which why with'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  const all = [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu) ?? [])];
  return all.filter((word) => !EMPTY.has(word)).slice(0, 20);
}

/**
 * A word, which has letters, digits and `_` alone, counts if another begins with it (`timeout` in `timeouts`); a short one
 * counts only as a whole.
 */
const patternOf = (word: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${stemOf(word)}${word.length < 4 ? '(?![\\p{L}\\p{N}_])' : ''}`, 'giu');
/** Without the ending of a plural. */
const stemOf = (word: string): string =>
  word.length < 5 ? word : word.replace(/ies$/, '').replace(/(?<!s)s$/, '');

const has = (text: string, word: string): boolean => patternOf(word).test(text);

/** Each word counts once more for each time that its number doubles, so that one that is everywhere outweighs no other. */
function rated(section: Section, words: readonly string[]): Omit<Rated, 'section'> {
  const held = new Set<string>();
  let inTitle = 0;
  let score = 0;
  for (const word of words) {
    const isTitled = has(section.title, word);
    const count = (section.text.match(patternOf(word))?.length ?? 0) + (isTitled ? TITLE_WEIGHT : 0);
    if (count > 0) held.add(word);
    inTitle += Number(isTitled);
    score += Math.log2(1 + count);
  }
  return { held, titled: Number(inTitle === words.length), score };
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
