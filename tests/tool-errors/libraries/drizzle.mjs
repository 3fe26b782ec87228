// drizzle-orm over pg: DrizzleQueryError around the driver's error.
import { library } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({
  packages: ['drizzle-orm', 'pg'],
  needs,
  setup: async () => ({ db: await postgres() }),
});
addPostgresFaults(
  lib,
  async (options) => {
    const { drizzle } = await import('drizzle-orm/node-postgres');
    const { sql } = await import('drizzle-orm');
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ ...options, max: 1 });
    pool.on('error', () => {});
    const db = drizzle(pool);
    return { query: (text) => db.execute(sql.raw(text)), end: () => pool.end() };
  },
  { timeout: { connectionTimeoutMillis: 200 } },
);
export default lib;
