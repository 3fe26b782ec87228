// knex over pg: the driver's error, its message preceded by the SQL; errors of the pool.
import { again, library } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({ packages: ['knex', 'pg'], needs, setup: async () => ({ db: await postgres() }) });
const open = async (options) => {
  const { default: knex } = await import('knex');
  const db = knex({
    client: 'pg',
    connection: options,
    pool: { min: 0, max: 1 },
    acquireConnectionTimeout: 3000,
  });
  return { query: (text) => db.raw(text), end: () => db.destroy(), db };
};
addPostgresFaults(lib, open, { timeout: { connectionTimeoutMillis: 200 } });
lib.add(
  'pool-exhausted',
  again('TIMEOUT', 'CONFLICT', 'RATE_LIMITED'),
  'KnexTimeoutError: the pool is probably full',
  async ({ db: at }) => {
    const { default: knex } = await import('knex');
    const db = knex({
      client: 'pg',
      connection: at.as(),
      pool: { min: 0, max: 1 },
      acquireConnectionTimeout: 100,
    });
    const held = await db.transaction();
    try {
      return await db.raw('SELECT 1');
    } finally {
      await held.rollback();
      await db.destroy();
    }
  },
);
lib.add('query-timeout', again('TIMEOUT'), 'timeout() of a query', async ({ db: at }) => {
  const { db, end } = await open(at.as());
  try {
    return await db.select(db.raw('pg_sleep(2)')).timeout(80, { cancel: true });
  } finally {
    await end();
  }
});
export default lib;
