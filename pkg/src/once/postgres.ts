/** A ledger's store in a table of PostgreSQL. */

import * as is from '../options.js';
import type { OnceStore } from './store.js';

/** The member of a pool or a client of `pg` that this file uses. */
interface Pool {
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** Expired rows are deleted after this many writes of a process, and at most this many at once. */
const SWEEP_EVERY = 100;
const MOST_SWEPT = 1000;
/** Two processes created the table at the same time: duplicate key, table, object. */
const CREATED_BY_ANOTHER = new Set(['23505', '42P07', '42710']);

const quoted = (name: string): string =>
  name
    .split('.')
    .map((part) => `"${part.replaceAll('"', '""')}"`)
    .join('.');

function statements(name: string) {
  const [table, versions, index] = [name, `${name}_versions`, `${name}_expires`].map(quoted);
  const now = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint AS now';
  const expires = "clock_timestamp() + $4::double precision * interval '1 millisecond'";
  const isThere = '(o.expires IS NULL OR o.expires > clock_timestamp())';
  const next = `nextval('${(versions ?? '').replaceAll("'", "''")}')`;
  return {
    create: [
      `CREATE TABLE IF NOT EXISTS ${table} (key text PRIMARY KEY, version bigint NOT NULL, record bytea NOT NULL, expires timestamptz)`,
      `CREATE INDEX IF NOT EXISTS ${index?.replace(/^.*\./, '')} ON ${table} (expires)`,
      `CREATE SEQUENCE IF NOT EXISTS ${versions}`,
    ],
    read: `SELECT o.version, o.record, ${now} FROM (SELECT) AS one LEFT JOIN ${table} o ON o.key = $1 AND ${isThere}`,
    // An expired row is as good as none.
    insert: `INSERT INTO ${table} AS o (key, version, record, expires) SELECT $1, ${next}, $3, ${expires} WHERE $2::bigint = 0 ON CONFLICT (key) DO UPDATE SET version = excluded.version, record = excluded.record, expires = excluded.expires WHERE NOT ${isThere} RETURNING version, ${now}`,
    update: `UPDATE ${table} o SET version = ${next}, record = $3, expires = ${expires} WHERE key = $1 AND version = $2 AND ${isThere} RETURNING version, ${now}`,
    remove: `DELETE FROM ${table} o WHERE key = $1 AND version = $2 AND ${isThere} RETURNING 0 AS version, ${now}`,
    list: `SELECT key, version, record FROM ${table} WHERE expires IS NULL AND left(key, length($1)) = $1 ORDER BY key LIMIT $2`,
    sweep: `DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE expires <= clock_timestamp() LIMIT ${MOST_SWEPT})`,
  };
}

/**
 * Returns a store in PostgreSQL, version 12 or later: a table with one row for each act, which makes itself, with an index and
 * a sequence, before the first use. The time is the server's.
 *
 * @param pool - a `Pool` of `pg`, or anything whose `query(text, values)` resolves with `{ rows }`. It belongs to the caller:
 * `close` leaves it open. Do not pass a client that is within a transaction: a claim must be there before the act begins.
 * @param options - `table`, its name, also with a schema: 'billing.acts'. Default: 'halfopen_once'.
 * @throws TypeError for anything without `query`.
 *
 * @example
 * ```ts
 * import { Pool } from 'pg';
 * import { createLedger } from 'halfopen/once';
 * import { postgresStore } from 'halfopen/once/postgres';
 * const ledger = createLedger({ store: postgresStore(new Pool({ connectionString: process.env.DATABASE_URL })) });
 * ```
 */
export function postgresStore(pool: object, options: { table?: string } = {}): OnceStore {
  const read = is.readOptions<{ table?: string }>({ table: is.filledText }, options, 'postgresStore');
  const { query } = (pool ?? {}) as Partial<Pool>;
  if (typeof query !== 'function') throw is.misuse('pool', "a Pool of 'pg'", pool);
  const sql = statements(read.table ?? 'halfopen_once');
  const ask = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
    (await (pool as Pool).query(text, values)).rows;

  let table: Promise<void> | undefined;
  const create = async (): Promise<void> => {
    for (const statement of sql.create) {
      await ask(statement).catch((error) => {
        if (!CREATED_BY_ANOTHER.has((error as { code?: string }).code ?? '')) throw error;
      });
    }
  };
  const ready = (): Promise<void> => {
    table ??= create().catch((error) => {
      table = undefined;
      throw error;
    });
    return table;
  };

  let writes = 0;
  return {
    async swap(key, version, next, ttlMs) {
      await ready();
      if (version !== -1) {
        const ttl = ttlMs === Number.POSITIVE_INFINITY ? null : ttlMs;
        const [row] =
          next === undefined
            ? await ask(sql.remove, [key, version])
            : await ask(version === 0 ? sql.insert : sql.update, [key, version, next, ttl]);
        if (row !== undefined) {
          writes += 1;
          // Nobody waits for this. If it fails, a later one does it.
          if (writes % SWEEP_EVERY === 0) ask(sql.sweep).catch(() => {});
          return { written: true, version: Number(row.version), record: next, now: Number(row.now) };
        }
      }
      const [row = {}] = await ask(sql.read, [key]);
      const record = row.record instanceof Uint8Array ? new Uint8Array(row.record) : undefined;
      return { written: false, version: Number(row.version ?? 0), record, now: Number(row.now) };
    },
    async list(prefix, limit) {
      await ready();
      const rows = await ask(sql.list, [prefix, limit]);
      return rows.map(({ key, version, record }) => ({
        key: String(key),
        version: Number(version),
        record: new Uint8Array(record as Uint8Array),
      }));
    },
    async close() {},
  };
}
