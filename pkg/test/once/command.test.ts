// `npx halfopen effects`: what it lists and settles in a real Redis, and what it says where it cannot. tests/fleet/once.test.ts
// has it on a real PostgreSQL.
import assert from 'node:assert/strict';
import { parse } from 'node:path';
import test from 'node:test';
import { createLedger } from 'halfopen/once';
import { redisStore } from 'halfopen/once/redis';
import { Redis } from 'ioredis';
import { redisServer } from '../fleet/redis.js';
import { freePort } from '../ports.js';
import { effectsCommand as run } from './effects-command.js';

test('unknown acts are listed and settled, on a real server', async () => {
  const server = await redisServer();
  const client = new Redis(server.port, '127.0.0.1');
  try {
    const ledger = createLedger({ store: redisStore(client), secret: 's' });
    let isBroken = true;
    let acts = 0;
    const pay = ledger.once(
      'pay',
      async (order: string) => {
        acts++;
        if (isBroken) throw new Error('socket hang up');
        return `paid ${order}`;
      },
      { key: (order: string) => order, describe: (order) => `order\u001B[31m ${order}` },
    );
    const redis = ['--redis', server.url];
    assert.equal((await run(['list', ...redis])).out, 'there is no act of unknown outcome\n');
    await assert.rejects(pay('a'), { code: 'TOOL_EXECUTION_ERROR' });
    await assert.rejects(pay('b'), { code: 'TOOL_EXECUTION_ERROR' });
    isBroken = false;

    const { out } = await run(['list', ...redis]);
    assert.match(
      out,
      /^act +key +since +attempts +about\n(pay +[\da-f]{12} +\S+Z +1 +order\uFFFD\[31m [ab]\n){2}$/,
    );
    const listed: { key: string; about: string }[] = JSON.parse(
      (await run(['list', '--json', ...redis])).out,
    );
    const keyOf = (order: string) => listed.find(({ about }) => about.endsWith(order))?.key ?? '';
    assert.match(keyOf('a'), /^[\da-f]{64}$/);

    const happened = await run([
      'settle',
      'pay',
      keyOf('a').slice(0, 12),
      'happened',
      '--result',
      '"found"',
      ...redis,
    ]);
    assert.match(happened.out, /^'pay' with the key [\da-f]{64} has happened: later calls get the result\n$/);
    assert.equal(await pay('a'), 'found');
    const not = await run(['settle', 'pay', keyOf('b'), 'not-happened', ...redis]);
    assert.match(not.out, /has not happened: the next call acts\n$/);
    assert.equal(await pay('b'), 'paid b');
    assert.equal(acts, 3);

    const again = await run(['settle', 'pay', keyOf('b'), 'happened', ...redis]);
    assert.deepEqual(
      [again.code, again.error],
      [1, "halfopen: 'pay' with this key has happened, and that is kept\n"],
    );
    const none = await run(['settle', 'pay', 'abc', 'happened', ...redis]);
    assert.equal(none.error, "halfopen: no act 'pay' of unknown outcome has a key that begins with 'abc'\n");
    assert.equal((await run(['list'], { HALFOPEN_LEDGER_URL: server.url })).code, 0);
    assert.equal(
      (await run(['list', '--ledger', 'other', ...redis])).out,
      'there is no act of unknown outcome\n',
    );
  } finally {
    client.disconnect();
    await server.stop();
  }
});

test('where there is no server, no client, or no sense in the command, it says so', async () => {
  const port = await freePort();
  const away = await run(['list', '--redis', `redis://127.0.0.1:${port}`]);
  assert.equal(away.code, 1);
  assert.match(away.error, /^halfopen: Redis at 127\.0\.0\.1:\d+: /);
  const database = await run(['list', '--database', `postgres://u:hidden@127.0.0.1:${port}/x`]);
  assert.equal(database.code, 1);
  assert.match(database.error, /^halfopen: PostgreSQL at 127\.0\.0\.1:\d+: \S/);
  assert.doesNotMatch(database.error, /hidden/);
  // Not a temporary folder: other programs install packages beside it.
  const folder = parse(process.cwd()).root;
  assert.match((await run(['list'], {}, folder)).error, /neither 'ioredis' nor 'redis' is installed here/);
  const postgres = await run(['list', '--database', 'postgres://h/x'], {}, folder);
  assert.match(postgres.error, /'pg' is not installed here/);
  for (const args of [[], ['list', 'a'], ['settle', 'a', 'b'], ['settle', 'a', 'b', 'maybe'], ['burn']]) {
    const wrong = await run(args);
    assert.equal(wrong.code, 2, args.join(' '));
    assert.match(wrong.error, /'effects' expects: list, or settle <act> <key> happened\|not-happened/);
  }
  const settle = ['settle', 'a', 'b'];
  const wrongs: [string[], RegExp][] = [
    [['list', '--redis', 'x'], /--redis expects a URL/],
    [['list', '--database', 'mysql://x'], /--database expects a URL that begins with postgres:\/\//],
    [['list', '--database', 'postgres://x', '--redis', 'redis://x'], /--redis or --database/],
    [['list', '--open'], /'effects' has no option --open/],
    [[...settle, 'not-happened', '--result', '1'], /--result is only for settle … happened/],
    [[...settle, 'happened', '--result', '{'], /--result expects JSON/],
    [[...settle, 'happened', '--json'], /--json is only for list/],
  ];
  for (const [args, message] of wrongs) {
    const wrong = await run(args);
    assert.equal(wrong.code, 2, args.join(' '));
    assert.match(wrong.error, message);
  }
  assert.match(
    (await run(['list'], { HALFOPEN_LEDGER_URL: 'x' })).error,
    /HALFOPEN_LEDGER_URL expects a URL/,
  );
});
