// Redis servers of our own on 127.0.0.1, Debian's: single, with a replica, and as a cluster of three; and what befalls them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, listening } from '../../pkg/test/ports.js';

/** One server. It keeps nothing on disk: killed and started again it is empty. */
export interface RedisServer {
  readonly port: number;
  /** One command; what redis-cli prints. */
  command(...words: string[]): Promise<string>;
  /** Freezes it: connections stay open, and nothing is answered. */
  pause(): void;
  resume(): void;
  kill(): Promise<void>;
  start(): Promise<void>;
}

const run = promisify(execFile);

async function startServer(options: readonly string[] = [], wanted?: number): Promise<RedisServer> {
  const port = wanted ?? (await freePort());
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    port,
    async command(...words) {
      const { stdout } = await run('redis-cli', ['-p', `${port}`, ...words], { timeout: 5_000 });
      return stdout.trim();
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async start() {
      const all = [
        '--port',
        `${port}`,
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--dir',
        tmpdir(),
        '--appendonly',
        'no',
        ...options,
      ];
      child = spawn('redis-server', all, { stdio: 'ignore' });
      await listening(port);
    },
  };
  await server.start();
  return server;
}

/** Some servers that are one store, and how to end them. */
export interface RedisServers {
  readonly servers: readonly RedisServer[];
  readonly isCluster: boolean;
  end(): Promise<void>;
}

function together(servers: readonly RedisServer[], isCluster = false, folder?: string): RedisServers {
  return {
    servers,
    isCluster,
    async end() {
      for (const server of servers) server.resume();
      await Promise.all(servers.map((server) => server.kill()));
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startSingle(): Promise<RedisServers> {
  return together([await startServer()]);
}

/** The primary, and a replica that follows it. */
export async function startReplicated(): Promise<RedisServers> {
  const primary = await startServer();
  const replica = await startServer(['--replicaof', `127.0.0.1 ${primary.port}`]);
  await until(async () => (await replica.command('INFO', 'replication')).includes('master_link_status:up'));
  return together([primary, replica]);
}

/** Three primaries that share the slots. */
export async function startCluster(): Promise<RedisServers> {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-cluster-'));
  const servers: RedisServer[] = [];
  while (servers.length < 3) {
    // The bus of a cluster listens 10,000 above.
    const port = await freePort();
    if (port > 55_000) continue;
    const file = join(folder, `nodes-${port}.conf`);
    servers.push(
      await startServer(['--cluster-enabled', 'yes', '--cluster-config-file', file, '--dir', folder], port),
    );
  }
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`);
  await run('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes', '--cluster-replicas', '0']);
  for (const server of servers)
    await until(async () => (await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  return together(servers, true, folder);
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 400; tries += 1) {
    if (await condition().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('a Redis server did not become ready within 20 seconds');
}
