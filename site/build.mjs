// Builds the site into site/dist: `make docs`. The package must be built before it.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vitepress';
import { root } from '../scripts/building.mjs';
import { writeApi } from './api.mjs';
import { writeForModels } from './llms.mjs';
import { arrange, base, rustdoc } from './pages.mjs';

const site = join(root, 'site');
const dist = join(site, 'dist');

await arrange();
await writeApi();
await build(site);
await writeForModels(dist, base);

if (existsSync(rustdoc)) {
  for (const part of ['halfopen', 'static.files'])
    cpSync(join(rustdoc, '..', part), join(dist, 'rust', part), { recursive: true });
}
console.log(`site: ${dist}/index.html`);
