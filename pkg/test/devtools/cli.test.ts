// The command line of the built package: what it prints, how it ends, and errors that say what to do.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ask, line, temporaryDirectory, until } from './server.js';

const BIN = fileURLToPath(new URL('../../bin/halfopen.js', import.meta.url));

interface Run {
  child: ChildProcess;
  stdout: string;
  stderr: string;
  ended: Promise<number | null>;
}

function run(t: TestContext, home: string, ...args: string[]): Run {
  return runWith(t, { HALFOPEN_HOME: home }, ...args);
}

function runWith(t: TestContext, more: Record<string, string>, ...args: string[]): Run {
  const { HALFOPEN_DEVTOOLS_TOKEN: _, HALFOPEN_DEVTOOLS_URL: __, ...env } = process.env;
  const child = spawn(process.execPath, [BIN, ...args], { env: { ...env, ...more } });
  t.after(() => child.kill('SIGKILL'));
  const running: Run = {
    child,
    stdout: '',
    stderr: '',
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
  child.stdout.on('data', (chunk) => {
    running.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    running.stderr += chunk;
  });
  return running;
}

/** Starts a server and returns the URL that it prints. */
async function serve(t: TestContext, home: string, ...args: string[]): Promise<Run & { url: string }> {
  const running = run(t, home, 'devtools', ...args);
  await until(
    () => `${running.stdout}${running.stderr}`,
    () => running.stdout.includes('Ctrl-C'),
  );
  return Object.assign(running, { url: /http:\/\/\S+/.exec(running.stdout)?.[0] ?? '' });
}

test('--help and no arguments at all print the options; --version the version', async (t) => {
  const home = temporaryDirectory(t);
  for (const args of [['--help'], ['devtools', '-h'], []]) {
    const help = run(t, home, ...args);
    assert.equal(await help.ended, 0);
    assert.match(help.stdout, /npx halfopen devtools/);
    assert.match(help.stdout, /--port/);
  }
  const version = run(t, home, '--version');
  assert.equal(await version.ended, 0);
  assert.match(version.stdout, /^\d+\.\d+\.\d+/);
});

test('what is not understood ends with 2 and names the mistake', async (t) => {
  const home = temporaryDirectory(t);
  const wrong: [string[], RegExp][] = [
    [
      ['devtool'],
      /expected the command 'devtools', 'dashboard', 'diagnose', 'mcp', 'simulate', 'replay', 'explore', 'defaults', 'fleet', 'effects' or 'rehearse', got 'devtool'/,
    ],
    [['devtools', 'now'], /got 'devtools' 'now'/],
    [
      ['devtools', '--prot', '1'],
      /^halfopen: unknown option '--prot'; 'devtools' has --port, --host, --dir, --otlp, --database, --retention, --open, --no-token, --url, --version and --help\n/,
    ],
    [['--prot'], /unknown option '--prot'; there are --port, --host, .* and --help\n/],
    [['devtools', '--port'], /^halfopen: --port expects a value\n/],
    [['devtools', '--port', '-5'], /^halfopen: --port expects a value\n/],
    [
      ['devtools', '--retention', 'x'],
      /^halfopen: --retention expects a whole number of days from 1 to 36500, got 'x'\n/,
    ],
    [['devtools', '--open=yes'], /^halfopen: --open takes no value\n/],
    [['dashboard'], /'dashboard' expects one folder to write to, got none/],
    [['dashboard', 'a', 'b'], /got 'a' 'b'/],
    [['dashboard', 'a', '--port', '1'], /'dashboard' has no options, got --port/],
    [['devtools', '--dir', ''], /^halfopen: --dir must be a path, got ''\n/],
    [['devtools', '--host', ''], /^halfopen: --host must be an address or a name, got ''\n/],
    [['devtools', '--port', 'http'], /--port expects a whole number from 0 to 65535, got 'http'/],
    [['devtools', '--port', '70000'], /got '70000'/],
    [
      ['devtools', '--no-token', '--host', '0.0.0.0'],
      /^halfopen: --no-token is only for 127\.0\.0\.1, ::1 or localhost, not with host '0\.0\.0\.0'\n/,
    ],
  ];
  for (const [args, message] of wrong) {
    const misused = run(t, home, ...args);
    assert.equal(await misused.ended, 2, args.join(' '));
    assert.match(misused.stderr, message);
    assert.match(misused.stderr, /--help/);
    assert.doesNotMatch(misused.stderr, /at .*:\d+:\d+/);
  }
});

test('dashboard writes the files of the dashboard, and says why it cannot', async (t) => {
  const folder = join(temporaryDirectory(t), 'public', 'devtools');
  const written = run(t, folder, 'dashboard', folder);
  assert.equal(await written.ended, 0, written.stderr);
  const built = fileURLToPath(new URL('../../dist/dashboard', import.meta.url));
  assert.deepEqual(
    readdirSync(folder).sort(),
    [...readdirSync(built), 'lab-worker.js', 'lab.wasm'].sort(),
    'the Lab view fetches two files more, which the package has elsewhere',
  );
  const lab = fileURLToPath(new URL('../../dist/lab.wasm', import.meta.url));
  assert.ok(readFileSync(join(folder, 'lab.wasm')).equals(readFileSync(lab)), 'lab.wasm');
  for (const name of readdirSync(built))
    assert.ok(readFileSync(join(folder, name)).equals(readFileSync(join(built, name))), name);
  const elsewhere = join(temporaryDirectory(t), 'kept');
  writeFileSync(elsewhere, 'kept');
  rmSync(join(folder, 'lab.wasm'));
  symlinkSync(elsewhere, join(folder, 'lab.wasm'));
  assert.equal(await run(t, folder, 'dashboard', folder).ended, 0);
  assert.equal(
    readFileSync(elsewhere, 'utf8'),
    'kept',
    'a link in the folder is replaced, not written through',
  );
  assert.ok(readFileSync(join(folder, 'lab.wasm')).equals(readFileSync(lab)));
  const file = join(folder, 'index.html');
  const refused = run(t, folder, 'dashboard', file);
  assert.equal(await refused.ended, 1);
  assert.match(refused.stderr, /could not be written to '.*index\.html': EEXIST/);
});

test('it prints a URL that opens the dashboard once, and ends cleanly with Ctrl-C', async (t) => {
  const home = temporaryDirectory(t);
  const directory = join(home, 'log');
  const { child, url, ended } = await serve(t, home, '--port', '0', '--dir', directory);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/\?token=[\w-]{43}$/);
  const exchange = await ask(url);
  assert.equal(exchange.status, 200);
  assert.match(exchange.body, /data-target="\/"/);
  assert.ok(readdirSync(directory).some((name) => name.endsWith('.jsonl')));
  child.kill('SIGINT');
  assert.equal(await ended, 0);
});

test('--url prints the URL of the server that runs, and says when none does', async (t) => {
  const home = temporaryDirectory(t);
  const { url, child, ended } = await serve(t, home, '--port', '0');
  const port = new URL(url).port;
  const found = run(t, home, 'devtools', '--url', '--port', port);
  assert.equal(await found.ended, 0);
  assert.equal(found.stdout.trim(), url);
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  const none = run(t, home, 'devtools', '--url', '--port', port);
  assert.equal(await none.ended, 1);
  assert.match(none.stderr, /you have no devtools server running on port/);
});

test('--url lists the servers on all ports; with --port one', async (t) => {
  const home = temporaryDirectory(t);
  const first = await serve(t, home, '--port', '0');
  const second = await serve(t, home, '--port', '0');
  const killed = await serve(t, home, '--port', '0');
  killed.child.kill('SIGKILL');
  await killed.ended;
  const all = run(t, home, 'devtools', '--url');
  assert.equal(await all.ended, 0);
  assert.deepEqual(new Set(all.stdout.trim().split('\n')), new Set([first.url, second.url]));
  const one = run(t, home, 'devtools', '--url', '--port', new URL(second.url).port);
  assert.equal(await one.ended, 0);
  assert.equal(one.stdout.trim(), second.url);
  const none = run(t, temporaryDirectory(t), 'devtools', '--url');
  assert.equal(await none.ended, 1);
  assert.match(none.stderr, /you have no devtools server running\. Start one/);
});

test('--open shows no token to who lists the processes: a link that works once', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const home = temporaryDirectory(t);
  const seen = join(home, 'arguments');
  writeFileSync(
    join(home, 'xdg-open'),
    `#!/bin/sh\nprintf '%s' "$*" > "${seen}.part" && mv "${seen}.part" "${seen}"\n`,
    {
      mode: 0o755,
    },
  );
  const server = runWith(
    t,
    { HALFOPEN_HOME: home, PATH: `${home}:${process.env.PATH}` },
    ...['devtools', '--port', '0', '--open'],
  );
  await until(() => existsSync(seen), 'the browser to be started');
  const opened = readFileSync(seen, 'utf8');
  const printed = new URL(/http:\/\/\S+/.exec(server.stdout)?.[0] ?? '');
  assert.match(opened, /^http:\/\/127\.0\.0\.1:\d+\/\?code=[\w-]{32}$/);
  assert.ok(!opened.includes(String(printed.searchParams.get('token'))));
  assert.equal((await ask(opened)).status, 200);
  assert.equal((await ask(opened)).status, 401);
  await until(() => server.stderr.includes('was used twice'), 'the warning');
});

test('the token that others may try needs sixteen characters', async (t) => {
  const weak = runWith(
    t,
    { HALFOPEN_HOME: temporaryDirectory(t), HALFOPEN_DEVTOOLS_TOKEN: 'a' },
    ...['devtools', '--port', '0', '--host', '0.0.0.0'],
  );
  assert.equal(await weak.ended, 2);
  assert.match(
    weak.stderr,
    /^halfopen: HALFOPEN_DEVTOOLS_TOKEN must have at least 16 characters with host '0\.0\.0\.0', got 1: a shorter one can be guessed\n/,
  );
});

test('a port in use: says which, and what to do', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as AddressInfo;
  const refused = run(t, temporaryDirectory(t), 'devtools', '--port', String(port));
  assert.equal(await refused.ended, 1);
  assert.match(refused.stderr, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
  assert.match(refused.stderr, new RegExp(`devtools --url --port ${port}\` prints its URL`));
  assert.match(refused.stderr, /another port with --port/);
});

test('a directory in use: says so', async (t) => {
  const home = temporaryDirectory(t);
  const directory = join(home, 'log');
  const first = await serve(t, home, '--port', '0', '--dir', directory);
  const second = run(t, home, 'devtools', '--port', '0', '--dir', directory);
  assert.equal(await second.ended, 1);
  assert.match(
    second.stderr,
    /is in use by the devtools server at http:\/\/127\.0\.0\.1:\d+ \(process \d+\)/,
  );
  assert.match(
    second.stderr,
    new RegExp(`devtools --url --port ${new URL(first.url).port}\` prints its URL`),
  );
  first.child.kill('SIGKILL');
  await first.ended;
  await serve(t, home, '--port', '0', '--dir', directory);
});

/** Node's recursive mkdir never returns where a directory is there and nothing can be made in it for ENOENT. */
test('a directory that cannot be made: says so and ends', {
  skip: process.platform === 'win32',
}, async (t) => {
  const home = temporaryDirectory(t);
  const file = join(home, 'file');
  writeFileSync(file, '');
  symlinkSync(join(home, 'gone'), join(home, 'dangling'));
  const impossible: [string, RegExp][] = [
    [file, /EEXIST/],
    [join(file, 'log'), /ENOTDIR/],
    [join(file, 'log', 'deep'), /ENOTDIR/],
    [join(home, 'dangling'), /EEXIST/],
    [join(home, 'dangling', 'log'), /EEXIST.*dangling'/],
    [join(home, 'dangling', 'log', 'deep'), /EEXIST.*dangling'/],
  ];
  if (process.platform === 'linux') impossible.push(['/proc/log', /ENOENT/], ['/proc/log/deep', /ENOENT/]);
  await Promise.all(
    impossible.map(async ([directory, why]) => {
      const refused = run(t, home, 'devtools', '--port', '0', '--dir', directory);
      assert.equal(await refused.ended, 1, directory);
      const { stderr } = refused;
      assert.ok(stderr.startsWith(`halfopen: The log cannot be kept in ${directory}: `), stderr);
      assert.match(stderr, why);
      assert.match(stderr, /Choose another directory with --dir\.\n$/);
    }),
  );
});

test('a token from the environment that cannot be one is named by its variable, and not shown', async (t) => {
  const child = spawn(process.execPath, [BIN, 'devtools', '--port', '0'], {
    env: { ...process.env, HALFOPEN_HOME: temporaryDirectory(t), HALFOPEN_DEVTOOLS_TOKEN: 'my secret' },
  });
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  assert.deepEqual(await once(child, 'close'), [2, null]);
  assert.match(told, /^halfopen: HALFOPEN_DEVTOOLS_TOKEN must be of visible ASCII characters/);
  assert.doesNotMatch(told, /secret/);
});

/** POSIX shells can set how large a file may become: what a full disk is to the server, `write(2)` fails. */
test('a disk that is full: batches are refused, said once with what to do, and what fits is taken again', {
  skip: process.platform === 'win32',
}, async (t) => {
  const home = temporaryDirectory(t);
  const directory = join(home, 'log');
  const command = `trap '' XFSZ; ulimit -f 16; exec "$0" "$1" devtools --port 0 --dir "$2"`;
  const child = spawn('bash', ['-c', command, process.execPath, BIN, directory], {
    env: { ...process.env, HALFOPEN_HOME: home, HALFOPEN_DEVTOOLS_TOKEN: 'token' },
  });
  t.after(() => child.kill('SIGKILL'));
  let [told, complained] = ['', ''];
  child.stdout.on('data', (chunk) => {
    told += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complained += chunk;
  });
  await until(
    () => told + complained,
    () => told.includes('Ctrl-C'),
  );
  const { origin } = new URL(/http:\S+/.exec(told)?.[0] ?? '');
  const post = (from: number, count: number) =>
    ask(`${origin}/events`, {
      method: 'POST',
      headers: { authorization: 'Bearer token', 'content-type': 'application/x-ndjson' },
      body: Array.from({ length: count }, (_, index) => line(from + index)).join('\n'),
    });
  assert.equal((await post(1, 10)).status, 200);
  for (let time = 0; time < 3; time += 1) {
    const refused = await post(100, 1_000);
    assert.equal(refused.status, 507);
    assert.match(refused.body, /EFBIG/);
  }
  assert.equal((await post(11, 10)).status, 200);
  const [log] = readdirSync(directory).filter((name) => name.endsWith('.jsonl'));
  const kept = readFileSync(join(directory, log ?? ''), 'utf8')
    .trimEnd()
    .split('\n');
  assert.deepEqual(
    kept.map((text) => (JSON.parse(text) as { seq: number }).seq),
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  const lines = complained.trimEnd().split('\n');
  assert.equal(lines.length, 2, complained);
  assert.match(lines[0] ?? '', /events cannot be written to .*EFBIG.*Make room.*--dir/);
  assert.match(lines[1] ?? '', /are written again/);
});
