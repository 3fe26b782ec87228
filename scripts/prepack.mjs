// Runs before `npm pack` and `npm publish` in pkg/: fails where something is missing that the tarball must have, because npm
// leaves out without a word what `files` of package.json names and the folder has not. The builds make all of it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './building.mjs';

/** The tarball's required contents: something of each entry of `files`. */
export const EXPECTED = [
  'README.md',
  'CHANGELOG.md',
  'LICENSE-MIT',
  'LICENSE-APACHE',
  'THIRD-PARTY-NOTICES.txt',
  'sbom.cdx.json',
  'AGENTS.md',
  'llms.txt',
  'docs/start.md',
  'skills/halfopen/SKILL.md',
  'examples/incident.jsonl',
  'bin/halfopen.js',
  'schema/scenario.schema.json',
  'dist/esm/index.js',
  'dist/esm/index.d.ts',
  'dist/cjs/index.js',
  'dist/cjs/index.d.ts',
  'dist/js/index.js',
  'dist/policy.wasm',
  'dist/embedded/dashboard.js',
  'dist/embedded/diagnose.wasm.br',
];

/** Returns the required contents that a folder lacks. */
export const missingIn = (folder) => EXPECTED.filter((name) => !existsSync(join(folder, name)));

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const missing = missingIn(join(root, 'pkg'));
  if (missing.length > 0) {
    const what = `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
    console.error(`halfopen cannot be packed: ${what}. Run \`make build\` in the root of the repository.`);
    process.exitCode = 1;
  }
}
