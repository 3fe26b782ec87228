// The built package in Node, Bun and Deno: each connects to a real server with the token found on this machine, and what
// its policy tells arrives, whole and in order.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { start, stored } from './server.js';

const bin = (name: string) => fileURLToPath(new URL(`../../../node_modules/.bin/${name}`, import.meta.url));

/** How each runs a module, without the network for anything but the server. */
const RUNTIMES: Readonly<Record<string, (module: string) => [program: string, ...args: string[]]>> = {
  node: (module) => [process.execPath, module],
  bun: (module) => [bin('bun'), module],
  deno: (module) => [
    ...([bin('deno'), 'run', '--no-remote', '--no-lock', '--node-modules-dir=manual'] as const),
    ...['--allow-net=127.0.0.1', '--allow-read', '--allow-env', '--allow-sys=homedir', module],
  ],
};

const AGENT = `
  import { createPolicy } from 'halfopen';
  import { connectDevtools } from 'halfopen/devtools';
  const devtools = connectDevtools({ url: process.env.SERVER });
  const policy = createPolicy({ name: 'runtime', retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 2 } });
  let tries = 0;
  const answer = await policy.execute(async () => {
    tries += 1;
    if (tries === 1) throw Object.assign(new Error('busy'), { status: 503 });
    return 'yes';
  });
  await devtools.close();
  console.log(answer, devtools.dropped);
`;

for (const [name, command] of Object.entries(RUNTIMES)) {
  test(`${name} connects, and its events arrive`, async (t) => {
    const server = await start(t);
    // Beside this file, so that 'halfopen' is found as any package is.
    const module = fileURLToPath(new URL(`.agent-${name}-${process.pid}.mjs`, import.meta.url));
    writeFileSync(module, AGENT);
    t.after(() => rmSync(module, { force: true }));
    const [program, ...args] = command(module);
    const { stdout } = await promisify(execFile)(program, args, {
      env: { ...process.env, SERVER: server.url, NO_COLOR: '1' },
    });
    assert.equal(stdout.trim(), 'yes 0');
    const events = await stored(server);
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        ...['policy.configured', 'process.started', 'call.started', 'attempt.started', 'attempt.failed'],
        ...['retry.scheduled', 'attempt.started', 'attempt.succeeded', 'call.succeeded'],
      ],
    );
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
  });
}
