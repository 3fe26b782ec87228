// The mariadb connector on a real MariaDB: SqlError with `code`, `errno`, `sqlState`, `fatal`.
import { again, library } from '../expect.mjs';
import { addMysqlFaults } from '../mysql-faults.mjs';
import { mariadb, needs } from '../servers/mariadb.mjs';

const lib = library({ packages: ['mariadb', 'mysql2'], needs, setup: async () => ({ db: await mariadb() }) });
addMysqlFaults(
  lib,
  async (options) => {
    const { default: connector } = await import('mariadb');
    const client = await connector.createConnection({ connectTimeout: 3000, ...options });
    client.on('error', () => {});
    return { query: (text) => client.query(text), end: () => client.end() };
  },
  { timeout: { connectTimeout: 150 } },
);
lib.add(
  'pool-timeout',
  again('TIMEOUT', 'CONFLICT', 'RATE_LIMITED', 'NETWORK_ERROR'),
  '45028: no connection of the pool got free in time',
  async ({ db }) => {
    const { default: connector } = await import('mariadb');
    const pool = connector.createPool({ ...db.as(), connectionLimit: 1, acquireTimeout: 150 });
    const held = await pool.getConnection();
    try {
      return await pool.query('SELECT 1');
    } finally {
      await held.release();
      await pool.end();
    }
  },
);
export default lib;
