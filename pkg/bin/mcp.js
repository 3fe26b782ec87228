// `npx halfopen mcp`: the log, the lab and the documentation for coding agents, by the Model Context Protocol.
import { fileURLToPath } from 'node:url';
import { findDevtoolsServers } from 'halfopen/devtools';
import { serverSource } from '../dist/esm/diagnose-node.js';
import { serveMcp } from '../dist/esm/mcp-node.js';

/**
 * Serves until the client closes standard input.
 *
 * @param {import('../src/diagnose/source.js').LogSource | undefined} source - undefined: the server that this user runs at the time.
 * @param {string} version
 */
export function mcp(source, version) {
  const docs = fileURLToPath(new URL('../docs', import.meta.url));
  return serveMcp({ version, docs, findLog: () => source ?? running() });
}

/** The log of the server that this user runs: that on port 4319 first. */
async function running() {
  const [url] = await findDevtoolsServers();
  if (url === undefined)
    throw new Error(
      'there is no log: start `npx halfopen devtools`, or give `npx halfopen mcp` a log (a file, a folder, --url or --database)',
    );
  return serverSource(url);
}
