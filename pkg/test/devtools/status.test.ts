// The state of the connection to the devtools: `status` and `onStatus`, and one warning on the console if it fails.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ConnectOptions, connect, type DevtoolsConnection } from '../../src/devtools/connect.js';
import type { DevtoolsStatus } from '../../src/devtools/connection.js';
import { nodePlatform } from '../../src/devtools/platform-node.js';
import { webPlatform } from '../../src/devtools/platform-web.js';
import { anyPort, ownHome, start, until } from './server.js';
import { answering, Teller } from './teller.js';

interface Watched {
  readonly connection: DevtoolsConnection;
  readonly teller: Teller;
  readonly statuses: DevtoolsStatus[];
  readonly warnings: string[];
}

/** A connection, the states that it has reported, and what the console was warned of. */
function open(
  t: TestContext,
  options: ConnectOptions,
  defaultUrl?: string,
  platform = nodePlatform,
): Watched {
  const statuses: DevtoolsStatus[] = [];
  const warnings: string[] = [];
  t.mock.method(console, 'warn', (...words: unknown[]) => warnings.push(words.join(' ')));
  const teller = new Teller();
  const given = {
    channel: false,
    policies: [teller],
    onStatus: (status: DevtoolsStatus) => statuses.push(status),
  } as const;
  const connection = connect({ ...given, ...options } as ConnectOptions, platform, defaultUrl);
  t.after(() => connection.close());
  return { connection, teller, statuses, warnings };
}

const url = (port: number) => `http://127.0.0.1:${port}`;

test('a server that is there: connecting, then connected, before the first event', async (t) => {
  const server = await start(t);
  const { connection, statuses, warnings } = open(t, { url: server.url });
  assert.equal(connection.status, 'connecting');
  await until(() => connection.status === 'connected', 'connected');
  assert.deepEqual([statuses, warnings], [['connected'], []]);
});

test('no server: away, and one warning that says where it was looked for and what to run', async (t) => {
  ownHome(t);
  const { connection, teller, statuses, warnings } = open(t, {}, url(await anyPort()));
  await until(() => connection.status === 'away', 'away');
  teller.tell(2);
  await connection.flush();
  teller.tell(2);
  await connection.flush();
  assert.deepEqual(statuses, ['away']);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /^halfopen: connectDevtools finds no devtools server at http:\/\/127\.0\.0\.1:\d+\/\. Start one there \(npx halfopen devtools\)/,
  );
});

test('a URL at which nobody listens, without an event: away, with the warning', async (t) => {
  ownHome(t);
  const { connection, warnings } = open(t, { url: url(await anyPort()) });
  await until(() => connection.status === 'away', 'away');
  assert.equal(warnings.length, 1);
});

test('another program at the URL is no devtools server: away', async (t) => {
  ownHome(t);
  const other = await answering(t, (_request, response) => response.end('hello'));
  const { connection } = open(t, { url: other });
  await until(() => connection.status === 'away', 'away');
});

for (const [name, platform] of [
  ['Node', nodePlatform],
  ['a page', webPlatform],
] as const) {
  test(`a wrong token, in ${name}: refused, and one warning that does not show the token`, async (t) => {
    const server = await start(t);
    const token = 'not-the-token-of-the-server';
    const { connection, teller, statuses, warnings } = open(
      t,
      { url: server.url, token },
      undefined,
      platform,
    );
    await until(() => connection.status === 'refused', 'refused');
    teller.tell(2);
    await connection.flush();
    assert.deepEqual(statuses, ['refused']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /^halfopen: the devtools server at http:\S+ does not accept the token\./);
    assert.ok(!warnings[0]?.includes(token));
  });
}

test('no token, for a server of another user: refused with the first events', async (t) => {
  const server = await start(t);
  ownHome(t);
  const { connection, teller, warnings } = open(t, { url: server.url });
  teller.tell();
  await connection.flush();
  assert.equal(connection.status, 'refused');
  assert.equal(warnings.length, 1);
});

test('a server that goes and comes back: away without a warning, then connected', async (t) => {
  const server = await start(t);
  const { connection, teller, statuses, warnings } = open(t, { url: server.url });
  teller.tell();
  await connection.flush();
  await server.close();
  teller.tell();
  await connection.flush();
  assert.deepEqual([statuses, warnings], [['connected', 'away'], []]);
  const again = await start(t, { port: Number(new URL(server.url).port) });
  await until(() => connection.status === 'connected', 'connected again');
  assert.equal(again.url, server.url);
});

test('a page without URL and token looks for no server, and warns of none', async (t) => {
  const { connection, teller, warnings } = open(t, { channel: 'status-test' }, undefined, webPlatform);
  teller.tell();
  await connection.flush();
  assert.deepEqual([connection.status, warnings], ['away', []]);
});

test('a listener that throws changes nothing', async (t) => {
  const server = await start(t);
  const { connection, teller } = open(t, {
    url: server.url,
    onStatus() {
      throw new Error('of the application');
    },
  });
  teller.tell();
  await connection.flush();
  assert.deepEqual([connection.status, connection.dropped], ['connected', 0]);
});
