// A PostgreSQL of our own on 127.0.0.1: Debian's, with its data in a folder that goes with it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { freePort } from '../../pkg/test/ports.js';
import { until } from '../../scripts/patience.mjs';

/** A server that can be killed and started again on the same data. It writes to disk before it acknowledges, as by default. */
export interface PostgresServer {
  readonly url: string;
  start(): Promise<void>;
  /** Kills all of its processes at once, like a power loss (except for data that the system has buffered). */
  kill(): Promise<void>;
  /** Freezes all of its processes: connections stay open, and nothing is answered. */
  pause(): void;
  resume(): void;
  remove(): Promise<void>;
}

/** The folder of PostgreSQL's programs, which Debian keeps outside of PATH. `undefined` if it is not installed. */
export function postgresPrograms(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(debian, version, 'bin')), '/usr/local/bin', '/usr/bin'];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export async function startPostgres(): Promise<PostgresServer> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: scripts/setup.sh fleet');
  const user = serverUser();
  const folder = mkdtempSync(join(tmpdir(), 'halfopen-postgres-'));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const port = await freePort();
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'halfopen', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder, ...user },
  );
  let child: ChildProcess | undefined;
  const server: PostgresServer = {
    url: `postgres://halfopen:secret-of-nobody@127.0.0.1:${port}/postgres`,
    async start() {
      const settings = [
        `port=${port}`,
        'listen_addresses=127.0.0.1',
        'unix_socket_directories=',
        'max_connections=60',
      ];
      const options = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
      // It listens before it has recovered what a crash has left, and refuses until then; it ends where what the crash has
      // left is not gone yet.
      await until(() => {
        if (child === undefined || child.exitCode !== null || child.signalCode !== null)
          child = spawn(join(programs, 'postgres'), options, { stdio: 'ignore', cwd: folder, ...user });
        return accepts(server.url);
      }, 'PostgreSQL');
    },
    async kill() {
      const pid = child?.pid;
      if (child === undefined || pid === undefined || child.exitCode !== null || child.signalCode !== null)
        return;
      const ended = new Promise((resolve) => child?.once('exit', resolve));
      // Its workers have sessions of their own: they end when they see that the first process is gone.
      process.kill(pid, 'SIGKILL');
      await ended;
      while (processesOf(data).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    },
    pause: () => signalAll(data, 'SIGSTOP'),
    resume: () => signalAll(data, 'SIGCONT'),
    async remove() {
      await server.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

async function accepts(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

function signalAll(data: string, signal: NodeJS.Signals): void {
  for (const pid of processesOf(data)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
}

/**
 * Returns the processes that have their working directory in the data: PostgreSQL does not start before those of an
 * earlier one are gone.
 */
function processesOf(data: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === data;
      } catch {
        return false;
      }
    });
}
