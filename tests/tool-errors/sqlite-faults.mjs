// The failures of a file of SQLite, made through every driver.
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { again, final } from './expect.mjs';

const SCHEMA = `
  PRAGMA foreign_keys = ON;
  CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE NOT NULL, age INTEGER CHECK (age >= 0)) STRICT;
  CREATE TABLE orders (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES users(id));
  INSERT INTO users (id, email) VALUES (1, 'jane.doe@example.com');
`;
const STATEMENTS = {
  unique: [
    "INSERT INTO users (email) VALUES ('jane.doe@example.com')",
    final('ALREADY_EXISTS'),
    'SQLITE_CONSTRAINT_UNIQUE',
  ],
  'primary-key': [
    "INSERT INTO users (id, email) VALUES (1, 'b@example.com')",
    final('ALREADY_EXISTS'),
    'SQLITE_CONSTRAINT_PRIMARYKEY',
  ],
  'foreign-key': [
    'INSERT INTO orders (user_id) VALUES (99)',
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    'SQLITE_CONSTRAINT_FOREIGNKEY',
  ],
  'not-null': [
    'INSERT INTO users (email) VALUES (NULL)',
    final('VALIDATION_ERROR'),
    'SQLITE_CONSTRAINT_NOTNULL',
  ],
  check: [
    "INSERT INTO users (email, age) VALUES ('x', -1)",
    final('VALIDATION_ERROR'),
    'SQLITE_CONSTRAINT_CHECK',
  ],
  'wrong-type': [
    "INSERT INTO users (email, age) VALUES ('x', 'old')",
    final('VALIDATION_ERROR'),
    'SQLITE_CONSTRAINT_DATATYPE or SQLITE_MISMATCH',
  ],
  syntax: ['SELEC id FROM users', final('VALIDATION_ERROR'), 'SQLITE_ERROR: the SQL has to be written anew'],
  'no-table': [
    'SELECT * FROM invoices',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'SQLITE_ERROR: no such table',
  ],
  'no-column': [
    'SELECT nickname FROM users',
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'SQLITE_ERROR: no such column',
  ],
  'table-exists': [
    'CREATE TABLE users (id int)',
    final('ALREADY_EXISTS'),
    'SQLITE_ERROR: the table already exists',
  ],
};

/** Adds the faults of SQLite. `open(file, { readonly, patience })` makes a connection: `{ run(sql), close() }`. */
export function addSqliteFaults(lib, open, { skip = [], instead = {} } = {}) {
  // `instead`: the right expectation if this client's error says less.
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  const withFile = async (work) => {
    const at = mkdtempSync(path.join(os.tmpdir(), 'sqlite-'));
    const file = path.join(at, 'shop.db');
    const opened = [];
    const connect = async (options = {}, name = file) => {
      const made = await open(name, options);
      opened.push(made);
      return made;
    };
    try {
      const first = await connect();
      for (const one of SCHEMA.split(';')) if (one.trim()) await first.run(one);
      return await work(connect, first, file);
    } finally {
      for (const one of opened) {
        try {
          await one.close();
        } catch {}
      }
      chmodSync(at, 0o755);
      rmSync(at, { recursive: true, force: true });
    }
  };
  for (const [name, [text, expect, why]] of Object.entries(STATEMENTS)) {
    add(name, expect, why, () => withFile((_, first) => first.run(text)));
  }
  add('busy', again('CONFLICT'), 'SQLITE_BUSY: another connection writes', () =>
    withFile(async (connect, first) => {
      await first.run('BEGIN IMMEDIATE');
      const second = await connect({ patience: 50 });
      return second.run("INSERT INTO users (email) VALUES ('b@example.com')");
    }),
  );
  add(
    'busy-snapshot',
    again('CONFLICT'),
    'SQLITE_BUSY_SNAPSHOT: somebody wrote since this transaction read',
    () =>
      withFile(async (connect, first) => {
        await first.run('PRAGMA journal_mode = WAL');
        const second = await connect({ patience: 50 });
        await second.run('BEGIN');
        await second.run('SELECT * FROM users');
        await first.run("INSERT INTO users (email) VALUES ('b@example.com')");
        return second.run("INSERT INTO users (email) VALUES ('c@example.com')");
      }),
  );
  add('exclusive', again('CONFLICT'), 'SQLITE_BUSY at a read: another connection holds the file', () =>
    withFile(async (connect, first) => {
      await first.run('BEGIN EXCLUSIVE');
      const second = await connect({ patience: 20 });
      return second.run('SELECT * FROM users');
    }),
  );
  add('read-only', final('PERMISSION_DENIED', 'CONFIG_ERROR'), 'SQLITE_READONLY', () =>
    withFile(async (connect) => {
      const second = await connect({ readonly: true });
      return second.run("INSERT INTO users (email) VALUES ('b@example.com')");
    }),
  );
  add(
    'no-folder',
    final('IO_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
    'SQLITE_CANTOPEN: the folder is not there',
    () =>
      withFile(async (connect, _, file) =>
        (await connect({}, path.join(path.dirname(file), 'nowhere', 'shop.db'))).run('SELECT 1'),
      ),
  );
  add(
    'a-folder',
    final('IO_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND'),
    'SQLITE_CANTOPEN: it is a folder',
    () =>
      withFile(async (connect, _, file) =>
        (await connect({}, path.dirname(file))).run('SELECT * FROM sqlite_master'),
      ),
  );
  add(
    'not-a-database',
    final('IO_ERROR', 'INVALID_RESPONSE', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
    'SQLITE_NOTADB',
    () =>
      withFile(async (connect, _, file) => {
        const other = path.join(path.dirname(file), 'notes.txt');
        writeFileSync(
          other,
          'these are notes, and they are long enough to be read as a header of a database '.repeat(20),
        );
        return (await connect({}, other)).run('SELECT * FROM sqlite_master');
      }),
  );
  add('malformed', final('IO_ERROR', 'INVALID_RESPONSE', 'SERVER_ERROR'), 'SQLITE_CORRUPT', () =>
    withFile(async (connect, first, file) => {
      await first.close();
      const at = openSync(file, 'r+');
      writeSync(at, Buffer.alloc(7000, 0xee), 0, 7000, 100);
      closeSync(at);
      return (await connect()).run('SELECT * FROM users');
    }),
  );
  add('full', final('IO_ERROR', 'QUOTA_EXCEEDED', 'SERVER_ERROR'), 'SQLITE_FULL: no page more', () =>
    withFile(async (_, first) => {
      await first.run('PRAGMA max_page_count = 12');
      await first.run('CREATE TABLE big (text TEXT)');
      for (let at = 0; at < 40; at++) await first.run(`INSERT INTO big VALUES ('${'x'.repeat(3000)}')`);
    }),
  );
  add('too-big', final('VALIDATION_ERROR'), 'SQLITE_TOOBIG', () =>
    withFile((_, first) => first.run('SELECT zeroblob(2000000000)')),
  );
}
