// One server a directory: whoever starts at the same moment, and whatever killed servers left.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findDevtoolsServer } from '../../src/devtools/index.js';
import { readOwn } from '../../src/devtools/own-file.js';
import { type Registration, readRegistration, writeRegistration } from '../../src/devtools/registration.js';
import { startServer } from '../../src/devtools/server/main.js';
import { type ServerProcess, serveInProcess } from './serve.js';
import { line, ownHome, post, start, stored, temporaryDirectory, until } from './server.js';

const posix = { skip: process.platform === 'win32' };

/** Starts servers on a directory at one moment; returns those that run. */
async function race(t: TestContext, directory: string, count: number): Promise<ServerProcess[]> {
  const tries = await Promise.allSettled(
    Array.from({ length: count }, () => serveInProcess({ port: 0, directory }, { quiet: true })),
  );
  const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  t.after(() => {
    for (const { child } of won) child.kill('SIGKILL');
  });
  for (const one of tries) {
    if (one.status === 'rejected')
      assert.match(String(one.reason), /is in use by the devtools server at http:\/\/127\.0\.0\.1:\d+/);
  }
  return won;
}

async function kill({ child }: ServerProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

test('servers that start at once on one directory: exactly one wins, also over the lock of a killed one', async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  for (let time = 0; time < 6; time += 1) {
    const won = await race(t, directory, 4);
    assert.equal(won.length, 1, `${won.length} run: ${readdirSync(directory).join()}`);
    const [winner] = won as [ServerProcess];
    assert.equal((await post(winner, [line(time, { source: `agent-${time}` })])).status, 200);
    assert.equal((await stored(winner)).length, time + 1);
    // Half of the times it has closed before the next ones come.
    if (time % 2 === 0) await kill(winner);
    else {
      const gone = once(winner.child, 'exit');
      winner.child.disconnect();
      await gone;
    }
  }
  const locks = readdirSync(directory).filter((name) => name.endsWith('.lock'));
  assert.equal(locks.length, 1, locks.join());
});

test('a directory is free again when its server has closed, in this process too', async (t) => {
  const directory = temporaryDirectory(t);
  const one = await start(t, { directory });
  await assert.rejects(startServer({ port: 0, host: '127.0.0.1', directory }), /is in use by/);
  await one.close();
  const two = await start(t, { directory });
  assert.equal((await post(two, [line(1)])).status, 200);
});

/** An address of this machine that others can reach, if it has one. */
const outward = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === 'IPv4' && !one.internal)?.address;

for (const host of ['LOCALHOST', '127.0.0.2', '0.0.0.0', outward]) {
  test(`a server on ${host ?? 'an address that others can reach'} is found by others that want its directory`, {
    skip: host === undefined || process.platform === 'darwin' ? 'this machine has none' : false,
  }, async (t) => {
    const directory = temporaryDirectory(t);
    const server = await start(t, { directory, ...(host === undefined ? {} : { host }) });
    assert.equal((await post(server, [line(1)])).status, 200, server.url);
    await assert.rejects(serveInProcess({ port: 0, directory }, { quiet: true }), /is in use by/);
    assert.equal(await findDevtoolsServer(Number(new URL(server.url).port)), server.dashboardUrl);
  });
}

test('a lock that a busy machine writes late is waited for', async (t) => {
  const directory = temporaryDirectory(t);
  await start(t, { directory });
  const [name] = readdirSync(directory).filter((one) => one.endsWith('.lock'));
  const lock = join(directory, name ?? '');
  const text = readFileSync(lock);
  writeFileSync(lock, '');
  setTimeout(() => writeFileSync(lock, text), 4_000);
  await assert.rejects(start(t, { directory }), /is in use by/);
});

test('the lock of a killed server whose process id is another program’s now is taken over', async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  await kill(await serveInProcess({ port: 0, directory }));
  const [name] = readdirSync(directory).filter((one) => one.endsWith('.lock'));
  const lock = join(directory, name ?? '');
  const holder = JSON.parse(readFileSync(lock, 'utf8')) as object;
  writeFileSync(lock, JSON.stringify({ ...holder, pid: process.ppid }));
  await start(t, { directory });
});

test('what a server left that was killed while it wrote its registration is cleaned up', async (t) => {
  const directory = temporaryDirectory(t);
  const home = ownHome(t);
  mkdirSync(join(home, 'servers'));
  writeFileSync(join(directory, 'server.json.0123456789abcdef'), 'half');
  writeFileSync(join(directory, 'server.json.of-the-user'), 'kept');
  const server = await start(t, { directory });
  assert.ok(!existsSync(join(directory, 'server.json.0123456789abcdef')));
  assert.ok(existsSync(join(directory, 'server.json.of-the-user')));
  await server.close();
});

test('a start that fails for want of room leaves no draft', posix, async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  const { spawnSync } = await import('node:child_process');
  const { bundled } = await import('./serve.js');
  // No file may grow: what a full disk is to the server.
  const failed = spawnSync('bash', [
    '-c',
    `trap '' XFSZ; ulimit -f 0; exec "$0" "$@"`,
    process.execPath,
    bundled(),
    JSON.stringify({ port: 0, directory }),
  ]);
  assert.notEqual(failed.status, 0);
  assert.match(String(failed.stderr), /cannot be kept in .*EFBIG/);
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('server.json')),
    [],
  );
  await start(t, { directory });
});

test('the temporary directory of a killed server goes when the next one starts', posix, async (t) => {
  ownHome(t);
  const temporary = process.env.TMPDIR;
  process.env.TMPDIR = temporaryDirectory(t);
  t.after(() => {
    if (temporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = temporary;
  });
  const here = () => readdirSync(tmpdir()).filter((name) => name.startsWith('halfopen-devtools-'));
  const killed = await serveInProcess({ port: 0 });
  assert.equal(here().length, 1);
  const [left] = here();
  await kill(killed);
  const living = await serveInProcess({ port: 0 });
  t.after(() => living.child.kill('SIGKILL'));
  const foreign = mkdtempSync(join(tmpdir(), 'halfopen-devtools-'));
  writeFileSync(join(foreign, 'notes.txt'), 'nobody said that this is a server’s');
  const third = await startServer({ port: 0, host: '127.0.0.1' });
  await third.close();
  assert.ok(!here().includes(left ?? ''), 'of the killed one');
  assert.equal(here().length, 2, 'the living one and what is none of ours');
  assert.equal((await post(living, [line(1)])).status, 200);
});

const REGISTRATIONS: Record<string, unknown> = {
  'a number as token': { token: 7 },
  'an object as token': { token: { toString: 'x' } },
  'an empty token': { token: '' },
  'a token with a line break': { token: 'abc\r\nx-evil: 1' },
  'a url that is none': { url: 'nowhere' },
  'a url of another scheme': { url: 'file:///etc/passwd' },
  'a process id that is none': { pid: -1 },
  'a list': [],
  'no JSON': 'no JSON',
};

for (const [what, said] of Object.entries(REGISTRATIONS)) {
  test(`server.json with ${what} is passed over`, async (t) => {
    const directory = temporaryDirectory(t);
    const token = 'planted-by-somebody-else';
    const whole = {
      ...{ instance: 'ab', pid: 2, url: 'http://127.0.0.1:9', token, secret: token, directory, closed: true },
    };
    const text =
      typeof said === 'string'
        ? said
        : JSON.stringify(Array.isArray(said) ? said : { ...whole, ...(said as object) });
    writeFileSync(join(directory, 'server.json'), text, { mode: 0o600 });
    const server = await start(t, { directory });
    assert.match(String(server.token), /^[\w-]{43}$/);
  });
}

test('what somebody else put into the directory is neither followed nor waited for', posix, async (t) => {
  const { execFileSync } = await import('node:child_process');
  const name = `events-0123abcd-${'0'.repeat(15)}.jsonl`;
  const mine = join(temporaryDirectory(t), 'mine.txt');
  const planted: Record<string, (path: string) => void> = {
    'a symbolic link': (path) => symlinkSync(mine, path),
    'a second name': (path) => execFileSync('ln', [mine, path]),
    'a pipe': (path) => execFileSync('mkfifo', [path]),
    'an endless device': (path) => symlinkSync('/dev/zero', path),
    'a directory': (path) => mkdirSync(path),
  };
  for (const [what, plant] of Object.entries(planted)) {
    for (const file of [name, 'server-1.lock']) {
      writeFileSync(mine, 'a line without an end');
      const directory = temporaryDirectory(t);
      plant(join(directory, file));
      ownHome(t);
      await assert.rejects(
        startServer({ port: 0, host: '127.0.0.1', directory }),
        /cannot be kept in .* (is no regular file|is a link to a file that has another name)/,
        `${what} as ${file}`,
      );
      assert.equal(readFileSync(mine, 'utf8'), 'a line without an end', what);
      rmSync(mine);
    }
    const directory = temporaryDirectory(t);
    writeFileSync(mine, '{}');
    plant(join(directory, 'server.json'));
    if (what === 'a directory') continue;
    const server = await start(t, { directory });
    assert.match(String(server.token), /^[\w-]{43}$/, what);
    await server.close();
    rmSync(mine);
  }
});

test('a registration that is too long is none, and one that cannot be written leaves no draft', async (t) => {
  const directory = temporaryDirectory(t);
  const server = await start(t, { directory });
  const path = join(directory, 'server.json');
  const registration = await readRegistration(path);
  assert.equal(registration?.url, server.url);
  appendFileSync(path, ' '.repeat(64 * 1024));
  assert.equal(await readRegistration(path), undefined);
  rmSync(path);
  mkdirSync(path);
  await assert.rejects(writeRegistration(path, registration as Registration));
  assert.deepEqual(
    readdirSync(directory).filter((name) => name.startsWith('server.json.')),
    [],
  );
});

test('a file that belongs to another user is not read', {
  skip: process.getuid?.() !== 0 && 'only root can give a file away',
}, async (t) => {
  const path = join(temporaryDirectory(t), 'server.json');
  writeFileSync(path, '{}');
  chownSync(path, 65_534, 65_534);
  await assert.rejects(readOwn(path), /belongs to another user \(65534, this one is 0\)/);
  chownSync(path, 0, 0);
  assert.equal(await readOwn(path), '{}');
});

test('a directory in which every user may write is refused', posix, async (t) => {
  ownHome(t);
  const directory = temporaryDirectory(t);
  chmodSync(directory, 0o777);
  await assert.rejects(
    startServer({ port: 0, host: '127.0.0.1', directory }),
    /cannot be kept in .*every user may write there \(mode 777\)/,
  );
  chmodSync(directory, 0o700);
  const server = await start(t, { directory });
  await until(async () => (await post(server, [line(1)])).status === 200, 'it to be taken then');
});
