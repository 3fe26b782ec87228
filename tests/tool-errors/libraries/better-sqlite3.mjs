// better-sqlite3: SqliteError with a symbolic `code`. Its addon is built by `npm rebuild better-sqlite3`.
import { final, library } from '../expect.mjs';
import { addSqliteFaults } from '../sqlite-faults.mjs';

const lib = library({ packages: ['better-sqlite3'] });
const sqlite = async () => (await import('better-sqlite3')).default;
addSqliteFaults(
  lib,
  async (file, { readonly = false, patience = 50 }) => {
    const Database = await sqlite();
    const db = new Database(file, { readonly, timeout: patience });
    const run = (text) => {
      const statement = db.prepare(text);
      return statement.reader ? statement.all() : statement.run();
    };
    return { run, close: () => db.close() };
  },
  { instead: { 'no-folder': final('NOT_FOUND', 'CONFIG_ERROR', 'IO_ERROR') } },
);
lib.add(
  'busy-connection',
  final('VALIDATION_ERROR', 'CONFLICT'),
  'a mistake of the program: it writes while it iterates',
  async () => {
    const db = new (await sqlite())(':memory:');
    db.exec('CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)');
    for (const _ of db.prepare('SELECT * FROM t').iterate()) db.exec('DELETE FROM t');
  },
);
lib.add(
  'closed',
  final('CANCELLED', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'the program closed its own database',
  async () => {
    const db = new (await sqlite())(':memory:');
    db.close();
    return db.prepare('SELECT 1');
  },
);
lib.add('missing-parameter', final('VALIDATION_ERROR'), 'too few parameter values', async () =>
  new (await sqlite())(':memory:').prepare('SELECT ?, ?').all(1),
);
lib.add(
  'must-exist',
  final('NOT_FOUND', 'CONFIG_ERROR', 'IO_ERROR'),
  'fileMustExist',
  async () => new (await sqlite())('/var/lib/shop/nowhere.db', { fileMustExist: true }),
);
export default lib;
