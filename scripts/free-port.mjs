// Ports of 127.0.0.1 for servers that tests and measurements start.
import { createServer } from 'node:net';

/**
 * The ports from here on are given to outgoing connections: from 32768 on by Linux, from 49152 on by others. A server
 * that begins to listen a moment after its port was found free, or that starts again at it, may find it taken there.
 */
const OUTGOING = 32_768;
const LOWEST = 10_000;
/** Ports that were returned: their servers may not listen yet. */
const returned = new Set();

const isFree = (port) =>
  new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .once('listening', () => server.close(() => resolve(true)))
      .listen(port, '127.0.0.1');
  });

/** Returns a port on which no process listens, and none at the port that is higher by `above`, for a server with two. */
export async function freePort(above = 0) {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (OUTGOING - above - LOWEST));
    const ports = [port, port + above];
    if (ports.some((one) => returned.has(one))) continue;
    for (const one of ports) returned.add(one);
    if ((await isFree(port)) && (await isFree(port + above))) return port;
  }
}
