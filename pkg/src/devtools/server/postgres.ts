/**
 * The log in PostgreSQL, which several servers may share.
 *
 * One table, partitioned by the day (UTC) on which the database has taken an event; days beyond the retention are dropped as
 * partitions. No clock but the database's decides where an event goes.
 *
 * A batch is acknowledged when its transaction has committed (`synchronous_commit` is PostgreSQL's default, on). Writers
 * take turns by an advisory lock, which each holds until its commit: so ids become visible in their order, and a reader that
 * has read up to one has missed none below it. Batches that come meanwhile go out together in the next transaction. An event
 * that a process sends twice is found by its source and `seq`, in the partitions of today and yesterday.
 *
 * Servers notify each other (`LISTEN`); a look once a second is what counts.
 */

import type { Client, ClientConfig, Pool, PoolClient } from 'pg';
import { installedVersion } from '../../hosts.js';
import { databasePlace } from '../postgres-url.js';
import type { AcceptedEvent } from './accept.js';
import {
  type Appended,
  BacklogFull,
  type Chunk,
  DatabaseUnusable,
  type EventReader,
  type EventStore,
} from './event-store.js';
import type { EventFilter } from './filter.js';

/** How the log is kept. */
export interface PostgresOptions {
  /** Days for which events are kept, beside today. Default 30. */
  readonly retentionDays: number;
  /** Batches waiting to be written may hold this much; more is refused. Default 16 MiB. */
  readonly backlogBytes: number;
  /** A statement that takes longer fails, in milliseconds. Default 30,000. */
  readonly statementMs: number;
}

const DEFAULTS: PostgresOptions = {
  retentionDays: 30,
  backlogBytes: 16 * 1024 * 1024,
  statementMs: 30_000,
};

const TABLE = 'halfopen_events';
/** The one row that names the log. */
const LOG = 'SELECT id, schema FROM halfopen_log';
const CHANNEL = 'halfopen_events';
/** Of the advisory lock that writers take in turn: "half" and "open" as numbers. */
const LOCK = 'pg_advisory_xact_lock(1751215206, 1869636974)';
/** Raised when a column changes its meaning. */
const SCHEMA = 1;
/** How long a connection may take, in milliseconds. */
const CONNECT_MS = 5_000;
/** How often to look for other servers' events, if their notifications do not arrive. */
const LOOK_EVERY_MS = 1_000;
/** How often to create the next day's partition and drop expired ones. */
const PARTITIONS_EVERY_MS = 600_000;
/** How many lines are read at once. */
const PAGE = 500;
/** Most events of one transaction. */
const MOST_AT_ONCE = 10_000;
/** PostgreSQL's code for a row that no partition takes (`check_violation`). */
const NO_PARTITION = '23514';

interface Waiting {
  readonly events: readonly AcceptedEvent[];
  readonly bytes: number;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** A log that is only read. */
export type LogReader = Pick<EventStore, 'id' | 'start' | 'end' | 'read' | 'refresh' | 'close'>;

/** A database as the log of a server. */
export class PostgresStore implements EventStore {
  readonly place: string;
  readonly remedy = 'See that PostgreSQL runs and has room';
  id = '';
  stored = 0;
  start = 0;
  end = 0;
  private readonly pool: Pool;
  private readonly listen: () => Client;
  private readonly options: PostgresOptions;
  private readonly heard = new Set<string>();
  private readonly listeners = new Set<() => void>();
  private waiting: Waiting[] = [];
  private waitingBytes = 0;
  private writing: Promise<void> | undefined;
  private listening: Client | undefined;
  private looking: Promise<void> | undefined;
  private timers: NodeJS.Timeout[] = [];
  private closed = false;

  private constructor(place: string, pool: Pool, listen: () => Client, options: PostgresOptions) {
    this.place = place;
    this.pool = pool;
    this.listen = listen;
    this.options = options;
    // A connection that breaks while it is idle is replaced at its next use.
    pool.on('error', () => {});
    // The pool hears a client only while it is idle: one that loses its connection between two queries would end the process.
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  /**
   * Connects, and creates the table if it is missing.
   *
   * @throws {DatabaseUnusable} where `pg` is not installed, the database cannot be reached, or its schema is another one.
   */
  static async open(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
    const store = await PostgresStore.connect(url, options);
    return store.ready(() => store.prepare(), ADVICE, 'kept');
  }

  /**
   * Connects to a log that is there, as it is now, and changes nothing: `SELECT` on its two tables is enough.
   *
   * @throws {DatabaseUnusable} as `open` does, and where the database has no log.
   */
  static async openToRead(url: string): Promise<LogReader> {
    const store = await PostgresStore.connect(url);
    const look = async () => {
      store.id = store.idOf((await store.pool.query(LOG)).rows);
      await store.refresh();
    };
    return store.ready(look, ADVICE_TO_READERS, 'read');
  }

  private static async connect(url: string, options: Partial<PostgresOptions> = {}): Promise<PostgresStore> {
    const place = databasePlace(url);
    const { default: pg } = await import('pg').catch((error: unknown) => {
      throw new DatabaseUnusable("A log in PostgreSQL needs the package 'pg': npm install pg", {
        cause: error,
      });
    });
    if (typeof pg?.Pool !== 'function' || typeof pg.Client !== 'function')
      throw new DatabaseUnusable(
        `A log in PostgreSQL needs the package 'pg' with Pool and Client, found ${installedVersion('pg') ?? 'one without'}: npm install pg@8`,
      );
    const given = { ...DEFAULTS, ...options };
    const config: ClientConfig = {
      ...{
        connectionString: url,
        connectionTimeoutMillis: CONNECT_MS,
        application_name: 'halfopen devtools',
      },
      // The server's own limit, and ours for a server that answers nothing at all.
      ...{ statement_timeout: given.statementMs, query_timeout: given.statementMs + 1_000, keepAlive: true },
    };
    return new PostgresStore(place, new pg.Pool({ ...config, max: 8 }), () => new pg.Client(config), given);
  }

  /** Returns the store once the work is done, and else ends its connections. */
  private async ready(
    work: () => Promise<void>,
    advice: Advice,
    whatFor: 'kept' | 'read',
  ): Promise<PostgresStore> {
    try {
      await work();
      return this;
    } catch (error) {
      await this.pool.end().catch(() => {});
      throw unusable(
        `The log cannot be ${whatFor} in ${this.place}`,
        error as Error & { code?: string },
        advice,
      );
    }
  }

  /** Checks the row of the log, and returns its id. */
  private idOf(rows: readonly { id: string; schema: number }[]): string {
    const [row] = rows;
    if (row === undefined)
      throw new DatabaseUnusable(`There is no log in ${this.place}. ${ADVICE_TO_READERS['42P01']}`);
    if (row.schema !== SCHEMA) {
      throw new DatabaseUnusable(
        `The log in ${this.place} has the schema ${row.schema}, and this version of halfopen reads ${SCHEMA}. ` +
          'Use the version that wrote it, or another database.',
      );
    }
    return row.id;
  }

  get sources(): number {
    return this.heard.size;
  }

  append(events: readonly AcceptedEvent[]): Promise<Appended> {
    const bytes = events.reduce((sum, { line }) => sum + line.length, 0);
    if (this.closed || this.waitingBytes + bytes > this.options.backlogBytes)
      return Promise.reject(new BacklogFull('too much is waiting to be written'));
    return new Promise((resolve, reject) => {
      this.waitingBytes += bytes;
      this.waiting.push({ events, bytes, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  read(position: number, filter: EventFilter | undefined): EventReader {
    return new PostgresReader(this, position, filter);
  }

  /** For readers: one page of lines, behind a position. */
  async page(
    after: number,
    filter: EventFilter | undefined,
  ): Promise<readonly { id: string; line: string }[]> {
    const { where, values } = condition(filter, after, this.end);
    const text = `SELECT id, line FROM ${TABLE} WHERE ${where} ORDER BY id LIMIT ${PAGE}`;
    return (await this.pool.query(text, values)).rows;
  }

  async refresh(): Promise<void> {
    const { rows } = await this.pool.query(`SELECT min(id) AS first, max(id) AS last FROM ${TABLE}`);
    const { first, last } = rows[0] as { first: string | null; last: string | null };
    const end = Math.max(this.end, Number(last ?? 0));
    this.start = first === null ? end : Number(first) - 1;
    const grown = end > this.end;
    this.end = end;
    if (grown) for (const listener of this.listeners) listener();
  }

  onGrowth(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.writing;
    await this.looking;
    await this.listening?.end().catch(() => {});
    await this.pool.end();
  }

  private async prepare(): Promise<void> {
    await this.transaction(async (client) => {
      await client.query(
        `CREATE TABLE IF NOT EXISTS halfopen_log (id text NOT NULL, schema integer NOT NULL)`,
      );
      await client.query(
        `INSERT INTO halfopen_log SELECT substr(md5(random()::text || clock_timestamp()::text), 1, 8), $1
         WHERE NOT EXISTS (SELECT FROM halfopen_log)`,
        [SCHEMA],
      );
      this.id = this.idOf((await client.query(LOG)).rows);
      await client.query(`CREATE SEQUENCE IF NOT EXISTS ${TABLE}_id`);
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${TABLE} (id bigint NOT NULL, day date NOT NULL, source text NOT NULL,
           seq bigint NOT NULL, time double precision NOT NULL, type text NOT NULL, policy text, call text,
           line text NOT NULL) PARTITION BY RANGE (day)`,
      );
      for (const columns of ['id', 'source, seq', 'time', 'source, call'])
        await client.query(
          `CREATE INDEX IF NOT EXISTS ${TABLE}_${columns.replace(', ', '_')} ON ${TABLE} (${columns})`,
        );
      await this.arrangePartitions(client);
    });
    await this.refresh();
    this.keepListening();
    const every = (ms: number, work: () => Promise<unknown>) =>
      this.timers.push(
        setInterval(() => {
          this.looking ??= work()
            .then(
              () => {},
              // The server's own limit, and ours for a server that does not respond at all.
              () => {},
            )
            .finally(() => {
              this.looking = undefined;
            });
        }, ms).unref(),
      );
    every(LOOK_EVERY_MS, async () => {
      if (this.listening === undefined) this.keepListening();
      await this.refresh();
    });
    every(PARTITIONS_EVERY_MS, () => this.transaction((client) => this.arrangePartitions(client)));
  }

  /** Makes the partitions of today and tomorrow, and drops those that are too old. In a transaction that has the lock. */
  private async arrangePartitions(client: PoolClient): Promise<void> {
    const today = `(now() AT TIME ZONE 'utc')::date`;
    const { rows: days } = await client.query(
      `SELECT to_char(${today} + n, 'YYYYMMDD') AS name, to_char(${today} + n, 'YYYY-MM-DD') AS first,
              to_char(${today} + n + 1, 'YYYY-MM-DD') AS next FROM generate_series(0, 1) AS n`,
    );
    for (const { name, first, next } of days as { name: string; first: string; next: string }[]) {
      await client.query(
        `CREATE TABLE IF NOT EXISTS ${TABLE}_${name} PARTITION OF ${TABLE} FOR VALUES FROM ('${first}') TO ('${next}')`,
      );
    }
    const { rows: old } = await client.query(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${TABLE}'::regclass
         AND inhrelid::regclass::text ~ '_\\d{8}$'
         AND to_date(right(inhrelid::regclass::text, 8), 'YYYYMMDD') < ${today} - $1::integer`,
      [this.options.retentionDays],
    );
    for (const { name } of old as { name: string }[]) await client.query(`DROP TABLE ${name}`);
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      let count = 0;
      const group: Waiting[] = [];
      while (this.waiting.length > 0 && count < MOST_AT_ONCE) {
        const next = this.waiting.shift() as Waiting;
        this.waitingBytes -= next.bytes;
        count += next.events.length;
        group.push(next);
      }
      await this.writeGroup(group);
    }
    this.writing = undefined;
  }

  private async writeGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const fresh = await this.insert(group.flatMap(({ events }) => events));
      for (const { events, resolve } of group) {
        // If two batches of a group have the same event, it belongs to the first one.
        const stored = events.filter((event) => fresh.delete(keyOf(event))).length;
        resolve({ stored, duplicates: events.length - stored, old: 0 });
      }
    } catch (error) {
      // If PostgreSQL refuses one batch, the others are still written.
      if (group.length > 1 && isOfData(error)) for (const one of group) await this.writeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }

  /** Stores the events that are not stored yet, and returns their keys. */
  private async insert(events: readonly AcceptedEvent[]): Promise<Set<string>> {
    const byKey = new Map<string, AcceptedEvent>();
    for (const event of events) if (!byKey.has(keyOf(event))) byKey.set(keyOf(event), event);
    const rows = [...byKey.values()].map(columnsOf);
    if (rows.length === 0) return new Set();
    const columns = [0, 1, 2, 3, 4, 5, 6].map((index) => rows.map((row) => row[index]));
    const store = (client: PoolClient) =>
      client.query(
        `INSERT INTO ${TABLE} (id, day, source, seq, time, type, policy, call, line)
         SELECT nextval('${TABLE}_id'), (now() AT TIME ZONE 'utc')::date, source, seq, time, type, policy, call, line FROM (
           SELECT * FROM unnest($1::text[], $2::bigint[], $3::double precision[], $4::text[], $5::text[], $6::text[], $7::text[])
             WITH ORDINALITY AS given(source, seq, time, type, policy, call, line, number)
           WHERE NOT EXISTS (SELECT FROM ${TABLE} AS stored WHERE stored.source = given.source AND stored.seq = given.seq
             AND stored.day >= (now() AT TIME ZONE 'utc')::date - 1)
           ORDER BY number) AS fresh
         RETURNING id, source, seq`,
        columns,
      );
    const insert = async (client: PoolClient) => {
      const { rows } = await store(client);
      if (rows.length > 0) await client.query(`NOTIFY ${CHANNEL}`);
      return rows as { id: string; source: string; seq: string }[];
    };
    const stored = await this.transaction(insert).catch((error: { code?: string }) => {
      // The clock of the database has jumped over days.
      if (error.code !== NO_PARTITION) throw error;
      return this.transaction(async (client) => {
        await this.arrangePartitions(client);
        return insert(client);
      });
    });
    this.stored += stored.length;
    for (const { source } of stored) this.heard.add(source);
    const last = Number(stored.at(-1)?.id ?? 0);
    if (last > this.end) {
      this.end = last;
      for (const listener of this.listeners) listener();
    }
    return new Set(stored.map(({ source, seq }) => `${seq} ${source}`));
  }

  /** Runs statements in one transaction, alone among the writers of this log. */
  private async transaction<T>(statements: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      // A separate statement, so that the next one sees the commits made while this one waited.
      await client.query(`SELECT ${LOCK}`);
      const result = await statements(client);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // The connection is not returned to the pool, because it may hold an open transaction that nothing would end.
      client.release(true);
      throw error;
    }
  }

  /** Listens for writes of other servers. Without it, the check once a second finds them. */
  private keepListening(): void {
    const client = this.listen();
    this.listening = client;
    const gone = () => {
      if (this.listening === client) this.listening = undefined;
    };
    client.on('error', gone);
    client.on('end', gone);
    client.on('notification', () => {
      this.refresh().catch(() => {});
    });
    client
      .connect()
      .then(() => client.query(`LISTEN ${CHANNEL}`))
      .catch(gone);
  }
}

class PostgresReader implements EventReader {
  private readonly store: PostgresStore;
  private readonly filter: EventFilter | undefined;
  private position: number;

  constructor(store: PostgresStore, position: number, filter: EventFilter | undefined) {
    this.store = store;
    this.position = position;
    this.filter = filter;
  }

  async next(): Promise<Chunk | undefined> {
    const { start, end } = this.store;
    if (this.position >= end) return undefined;
    const gap = this.position < start;
    const rows = await this.store.page(this.position, this.filter);
    // A page that is not full holds all there is up to the end that was known.
    this.position =
      rows.length < PAGE ? Math.max(end, Number(rows.at(-1)?.id ?? 0)) : Number(rows.at(-1)?.id);
    if (rows.length === 0) return gap ? { lines: [], position: this.position, gap } : undefined;
    return { lines: rows.map(({ line }) => line), position: this.position, gap };
  }

  async close(): Promise<void> {}
}

/** A filter as SQL: on the events behind `after`, up to `end`. */
function condition(
  filter: EventFilter | undefined,
  after: number,
  end: number,
): { where: string; values: unknown[] } {
  const values: unknown[] = [after, end];
  const value = (one: unknown) => `$${values.push(one)}`;
  const parts = ['id > $1', 'id <= $2'];
  if (filter !== undefined) {
    const wanted = [
      `(time >= ${value(filter.from)} AND time < ${value(filter.to)} OR type = 'process.started')`,
    ];
    if (filter.policies.length > 0)
      wanted.push(`(policy IS NULL OR policy = ANY(${value(filter.policies.map(storable))}::text[]))`);
    if (filter.processes.length > 0)
      wanted.push(`source = ANY(${value(filter.processes.map(storable))}::text[])`);
    parts.push(...wanted);
    if (filter.text !== '') {
      const has = `position(${value(filter.text)} IN lower(line)) > 0`;
      const calls = `SELECT source, call FROM ${TABLE} WHERE id <= $2 AND call IS NOT NULL AND ${wanted.join(' AND ')} AND ${has}`;
      parts.push(`(type = 'process.started' OR ${has} OR (source, call) IN (${calls}))`);
    }
  }
  return { where: parts.join(' AND '), values };
}

/** An event's columns, in the order of the statement that inserts them. */
function columnsOf({ source, seq, line }: AcceptedEvent): unknown[] {
  const { time, type, policy, call } = JSON.parse(line) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === 'string' ? storable(value) : null);
  return [storable(source), seq, time, text(type), text(policy), text(call), line];
}

/**
 * Returns `true` if an error concerns a value: data exceptions, violated constraints, and limits of the program such as
 * an index row's.
 */
function isOfData(error: unknown): boolean {
  return /^(?:22|23|54)/.test(String((error as { code?: unknown } | undefined)?.code));
}

const keyOf = ({ source, seq }: AcceptedEvent): string => `${seq} ${storable(source)}`;

/** PostgreSQL's texts cannot contain NUL or half a surrogate pair. The line itself has both escaped. */
function storable(text: string): string {
  return text.replace(/\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, '\uFFFD');
}

type Advice = Readonly<Record<string, string>>;

/** The meaning of PostgreSQL's and the system's codes for the user who starts the server. */
const ADVICE: Advice = {
  ECONNREFUSED: 'Nobody listens there: start PostgreSQL, or check host and port.',
  ENOTFOUND: 'The host is not known: check its name.',
  '28P01': 'The password is wrong.',
  '28000': 'The user may not connect: see pg_hba.conf of the server.',
  '3D000': 'There is no such database: create it (createdb).',
  '42501': 'The user may not create tables: GRANT CREATE ON SCHEMA public.',
};

const ADVICE_TO_READERS: Advice = {
  ...ADVICE,
  '42501': 'The user may not read the log: GRANT SELECT ON halfopen_log, halfopen_events.',
  '42P01': 'Name the database that `npx halfopen devtools --database` keeps its log in.',
};

function unusable(problem: string, error: Error & { code?: string }, advice: Advice): DatabaseUnusable {
  if (error instanceof DatabaseUnusable) return error;
  // Several addresses of one host fail together, without a message.
  const [first] = (error as { errors?: (Error & { code?: string })[] }).errors ?? [];
  const said = error.message || first?.message || 'no connection';
  const what = advice[error.code ?? first?.code ?? ''] ?? '';
  return new DatabaseUnusable(`${problem}: ${said}. ${what}`.trimEnd(), { cause: error });
}
