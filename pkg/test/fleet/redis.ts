/** A real Redis server for a test: on a free port of this machine, without a file. */
import { type ChildProcess, spawn } from 'node:child_process';
import { freePort } from '../ports.js';

export interface RedisServer {
  port: number;
  url: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

export async function redisServer(...options: string[]): Promise<RedisServer> {
  const port = await freePort();
  const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn('redis-server', [...fixed, ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
    let output = '';
    server.stdout?.on('data', (chunk) => {
      output += chunk;
      if (/Ready to accept connections/.test(output)) resolve();
    });
  });
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    process: server,
    stop: () =>
      new Promise((resolve) => {
        if (server.exitCode !== null || server.signalCode !== null) return resolve();
        server.removeAllListeners('exit');
        server.once('exit', () => resolve());
        server.kill('SIGKILL');
      }),
  };
}
