// Runs run.mjs as a process of its own and reads what it reports.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Returns the errors that the cases of one library threw, run in a process of its own; `classifier` as run.mjs takes
 * it.
 */
export function runLibrary(name, classifier = '') {
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./run.mjs', import.meta.url)), name, classifier],
      {
        cwd: fileURLToPath(new URL('.', import.meta.url)),
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    let errors = '';
    child.stdout.on('data', (bytes) => {
      output += bytes;
    });
    child.stderr.on('data', (bytes) => {
      errors = (errors + bytes).slice(-2000);
    });
    child.on('close', (code) => {
      const results = new Map();
      const problems = [];
      let versions;
      for (const line of output.split('\n')) {
        const at = line.indexOf('\u0001');
        if (at < 0) continue;
        const found = JSON.parse(line.slice(at + 1));
        if (found.id) results.set(found.id, found);
        if (found.versions) versions = found.versions;
        if (found.lacking) problems.push(`not here: ${found.lacking.join(', ')}`);
        if (found.failed) problems.push(`set-up failed: ${found.failed}`);
        if (found.strays) problems.push(`strays: ${found.strays.join(' | ').slice(0, 600)}`);
      }
      if (code !== 0) problems.push(`ended with ${code}: ${errors.slice(-500)}`);
      resolve({ results, versions, problems });
    });
  });
}
