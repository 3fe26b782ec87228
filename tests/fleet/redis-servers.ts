// Redis servers of our own on 127.0.0.1, Debian's: single, with a replica, and as a cluster of three; and what befalls them.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, listening } from '../../pkg/test/ports.js';
import { until } from '../../scripts/patience.mjs';

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

async function startServer(
  options: readonly string[] = [],
  wanted?: number,
  file: readonly string[] = [],
): Promise<RedisServer> {
  const port = wanted ?? (await freePort());
  let child: ChildProcess | undefined;
  const server: RedisServer = {
    port,
    async command(...words) {
      const { stdout } = await run('redis-cli', ['-p', `${port}`, ...words]);
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
        ...file,
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
  /** Those that say which server is the primary, under the name {@link SENTINELS_NAME}. */
  readonly sentinels?: readonly RedisServer[];
  end(): Promise<void>;
}

function together(
  servers: readonly RedisServer[],
  isCluster = false,
  folder?: string,
  sentinels: readonly RedisServer[] = [],
): RedisServers {
  const all = [...sentinels, ...servers];
  return {
    servers,
    isCluster,
    sentinels,
    async end() {
      for (const server of all) server.resume();
      await Promise.all(all.map((server) => server.kill()));
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function startSingle(): Promise<RedisServers> {
  return together([await startServer()]);
}

/** One that listens on all addresses: for a network of its own. */
export async function startOpen(): Promise<RedisServers> {
  return together([await startServer(['--bind', '0.0.0.0', '--protected-mode', 'no'])]);
}

/** The primary, and a replica that follows it. */
export async function startReplicated(): Promise<RedisServers> {
  const primary = await startServer();
  const replica = await startServer(['--replicaof', `127.0.0.1 ${primary.port}`]);
  await ready(async () => (await replica.command('INFO', 'replication')).includes('master_link_status:up'));
  return together([primary, replica]);
}

/** By which name clients ask sentinels for the primary. */
export const SENTINELS_NAME = 'store';

/** The same with three sentinels, of which two promote the replica when the primary is away for a second. */
export async function startWithSentinels(): Promise<RedisServers> {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-sentinels-'));
  const { servers } = await startReplicated();
  const sentinels: RedisServer[] = [];
  for (let count = 0; count < 3; count += 1) {
    const file = join(folder, `${count}.conf`);
    const said = [
      ['monitor', SENTINELS_NAME, '127.0.0.1', servers[0]?.port, 2],
      ['down-after-milliseconds', SENTINELS_NAME, 1_000],
      ['failover-timeout', SENTINELS_NAME, 5_000],
    ];
    writeFileSync(file, said.map((words) => `sentinel ${words.join(' ')}\n`).join(''));
    sentinels.push(await startServer(['--sentinel'], undefined, [file]));
  }
  // They find each other, and the replica, through the primary.
  for (const sentinel of sentinels)
    await ready(async () => {
      const known = await sentinel.command('SENTINEL', 'MASTER', SENTINELS_NAME);
      return /num-slaves\n1\n/.test(known) && /num-other-sentinels\n2\n/.test(known);
    });
  return together(servers, false, folder, sentinels);
}

/** Three primaries that share the slots, each with `replicas` replicas. */
export async function startCluster(replicas = 0): Promise<RedisServers> {
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-cluster-'));
  const servers: RedisServer[] = [];
  while (servers.length < 3 * (1 + replicas)) {
    // The bus of a cluster listens 10,000 above.
    const port = await freePort(10_000);
    const file = join(folder, `nodes-${port}.conf`);
    servers.push(
      await startServer(
        [
          ...['--cluster-enabled', 'yes', '--cluster-config-file', file, '--dir', folder],
          ...['--cluster-node-timeout', '2000'],
        ],
        port,
      ),
    );
  }
  const nodes = servers.map(({ port }) => `127.0.0.1:${port}`);
  await run('redis-cli', [
    '--cluster',
    'create',
    ...nodes,
    '--cluster-yes',
    '--cluster-replicas',
    `${replicas}`,
  ]);
  for (const server of servers)
    await ready(async () => (await server.command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
  if (replicas > 0)
    for (const server of servers)
      await ready(async () =>
        /role:master|master_link_status:up/.test(await server.command('INFO', 'replication')),
      );
  return together(servers, true, folder);
}

/** The primary that has a key, of those that run. */
export async function ownerOf({ servers }: RedisServers, key: string): Promise<RedisServer | undefined> {
  for (const server of servers) {
    const role = await server.command('INFO', 'replication').catch(() => 'it does not run');
    if (role.includes('role:master') && (await server.command('EXISTS', key)) === '1') return server;
  }
  return undefined;
}

/** Waits for a condition. A server that starts refuses commands. */
const ready = (condition: () => Promise<boolean>) =>
  until(() => condition().catch(() => false), 'the Redis servers to be ready');
