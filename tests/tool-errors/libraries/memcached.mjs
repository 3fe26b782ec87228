// memcached on a real memcached, and on a stub for what a healthy one does not say. It has no callback for many failures.
import { again, final, library, unclear } from '../expect.mjs';
import { memcached } from '../servers/memcached.mjs';
import { closedPort, lines, sleep } from '../servers/net.mjs';

const lib = library({
  packages: ['memcached'],
  needs: ['memcached'],
  setup: memcached,
});
const using = async (port, work, { host = '127.0.0.1', ...more } = {}) => {
  const { default: Memcached } = await import('memcached');
  const client = new Memcached(`${host}:${port}`, {
    retries: 0,
    timeout: 400,
    failures: 1,
    reconnect: 60_000,
    ...more,
  });
  const call = (verb, ...args) =>
    new Promise((resolve, reject) =>
      client[verb](...args, (error, value) => (error ? reject(error) : resolve(value))),
    );
  try {
    return await work(call);
  } finally {
    client.end();
  }
};
lib.add('too-large', final('VALIDATION_ERROR'), 'longer than maxValue', ({ port }) =>
  using(port, (call) => call('set', 'x', 'x'.repeat(2_000_000), 10)),
);
lib.add('key-too-long', final('VALIDATION_ERROR'), 'longer than the maximum allowed length', ({ port }) =>
  using(port, (call) => call('get', 'x'.repeat(300)), { keyCompression: false }),
);
lib.add('bad-key', final('VALIDATION_ERROR'), 'white space in a key', ({ port }) =>
  using(port, (call) => call('get', 'two words')),
);
lib.add('bad-argument', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a mistake of the program', ({ port }) =>
  using(port, (call) => call('set', 'x', 'y', 'soon')),
);
lib.add('not-a-number', final('VALIDATION_ERROR'), 'CLIENT_ERROR of incr', ({ port }) =>
  using(port, async (call) => {
    await call('set', 'word', 'x', 10);
    return call('incr', 'word', 1);
  }),
);
lib.add(
  'not-stored-add',
  unclear('ALREADY_EXISTS', 'CONFLICT', 'NOT_FOUND', 'TOOL_EXECUTION_ERROR'),
  'add() of a key that is there, or replace() of one that is not: it says the same',
  ({ port }) =>
    using(port, async (call) => {
      await call('set', 'lock', 'x', 10);
      return call('add', 'lock', 'y', 10);
    }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  using(await closedPort(), (call) => call('get', 'x')),
);
lib.add(
  'marked-dead',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'Server at … not available: it failed before',
  async () => {
    const port = await closedPort();
    return using(
      port,
      async (call) => {
        await call('get', 'x').catch(() => {});
        await sleep(50);
        return call('get', 'x');
      },
      { failures: 0 },
    );
  },
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using(11211, (call) => call('get', 'x'), { host: 'cache.invalid' }),
);
const says = (name, reply, expect, why) =>
  lib.add(name, expect, why, async () =>
    using((await lines(null, () => reply)).port, (call) => call('get', 'x')),
  );
says('bad-format', 'CLIENT_ERROR bad data chunk', final('VALIDATION_ERROR'), 'CLIENT_ERROR');
says(
  'unauthenticated',
  'CLIENT_ERROR unauthenticated',
  final('AUTHENTICATION_ERROR'),
  'CLIENT_ERROR unauthenticated: the server demands a password',
);
export default lib;
