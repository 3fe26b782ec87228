// The failures of a real Redis, made through every client.
import { again, final, unclear } from './expect.mjs';
import { closedPort, lines, sleep, tcp } from './servers/net.mjs';
import { redis } from './servers/redis.mjs';

/** The servers that the cases talk to. */
export async function redisServers() {
  const db = await redis();
  const locked = await redis(['--requirepass', db.secret]);
  const small = await redis(['--maxmemory', '2mb', '--maxclients', '12']);
  const cluster = await redis(['--cluster-enabled', 'yes', '--cluster-require-full-coverage', 'yes']);
  const served = await redis(['--cluster-enabled', 'yes', '--cluster-config-file', 'served.conf']);
  const replica = await redis([
    '--replicaof',
    '127.0.0.1',
    String(await closedPort()),
    '--replica-serve-stale-data',
    'no',
  ]);
  const follower = await redis(['--replicaof', '127.0.0.1', String(db.port)]);
  return { db, locked, small, cluster, served, replica, follower };
}

/** Adds the faults of Redis. `open({ port, username, password, timeout })` makes a client: `{ send(...words), end() }`. */
export function addRedisFaults(lib, open, { skip = [], instead = {} } = {}) {
  // `instead`: the right expectation if this client's error says less.
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  const withClients = async (options, count, work) => {
    const clients = [];
    try {
      for (let at = 0; at < count; at++) clients.push(await open(options));
      return await work(...clients);
    } finally {
      for (const client of clients) {
        try {
          await client.end();
        } catch {}
      }
    }
  };
  const says = (name, line, expect, why) =>
    add(name, expect, why, async () => {
      // A stub for the states that a lone server does not get into: the client's own start is answered, the rest fails.
      const { port } = await lines(null, (text) => {
        if (/^HELLO$/i.test(text)) return '%2\r\n+server\r\n+redis\r\n+proto\r\n:3';
        if (/^(CLIENT|INFO|SELECT)$/i.test(text)) return '+OK';
        if (/^GET$/i.test(text)) return `-${line}`;
        return undefined;
      });
      return withClients({ port }, 1, (client) => client.send('GET', 'stock'));
    });

  add(
    'wrong-type',
    final('VALIDATION_ERROR', 'CONFLICT'),
    'WRONGTYPE: the key holds another kind of value',
    ({ db }) =>
      withClients(db, 1, async (client) => {
        await client.send('SET', 'name', 'jane');
        return client.send('LPUSH', 'name', 'x');
      }),
  );
  add('not-an-integer', final('VALIDATION_ERROR'), 'ERR value is not an integer', ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.send('SET', 'name', 'jane');
      return client.send('INCR', 'name');
    }),
  );
  add('unknown-command', final('VALIDATION_ERROR', 'NOT_FOUND'), 'ERR unknown command', ({ db }) =>
    withClients(db, 1, (client) => client.send('FROB', 'x')),
  );
  add('wrong-arguments', final('VALIDATION_ERROR'), 'ERR wrong number of arguments', ({ db }) =>
    withClients(db, 1, (client) => client.send('SET', 'x')),
  );
  add(
    'no-script',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'NOSCRIPT: the script has to be sent again',
    ({ db }) => withClients(db, 1, (client) => client.send('EVALSHA', '0'.repeat(40), '0')),
  );
  add(
    'script-failed',
    final('VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR', 'UNKNOWN'),
    'ERR of a script that calls what is not there',
    ({ db }) => withClients(db, 1, (client) => client.send('EVAL', 'return undefined_thing()', '0')),
  );
  add('group-exists', final('ALREADY_EXISTS'), 'BUSYGROUP: the consumer group is there', ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.send('XGROUP', 'CREATE', 'jobs', 'workers', '$', 'MKSTREAM').catch(() => {});
      return client.send('XGROUP', 'CREATE', 'jobs', 'workers', '$', 'MKSTREAM');
    }),
  );
  add('no-group', final('NOT_FOUND', 'VALIDATION_ERROR'), 'NOGROUP', ({ db }) =>
    withClients(db, 1, (client) =>
      client.send('XREADGROUP', 'GROUP', 'nobody', 'me', 'STREAMS', 'nothing', '>'),
    ),
  );
  add(
    'exec-abort',
    final('VALIDATION_ERROR', 'CONFLICT'),
    'EXECABORT: a command of the transaction is wrong',
    ({ db }) =>
      withClients(db, 1, async (client) => {
        await client.send('MULTI');
        await client.send('SET', 'x').catch(() => {});
        return client.send('EXEC');
      }),
  );
  add(
    'busy-script',
    again('CONFLICT', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'BUSY: a script keeps the server',
    async ({ db }) =>
      withClients(db, 2, async (one, two) => {
        await one.send('CONFIG', 'SET', 'busy-reply-threshold', '50');
        const slow = one.send('EVAL', 'while true do end', '0');
        Promise.resolve(slow).catch(() => {});
        await sleep(300);
        try {
          return await two.send('GET', 'x');
        } finally {
          await two.send('SCRIPT', 'KILL').catch(() => {});
          await sleep(100);
        }
      }),
  );
  add(
    'script-killed',
    unclear('CANCELLED', 'TIMEOUT', 'SERVER_ERROR', 'CONFLICT'),
    'somebody ended the script',
    async ({ db }) =>
      withClients(db, 2, async (one, two) => {
        await one.send('CONFIG', 'SET', 'busy-reply-threshold', '50');
        const slow = Promise.resolve(one.send('EVAL', 'while true do end', '0'));
        slow.catch(() => {});
        await sleep(250);
        await two.send('SCRIPT', 'KILL');
        return slow;
      }),
  );
  add(
    'out-of-memory',
    unclear('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'QUOTA_EXCEEDED', 'CAPACITY_EXCEEDED'),
    'OOM: keys may expire, or the operator has to make room',
    ({ small }) =>
      withClients(small, 1, async (client) => {
        for (let at = 0; at < 400; at++) await client.send('SET', `k${at}`, 'x'.repeat(20_000));
      }),
  );
  add('no-auth', final('AUTHENTICATION_ERROR'), 'NOAUTH', ({ locked }) =>
    withClients({ port: locked.port }, 1, (client) => client.send('GET', 'x')),
  );
  add('wrong-password', final('AUTHENTICATION_ERROR'), 'WRONGPASS', ({ locked }) =>
    withClients({ port: locked.port, password: 'CANARYsecret7890x' }, 1, (client) => client.send('GET', 'x')),
  );
  add('no-permission', final('PERMISSION_DENIED'), 'NOPERM', ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.send(
        'ACL',
        'SETUSER',
        'reader',
        'on',
        `>${db.secret}`,
        '~cache:*',
        '+get',
        '+client',
        '+hello',
        '+info',
        '+ping',
        '+select',
      );
      return withClients({ port: db.port, username: 'reader', password: db.secret }, 1, (other) =>
        other.send('SET', 'x', '1'),
      );
    }),
  );
  add(
    'read-only-replica',
    unclear('CONFLICT', 'PERMISSION_DENIED', 'CONFIG_ERROR', 'SERVER_ERROR'),
    'READONLY: this is a replica, for now; a failover is under way or the address is wrong',
    ({ follower }) => withClients(follower, 1, (client) => client.send('SET', 'x', '1')),
  );
  add(
    'primary-down',
    again('SERVER_ERROR', 'CONFLICT', 'NETWORK_ERROR'),
    'MASTERDOWN: the primary is not reached',
    ({ replica }) => withClients(replica, 1, (client) => client.send('GET', 'x')),
  );
  add(
    'cluster-down',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'CLUSTERDOWN: the cluster has slots that nobody serves',
    ({ cluster }) => withClients(cluster, 1, (client) => client.send('GET', 'x')),
  );
  add('cross-slot', final('VALIDATION_ERROR'), 'CROSSSLOT: the keys live on different nodes', ({ served }) =>
    withClients(served, 1, async (client) => {
      await client.send('CLUSTER', 'ADDSLOTSRANGE', '0', '16383').catch(() => {});
      await sleep(1200);
      return client.send('MGET', 'a', 'b');
    }),
  );
  says(
    'loading',
    'LOADING Redis is loading the dataset in memory',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'LOADING: the server starts',
  );
  says(
    'try-again',
    'TRYAGAIN Multiple keys request during rehashing of slot',
    again('CONFLICT', 'SERVER_ERROR'),
    'TRYAGAIN: a slot moves',
  );
  says(
    'moved',
    'MOVED 3999 127.0.0.1:6381',
    unclear('CONFLICT', 'SERVER_ERROR', 'CONFIG_ERROR', 'NETWORK_ERROR'),
    'MOVED: a client that knows clusters follows',
  );
  says(
    'misconf',
    'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
    unclear('SERVER_ERROR', 'CONFIG_ERROR'),
    'MISCONF: the disk is full or not writable',
  );
  says(
    'unkillable',
    'UNKILLABLE Sorry the script already executed write commands against the dataset.',
    unclear('CONFLICT', 'SERVER_ERROR', 'VALIDATION_ERROR'),
    'UNKILLABLE',
  );
  says(
    'no-replicas',
    'NOREPLICAS Not enough good replicas to write.',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', 'CONFLICT'),
    'NOREPLICAS: replicas come back',
  );
  add(
    'max-clients',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'CAPACITY_EXCEEDED', 'NETWORK_ERROR'),
    'ERR max number of clients reached',
    async ({ small }) => {
      const net = await import('node:net');
      const held = Array.from({ length: 14 }, () =>
        net.connect(small.port, '127.0.0.1').on('error', () => {}),
      );
      await sleep(150);
      try {
        return await withClients(small, 1, (client) => client.send('GET', 'x'));
      } finally {
        for (const socket of held) socket.destroy();
        await sleep(100);
      }
    },
  );
  add(
    'killed',
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    'the server was killed under a command',
    async ({ small }) =>
      withClients(small, 1, async (client) => {
        const waiting = Promise.resolve(client.send('BLPOP', 'never', '0'));
        waiting.catch(() => {});
        await sleep(100);
        await small.kill();
        try {
          return await waiting;
        } finally {
          await small.start();
        }
      }),
  );
  add(
    'demoted',
    again('CONFLICT', 'SERVER_ERROR', 'NETWORK_ERROR'),
    'UNBLOCKED: the primary became a replica under a command',
    async ({ follower }) => {
      await withClients(follower, 1, (client) => client.send('REPLICAOF', 'NO', 'ONE'));
      return withClients(follower, 2, async (one, two) => {
        const waiting = Promise.resolve(one.send('BLPOP', 'never', '0'));
        waiting.catch(() => {});
        await sleep(100);
        await two.send('REPLICAOF', '127.0.0.1', '1');
        return waiting;
      });
    },
  );
  add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
    withClients({ port: await closedPort() }, 1, (client) => client.send('GET', 'x')),
  );
  add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
    withClients({ host: 'cache.invalid', port: 6379 }, 1, (client) => client.send('GET', 'x')),
  );
  add(
    'connect-timeout',
    again('TIMEOUT', 'NETWORK_ERROR'),
    'the server accepts and says nothing',
    async () => {
      const { port } = await tcp();
      return withClients({ port, timeout: 150 }, 1, (client) => client.send('GET', 'x'));
    },
  );
  add(
    'not-redis',
    final('INVALID_RESPONSE', 'NETWORK_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    'what listens there does not speak RESP',
    async () => {
      const { port } = await tcp((socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
      );
      return withClients({ port, timeout: 500 }, 1, (client) => client.send('GET', 'x'));
    },
  );
}
