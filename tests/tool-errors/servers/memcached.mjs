// A real memcached of its own on a free port.
import { closedPort } from './net.mjs';
import { folder, listening, start, user } from './process.mjs';

/** Starts it; returns its port. */
export async function memcached() {
  folder('memcached');
  const port = await closedPort();
  const asNobody = user.uid ? ['-u', 'nobody'] : [];
  const server = start('memcached', ['-l', '127.0.0.1', '-p', String(port), '-m', '16', ...asNobody]);
  await listening(port, { server });
  return { port };
}
