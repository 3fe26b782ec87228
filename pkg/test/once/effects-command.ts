/** Runs `npx halfopen effects` in the root of the repository, or in another folder. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export function effectsCommand(args: readonly string[], more: NodeJS.ProcessEnv = {}, cwd = ROOT) {
  const { REDIS_URL, HALFOPEN_LEDGER_URL, ...rest } = process.env;
  const env = { ...rest, ...more };
  return new Promise<{ code: unknown; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [BIN, 'effects', ...args], { cwd, env }, (failed, out, error) =>
      resolve({ code: failed?.code ?? 0, out, error }),
    );
  });
}
