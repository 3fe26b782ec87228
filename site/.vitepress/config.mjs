import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { sidebarsOf } from '../navigation.mjs';
import { arrangedPages, base, rustdoc } from '../pages.mjs';
import { searchDialog } from './search-dialog.mjs';

/** The anchor of a heading as GitHub makes it: the same links work in both places. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** A cell of a table's head without text is no header: screen readers would announce an empty one. */
function emptyHeaderCells(md) {
  md.core.ruler.push('empty_header_cells', ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== 'th_open' || tokens[index + 1].content !== '') continue;
      token.tag = 'td';
      tokens[index + 2].tag = 'td';
    }
  });
}

const { version } = JSON.parse(readFileSync(new URL('../../pkg/package.json', import.meta.url), 'utf8'));
const ICON =
  "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M2 8h3l6-4M11 8h3' stroke='#3b6fd8' stroke-width='2' fill='none' stroke-linecap='round'/></svg>";

/** Made by `cargo doc`, not by VitePress, whose router must leave the link alone. */
const crate = existsSync(rustdoc)
  ? [{ text: 'Rust', link: '/rust/halfopen/index.html', target: '_self' }]
  : [];

export default defineConfig({
  title: 'Halfopen',
  description:
    'Error handling and resilience for TypeScript agents: classify, retry, break, fall back, explain.',
  lang: 'en',
  base,
  srcDir: 'pages',
  outDir: 'dist',
  cacheDir: '.vitepress/cache',
  metaChunk: true,
  vite: {
    plugins: [searchDialog],
    resolve: {
      // The playground shows the dashboard in production too.
      alias: {
        'halfopen/devtools/embed': fileURLToPath(
          new URL('../../pkg/dist/esm/devtools-embed.js', import.meta.url),
        ),
      },
    },
    ssr: { noExternal: ['halfopen'] },
    build: { chunkSizeWarningLimit: 2000 },
  },
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(ICON)}` }]],
  markdown: {
    image: { lazyLoading: true },
    anchor: { slugify },
    toc: { slugify },
    headers: { slugify },
    config: (md) => md.use(emptyHeaderCells),
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    siteTitle: 'Halfopen',
    nav: [
      { text: 'Start', link: '/start' },
      {
        text: 'Guides',
        items: [
          { text: 'A whole agent', link: '/guides/agent' },
          { text: 'A hosted agent', link: '/guides/server' },
          { text: 'An agent on the command line', link: '/guides/cli-agent' },
          { text: 'Many processes', link: '/fleet' },
          { text: 'An incident', link: '/walkthrough' },
          { text: 'Policies', link: '/policies/' },
        ],
      },
      { text: 'Playground', link: '/playground' },
      {
        text: 'Reference',
        items: [
          { text: 'Error codes', link: '/errors' },
          { text: 'Events', link: '/events' },
          { text: 'Command line', link: '/cli' },
          { text: 'TypeScript', link: '/api/' },
          ...crate,
        ],
      },
      { text: version, link: '/changelog' },
    ],
    sidebar: sidebarsOf(arrangedPages()),
    outline: [2, 3],
    search: { provider: 'local', options: { detailedView: false } },
    footer: { message: 'MIT or Apache-2.0, at your choice.' },
  },
});
