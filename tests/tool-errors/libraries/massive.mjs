// massive (over pg-promise) on a real PostgreSQL, and errors of its own.
import { final, library, unclear } from '../expect.mjs';
import { addPostgresFaults } from '../postgres-faults.mjs';
import { needs, postgres } from '../servers/postgres.mjs';

const lib = library({ packages: ['massive', 'pg'], needs, setup: async () => ({ db: await postgres() }) });
const open = async (options) => {
  const { default: massive } = await import('massive');
  const db = await massive({ ...options, max: 1, poolSize: 1 }, {}, { noWarnings: true });
  return { query: (text) => db.query(text), end: async () => db.instance.$pool.end(), db };
};
addPostgresFaults(lib, open, { timeout: { connectionTimeoutMillis: 200 } });
const using =
  (work) =>
  async ({ db: server }) => {
    const { db, end } = await open(server.as());
    try {
      return await work(db);
    } finally {
      await end();
    }
  };
lib.add(
  'insert-unique',
  final('ALREADY_EXISTS'),
  'insert() of an address that is taken',
  using((db) => db.users.insert({ email: 'jane.doe@example.com' })),
);
lib.add(
  'insert-nothing',
  final('VALIDATION_ERROR'),
  'Must provide data to insert',
  using((db) => db.users.insert()),
);
lib.add(
  'bad-criteria',
  final('VALIDATION_ERROR', 'NOT_FOUND'),
  'a column that is not there',
  using((db) => db.users.find({ nickname: 'jane' })),
);
lib.add(
  'no-such-table',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  "Cannot read properties of undefined: a table that massive does not know is a program's mistake",
  using((db) => db.invoices.find({})),
);
export default lib;
