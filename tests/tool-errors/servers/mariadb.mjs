// A MariaDB server of our own on 127.0.0.1.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { SECRET } from '../expect.mjs';
import { closedPort, sleep } from './net.mjs';
import { find, folder, listening, start, user } from './process.mjs';

export const needs = ['mariadbd', 'mariadb-install-db'];

const SCHEMA = `
  CREATE DATABASE shop; USE shop;
  CREATE TABLE users (id int PRIMARY KEY AUTO_INCREMENT, email varchar(40) UNIQUE NOT NULL, age tinyint unsigned, CHECK (age < 150));
  CREATE TABLE orders (id int PRIMARY KEY AUTO_INCREMENT, user_id int NOT NULL, FOREIGN KEY (user_id) REFERENCES users(id));
  CREATE TABLE stock (id int PRIMARY KEY, count int NOT NULL);
  CREATE TABLE full_up (id int PRIMARY KEY, text varchar(200)) ENGINE=MEMORY MAX_ROWS=2;
  INSERT INTO users (email, age) VALUES ('jane.doe@example.com', 30);
  INSERT INTO orders (user_id) VALUES (1);
  INSERT INTO stock VALUES (1, 10), (2, 10);
  CREATE USER 'app'@'%' IDENTIFIED BY '${SECRET}'; GRANT ALL ON *.* TO 'app'@'%';
  CREATE USER 'reader'@'%' IDENTIFIED BY '${SECRET}'; GRANT SELECT ON shop.users TO 'reader'@'%';
  CREATE USER 'single'@'%' IDENTIFIED BY '${SECRET}' WITH MAX_USER_CONNECTIONS 1; GRANT ALL ON shop.* TO 'single'@'%';
  CREATE USER 'hourly'@'%' IDENTIFIED BY '${SECRET}' WITH MAX_QUERIES_PER_HOUR 2; GRANT ALL ON shop.* TO 'hourly'@'%';
  CREATE USER 'locked'@'%' IDENTIFIED BY '${SECRET}' ACCOUNT LOCK;
  CREATE USER 'aged'@'%' IDENTIFIED BY '${SECRET}' PASSWORD EXPIRE; GRANT ALL ON *.* TO 'aged'@'%';
`;

/** Starts one; `options` are arguments of mariadbd. */
export async function mariadb(options = []) {
  const base = folder('mariadb');
  const at = path.join(base, 'data');
  const socket = path.join(base, 's');
  const port = await closedPort();
  const own = ['--no-defaults', `--datadir=${at}`];
  const made = spawnSync(
    find('mariadb-install-db'),
    [
      ...own,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      ...(user.uid ? ['--user=nobody'] : []),
    ],
    { encoding: 'utf8', ...(user.uid ? {} : user) },
  );
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stdout} ${made.stderr}`);
  const up = async () => {
    const server = start(
      'mariadbd',
      [
        ...own,
        `--socket=${socket}`,
        `--pid-file=${path.join(base, 'pid')}`,
        `--port=${port}`,
        '--bind-address=127.0.0.1',
        '--skip-name-resolve',
        '--innodb-buffer-pool-size=16M',
        '--innodb-flush-log-at-trx-commit=0',
        '--max-connections=20',
        '--max-allowed-packet=1M',
        '--innodb-lock-wait-timeout=1',
        '--wait-timeout=60',
        ...options,
      ],
      user,
    );
    await listening(port, { server });
    await sleep(100);
    return server;
  };
  let server = await up();
  const { default: mysql } = await import('mysql2/promise');
  const self = {
    port,
    as: (name = 'app', more = {}) => ({
      host: '127.0.0.1',
      port,
      user: name,
      password: name === 'root' ? undefined : SECRET,
      database: 'shop',
      ...more,
    }),
    async sql(text, more) {
      const client = await mysql.createConnection({
        ...self.as('root'),
        database: undefined,
        multipleStatements: true,
        ...more,
      });
      try {
        return await client.query(text);
      } finally {
        await client.end().catch(() => {});
      }
    },
    kill: () => server.stop('SIGKILL'),
    stop: () => server.stop('SIGTERM'),
    start: async () => {
      server = await up();
    },
  };
  await self.sql(SCHEMA);
  return self;
}
