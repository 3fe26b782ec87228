// The recipes of docs/integrations, and of other folders by their relative path, as modules: what a page gives its reader to copy is what the tests run with the real host.
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { scratch } from '../../scripts/scratch.mjs';

let recipes = 0;
const folder = scratch(import.meta.dirname);

/** The block of TypeScript of a page that begins so. */
export function recipeText(page: string, begins: string): string {
  const file = new URL(`../../docs/integrations/${page}.md`, import.meta.url);
  const blocks = readFileSync(file, 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm);
  for (const [, block = ''] of blocks) if (block.startsWith(begins)) return block;
  throw new Error(`${page}.md has no block that begins with ${begins}`);
}

/** Returns the exports of that block. */
export async function recipe<T>(page: string, begins: string): Promise<T> {
  const file = `${folder}/${page.replaceAll('/', '-')}-${++recipes}.ts`;
  writeFileSync(file, recipeText(page, begins));
  return import(pathToFileURL(file).href);
}
