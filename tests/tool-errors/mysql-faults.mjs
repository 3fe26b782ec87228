// The failures of a real MariaDB, made through every client.
import { again, final, unclear } from './expect.mjs';
import { closedPort, sleep, tcp } from './servers/net.mjs';

const STATEMENTS = {
  duplicate: [
    "INSERT INTO users (email) VALUES ('jane.doe@example.com')",
    final('ALREADY_EXISTS'),
    '1062 ER_DUP_ENTRY',
  ],
  'foreign-key': [
    'INSERT INTO orders (user_id) VALUES (99)',
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    '1452 ER_NO_REFERENCED_ROW_2',
  ],
  'still-referenced': [
    'DELETE FROM users WHERE id = 1',
    final('VALIDATION_ERROR', 'CONFLICT'),
    '1451 ER_ROW_IS_REFERENCED_2',
  ],
  'not-null': [
    'INSERT INTO users (email) VALUES (NULL)',
    final('VALIDATION_ERROR'),
    '1048 ER_BAD_NULL_ERROR',
  ],
  'no-default': [
    'INSERT INTO users (age) VALUES (1)',
    final('VALIDATION_ERROR'),
    '1364 ER_NO_DEFAULT_FOR_FIELD',
  ],
  'too-long': [
    "INSERT INTO users (email) VALUES (REPEAT('x', 50))",
    final('VALIDATION_ERROR'),
    '1406 ER_DATA_TOO_LONG',
  ],
  'out-of-range': [
    "INSERT INTO users (email, age) VALUES ('a', 300)",
    final('VALIDATION_ERROR'),
    '1264 ER_WARN_DATA_OUT_OF_RANGE',
  ],
  check: [
    "INSERT INTO users (email, age) VALUES ('a', 200)",
    final('VALIDATION_ERROR'),
    '4025 ER_CONSTRAINT_FAILED',
  ],
  'wrong-value': [
    "INSERT INTO stock VALUES ('many', 1)",
    final('VALIDATION_ERROR'),
    '1366 ER_TRUNCATED_WRONG_VALUE_FOR_FIELD',
  ],
  syntax: ['SELEC id FROM users', final('VALIDATION_ERROR'), '1064 ER_PARSE_ERROR'],
  'no-table': ['SELECT * FROM invoices', final('NOT_FOUND', 'VALIDATION_ERROR'), '1146 ER_NO_SUCH_TABLE'],
  'no-column': [
    'SELECT nickname FROM users',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    '1054 ER_BAD_FIELD_ERROR',
  ],
  'table-exists': ['CREATE TABLE users (id int)', final('ALREADY_EXISTS'), '1050 ER_TABLE_EXISTS_ERROR'],
  'statement-timeout': [
    'SET STATEMENT max_statement_time=0.05 FOR SELECT SLEEP(3), COUNT(*) FROM users a, users b',
    again('TIMEOUT'),
    '1969 ER_STATEMENT_TIMEOUT',
  ],
};

/** Adds the faults of MariaDB; `open(options)` makes a client of one connection: `{ query(text), end() }`. */
export function addMysqlFaults(lib, open, { skip = [], instead = {}, timeout } = {}) {
  // `instead`: the right expectation if this client's error says less.
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  const withClients = async (options, count, work) => {
    const clients = [];
    try {
      for (let at = 0; at < count; at++) clients.push(await open(options));
      return await work(...clients);
    } finally {
      await Promise.all(clients.map((client) => Promise.race([client.end().catch(() => {}), sleep(500)])));
    }
  };
  const connect = (options) => withClients(options, 1, (client) => client.query('SELECT 1'));
  for (const [name, [text, expect, why]] of Object.entries(STATEMENTS)) {
    add(name, expect, why, ({ db }) => withClients(db.as(), 1, (client) => client.query(text)));
  }
  add('deadlock', again('CONFLICT'), '1213 ER_LOCK_DEADLOCK: restart the transaction', ({ db }) =>
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
  add('lock-wait-timeout', again('CONFLICT', 'TIMEOUT'), '1205 ER_LOCK_WAIT_TIMEOUT', ({ db }) =>
    withClients(db.as(), 2, async (one, two) => {
      await one.query('BEGIN');
      await one.query('UPDATE stock SET count = 1 WHERE id = 1');
      return two.query('UPDATE stock SET count = 2 WHERE id = 1');
    }),
  );
  add('lock-nowait', again('CONFLICT', 'TIMEOUT'), 'somebody holds the row', ({ db }) =>
    withClients(db.as(), 2, async (one, two) => {
      await one.query('BEGIN');
      await one.query('SELECT * FROM stock WHERE id = 1 FOR UPDATE');
      return two.query('SELECT * FROM stock WHERE id = 1 FOR UPDATE NOWAIT');
    }),
  );
  add(
    'killed-query',
    final('CANCELLED', 'TIMEOUT'),
    '1317 ER_QUERY_INTERRUPTED: somebody ended this query',
    ({ db }) =>
      withClients(db.as(), 1, async (one) => {
        const slow = Promise.resolve(one.query('SELECT SLEEP(4) FROM users a, users b /* mine */'));
        slow.catch(() => {});
        await sleep(150);
        const [[row]] = await db.sql(
          "SELECT id FROM information_schema.processlist WHERE info LIKE '%/* mine */%' AND id <> CONNECTION_ID()",
        );
        await db.sql(`KILL QUERY ${row.id}`);
        return slow;
      }),
  );
  add(
    'killed-connection',
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    '1927 ER_CONNECTION_KILLED, or the connection ends',
    ({ db }) =>
      withClients(db.as(), 1, async (one) => {
        const slow = Promise.resolve(one.query('SELECT SLEEP(4) FROM users a, users b /* mine */'));
        slow.catch(() => {});
        await sleep(150);
        const [[row]] = await db.sql(
          "SELECT id FROM information_schema.processlist WHERE info LIKE '%/* mine */%' AND id <> CONNECTION_ID()",
        );
        await db.sql(`KILL CONNECTION ${row.id}`);
        return slow;
      }),
  );
  add(
    'read-only',
    final('PERMISSION_DENIED', 'CONFIG_ERROR', 'CONFLICT', 'VALIDATION_ERROR'),
    '1792: a read-only transaction',
    ({ db }) =>
      withClients(db.as(), 1, async (one) => {
        await one.query('START TRANSACTION READ ONLY');
        return one.query('DELETE FROM stock');
      }),
  );
  add(
    'table-full',
    final('IO_ERROR', 'QUOTA_EXCEEDED', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '1114 ER_RECORD_FILE_FULL: no room until somebody makes some',
    ({ db }) =>
      withClients(db.as(), 1, async (one) => {
        await one.query('SET max_heap_table_size = 16384');
        await one.query('CREATE TEMPORARY TABLE small (text char(250)) ENGINE=MEMORY');
        return one.query(`INSERT INTO small VALUES ${Array(300).fill("('x')").join(',')}`);
      }),
  );
  add('wrong-password', final('AUTHENTICATION_ERROR'), '1045 ER_ACCESS_DENIED_ERROR', ({ db }) =>
    connect(db.as('reader', { password: 'CANARYsecret7890x' })),
  );
  add('no-database', final('NOT_FOUND', 'CONFIG_ERROR'), '1049 ER_BAD_DB_ERROR', ({ db }) =>
    connect(db.as('app', { database: 'nowhere' })),
  );
  add(
    'denied-database',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    '1044 ER_DBACCESS_DENIED_ERROR',
    ({ db }) => connect(db.as('reader', { database: 'mysql' })),
  );
  add('denied-table', final('PERMISSION_DENIED'), '1142 ER_TABLEACCESS_DENIED_ERROR', ({ db }) =>
    withClients(db.as('reader'), 1, (client) => client.query('SELECT * FROM orders')),
  );
  add(
    'account-locked',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    '4151 ER_ACCOUNT_HAS_BEEN_LOCKED',
    ({ db }) => connect(db.as('locked')),
  );
  add(
    'password-expired',
    final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
    '1862 ER_MUST_CHANGE_PASSWORD_LOGIN',
    ({ db }) => connect(db.as('aged')),
  );
  add(
    'user-limit',
    again('RATE_LIMITED', 'SERVER_ERROR', 'PROVIDER_OVERLOADED', 'CONFLICT'),
    '1226: the user has all its connections',
    ({ db }) => withClients(db.as('single'), 1, () => connect(db.as('single'))),
  );
  add('hourly-limit', unclear('RATE_LIMITED', 'QUOTA_EXCEEDED'), '1226 max_queries_per_hour', ({ db }) =>
    withClients(db.as('hourly'), 1, async (one) => {
      for (let at = 0; at < 5; at++) await one.query('SELECT COUNT(*) FROM users');
    }),
  );
  add(
    'too-many-connections',
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR'),
    '1040 ER_CON_COUNT_ERROR',
    async ({ db }) => {
      await db.sql('SET GLOBAL max_connections = 10');
      try {
        return await withClients(db.as(), 13, () => {});
      } finally {
        await sleep(300);
        await db.sql('SET GLOBAL max_connections = 20').catch(() => {});
      }
    },
  );
  add(
    'server-killed',
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    'the server was killed under a query',
    ({ db }) =>
      withClients(db.as(), 1, async (client) => {
        const slow = Promise.resolve(client.query('SELECT SLEEP(5)'));
        slow.catch(() => {});
        await sleep(150);
        await db.kill();
        try {
          return await slow;
        } finally {
          await db.start();
        }
      }),
  );
  add('refused', again('NETWORK_ERROR'), 'nothing listens', async ({ db }) =>
    connect({ ...db.as(), port: await closedPort() }),
  );
  add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', ({ db }) =>
    connect({ ...db.as(), host: 'db.invalid' }),
  );
  add('hung-up', again('NETWORK_ERROR'), 'the connection ends during the handshake', async ({ db }) => {
    const { port } = await tcp((socket) => socket.end());
    return connect({ ...db.as(), port });
  });
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
