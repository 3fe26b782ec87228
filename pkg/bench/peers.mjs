// The versions of the peers that a bench really measures. The versions pinned in package.json are not always installed
// (npm on an older Node silently takes older ones). Prints them; fails if one is not the pinned one.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const here = dirname(fileURLToPath(import.meta.url));
const { dependencies } = read(join(here, 'package.json'));

/** The package.json of what `import name` loads from here. */
function manifestOf(name) {
  let folder = dirname(fileURLToPath(import.meta.resolve(name)));
  for (;;) {
    const path = join(folder, 'package.json');
    // Inner folders have manifests that only say what kind of modules they hold.
    if (existsSync(path) && read(path).name === name) return read(path);
    if (folder === dirname(folder)) throw new Error(`${name} has no package.json of its own`);
    folder = dirname(folder);
  }
}

let wrong = 0;
for (const [name, pinned] of Object.entries(dependencies)) {
  const { version, engines } = manifestOf(name);
  if (version !== pinned) wrong++;
  const asks = engines?.node === undefined ? '' : ` (asks for Node ${engines.node})`;
  console.log(`${name} ${version}${asks}${version === pinned ? '' : `   NOT THE PINNED ${pinned}`}`);
}
console.log(`on Node ${process.version}`);
if (wrong > 0) process.exit(1);
