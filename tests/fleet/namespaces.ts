// Network namespaces: a process has a separate route to the store and to the provider, and either can be cut. Packets
// are dropped then: no connection is closed, and no side learns why there is no response.
import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Set in a process that has a network of its own. */
const OWN = 'FLEET_OWN_NETWORK';

export const hasOwnNetwork = process.env[OWN] !== undefined;

// Not synchronous: the provider is in this process.
const execute = promisify(execFile);
const run = async (command: string, ...words: string[]) => void (await execute(command, words));

/**
 * Returns the command by which this machine makes a network namespace, as root or as a user; `undefined` if it cannot.
 */
function unshare(): string[] | undefined {
  const probe = ['ip', 'link', 'add', 'name', 'here', 'type', 'veth', 'peer', 'name', 'there'];
  return [['--net'], ['--net', '--user', '--map-root-user']].find(
    (flags) => spawnSync('unshare', [...flags, ...probe], { stdio: 'ignore' }).status === 0,
  );
}

/** Runs this file again in a network of its own, and returns how it ended; nothing where the machine makes no such thing. */
export async function againInOwnNetwork(): Promise<{ status: number | null; output: string } | undefined> {
  const flags = unshare();
  if (flags === undefined) return undefined;
  // Not as a part of this test runner: its output is read by people.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
  const child = spawn('unshare', [...flags, ...words], { env: { ...env, [OWN]: '1' } });
  let output = '';
  child.stdout.on('data', (data) => {
    output += data;
  });
  child.stderr.on('data', (data) => {
    output += data;
  });
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { status, output };
}

/** The way of a process to the store. */
export interface Way {
  cut(): Promise<void>;
  heal(): Promise<void>;
}

/** Nothing goes through, or requests arrive and their answers do not. */
export type Cut = 'both' | 'answers';

/**
 * Starts a program in a namespace of its own, with two ways out: at `10.77.<number>.1` is the store, at `10.78.<number>.1` the
 * provider.
 */
export async function spawnApart(
  number: number,
  cut: Cut,
  command: readonly string[],
): Promise<{ child: ChildProcess; way: Way }> {
  const waiting = ['sh', '-c', 'read go && exec "$0" "$@"', ...command];
  const child = spawn('unshare', ['--net', ...waiting], { stdio: ['pipe', 'ignore', 'inherit'] });
  const pid = `${child.pid}`;
  const network = (of: string) => readlinkSync(`/proc/${of}/ns/net`);
  while (network(pid) === network('self')) await sleep(5);
  const inside = (...words: string[]) => run('nsenter', '--net', '--target', pid, 'ip', ...words);
  await inside('link', 'set', 'lo', 'up');
  for (const [name, net] of [
    ['store', 77],
    ['provider', 78],
  ] as const) {
    const here = `${name}${number}`;
    await run('ip', 'link', 'add', 'name', here, 'type', 'veth', 'peer', 'name', name, 'netns', pid);
    await run('ip', 'address', 'add', `10.${net}.${number}.1/30`, 'dev', here);
    await run('ip', 'link', 'set', here, 'up');
    await inside('address', 'add', `10.${net}.${number}.2/30`, 'dev', name);
    await inside('link', 'set', name, 'up');
  }
  child.stdin?.end('go\n');
  const link = (state: string) => run('ip', 'link', 'set', `store${number}`, state);
  const hole = (what: string) => run('ip', 'route', what, 'blackhole', `10.77.${number}.2/32`);
  const ways: Record<Cut, Way> = {
    both: { cut: () => link('down'), heal: () => link('up') },
    answers: { cut: () => hole('add'), heal: () => hole('delete') },
  };
  return { child, way: ways[cut] };
}
