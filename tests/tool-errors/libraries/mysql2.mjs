// mysql2 on a real MariaDB: `code` ER_*, `errno`, `sqlState`.
import { again, final, library } from '../expect.mjs';
import { addMysqlFaults } from '../mysql-faults.mjs';
import { mariadb, needs } from '../servers/mariadb.mjs';

const lib = library({ packages: ['mysql2'], needs, setup: async () => ({ db: await mariadb() }) });
const open = async (options) => {
  const { default: mysql } = await import('mysql2/promise');
  const client = await mysql.createConnection(options);
  client.connection.on('error', () => {});
  return { query: (text) => client.query(text), end: () => client.end(), client };
};
addMysqlFaults(lib, open, { timeout: { connectTimeout: 150 } });
lib.add(
  'query-timeout',
  again('TIMEOUT'),
  'PROTOCOL_SEQUENCE_TIMEOUT: the client gave up',
  async ({ db }) => {
    const { client } = await open(db.as());
    try {
      return await client.query({ sql: 'SELECT SLEEP(2)', timeout: 80 });
    } finally {
      client.destroy();
    }
  },
);
lib.add(
  'packet-too-large',
  final('VALIDATION_ERROR'),
  'the packet is over max_allowed_packet',
  async ({ db }) => {
    const { client } = await open(db.as());
    try {
      return await client.query('SELECT LENGTH(?)', ['x'.repeat(1_500_000)]);
    } finally {
      client.destroy();
    }
  },
);
lib.add(
  'closed-client',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'the program closed its own client',
  async ({ db }) => {
    const { client } = await open(db.as());
    await client.end();
    return client.query('SELECT 1');
  },
);
lib.add(
  'pool-queue-full',
  again('RATE_LIMITED', 'CONFLICT', 'TIMEOUT', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
  'queueLimit: too much waits for a connection',
  async ({ db }) => {
    const { default: mysql } = await import('mysql2/promise');
    const pool = mysql.createPool({ ...db.as(), connectionLimit: 1, queueLimit: 1 });
    const held = await pool.getConnection();
    const waiting = pool.query('SELECT 1');
    waiting.catch(() => {});
    try {
      return await pool.query('SELECT 1');
    } finally {
      held.release();
      await waiting.catch(() => {});
      await pool.end();
    }
  },
);
lib.add('bad-parameter', final('VALIDATION_ERROR'), 'undefined is no value of SQL', async ({ db }) => {
  const { client } = await open(db.as());
  try {
    return await client.execute('SELECT ?', [undefined]);
  } finally {
    await client.end();
  }
});
export default lib;
