/** A Redis for the benches: on a free port, without a file, and ended with the process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { freePort } from '../test/ports.js';

export async function startRedis(): Promise<{ port: number; server: ChildProcess }> {
  const port = await freePort();
  const options = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--dir', tmpdir()];
  const server = spawn('redis-server', options, { stdio: 'ignore' });
  process.on('exit', () => server.kill('SIGKILL'));
  return { port, server };
}
