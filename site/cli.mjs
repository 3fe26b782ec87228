// The page of the command line: what `npx halfopen --help` prints.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../scripts/building.mjs';

export function commandLinePage() {
  const help = execFileSync(process.execPath, [join(root, 'pkg/bin/halfopen.js'), '--help'], {
    encoding: 'utf8',
  });
  return `# Command line

\`npx halfopen devtools\` starts the [devtools](./devtools.md) server and prints the address of its dashboard.
\`npx halfopen dashboard <folder>\` writes the dashboard's files for a [page that embeds it](./embedding.md).
The exit code is 0, 1 for a failure, and 2 for a command that was not understood.

\`\`\`text
${help.trimEnd()}
\`\`\`
`;
}
