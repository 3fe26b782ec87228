// Writes what the package has of the documentation: pkg/docs, and pkg/llms.txt, the list of its pages. Coding agents look there.
//
// Not all pages fit: those that help with the code of an agent come first, and others follow while there is room. A link to a page
// that is left out keeps its text alone.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

/** Most bytes of all pages together. */
export const MOST_BYTES = 300_000;

/** The pages in the order of their worth: a page, or the rest of a folder. */
const ORDER = `
  start errors messages diagnose mcp rehearse runs recovery lab
  guides/agent guides/server guides/tools guides/a-tool-that-pays guides/runs
  guides/what-to-retry guides/which-timeout guides/who-reads-what guides/cost-and-cache guides/cli-agent guides/debug-a-400
  guides/broken-conversations guides/answers-that-are-none guides/production migration/0.2
  policies/README policies/call policies/retry policies/timeout policies/breaker policies/failover policies/fallback
  policies/stream policies/budget policies/rate-limit policies/fetch policies/testing policies/events policies/control-flow
  integrations/ai-sdk integrations/clients integrations/langchain integrations/langgraph integrations/openai-agents
  integrations/mcp integrations/http integrations/logs integrations/mastra integrations/effect
  integrations/cloudflare-agents integrations/workflow integrations/queues integrations/opentelemetry
  policies/lifetime integrations/ policies/ recipes/ degradation devtools fleet responses platforms/
`
  .trim()
  .split(/\s+/);

const docs = join(root, 'docs');
const at = (page) => join(docs, `${page}.md`);

/** The pages that fit, by their names. */
export function shippedPages() {
  const all = readdirSync(docs, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length))
    .sort();
  const ordered = new Set(
    ORDER.flatMap((one) => (one.endsWith('/') ? all.filter((page) => page.startsWith(one)) : one)),
  );
  const taken = [];
  let bytes = 0;
  for (const page of ordered) {
    // Links to pages that come below may go as well, so this is the most that it can be.
    const size = Buffer.byteLength(withOwnLinks(page, readFileSync(at(page), 'utf8'), ordered));
    if (bytes + size > MOST_BYTES) continue;
    bytes += size;
    taken.push(page);
  }
  return taken;
}

/** A page with the links that lead to pages of the package; of others, and of pictures, the text or nothing. */
export function withOwnLinks(page, text, shipped) {
  const isShipped = (target) => {
    const [path] = target.split('#');
    return path === '' || shipped.has(posix.join(posix.dirname(page), path).replace(/\.md$/, ''));
  };
  return text.replaceAll(
    /(!?)\[((?:[^[\]]|\[[^\]]*\])*)\]\((?!https?:|mailto:)([^)\s]+)\)/g,
    (link, image, label, target) => {
      if (image !== '') return '';
      return isShipped(target) ? link : label;
    },
  );
}

const titleOf = (text) => /^# (.*)$/m.exec(text)?.[1] ?? '';

/** Writes the pages and their list. */
export function writePackageDocs() {
  const pages = shippedPages();
  const shipped = new Set(pages);
  const to = join(root, 'pkg/docs');
  rmSync(to, { recursive: true, force: true });
  const list = [];
  for (const page of pages) {
    const text = withOwnLinks(page, readFileSync(at(page), 'utf8'), shipped);
    const path = join(to, `${page}.md`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    list.push(`- [${titleOf(text)}](docs/${page}.md)`);
  }
  writeFileSync(
    join(root, 'pkg/llms.txt'),
    `# Halfopen\n\n> Error handling and resilience for TypeScript agents.\n\nRead [AGENTS.md](AGENTS.md) first: it says which page to read for which task.\n\n## Pages\n\n${list.join('\n')}\n`,
  );
  return pages;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  console.log(`${writePackageDocs().length} pages in pkg/docs`);
