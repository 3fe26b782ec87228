// A folder for what a test writes. Nothing is written beside sources: the runner, compilers and builds list those meanwhile.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { root } from './building.mjs';

/**
 * Makes a folder that is removed when this process exits. With `beside`, a folder of the repository, code in it finds the
 * packages that code in `beside` finds.
 */
export function scratch(beside) {
  // Its real path: bundlers name files by that.
  const top = mkdtempSync(join(realpathSync(tmpdir()), 'halfopen-'));
  process.on('exit', () => rmSync(top, { recursive: true, force: true, maxRetries: 20 }));
  if (beside === undefined) return top;
  writeFileSync(join(top, 'package.json'), '{ "type": "module" }');
  const folder = join(top, relative(root, beside));
  mkdirSync(folder, { recursive: true });
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    const packages = join(root, relative(top, at), 'node_modules');
    if (existsSync(packages)) symlinkSync(packages, join(at, 'node_modules'));
  }
  return folder;
}
