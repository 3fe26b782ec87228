// @electric-sql/pglite: PostgreSQL as WebAssembly in this process; DatabaseError with a SQLSTATE.
import { final, library, SECRET, unclear } from '../expect.mjs';

const lib = library({
  packages: ['@electric-sql/pglite'],
  setup: async () => {
    const { PGlite } = await import('@electric-sql/pglite');
    const db = await PGlite.create();
    await db.exec(`
      CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE NOT NULL, age int CHECK (age >= 0), plan varchar(5));
      CREATE TABLE orders (id serial PRIMARY KEY, user_id int NOT NULL REFERENCES users(id), total numeric(6,2));
      INSERT INTO users (email, age) VALUES ('jane.doe@example.com', 30);
      CREATE ROLE reader LOGIN PASSWORD '${SECRET}';
      CREATE FUNCTION refuse() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the account is closed'; END $$;
    `);
    return { db };
  },
  teardown: ({ db }) => db.close(),
});
for (const [name, text, expect, why] of [
  [
    'unique',
    "INSERT INTO users (email) VALUES ('jane.doe@example.com')",
    final('ALREADY_EXISTS'),
    '23505: the address stays taken',
  ],
  [
    'foreign-key',
    'INSERT INTO orders (user_id) VALUES (99)',
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    '23503: what it refers to is not there',
  ],
  ['not-null', 'INSERT INTO users (email) VALUES (NULL)', final('VALIDATION_ERROR'), '23502'],
  [
    'check',
    "INSERT INTO users (email, age) VALUES ('x@example.com', -1)",
    final('VALIDATION_ERROR'),
    '23514: a rule of the table',
  ],
  ['bad-uuid', "SELECT 'jane'::uuid", final('VALIDATION_ERROR'), '22P02: the text is no uuid'],
  ['syntax', 'SELEC id FROM users', final('VALIDATION_ERROR'), '42601: the SQL has to be written anew'],
  ['no-table', 'SELECT * FROM invoices', final('NOT_FOUND', 'VALIDATION_ERROR'), '42P01: a missing table'],
  [
    'no-column',
    'SELECT nickname FROM users',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    '42703: a missing column',
  ],
  [
    'no-function',
    'SELECT frobnicate(1)',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    '42883: a missing function',
  ],
  ['table-exists', 'CREATE TABLE users (id int)', final('ALREADY_EXISTS'), '42P07: the name is taken'],
  ['zero', 'SELECT 1/0', final('VALIDATION_ERROR'), '22012: division by zero'],
  [
    'too-long',
    "INSERT INTO users (email, plan) VALUES ('y@example.com', 'platinum')",
    final('VALIDATION_ERROR'),
    '22001: longer than the column',
  ],
  [
    'overflow',
    'INSERT INTO orders (user_id, total) VALUES (1, 123456789)',
    final('VALIDATION_ERROR'),
    '22003: larger than the column',
  ],
  [
    'raised',
    'SELECT refuse()',
    unclear('VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR', 'UNKNOWN'),
    "P0001: the database's own program says no",
  ],
]) {
  lib.add(name, expect, why, ({ db }) => db.query(text));
}
lib.add('denied', final('PERMISSION_DENIED'), '42501', ({ db }) =>
  db.transaction(async (tx) => {
    await tx.exec('SET LOCAL ROLE reader');
    return tx.query('SELECT * FROM users');
  }),
);
lib.add(
  'read-only',
  final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'CONFLICT'),
  '25006: a read-only transaction',
  ({ db }) =>
    db.transaction(async (tx) => {
      await tx.exec('SET TRANSACTION READ ONLY');
      return tx.query("INSERT INTO users (email) VALUES ('z@example.com')");
    }),
);
lib.add(
  'aborted-transaction',
  final('CONFLICT', 'VALIDATION_ERROR', 'UNKNOWN'),
  '25P02: the transaction failed before; the statement alone is in vain',
  ({ db }) =>
    db.transaction(async (tx) => {
      await tx.query('SELECT 1/0').catch(() => {});
      return tx.query('SELECT 1');
    }),
);
lib.add('parameters', final('VALIDATION_ERROR'), '08P01: too few parameters', ({ db }) =>
  db.query('SELECT $1::int, $2::int', [1]),
);
lib.add('bad-parameter', final('VALIDATION_ERROR'), 'a value that does not go with the type', ({ db }) =>
  db.query('SELECT $1::int', ['many']),
);
lib.add(
  'closed',
  final('CANCELLED', 'CONFIG_ERROR', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR'),
  'PGlite is closed: a mistake of the program',
  async () => {
    const { PGlite } = await import('@electric-sql/pglite');
    const own = await PGlite.create();
    await own.close();
    return own.query('SELECT 1');
  },
);
lib.add(
  'no-folder',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT: the folder above the data is missing',
  async () => {
    const { PGlite } = await import('@electric-sql/pglite');
    return PGlite.create('/nowhere/at/all/data');
  },
);
export default lib;
