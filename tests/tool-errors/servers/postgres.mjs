// A PostgreSQL cluster of our own on 127.0.0.1.
import { appendFileSync, cpSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { SECRET } from '../expect.mjs';
import { closedPort, sleep } from './net.mjs';
import { folder, listening, run, start, user } from './process.mjs';

export const needs = ['initdb', 'postgres'];

const SCHEMA = `
  CREATE TABLE users (id serial PRIMARY KEY, email text UNIQUE NOT NULL, age int CHECK (age >= 0));
  CREATE TABLE orders (id serial PRIMARY KEY, user_id int NOT NULL REFERENCES users(id), total numeric(6,2));
  CREATE TABLE stock (id int PRIMARY KEY, count int NOT NULL);
  CREATE TABLE bookings (room int, during int4range, EXCLUDE USING gist (during WITH &&));
  INSERT INTO users (email, age) VALUES ('jane.doe@example.com', 30), ('bob@example.com', 40);
  INSERT INTO orders (user_id, total) VALUES (1, 9.99);
  INSERT INTO stock VALUES (1, 10), (2, 10);
  INSERT INTO bookings VALUES (1, '[1,5)');
  CREATE FUNCTION refuse() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the account is closed'; END $$;
  CREATE ROLE reader LOGIN PASSWORD '${SECRET}';
  GRANT SELECT ON users TO reader;
  CREATE ROLE single LOGIN PASSWORD '${SECRET}' CONNECTION LIMIT 1;
  CREATE ROLE barred NOLOGIN PASSWORD '${SECRET}';
`;

/** Starts one; `options` are lines of postgresql.conf. */
export async function postgres(options = []) {
  const at = path.join(folder('postgres'), 'data');
  const port = await closedPort();
  run('initdb', ['-D', at, '-U', 'admin', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'], user);
  const settings = [
    `port = ${port}`,
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'fsync = off',
    'shared_buffers = 16MB',
    'deadlock_timeout = 100ms',
    'max_connections = 20',
    'superuser_reserved_connections = 1',
    ...options,
  ];
  appendFileSync(path.join(at, 'postgresql.conf'), `${settings.join('\n')}\n`);
  const up = async () => {
    const server = start('postgres', ['-D', at], user);
    await listening(port, { server });
    await sleep(200);
    return server;
  };
  let server = await up();
  const self = {
    port,
    at,
    /** Options of a client, as the superuser. */
    as: (name = 'admin', more = {}) => ({
      host: '127.0.0.1',
      port,
      user: name,
      password: SECRET,
      database: 'postgres',
      ...more,
    }),
    /** Runs SQL in a session of its own, through the server's single-purpose client library. */
    async sql(text) {
      const { default: pg } = await import('pg');
      const client = new pg.Client(self.as());
      client.on('error', () => {});
      await client.connect();
      try {
        return await client.query(text);
      } finally {
        await client.end().catch(() => {});
      }
    },
    /** A hot standby that follows this server: a copy of its files, taken while it is down. */
    async standby() {
      await server.stop('SIGINT');
      const copy = path.join(folder('standby'), 'data');
      cpSync(at, copy, { recursive: true });
      server = await up();
      const own = await closedPort();
      appendFileSync(
        path.join(copy, 'postgresql.conf'),
        `port = ${own}\nprimary_conninfo = 'host=127.0.0.1 port=${port} user=admin'\nmax_standby_streaming_delay = 0\n`,
      );
      writeFileSync(path.join(copy, 'standby.signal'), '');
      if (user.uid !== undefined) run('chown', ['-R', `${user.uid}:${user.gid}`, copy]);
      run('chmod', ['700', copy]);
      await listening(own, { server: start('postgres', ['-D', copy], user) });
      await sleep(500);
      return { port: own, as: (name, more) => ({ ...self.as(name, more), port: own }) };
    },
    kill: () => server.stop('SIGKILL'),
    stop: () => server.stop('SIGINT'),
    /** Smart shutdown: refuses new connections while old ones last. */
    drain: () => server.child.kill('SIGTERM'),
    async restart() {
      await server.stop('SIGINT');
      server = await up();
    },
    start: async () => {
      server = await up();
    },
    /** Demands passwords of all but the superuser. */
    async secure() {
      writeFileSync(
        path.join(at, 'pg_hba.conf'),
        'host all,replication admin 127.0.0.1/32 trust\nhost secret all 127.0.0.1/32 reject\nhost all all 127.0.0.1/32 scram-sha-256\n',
      );
      await self.sql('SELECT pg_reload_conf()');
      await sleep(200);
    },
  };
  await self.sql(SCHEMA);
  await self.secure();
  return self;
}
