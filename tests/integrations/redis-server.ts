// A Redis server of our own on 127.0.0.1: Debian's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, listening } from '../../pkg/test/ports.js';

/** A server that can be stopped and started again at the same port. It keeps nothing. */
export interface RedisServer {
  readonly port: number;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    port,
    async start() {
      if (child !== undefined && child.exitCode === null && child.signalCode === null) return;
      const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      child = spawn('redis-server', options, { stdio: 'ignore' });
      await listening(port);
    },
    async stop() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
  await server.start();
  return server;
}
