// `npx halfopen effects`: the acts of unknown outcome of a ledger, for a person who looks and settles them.
import { createLedger } from 'halfopen/once';
import { postgresStore } from 'halfopen/once/postgres';
import { redisStore } from 'halfopen/once/redis';
import { columns, connect, importInstalled, printable, TIMEOUT_MS, within } from './store-client.js';

/** So many acts are listed at most. */
const MOST = 1000;
/** The characters of a key that the table shows. `settle` finds the act by them. */
const SHORT_KEY = 12;
const WHOLE_KEY = 64;

/**
 * @param {{ url: string, ledger?: string | undefined, prefix?: string | undefined, table?: string | undefined }} place
 * @param {boolean | undefined} json
 * @returns what to print.
 */
export function list(place, json) {
  return atLedger(place, async (ledger) => {
    const acts = await ledger.unknown(MOST);
    if (json) return JSON.stringify(acts, undefined, 2);
    if (acts.length === 0) return 'there is no act of unknown outcome';
    const rows = acts.map(({ name, key, since, attempts, about = '-' }) => [
      printable(name),
      printable(key).slice(0, SHORT_KEY),
      // An act that another program wrote, or that cannot be read, has no time.
      since === 0 ? '-' : new Date(since).toISOString(),
      String(attempts),
      printable(about),
    ]);
    return columns([['act', 'key', 'since', 'attempts', 'about'], ...rows]);
  });
}

/**
 * @param {Parameters<typeof list>[0]} place
 * @param {string} name of the act
 * @param {string} start of its key
 * @param {{ happened: true, result?: unknown } | { happened: false }} outcome
 * @returns what to print.
 */
export function settle(place, name, start, outcome) {
  return atLedger(place, async (ledger) => {
    const key = start.length === WHOLE_KEY ? start : await wholeKey(ledger, name, start);
    await ledger.settle(name, key, outcome);
    const act = `'${name}' with the key ${key}`;
    return outcome.happened
      ? `${act} has happened: later calls get ${outcome.result === undefined ? 'undefined' : 'the result'}`
      : `${act} has not happened: the next call acts`;
  });
}

async function wholeKey(ledger, name, start) {
  const acts = await ledger.unknown(MOST);
  const found = acts.filter((act) => act.name === name && act.key.startsWith(start));
  if (found.length === 1) return found[0].key;
  const many = found.length === 0 ? 'no act' : `${found.length} acts`;
  throw new Error(
    `${many} '${name}' of unknown outcome ${found.length > 1 ? 'have' : 'has'} a key that begins with '${start}'`,
  );
}

async function atLedger({ url, ledger: name, prefix, table }, request) {
  const isRedis = url.startsWith('redis');
  const { client, end } = await (isRedis ? connect(url) : connectPostgres(url, table));
  // The secret hashes the keys of calls, and nothing is called here.
  const options = { name, secret: 'of no call', storeTimeoutMs: TIMEOUT_MS };
  const store = isRedis ? redisStore(client, { prefix }) : postgresStore(client, { table });
  const ledger = createLedger({ ...options, store });
  try {
    return await request(ledger);
  } catch (error) {
    if (error.code !== 'CAPACITY_EXCEEDED') throw error;
    const { message, code } = error.cause ?? error;
    throw new Error(`${isRedis ? 'Redis' : 'PostgreSQL'} at ${new URL(url).host}: ${message || code}`);
  } finally {
    await ledger.close();
    await end();
  }
}

/** The store makes its table itself: in a wrong database this would hide the mistake. */
async function connectPostgres(url, table = 'halfopen_once') {
  const pg = await importInstalled('pg');
  if (pg === undefined)
    throw new Error(
      "'pg' is not installed here: run the command in the folder of your application, or npm install pg",
    );
  const timeouts = { connectionTimeoutMillis: TIMEOUT_MS, query_timeout: TIMEOUT_MS };
  const client = new pg.default.Pool({ connectionString: url, max: 1, ...timeouts }).on('error', () => {});
  const end = () => client.end();
  const quoted = table.split('.').map((part) => `"${part.replaceAll('"', '""')}"`);
  try {
    const asked = client.query('SELECT to_regclass($1) IS NOT NULL AS found', [quoted.join('.')]);
    const { rows } = await within(asked, url, 'PostgreSQL');
    if (rows[0].found) return { client, end };
    throw new Error(
      `there is no table '${table}' in this database: no ledger has used it (--table names another)`,
    );
  } catch (error) {
    await end();
    throw error;
  }
}
