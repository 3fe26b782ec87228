// libsql: SqliteError with a symbolic `code`, from a native addon that npm carries.
import { library } from '../expect.mjs';
import { addSqliteFaults } from '../sqlite-faults.mjs';

const lib = library({ packages: ['libsql'] });
addSqliteFaults(
  lib,
  async (file, { readonly = false, patience = 50 }) => {
    const { default: Database } = await import('libsql');
    const db = new Database(file, { readonly, timeout: patience / 1000 });
    return {
      run: (text) => (/^\s*(SELECT|PRAGMA)/.test(text) ? db.prepare(text).all() : db.prepare(text).run()),
      close: () => db.close(),
    };
  },
  { skip: ['read-only'] },
); // It ignores the option.
export default lib;
