// Has typedoc describe every entry point of the package, and makes pages of a good size of that: pages/api.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application } from 'typedoc';
import { root, unlessFresh } from '../scripts/building.mjs';
import { pagesFolder } from './pages.mjs';

/** The entry points of package.json by the source that their types come from: `halfopen/js/log` is `halfopen/log` again. */
export function entryPoints() {
  const { exports } = JSON.parse(readFileSync(join(root, 'pkg/package.json'), 'utf8'));
  const typesOf = (entry) =>
    typeof entry === 'string' ? '' : (entry.types ?? typesOf(Object.values(entry)[0]));
  const sources = new Map();
  for (const [door, entry] of Object.entries(exports)) {
    const types = typesOf(entry);
    if (!types.endsWith('.d.ts') || door.includes('*')) continue;
    const source = types.replace('./dist/esm/', 'pkg/src/').replace(/\.d\.ts$/, '.ts');
    if (!sources.has(source)) sources.set(source, door.replace(/^\./, 'halfopen'));
  }
  return sources;
}

/** The file that typedoc writes for a source: `pkg/src/devtools/embed/index.ts` is `devtools/embed.md`. */
const writtenFor = (source) =>
  source === 'pkg/src/index.ts'
    ? 'index.md'
    : `${source.replace('pkg/src/', '').replace(/(\/index)?\.ts$/, '')}.md`;

/** The name of an entry point's page: `halfopen/devtools/embed` has `halfopen-devtools-embed`. */
const pageOf = (door) => door.replaceAll('/', '-');

/** Headings that typedoc gives to parts of one item. As headings they would fill the search with a thousand "Parameters". */
const PARTS =
  /^(Parameters|Returns|Throws|Examples?|Type Parameters|Overrides|Inherited from|Extends|Extended by|Implements|Implementation of|Type Declaration|Default|Default Value|See|Remarks|Index Signature|Call Signature|Union Members|Deprecated)$/;

/** The level in the site of a heading of typedoc: an export, then its members. */
const LEVELS = { 3: '##', 4: '###', 5: '###', 6: '####' };

/**
 * A written page by kind of export ("Classes"). Each heading has the anchor that typedoc writes before it in braces; what
 * only names a part of an item is no heading.
 */
function kindsOf(text) {
  const kinds = [];
  let anchor = '';
  let inCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode;
    const given = inCode ? null : /^<a id="([^"]+)"><\/a>$/.exec(line);
    const heading = inCode ? null : /^(#{1,6}) (.+)$/.exec(line);
    if (given) anchor = given[1];
    else if (heading?.[1] === '#' || line === '***') continue;
    else if (heading?.[1] === '##') kinds.push({ kind: heading[2].toLowerCase(), lines: [] });
    else if (heading) {
      const isItem = anchor !== '' && !PARTS.test(heading[2]);
      kinds
        .at(-1)
        ?.lines.push(
          isItem ? `${LEVELS[heading[1].length]} ${heading[2]} {#${anchor}}` : `**${heading[2]}**`,
        );
      anchor = '';
    } else kinds.at(-1)?.lines.push(line);
  }
  return kinds;
}

/** Text in which only the anchors of rows are HTML: a comment may have `<T>` in its prose. */
const escaped = (text) =>
  text
    .split(/(^```[\s\S]*?^```|`[^`\n]*`)/gm)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/(?<!\\)<(?!a id="|\/a>)/g, '&lt;')))
    .join('');

const idsIn = (lines) =>
  lines.flatMap((line) =>
    [...line.matchAll(/\{#([^}]+)\}$|<a id="([^"]+)">/g)].map(([, heading, row]) => heading ?? row),
  );

/** One page for an entry point; for the main one, which is large, one page for each kind of export. */
function split(door, kinds) {
  if (door !== 'halfopen')
    return [{ name: pageOf(door), title: door, lines: kinds.flatMap(({ lines }) => lines) }];
  return kinds.map(({ kind, lines }) => ({
    name: `halfopen-${kind.replaceAll(' ', '-')}`,
    title: `halfopen: ${kind}`,
    lines,
  }));
}

function arrangeApi(from, to, doors) {
  const pages = [];
  /** Where an anchor of a written file has gone: `index.md#policy` → `halfopen-classes`. */
  const places = new Map();
  for (const [source, door] of doors) {
    const file = writtenFor(source);
    for (const page of split(door, kindsOf(readFileSync(join(from, file), 'utf8')))) {
      pages.push({ ...page, file, door });
      for (const id of idsIn(page.lines)) places.set(`${file}#${id}`, page.name);
    }
  }
  mkdirSync(to, { recursive: true });
  const link = (page) => (whole, path, id) => {
    if (/^https?:/.test(path)) return whole;
    const file = path === '' ? page.file : join(page.file, '..', path);
    const place = places.get(`${file}#${id}`);
    if (place === undefined) throw new Error(`${page.name}: no page for the link ${whole}`);
    return `](${place === page.name ? '' : `./${place}.md`}#${id})`;
  };
  for (const page of pages) {
    const text = page.lines.join('\n').replaceAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g, link(page));
    writeFileSync(
      join(to, `${page.name}.md`),
      `# ${page.title} {#${page.name}}\n\n${escaped(text)
        .replaceAll(/\n{3,}/g, '\n\n')
        .trim()}\n`,
    );
  }
  writeFileSync(join(to, 'index.md'), overview(pages));
}

/** Every export by entry point, each a link. */
function overview(pages) {
  const lists = pages.map(({ name, title, lines }) => {
    const items = lines
      .filter((line) => /^## .*\{#/.test(line))
      .map((line) => {
        const [, heading, id] = /^#+ (.+) \{#([^}]+)\}$/.exec(line);
        return `[\`${heading.replaceAll('\\', '')}\`](./${name}.md#${id})`;
      });
    return `## [${title}](./${name}.md) {#${name}}\n\n${items.join(' · ')}\n`;
  });
  return `# API

Every export of every entry point, from the comments and types of the source. \`halfopen/js\` and what is below it have those of the entry point without \`js\`.

${lists.join('\n')}`;
}

export async function writeApi() {
  const doors = entryPoints();
  const to = join(pagesFolder, 'api');
  await unlessFresh(
    {
      name: 'API pages',
      stampFile: 'site/.vitepress/cache/api-stamp',
      inputs: ['pkg/src', 'pkg/package.json', 'site/api.mjs', 'site/package-lock.json'],
      outputs: ['site/pages/api/index.md'],
    },
    async () => {
      rmSync(to, { recursive: true, force: true });
      const out = mkdtempSync(join(tmpdir(), 'halfopen-api-'));
      const app = await Application.bootstrapWithPlugins({
        plugin: ['typedoc-plugin-markdown'],
        entryPoints: [...doors.keys()].map((source) => join(root, source)),
        tsconfig: join(root, 'site/tsconfig.api.json'),
        readme: 'none',
        logLevel: 'Error',
        // The step `types` has checked them; here a host of an integration need not be installed.
        skipErrorChecking: true,
        excludeInternal: true,
        excludePrivate: true,
        excludeExternals: true,
        disableSources: true,
        out,
        // typedoc-plugin-markdown
        router: 'module',
        hidePageHeader: true,
        hideBreadcrumbs: true,
        useCodeBlocks: true,
        useHTMLAnchors: true,
        expandParameters: true,
        parametersFormat: 'table',
        interfacePropertiesFormat: 'table',
        classPropertiesFormat: 'table',
        typeDeclarationFormat: 'table',
        enumMembersFormat: 'table',
      });
      const project = await app.convert();
      if (project === undefined) throw new Error('typedoc could not read the package');
      await app.generateOutputs(project);
      if (app.logger.hasErrors()) throw new Error('typedoc reported errors, above');
      arrangeApi(out, to, doors);
      rmSync(out, { recursive: true });
      console.log(`API pages: ${readdirSync(to).length}`);
    },
  );
}
