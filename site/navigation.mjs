// The position of each page in the site. A page without one fails the build; a folder includes files that are added to
// it.

/**
 * The parts of the site, in order. `pages` are paths below docs/ without `.md`; `folder` adds the rest of a folder, by
 * title. `generated` holds the build's output.
 */
export const SECTIONS = [
  {
    title: 'The first hour',
    pages: [
      'start',
      'playground',
      'policies/index',
      'guides/agent',
      'guides/tools',
      'guides/what-to-retry',
      'guides/which-timeout',
      'guides/who-reads-what',
      'policies/testing',
      'comparison',
    ],
  },
  {
    title: 'A hosted agent',
    pages: [
      'guides/server',
      'guides/production',
      'messages',
      'guides/runs',
      'guides/a-tool-that-pays',
      'guides/broken-conversations',
      'guides/answers-that-are-none',
      'guides/cost-and-cache',
      'recipes/cost-cap',
      'recipes/tenant-isolation',
      'degradation',
    ],
  },
  { title: 'An agent on the command line', pages: ['guides/cli-agent'] },
  { title: 'Many processes', pages: ['fleet'] },
  {
    title: 'An incident',
    pages: [
      'walkthrough',
      'guides/debug-a-400',
      'diagnose',
      'mcp',
      'devtools',
      'dashboard',
      'embedding',
      'recovery',
    ],
  },
  {
    title: 'Before an incident',
    pages: ['rehearse', 'rehearsal', 'lab', 'defaults'],
    folder: 'guides',
  },
  {
    title: 'Policies',
    pages: [
      'policies/call',
      'policies/retry',
      'policies/timeout',
      'policies/breaker',
      'policies/budget',
      'policies/stream',
      'policies/failover',
      'policies/fallback',
    ],
    folder: 'policies',
  },
  { title: 'Recipes', pages: [], folder: 'recipes' },
  { title: 'Integrations', pages: ['integrations/ai-sdk', 'integrations/clients'], folder: 'integrations' },
  { title: 'Platforms', pages: [], folder: 'platforms' },
  { title: 'Migration', pages: [], folder: 'migration' },
  {
    title: 'Reference',
    isReference: true,
    pages: [
      'errors',
      'recognised',
      'rules',
      'redaction',
      'events',
      'runs',
      'responses',
      'cli',
      'size',
      'benchmarks',
      'versions',
      'changelog',
      'security',
    ],
  },
  { title: 'API', isReference: true, pages: ['api/index'], folder: 'api' },
  { title: 'Error codes', isReference: true, pages: [], folder: 'codes' },
];

/** The parts of the site with their pages. `pages` is a map from a path to its title. Throws for a page that has no place, and for a place without a page. */
export function partsOf(pages) {
  const placed = new Set(SECTIONS.flatMap(({ pages }) => pages));
  const missing = [...placed].filter((path) => !pages.has(path));
  if (missing.length > 0)
    throw new Error(`navigation.mjs names pages that are not there: ${missing.join(', ')}`);
  const parts = SECTIONS.map(({ title, pages: listed, folder, isReference = false }) => {
    const others = [...pages.keys()].filter(
      (path) => folder !== undefined && path.startsWith(`${folder}/`) && !placed.has(path),
    );
    others.sort((a, b) => pages.get(a).localeCompare(pages.get(b)));
    for (const path of others) placed.add(path);
    const items = [...listed, ...others].map((path) => ({
      text: pages.get(path),
      link: `/${path.replace(/(^|\/)index$/, '$1')}`,
    }));
    return { text: title, folder, isReference, items };
  });
  const homeless = [...pages.keys()].filter((path) => path !== 'index' && !placed.has(path));
  if (homeless.length > 0) throw new Error(`navigation.mjs has no place for: ${homeless.join(', ')}`);
  return parts.filter(({ items }) => items.length > 0);
}

/**
 * VitePress's sidebars, by the beginning of a page's path. The reference has one of its own, in which the long lists (the API and the
 * codes) are open on their own pages only.
 */
export function sidebarsOf(pages) {
  const parts = partsOf(pages);
  const group = ({ text, items }) => ({ text, items });
  const reference = parts.filter(({ isReference }) => isReference);
  const lists = reference.filter(({ folder }) => folder !== undefined);
  const [root] = reference.filter(({ folder }) => folder === undefined);
  const others = (open) =>
    lists.filter((list) => list !== open).map(({ text, items: [first] }) => ({ text, link: first.link }));
  const sidebar = (open) => [
    ...(open === undefined ? [] : [group(open)]),
    { text: root.text, items: [...root.items, ...others(open)] },
    { text: 'Elsewhere', items: [{ text: 'Guides', link: '/start' }] },
  ];
  return {
    ...Object.fromEntries(lists.map((list) => [`/${list.folder}/`, sidebar(list)])),
    ...Object.fromEntries(root.items.map(({ link }) => [link, sidebar()])),
    // The last: VitePress takes the first of those that fit.
    '/': [
      ...parts.filter(({ isReference }) => !isReference).map(group),
      { text: root.text, items: [{ text: 'All lists', link: root.items[0].link }, ...others()] },
    ],
  };
}
