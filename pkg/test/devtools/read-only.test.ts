// A disk that nothing can be written to: the server says so at its start, or refuses batches until it can write again. Calls of
// agents do not notice, and their events arrive once each.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createPolicy } from 'halfopen';
import { connectDevtools } from 'halfopen/devtools';
import { serveInProcess } from './serve.js';
import { line, ownHome, post, stored, temporaryDirectory, until } from './server.js';

const posix = { skip: process.platform === 'win32' };

/** A way to make a directory read-only for one process, which the command `within` starts. */
interface Disk {
  readonly within: readonly string[];
  /** The same, for a process to which it is read-only from the start. */
  withinReadOnly(directory: string): readonly string[];
  /** The system's error for a write there. */
  readonly says: RegExp;
  setReadOnly(directory: string, pid?: number): void;
  setWritable(directory: string, pid?: number): void;
}

function run(command: string, ...words: string[]): void {
  const { status, stderr } = spawnSync(command, words, { encoding: 'utf8' });
  assert.equal(status, 0, `${command} ${words.join(' ')}: ${stderr}`);
}

/** A mount namespace, in which the directory is mounted read-only upon itself; `undefined` where the machine makes none. */
function mounted(): Disk | undefined {
  const own = ['--mount', '--propagation', 'private'];
  const flags = [own, [...own, '--user', '--map-root-user']].find(
    (flags) => spawnSync('unshare', [...flags, 'mount', '--bind', '/tmp', '/tmp']).status === 0,
  );
  if (flags === undefined) return undefined;
  const users = flags.includes('--user') ? ['--user', '--preserve-credentials'] : [];
  const inside = (pid: number | undefined, ...words: string[]) =>
    run('nsenter', '--target', String(pid), '--mount', ...users, ...words);
  return {
    within: ['unshare', ...flags],
    withinReadOnly(directory) {
      const script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"';
      return ['unshare', ...flags, 'sh', '-c', script, directory];
    },
    says: /EROFS/,
    setReadOnly(directory, pid) {
      inside(pid, 'mount', '--bind', directory, directory);
      inside(pid, 'mount', '-o', 'remount,bind,ro', directory);
    },
    setWritable: (directory, pid) => inside(pid, 'umount', directory),
  };
}

/** The directory's permissions, to a process that must heed them: root may write anywhere while it has the capability. */
const permissions: Disk = {
  within: process.getuid?.() === 0 ? heedful() : [],
  withinReadOnly(directory) {
    this.setReadOnly(directory);
    return this.within;
  },
  says: /EACCES/,
  setReadOnly: (directory) => chmodSync(directory, 0o500),
  setWritable: (directory) => chmodSync(directory, 0o700),
};

function heedful(): string[] {
  const without = '-dac_override,-dac_read_search';
  return ['setpriv', '--bounding-set', without, '--inh-caps', without, '--'];
}

/** Both ways where the machine has both. */
const disks = { permissions, ...((disk) => disk && { mounted: disk })(mounted()) };

function agentWith(t: TestContext, server: { url: string; token: string }) {
  const devtools = connectDevtools({ url: server.url, token: server.token, channel: false });
  t.after(() => devtools.close());
  const policy = createPolicy({ name: 'agent' });
  return { devtools, call: (answer: string) => policy.execute(() => answer) };
}

for (const [name, disk] of Object.entries(disks)) {
  test(
    `a directory that is read-only (${name}): the server does not start, and says why and what to do`,
    posix,
    async (t) => {
      ownHome(t);
      const directory = join(temporaryDirectory(t), 'log');
      mkdirSync(directory, { mode: 0o700 });
      const within = disk.withinReadOnly(directory);
      await assert.rejects(
        serveInProcess({ port: 0, directory }, { quiet: true, within }),
        (error: Error) => {
          assert.match(
            error.message,
            /The log cannot be kept in .*log: E.*Choose another directory with --dir/,
          );
          assert.match(error.message, disk.says);
          return true;
        },
      );
    },
  );

  test(
    `a directory that becomes read-only (${name}): batches are refused, calls go on, and each event is stored once`,
    posix,
    async (t) => {
      ownHome(t);
      const directory = join(temporaryDirectory(t), 'log');
      const server = await serveInProcess(
        // The next batch wants a new file.
        { port: 0, directory, limits: { segmentBytes: 100 } },
        { quiet: true, within: disk.within },
      );
      t.after(() => server.child.kill('SIGKILL'));
      assert.equal((await post(server, [line(1), line(2)])).status, 200);

      disk.setReadOnly(directory, server.child.pid);
      const agent = agentWith(t, server);
      for (const answer of ['a', 'b', 'c']) assert.equal(await agent.call(answer), answer);
      await agent.devtools.flush();
      for (let time = 0; time < 3; time += 1) {
        const refused = await post(server, [line(3)]);
        assert.equal(refused.status, 507);
        assert.match(refused.body, disk.says);
      }
      assert.equal(await agent.call('d'), 'd');
      assert.match(server.complaints(), disk.says);

      disk.setWritable(directory, server.child.pid);
      assert.equal((await post(server, [line(3)])).status, 200);
      await until(async () => {
        await agent.devtools.flush();
        const events = await stored(server);
        return events.filter(({ type }) => type === 'call.succeeded').length === 4;
      }, 'the events of the agent');
      assert.equal(agent.devtools.dropped, 0);
      const lines = server.complaints().trimEnd().split('\n');
      assert.equal(lines.length, 2, server.complaints());
      assert.match(lines[0] ?? '', /events cannot be written to .*Make room.*--dir.*agents keep/);
      assert.match(lines[1] ?? '', /are written again/);
      const keys = (await stored(server)).map(({ source, seq }) => `${source} ${seq}`);
      assert.deepEqual(keys, [...new Set(keys)]);
      assert.deepEqual(
        keys.filter((key) => key.startsWith('agent-1 ')),
        ['agent-1 1', 'agent-1 2', 'agent-1 3'],
      );
    },
  );
}
