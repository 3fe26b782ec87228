// Arranges site/pages, which VitePress reads: every page of docs/ with its links as the site has them, and pages made from
// the code. Nothing in there is edited or committed.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { root } from '../scripts/building.mjs';
import { commandLinePage } from './cli.mjs';
import { codePages, linkCodes } from './codes.mjs';
import { eventsPage } from './events.mjs';

export const pagesFolder = join(root, 'site/pages');

/** The path that the site is served below, such as `/halfopen/` where the pages of a repository are. */
export const base = process.env.HALFOPEN_SITE_BASE ?? '/';

/** The documentation of the crate, where `cargo doc` has made it. */
export const rustdoc = join(root, 'target/doc/halfopen');

/** The folder of docs/ for other readers: those who work on Halfopen, and npm's. */
const ELSEWHERE = 'contributing/';

/** Files outside docs/ that are pages too. */
const BESIDE = {
  'pkg/CHANGELOG.md': 'changelog.md',
  'SECURITY.md': 'security.md',
  'core/README.md': 'platforms/rust.md',
  'site/home.md': 'index.md',
  'site/playground.md': 'playground.md',
};

/** Returns the path of a repository's file in the site; `undefined` if the site lacks it. */
function placeOf(file) {
  if (file in BESIDE) return BESIDE[file];
  if (!file.startsWith('docs/')) return undefined;
  const path = file.slice('docs/'.length);
  return path.startsWith(ELSEWHERE) ? undefined : path.replace(/(^|\/)README\.md$/, '$1index.md');
}

/** The text of a page with its relative links as the site has them; a link to what is not in the site becomes its text. */
function withLinks(text, file) {
  const place = placeOf(file);
  const outsideCode = /(^```[\s\S]*?^```)/gm;
  const link = (whole, label, target) => {
    if (/^(https?:|mailto:|#)/.test(target)) return whole;
    const [path, heading] = target.split('#');
    let linked = posix.normalize(posix.join(posix.dirname(file), path));
    if (existsSync(join(root, linked, 'README.md'))) linked = posix.join(linked, 'README.md');
    if (/\.(png|svg)$/.test(linked)) return whole;
    const to = placeOf(linked);
    if (to === undefined) return label.startsWith('`') ? label : `\`${linked}\``;
    const relative = posix.relative(posix.dirname(place), to);
    return `[${label}](${relative.startsWith('.') ? '' : './'}${relative}${heading ? `#${heading}` : ''})`;
  };
  return text
    .split(outsideCode)
    .map((part) =>
      part.startsWith('```') ? part : part.replace(/(?<!!)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, link),
    )
    .join('');
}

const titleOf = (text) =>
  /^# (.+?)(?: \{#.*\})?$/m.exec(text)?.[1].replaceAll('`', '').replaceAll('\\', '') ?? '';

function write(path, text) {
  const file = join(pagesFolder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** Writes all pages but those of the API, which typedoc has written before. */
export async function arrange() {
  for (const name of existsSync(pagesFolder) ? readdirSync(pagesFolder) : [])
    if (name !== 'api') rmSync(join(pagesFolder, name), { recursive: true });
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && placeOf(`docs/${name.replaceAll('\\', '/')}`) !== undefined)
    .map((name) => `docs/${name.replaceAll('\\', '/')}`);
  for (const file of [...docs, ...Object.keys(BESIDE)]) {
    // `changeset version` needs the package's name as the heading of the changelog.
    const text = withLinks(readFileSync(join(root, file), 'utf8'), file).replace(
      /^# halfopen$/m,
      '# Changes',
    );
    write(placeOf(file), file === 'docs/errors.md' ? linkCodes(text) : text);
  }
  for (const [path, text] of Object.entries(await codePages())) write(path, text);
  write('cli.md', commandLinePage());
  write('events.md', eventsPage());
  cpSync(join(root, 'docs/images'), join(pagesFolder, 'images'), { recursive: true });
}

/** Every page that is arranged: from its path without `.md` to its title. */
export function arrangedPages() {
  const names = readdirSync(pagesFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  return new Map(
    names
      .sort()
      .map((name) => [name.replace(/\.md$/, ''), titleOf(readFileSync(join(pagesFolder, name), 'utf8'))]),
  );
}
