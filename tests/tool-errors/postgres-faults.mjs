// The failures of a real PostgreSQL, made through every client and mapper.
import { again, final } from './expect.mjs';
import { closedPort, sleep, tcp } from './servers/net.mjs';

const STATEMENTS = {
  unique: [
    "INSERT INTO users (email) VALUES ('jane.doe@example.com')",
    final('ALREADY_EXISTS'),
    '23505: the address stays taken',
  ],
  'foreign-key': [
    'INSERT INTO orders (user_id) VALUES (99)',
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    '23503: what it refers to is not there',
  ],
  'not-null': ['INSERT INTO users (email) VALUES (NULL)', final('VALIDATION_ERROR'), '23502'],
  check: [
    "INSERT INTO users (email, age) VALUES ('x@example.com', -1)",
    final('VALIDATION_ERROR'),
    '23514: a rule of the table',
  ],
  'bad-uuid': ["SELECT 'jane'::uuid", final('VALIDATION_ERROR'), '22P02: the text is no uuid'],
  syntax: ['SELEC id FROM users', final('VALIDATION_ERROR'), '42601: the SQL has to be written anew'],
  'no-table': ['SELECT * FROM invoices', final('NOT_FOUND', 'VALIDATION_ERROR'), '42P01: a missing table'],
  'no-column': [
    'SELECT nickname FROM users',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    '42703: a missing column',
  ],
};

/**
 * Adds the faults of PostgreSQL to a library whose context has `db`.
 * @param open makes a client of `{ host, port, user, password, database }`: `{ query(text), end() }`, one connection
 */
export function addPostgresFaults(lib, open, { skip = [], instead = {}, timeout } = {}) {
  // `instead`: the right expectation if this client's error says less.
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  const withClients = async (options, count, work) => {
    const clients = [];
    try {
      for (let at = 0; at < count; at++) clients.push(await open(options));
      return await work(...clients);
    } finally {
      await Promise.all(clients.map((client) => Promise.race([client.end().catch(() => {}), sleep(1000)])));
    }
  };
  const connect = (options) => withClients(options, 1, (client) => client.query('SELECT 1'));

  for (const [name, [text, expect, why]] of Object.entries(STATEMENTS)) {
    add(name, expect, why, ({ db }) => withClients(db.as(), 1, (client) => client.query(text)));
  }
  add('denied-table', final('PERMISSION_DENIED'), '42501', ({ db }) =>
    withClients(db.as('reader'), 1, (client) => client.query('SELECT * FROM orders')),
  );
  add('deadlock', again('CONFLICT'), '40P01: one of the two is chosen to try again', async ({ db }) =>
    withClients(db.as(), 2, async (one, two) => {
      await one.query('BEGIN');
      await one.query('UPDATE stock SET count = 1 WHERE id = 1');
      await two.query('BEGIN');
      await two.query('UPDATE stock SET count = 1 WHERE id = 2');
      const both = await Promise.allSettled([
        one.query('UPDATE stock SET count = 2 WHERE id = 2'),
        two.query('UPDATE stock SET count = 2 WHERE id = 1'),
      ]);
      throw both.find(({ status }) => status === 'rejected').reason;
    }),
  );
  add('serialization', again('CONFLICT'), '40001: repeat the transaction', async ({ db }) =>
    withClients(db.as(), 2, async (one, two) => {
      await one.query('BEGIN ISOLATION LEVEL SERIALIZABLE');
      await one.query('SELECT * FROM stock');
      await two.query('UPDATE stock SET count = count + 1 WHERE id = 1');
      return one.query('UPDATE stock SET count = count + 1 WHERE id = 1');
    }),
  );
  add('lock-nowait', again('CONFLICT'), '55P03: somebody holds the row', async ({ db }) =>
    withClients(db.as(), 2, async (one, two) => {
      await one.query('BEGIN');
      await one.query('SELECT * FROM stock WHERE id = 1 FOR UPDATE');
      return two.query('SELECT * FROM stock WHERE id = 1 FOR UPDATE NOWAIT');
    }),
  );
  add('statement-timeout', again('TIMEOUT'), '57014 by statement_timeout', ({ db }) =>
    withClients(db.as(), 1, async (client) => {
      await client.query('SET statement_timeout = 60');
      return client.query('SELECT pg_sleep(5)');
    }),
  );
  add(
    'terminated',
    again('SERVER_ERROR', 'NETWORK_ERROR'),
    '57P01: an administrator ended the session',
    async ({ db }) =>
      withClients(db.as(), 1, async (one) => {
        const slow = Promise.resolve(one.query('SELECT pg_sleep(5) /* mine */')); // Some run at each `then`.
        slow.catch(() => {});
        await sleep(200);
        await db.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%sleep(5) /* mine%' AND pid <> pg_backend_pid()",
        );
        return slow;
      }),
  );
  add('wrong-password', final('AUTHENTICATION_ERROR'), '28P01', ({ db }) =>
    connect(db.as('reader', { password: 'CANARYsecret7890x' })),
  );
  add('no-database', final('NOT_FOUND', 'CONFIG_ERROR'), '3D000', ({ db }) =>
    connect(db.as('admin', { database: 'nowhere' })),
  );
  add(
    'role-limit',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'CONFLICT'),
    '53300: the role has all its connections',
    async ({ db }) =>
      withClients(db.as('single'), 1, async (one) => {
        await one.query('SELECT 1');
        return connect(db.as('single'));
      }),
  );
  add(
    'killed',
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    'the server was killed under a query',
    async ({ db }) =>
      withClients(db.as(), 1, async (client) => {
        const slow = Promise.resolve(client.query('SELECT pg_sleep(5)'));
        slow.catch(() => {});
        await sleep(150);
        await db.kill();
        try {
          return await slow;
        } finally {
          await sleep(300);
          await db.start();
        }
      }),
  );
  add(
    'shutting-down',
    again('SERVER_ERROR', 'NETWORK_ERROR'),
    '57P03: the server lets nobody in while it shuts down',
    async ({ db }) => {
      const { default: pg } = await import('pg');
      const holder = new pg.Client(db.as());
      holder.on('error', () => {});
      await holder.connect();
      db.drain();
      await sleep(200);
      try {
        return await connect(db.as());
      } finally {
        await holder.end();
        await db.stop();
        await db.start();
      }
    },
  );
  add('refused', again('NETWORK_ERROR'), 'nothing listens', async ({ db }) =>
    connect({ ...db.as(), port: await closedPort() }),
  );
  add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', ({ db }) =>
    connect({ ...db.as(), host: 'db.invalid' }),
  );
  add('hung-up', again('NETWORK_ERROR'), 'the connection ends during the handshake', async ({ db }) => {
    const { port } = await tcp((socket) => socket.once('data', () => socket.end()));
    return connect({ ...db.as(), port });
  });
  if (timeout) {
    add(
      'connect-timeout',
      again('TIMEOUT', 'NETWORK_ERROR'),
      'the server accepts and says nothing',
      async ({ db }) => {
        const { port } = await tcp();
        return connect({ ...db.as(), port, ...timeout });
      },
    );
  }
}
