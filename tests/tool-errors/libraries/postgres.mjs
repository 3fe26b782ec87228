// postgres.js on a real PostgreSQL: PostgresError with a SQLSTATE, and codes of its own (CONNECTION_CLOSED …).
import { again, final, library } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { closedPort, sleep } from '../servers/net.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({ packages: ['postgres', 'pg'], needs, setup: async () => ({ db: await postgres() }) });
const open = async (options) => {
  const { default: connect } = await import('postgres');
  const sql = connect({
    ...options,
    max: 1,
    onnotice: () => {},
    fetch_types: false,
    connect_timeout: options.connect_timeout ?? 5,
  });
  return { query: (text) => sql.unsafe(text), end: () => sql.end({ timeout: 0.3 }), sql };
};
// It connects again and again when the server hangs up.
addPostgresFaults(lib, open, {
  timeout: { connect_timeout: 0.2 },
  skip: ['hung-up'],
  instead: { terminated: again('NETWORK_ERROR', 'SERVER_ERROR') }, // It drops what the server says, and keeps that it hung up.
});
lib.add(
  'undefined-value',
  final('VALIDATION_ERROR'),
  'UNDEFINED_VALUE: a mistake of the program',
  async ({ db }) => {
    const { sql, end } = await open(db.as());
    try {
      return await sql`SELECT ${undefined}::int`;
    } finally {
      await end();
    }
  },
);
lib.add(
  'ended',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'CONNECTION_ENDED: the program closed its own client',
  async ({ db }) => {
    const { sql, end } = await open(db.as());
    await end();
    return sql`SELECT 1`;
  },
);
lib.add('cancelled', final('CANCELLED', 'TIMEOUT'), 'the program cancelled its own query', async ({ db }) => {
  const { sql, end } = await open(db.as());
  try {
    const query = sql`SELECT pg_sleep(5)`;
    const running = query.execute();
    running.catch(() => {});
    await sleep(200);
    query.cancel();
    return await running;
  } finally {
    await end();
  }
});
lib.add(
  'destroyed',
  again('NETWORK_ERROR', 'CANCELLED', 'TIMEOUT'),
  'CONNECTION_DESTROYED: ended with queries under way',
  async ({ db }) => {
    await closedPort();
    const { sql } = await open(db.as());
    const slow = sql`SELECT pg_sleep(3)`;
    slow.catch(() => {});
    await sleep(150);
    sql.end({ timeout: 0.05 });
    return slow;
  },
);
export default lib;
