// How the package's .wasm files are read, in Node.
import { readFileSync } from 'node:fs';

/**
 * Returns what is in a .wasm file of the package.
 *
 * @throws an `Error` that says how to bundle if the file is missing: a bundler that does not set the condition `module` has
 * moved the code away from it.
 */
export function read(file: string | URL): Uint8Array<ArrayBuffer> {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new Error(
      `halfopen: ${file} cannot be read. If a bundler made this file, add the condition 'module' to its conditions, or leave halfopen external.`,
      { cause },
    );
  }
}
