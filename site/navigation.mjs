// The position of each page in the site. A page without one fails the build; a folder includes files that are added to
// it.

/**
 * The parts of the site, in order. `pages` are paths below docs/ without `.md`; `folder` adds the rest of a folder, by
 * title. `generated` holds the build's output.
 */
export const SECTIONS = [
  { title: 'Start', pages: ['start', 'playground', 'walkthrough', 'comparison'] },
  {
    title: 'Guides',
    pages: [
      'policies/index',
      'policies/retry',
      'policies/timeout',
      'policies/breaker',
      'policies/budget',
      'policies/stream',
      'policies/failover',
      'policies/fallback',
      'guides/agent',
      'guides/server',
      'guides/tools',
      'guides/a-tool-that-pays',
      'guides/answers-that-are-none',
      'guides/broken-conversations',
      'guides/runs',
      'messages',
      'policies/testing',
      'devtools',
      'diagnose',
      'mcp',
      'guides/production',
      'fleet',
      'lab',
      'defaults',
      'rehearse',
      'rehearsal',
    ],
    folder: 'guides',
  },
  { title: 'More about policies', pages: ['policies/call'], folder: 'policies' },
  { title: 'Recipes', pages: [], folder: 'recipes' },
  { title: 'Integrations', pages: ['integrations/ai-sdk', 'integrations/clients'], folder: 'integrations' },
  { title: 'Platforms', pages: [], folder: 'platforms' },
  { title: 'Migration', pages: [], folder: 'migration' },
  { title: 'Agents', pages: ['runs', 'responses', 'recovery', 'degradation'] },
  { title: 'Dashboard', pages: ['dashboard', 'embedding'] },
  {
    title: 'Reference',
    pages: [
      'errors',
      'recognised',
      'rules',
      'redaction',
      'events',
      'cli',
      'size',
      'benchmarks',
      'versions',
      'changelog',
      'security',
    ],
  },
  { title: 'API', pages: ['api/index'], folder: 'api' },
  { title: 'Error codes', pages: [], folder: 'codes' },
];

/** Parts that have a sidebar of their own, beside the other parts': long lists. */
const APART = ['api', 'codes'];

/** The parts of the site with their pages. `pages` is a map from a path to its title. Throws for a page that has no place, and for a place without a page. */
export function partsOf(pages) {
  const placed = new Set(SECTIONS.flatMap(({ pages }) => pages));
  const missing = [...placed].filter((path) => !pages.has(path));
  if (missing.length > 0)
    throw new Error(`navigation.mjs names pages that are not there: ${missing.join(', ')}`);
  const parts = SECTIONS.map(({ title, pages: listed, folder }) => {
    const others = [...pages.keys()].filter(
      (path) => folder !== undefined && path.startsWith(`${folder}/`) && !placed.has(path),
    );
    others.sort((a, b) => pages.get(a).localeCompare(pages.get(b)));
    for (const path of others) placed.add(path);
    const items = [...listed, ...others].map((path) => ({
      text: pages.get(path),
      link: `/${path.replace(/(^|\/)index$/, '$1')}`,
    }));
    return { text: title, folder, items };
  });
  const homeless = [...pages.keys()].filter((path) => path !== 'index' && !placed.has(path));
  if (homeless.length > 0) throw new Error(`navigation.mjs has no place for: ${homeless.join(', ')}`);
  return parts.filter(({ items }) => items.length > 0);
}

/** VitePress's sidebars: by the beginning of a page's path. */
export function sidebarsOf(pages) {
  const parts = partsOf(pages).map(({ text, folder, items }) => ({ text, folder, items }));
  const group = ({ text, items }) => ({ text, items });
  const apart = parts.filter(({ folder }) => APART.includes(folder));
  const links = apart.map(({ text, items: [first] }) => ({ text, link: first.link }));
  const main = parts.filter((part) => !apart.includes(part)).map(group);
  return {
    ...Object.fromEntries(
      apart.map((part) => [
        `/${part.folder}/`,
        [
          group(part),
          {
            text: 'Elsewhere',
            items: [
              { text: 'Guides', link: '/policies/' },
              { text: 'Error codes', link: '/errors' },
            ],
          },
        ],
      ]),
    ),
    '/': [...main, { text: 'Lists', items: links }],
  };
}
