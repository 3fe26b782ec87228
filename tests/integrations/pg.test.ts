// pg under a policy against a stub that speaks PostgreSQL's protocol, and how many queries reach it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createPolicy, type PolicyOptions } from 'halfopen';
import pg from 'pg';

/** A message of the protocol: https://www.postgresql.org/docs/current/protocol-message-formats.html. */
function message(type: string, ...parts: (string | Buffer)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
const READY = message('Z', Buffer.from('I'));
const AUTHENTICATION_OK = message('R', Buffer.alloc(4));
const failure = (code: string) =>
  message('E', ...['SERROR', 'VERROR', `C${code}`, 'Mit failed'], Buffer.alloc(1));

/** The results of the next queries: an error's code, 'lost' for a lost connection, `undefined` for success. */
let faults: (string | undefined)[] = [];
let queries: string[] = [];

function answer(socket: Socket): void {
  let isOpen = false;
  socket.on('error', () => {});
  socket.on('data', (data: Buffer) => {
    if (!isOpen) {
      isOpen = true;
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY]));
      return;
    }
    if (String.fromCharCode(data[0] ?? 0) !== 'Q') return;
    queries.push(data.subarray(5, -1).toString());
    const fault = faults.shift();
    if (fault === 'lost') socket.destroy();
    else if (fault !== undefined) socket.write(Buffer.concat([failure(fault), READY]));
    else socket.write(Buffer.concat([message('C', 'UPDATE 1'), READY]));
  });
}

const server = createServer(answer);
let pool: pg.Pool;
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  pool = new pg.Pool({ host: '127.0.0.1', port, user: 'agent', password: 'x', query_timeout: 5000 });
  pool.on('error', () => {});
});
after(async () => {
  await pool.end();
  server.close();
});
beforeEach(() => {
  queries = [];
});

const quick = (options: PolicyOptions = {}) => createPolicy({ retry: { baseDelayMs: 1 }, ...options });

describe('pg by wrap', () => {
  test('a serialization failure and a lost connection are retried', async () => {
    const query = quick().wrap((text: string) => pool.query(text));
    faults = ['40001', 'lost'];
    const { rowCount } = await query('UPDATE stock SET count = 1');
    assert.deepEqual([rowCount, queries.length], [1, 3]);
  });

  test('a taken key is not, and the breaker does not count it', async () => {
    const policy = quick({ breaker: { failureThreshold: 1 } });
    faults = ['23505'];
    const error = await policy.execute(() => pool.query('INSERT')).catch((thrown) => thrown);
    assert.deepEqual([error.code, queries.length, policy.breaker?.state], ['ALREADY_EXISTS', 1, 'closed']);
  });

  test('with idempotent: false a statement whose answer was lost is sent once', async () => {
    faults = ['lost'];
    const call = quick().execute(() => pool.query('INSERT'), { idempotent: false });
    const error = await call.catch((thrown) => thrown);
    assert.deepEqual([error.code, queries.length], ['NETWORK_ERROR', 1]);
  });

  test('a transaction is one operation: it is begun again as a whole', async () => {
    const transfer = quick().wrap(async () => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query('UPDATE');
        await client.query('COMMIT');
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {});
        throw error;
      } finally {
        client.release();
      }
    });
    faults = [];
    const begun = transfer();
    faults = [undefined, '40P01'];
    await begun;
    assert.deepEqual(queries, ['BEGIN', 'UPDATE', 'ROLLBACK', 'BEGIN', 'UPDATE', 'COMMIT']);
  });
});
