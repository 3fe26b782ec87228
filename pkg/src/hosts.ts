/**
 * Checks the packages that entry points import, at their first use.
 *
 * `package.json` accepts every version of a peer, so that installing never conflicts. An entry point therefore imports its
 * host as a namespace (`import * as effect from 'effect'`): an export that the installed version lacks is `undefined` then,
 * where a named import would end the program with a SyntaxError before anything can be said.
 */

import { AgentError } from './error/agent-error.js';

/**
 * Checks that the installed version of a host has what an entry point calls.
 *
 * @param entry - the entry point, such as `halfopen/effect`.
 * @param host - the package's name.
 * @param needed - the versions that work, as npm's range: `npm install host@needed` is the advice.
 * @param exports - what is called, by its name in the host; `undefined` where the installed version has it not.
 * @throws {AgentError} `INITIALIZATION_ERROR`: the version found, what it lacks, the versions that work, and what to run.
 *
 * @example
 * ```ts
 * expectHost('halfopen/langchain', 'langchain', '1', { createMiddleware: langchain.createMiddleware });
 * ```
 */
export function expectHost(
  entry: string,
  host: string,
  needed: string,
  exports: Readonly<Record<string, unknown>>,
): void {
  const lacking = Object.keys(exports).filter((name) => exports[name] === undefined);
  if (lacking.length > 0) throw unfit(entry, host, needed, `without ${lacking.join(', ')}`);
}

/** The error for a host whose version does not fit. */
export function unfit(entry: string, host: string, needed: string, how: string): AgentError {
  const found = installedVersion(host);
  return new AgentError(
    'INITIALIZATION_ERROR',
    `${entry} works with ${host} ${needed.replaceAll(' || ', ' or ')}, found ${found ?? 'a version'} ${how}. Run: npm install ${host}@${needed.split(' || ').at(-1)}`,
  );
}

/** Returns the version of a package that the program's file would import; `undefined` in browsers and before Node 20.16, which show no files. */
export function installedVersion(name: string): string | undefined {
  try {
    const { createRequire } = process.getBuiltinModule('node:module');
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const folders = createRequire(process.argv[1] ?? `${process.cwd()}/`).resolve.paths(name) ?? [];
    for (const folder of folders) {
      const manifest = readable(() => readFileSync(`${folder}/${name}/package.json`, 'utf8'));
      if (manifest !== undefined) return (JSON.parse(manifest) as { version?: string }).version;
    }
  } catch {
    // No Node, or not with these functions.
  }
  return undefined;
}

function readable(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
