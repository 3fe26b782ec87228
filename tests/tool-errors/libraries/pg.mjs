// pg on a real PostgreSQL: DatabaseError with a SQLSTATE in `code`, and bare Errors of the client.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({
  packages: ['pg'],
  needs,
  setup: async () => ({ db: await postgres(), spare: await postgres(['max_connections = 4']) }),
});

/** A standby of the spare server, made when a case first needs it. */
let replica;

/** A connected client. */
async function connect(db, user, more) {
  const { default: pg } = await import('pg');
  const client = new pg.Client(db.as(user, more));
  client.on('error', () => {});
  await client.connect();
  return client;
}
/** Runs `work` with `count` clients, and ends them. */
async function withClients(db, count, work) {
  const clients = await Promise.all(Array.from({ length: count }, () => connect(db)));
  try {
    return await work(...clients);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}
const query =
  (text, user) =>
  async ({ db }) => {
    const client = await connect(db, user);
    try {
      return await client.query(text);
    } finally {
      await client.end().catch(() => {});
    }
  };

// Faults of the request.
lib.add(
  'unique',
  final('ALREADY_EXISTS'),
  '23505: the address is taken, and stays so',
  query("INSERT INTO users (email) VALUES ('jane.doe@example.com')"),
);
lib.add(
  'foreign-key',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
  '23503: what it refers to is not there',
  query('INSERT INTO orders (user_id) VALUES (99)'),
);
lib.add(
  'still-referenced',
  final('VALIDATION_ERROR', 'CONFLICT'),
  '23503: other rows need this one',
  query('DELETE FROM users WHERE id = 1'),
);
lib.add('not-null', final('VALIDATION_ERROR'), '23502', query('INSERT INTO users (email) VALUES (NULL)'));
lib.add(
  'check',
  final('VALIDATION_ERROR'),
  '23514: a rule of the table',
  query("INSERT INTO users (email, age) VALUES ('x@example.com', -1)"),
);
lib.add(
  'exclusion',
  final('ALREADY_EXISTS', 'CONFLICT', 'VALIDATION_ERROR'),
  '23P01: the time is booked',
  query("INSERT INTO bookings VALUES (2, '[3,7)')"),
);
lib.add(
  'too-long-number',
  final('VALIDATION_ERROR'),
  '22003: numeric overflow',
  query('INSERT INTO orders (user_id, total) VALUES (1, 123456789)'),
);
lib.add('bad-uuid', final('VALIDATION_ERROR'), '22P02: the text is no uuid', query("SELECT 'jane'::uuid"));
lib.add('division', final('VALIDATION_ERROR'), '22012: division by zero', query('SELECT 1/0'));
lib.add('bad-date', final('VALIDATION_ERROR'), '22008', query("SELECT '2024-02-31'::date"));
lib.add(
  'syntax',
  final('VALIDATION_ERROR'),
  '42601: a model wrote this SQL; it has to write it anew',
  query('SELEC id FROM users'),
);
lib.add(
  'no-table',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  '42P01: a missing table',
  query('SELECT * FROM invoices'),
);
lib.add(
  'no-column',
  final('VALIDATION_ERROR', 'NOT_FOUND'),
  '42703: a missing column',
  query('SELECT nickname FROM users'),
);
lib.add('no-function', final('VALIDATION_ERROR', 'NOT_FOUND'), '42883', query('SELECT frobnicate(1)'));
lib.add('table-exists', final('ALREADY_EXISTS'), '42P07', query('CREATE TABLE users (id int)'));
lib.add('ambiguous-column', final('VALIDATION_ERROR'), '42702', query('SELECT id FROM users, orders'));
lib.add(
  'raised',
  unclear('VALIDATION_ERROR', 'UNKNOWN', 'TOOL_EXECUTION_ERROR'),
  'P0001: a function of the application refuses',
  query('SELECT refuse()'),
);
lib.add('parameter-count', final('VALIDATION_ERROR'), '08P01: parameters are missing', async ({ db }) =>
  withClients(db, 1, (client) => client.query('SELECT $1::int + $2::int', [1])),
);
lib.add(
  'read-only',
  final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'CONFLICT'),
  '25006: a read-only transaction',
  async ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.query('BEGIN READ ONLY');
      return client.query('DELETE FROM stock');
    }),
);
lib.add(
  'aborted-transaction',
  final('CONFLICT', 'VALIDATION_ERROR', 'UNKNOWN'),
  '25P02: this statement fails until the transaction is rolled back',
  async ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.query('BEGIN');
      await client.query('SELECT 1/0').catch(() => {});
      return client.query('SELECT 1');
    }),
);

// Contention.
lib.add('deadlock', again('CONFLICT'), '40P01: one of the two is chosen to try again', async ({ db }) =>
  withClients(db, 2, async (one, two) => {
    await one.query('BEGIN; UPDATE stock SET count = 1 WHERE id = 1');
    await two.query('BEGIN; UPDATE stock SET count = 1 WHERE id = 2');
    const both = await Promise.allSettled([
      one.query('UPDATE stock SET count = 2 WHERE id = 2'),
      two.query('UPDATE stock SET count = 2 WHERE id = 1'),
    ]);
    throw both.find(({ status }) => status === 'rejected').reason;
  }),
);
lib.add('serialization', again('CONFLICT'), '40001: repeat the transaction', async ({ db }) =>
  withClients(db, 2, async (one, two) => {
    await one.query('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT * FROM stock');
    await two.query('UPDATE stock SET count = count + 1 WHERE id = 1');
    return one.query('UPDATE stock SET count = count + 1 WHERE id = 1');
  }),
);
lib.add('lock-nowait', again('CONFLICT'), '55P03: somebody holds the row', async ({ db }) =>
  withClients(db, 2, async (one, two) => {
    await one.query('BEGIN; SELECT * FROM stock WHERE id = 1 FOR UPDATE');
    return two.query('SELECT * FROM stock WHERE id = 1 FOR UPDATE NOWAIT');
  }),
);
lib.add('lock-timeout', again('CONFLICT', 'TIMEOUT'), '55P03: lock_timeout', async ({ db }) =>
  withClients(db, 2, async (one, two) => {
    await one.query('BEGIN; LOCK TABLE stock');
    await two.query('SET lock_timeout = 80');
    return two.query('SELECT * FROM stock');
  }),
);
lib.add('in-use', again('CONFLICT'), '55006: the database is being used', async ({ db }) => {
  await db.sql('CREATE DATABASE busy').catch(() => {});
  const other = await connect(db, 'admin', { database: 'busy' });
  try {
    return await db.sql('DROP DATABASE busy');
  } finally {
    await other.end();
  }
});

// Time and interruption.
lib.add(
  'statement-timeout',
  again('TIMEOUT'),
  '57014 by statement_timeout',
  query('SET statement_timeout = 60; SELECT pg_sleep(5)'),
);
lib.add('cancelled', final('CANCELLED', 'TIMEOUT'), '57014: somebody cancelled the query', async ({ db }) =>
  withClients(db, 2, async (one, two) => {
    const slow = one.query('SELECT pg_sleep(5)');
    slow.catch(() => {});
    await sleep(150);
    await two.query(`SELECT pg_cancel_backend(${one.processID})`);
    return slow;
  }),
);
lib.add('query-timeout', again('TIMEOUT'), 'the client gives up: query_timeout', async ({ db }) => {
  const client = await connect(db, 'admin', { query_timeout: 80 });
  try {
    return await client.query('SELECT pg_sleep(1)');
  } finally {
    client.end().catch(() => {});
  }
});
lib.add(
  'idle-in-transaction',
  again('TIMEOUT', 'NETWORK_ERROR', 'SERVER_ERROR'),
  '25P03: the server closed the session',
  async ({ db }) => {
    const client = await connect(db);
    const ended = new Promise((_, reject) => client.on('error', reject));
    await client.query('SET idle_in_transaction_session_timeout = 60; BEGIN');
    return ended;
  },
);
lib.add(
  'terminated',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  '57P01: an administrator ended the session',
  async ({ db }) =>
    withClients(db, 2, async (one, two) => {
      const slow = one.query('SELECT pg_sleep(5)');
      slow.catch(() => {});
      await sleep(100);
      await two.query(`SELECT pg_terminate_backend(${one.processID})`);
      return slow;
    }),
);

// Faults of access.
lib.add('wrong-password', final('AUTHENTICATION_ERROR'), '28P01', ({ db }) =>
  connect(db, 'reader', { password: 'CANARYsecret7890x' }),
);
lib.add(
  'no-role',
  final('AUTHENTICATION_ERROR'),
  '28P01: PostgreSQL does not say that the role is missing',
  ({ db }) => connect(db, 'nobody'),
);
lib.add(
  'no-login',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
  '28000: the role may not log in',
  ({ db }) => connect(db, 'barred'),
);
lib.add(
  'pg-hba-reject',
  final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
  '28000: pg_hba.conf rejects the host',
  ({ db }) => connect(db, 'reader', { database: 'secret' }),
);
lib.add('no-database', final('NOT_FOUND', 'CONFIG_ERROR'), '3D000', ({ db }) =>
  connect(db, 'admin', { database: 'nowhere' }),
);
lib.add('denied-table', final('PERMISSION_DENIED'), '42501', query('SELECT * FROM orders', 'reader'));
lib.add('no-tls', final('CONFIG_ERROR', 'NETWORK_ERROR'), 'the server does not speak TLS', ({ db }) =>
  connect(db, 'admin', { ssl: true }),
);
lib.add(
  'role-limit',
  again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'CONFLICT'),
  '53300: the role has all its connections',
  async ({ db }) => {
    const one = await connect(db, 'single');
    try {
      return await connect(db, 'single');
    } finally {
      await one.end();
    }
  },
);

// The server.
lib.add(
  'too-many-connections',
  again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR'),
  '53300: connections get free',
  async ({ spare }) => withClients(spare, 3, async () => connect(spare, 'reader')),
);
lib.add(
  'too-many-columns',
  final('VALIDATION_ERROR', 'SERVER_ERROR'),
  '54000: the statement is over a limit of the program',
  query(`SELECT ${Array.from({ length: 1700 }, (_, at) => at).join(',')}`),
);
lib.add(
  'killed',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'the server was killed under a query',
  async ({ spare }) => {
    const client = await connect(spare);
    const slow = client.query('SELECT pg_sleep(5)');
    slow.catch(() => {});
    await sleep(100);
    await spare.kill();
    try {
      return await slow;
    } finally {
      await sleep(300);
      await spare.start();
    }
  },
);
lib.add(
  'shutting-down',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  '57P03: the server lets nobody in while it shuts down',
  async ({ spare }) => {
    const holder = await connect(spare);
    spare.drain();
    await sleep(200);
    try {
      return await connect(spare);
    } finally {
      await holder.end();
      await spare.stop();
      await spare.start();
    }
  },
);
lib.add(
  'fast-shutdown',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  '57P01: the server restarts',
  async ({ spare }) => {
    const client = await connect(spare);
    const slow = client.query('SELECT pg_sleep(5)');
    slow.catch(() => {});
    await sleep(100);
    await spare.restart();
    return slow;
  },
);
lib.add(
  'starting-up',
  again('SERVER_ERROR', 'NETWORK_ERROR'),
  '57P03: the database system is starting up',
  async () => {
    const fields = [
      'SFATAL',
      'VFATAL',
      'C57P03',
      'Mthe database system is starting up',
      'Fpostmaster.c',
      'L2341',
      'RProcessStartupPacket',
    ];
    const body = Buffer.from(`${fields.join('\0')}\0\0`);
    const size = Buffer.alloc(4);
    size.writeInt32BE(body.length + 4);
    const { port } = await tcp((socket) =>
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), size, body]))),
    );
    return connect({ as: () => ({ host: '127.0.0.1', port, user: 'admin', database: 'postgres' }) });
  },
);
lib.add(
  'read-only-server',
  final('PERMISSION_DENIED', 'CONFLICT', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  '25006 on every write: a replica, until the client finds the primary',
  async ({ db }) =>
    withClients(db, 1, async (client) => {
      await client.query('SET default_transaction_read_only = on');
      return client.query('INSERT INTO stock VALUES (7, 7)');
    }),
);
lib.add(
  'standby-write',
  final('PERMISSION_DENIED', 'CONFLICT', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  '25006: a hot standby takes no writes, until it is promoted',
  async ({ spare }) => {
    replica ??= await spare.standby();
    return withClients(replica, 1, (client) => client.query('INSERT INTO stock VALUES (8, 8)'));
  },
);
lib.add(
  'recovery-conflict',
  again('CONFLICT'),
  '40001: the standby cancels what holds up its recovery',
  async ({ spare }) => {
    replica ??= await spare.standby();
    return withClients(replica, 1, async (client) => {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await client.query('SELECT * FROM stock');
      const slow = client.query('SELECT pg_sleep(5), * FROM stock');
      slow.catch(() => {});
      await sleep(100);
      await spare.sql('DELETE FROM stock WHERE id = 2');
      await spare.sql('VACUUM stock');
      return slow;
    });
  },
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => {
  const port = await closedPort();
  return connect({ as: () => ({ host: '127.0.0.1', port, user: 'admin' }) });
});
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  connect({ as: () => ({ host: 'db.invalid', port: 5432, user: 'admin' }) }),
);
lib.add(
  'connect-timeout',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'the server accepts and says nothing',
  async () => {
    const { port } = await tcp();
    return connect({ as: () => ({ host: '127.0.0.1', port, user: 'admin', connectionTimeoutMillis: 150 }) });
  },
);
lib.add('hung-up', again('NETWORK_ERROR'), 'the connection ends during the handshake', async () => {
  const { port } = await tcp((socket) => socket.once('data', () => socket.end()));
  return connect({ as: () => ({ host: '127.0.0.1', port, user: 'admin' }) });
});
lib.add(
  'ended-client',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'the program closed its own client',
  async ({ db }) => {
    const client = await connect(db);
    await client.end();
    return client.query('SELECT 1');
  },
);
lib.add(
  'pool-timeout',
  again('TIMEOUT', 'CONFLICT', 'RATE_LIMITED', 'NETWORK_ERROR'),
  'no connection of the pool got free in time',
  async ({ db }) => {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ ...db.as(), max: 1, connectionTimeoutMillis: 80 });
    const held = await pool.connect();
    try {
      return await pool.query('SELECT 1');
    } finally {
      held.release();
      await pool.end();
    }
  },
);
export default lib;
