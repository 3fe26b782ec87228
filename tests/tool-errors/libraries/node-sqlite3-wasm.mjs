// node-sqlite3-wasm: SQLite3Error with prose alone.
import { library } from '../expect.mjs';
import { addSqliteFaults } from '../sqlite-faults.mjs';

const lib = library({ packages: ['node-sqlite3-wasm'] });
addSqliteFaults(lib, async (file, { readonly = false }) => {
  const { default: wasm } = await import('node-sqlite3-wasm');
  const db = new wasm.Database(file, { readOnly: readonly });
  return {
    run: (text) => (/^\s*(SELECT|PRAGMA)/.test(text) ? db.all(text) : db.run(text)),
    close: () => db.close(),
  };
});
export default lib;
