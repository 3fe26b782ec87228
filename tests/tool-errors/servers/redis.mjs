// A Redis server of our own on 127.0.0.1.
import { SECRET } from '../expect.mjs';
import { closedPort } from './net.mjs';
import { folder, listening, start, user } from './process.mjs';

export const needs = ['redis-server'];

/** Starts one; `options` are arguments of redis-server. */
export async function redis(options = []) {
  const at = folder('redis');
  const port = await closedPort();
  const up = async () => {
    const server = start(
      'redis-server',
      [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        at,
        '--save',
        '',
        '--appendonly',
        'no',
        '--enable-debug-command',
        'yes',
        ...options,
      ],
      user,
    );
    await listening(port, { server });
    return server;
  };
  let server = await up();
  return {
    port,
    secret: SECRET,
    kill: () => server.stop('SIGKILL'),
    start: async () => {
      server = await up();
    },
  };
}
