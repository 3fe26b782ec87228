// The command line of the built package, for a test.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));
export const FIXTURES = fileURLToPath(new URL('../../../tests/fixtures/', import.meta.url));

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. It does not see the devtools and the database of the test's own environment. */
export function run(args: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  const {
    HALFOPEN_DEVTOOLS_TOKEN: _,
    HALFOPEN_DEVTOOLS_URL: __,
    HALFOPEN_DATABASE_URL: ___,
    ...env
  } = process.env;
  return new Promise((resolve) => {
    execFile(process.execPath, [BIN, ...args], { env: { ...env, ...more } }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}
