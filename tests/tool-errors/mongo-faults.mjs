// The replies of a failing MongoDB server (error_codes.yml of the server), made through the driver and a mapper.
import { again, final, unclear } from './expect.mjs';
import { failure, mongo } from './servers/mongo.mjs';
import { closedPort, sleep, tcp } from './servers/net.mjs';

const writeError = (code, errmsg, more = {}) => ({
  ok: 1,
  n: 0,
  writeErrors: [{ index: 0, code, errmsg, ...more }],
});

/** name: [the reply, what is right, why] */
const REPLIES = {
  duplicate: [
    writeError(
      11000,
      'E11000 duplicate key error collection: shop.users index: email_1 dup key: { email: "jane.doe@example.com" }',
      { keyPattern: { email: 1 }, keyValue: { email: 'jane.doe@example.com' } },
    ),
    final('ALREADY_EXISTS'),
    '11000 DuplicateKey',
  ],
  validation: [
    writeError(121, 'Document failed validation', {
      errInfo: { failingDocumentId: 1, details: { operatorName: '$jsonSchema' } },
    }),
    final('VALIDATION_ERROR'),
    '121 DocumentValidationFailure',
  ],
  'write-conflict': [
    failure(
      112,
      'WriteConflict',
      'WriteConflict error: this operation conflicted with another operation. Please retry your operation or multi-document transaction.',
      ['TransientTransactionError'],
    ),
    again('CONFLICT'),
    '112 with TransientTransactionError',
  ],
  'lock-timeout': [
    failure(24, 'LockTimeout', 'Unable to acquire lock within 5ms', ['TransientTransactionError']),
    again('CONFLICT', 'TIMEOUT'),
    '24 LockTimeout',
  ],
  'max-time': [
    failure(50, 'MaxTimeMSExpired', 'operation exceeded time limit'),
    again('TIMEOUT'),
    '50 MaxTimeMSExpired',
  ],
  unauthorized: [
    failure(13, 'Unauthorized', 'not authorized on shop to execute command { insert: "users" }'),
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    '13 Unauthorized is about rights',
  ],
  'auth-failed': [
    failure(18, 'AuthenticationFailed', 'Authentication failed.'),
    final('AUTHENTICATION_ERROR'),
    '18 AuthenticationFailed',
  ],
  'bad-value': [failure(2, 'BadValue', 'unknown operator: $frob'), final('VALIDATION_ERROR'), '2 BadValue'],
  'type-mismatch': [
    failure(
      14,
      'TypeMismatch',
      "BSON field 'insert.ordered' is the wrong type 'string', expected type 'bool'",
    ),
    final('VALIDATION_ERROR'),
    '14 TypeMismatch',
  ],
  'no-namespace': [
    failure(26, 'NamespaceNotFound', 'ns not found'),
    final('NOT_FOUND'),
    '26 NamespaceNotFound',
  ],
  'namespace-exists': [
    failure(48, 'NamespaceExists', 'Collection shop.users already exists.'),
    final('ALREADY_EXISTS'),
    '48 NamespaceExists',
  ],
  'unknown-command': [
    failure(59, 'CommandNotFound', "no such command: 'frob'"),
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
    '59 CommandNotFound',
  ],
  'not-primary': [
    failure(10107, 'NotWritablePrimary', 'not primary', ['RetryableWriteError']),
    again('SERVER_ERROR', 'CONFLICT', 'NETWORK_ERROR'),
    '10107: another node became primary',
  ],
  'stepping-down': [
    failure(11602, 'InterruptedDueToReplStateChange', 'operation was interrupted', ['RetryableWriteError']),
    again('SERVER_ERROR', 'CONFLICT', 'NETWORK_ERROR'),
    '11602: an election',
  ],
  'shutting-down': [
    failure(91, 'ShutdownInProgress', 'The server is in quiesce mode and will shut down', [
      'RetryableWriteError',
    ]),
    again('SERVER_ERROR', 'NETWORK_ERROR'),
    '91 ShutdownInProgress',
  ],
  interrupted: [
    failure(11601, 'Interrupted', 'operation was interrupted'),
    unclear('CANCELLED', 'SERVER_ERROR', 'TIMEOUT'),
    '11601: somebody ended the operation',
  ],
  'no-transaction': [
    failure(
      251,
      'NoSuchTransaction',
      'Given transaction number 1 does not match any in-progress transactions.',
      ['TransientTransactionError'],
    ),
    again('CONFLICT'),
    '251 with TransientTransactionError',
  ],
  'cursor-not-found': [
    failure(43, 'CursorNotFound', 'cursor id 6180230493 not found'),
    unclear('NOT_FOUND', 'CONFLICT'),
    '43: the cursor has expired; the query has to begin anew',
  ],
  'exceeded-memory': [
    failure(292, 'QueryExceededMemoryLimitNoDiskUseAllowed', 'Sort exceeded memory limit of 104857600 bytes'),
    final('VALIDATION_ERROR', 'SERVER_ERROR', 'QUOTA_EXCEEDED', 'CAPACITY_EXCEEDED'),
    '292: this query is too large',
  ],
  'out-of-disk': [
    failure(14031, 'OutOfDiskSpace', 'available disk space is less than the required minimum'),
    unclear('IO_ERROR', 'QUOTA_EXCEEDED', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    '14031',
  ],
  'too-many-requests': [
    failure(16500, 'RequestRateTooLarge', 'Error=16500, RetryAfterMs=34, Details=Request rate is large.'),
    again('RATE_LIMITED', { retryAfterMs: 34 }),
    '16500 of Cosmos DB says when to return',
  ],
  'write-concern': [
    {
      ok: 1,
      n: 1,
      writeConcernError: {
        code: 64,
        codeName: 'WriteConcernTimeout',
        errmsg: 'waiting for replication timed out',
        errInfo: { wtimeout: true },
      },
    },
    again('TIMEOUT', 'SERVER_ERROR', 'CONFLICT'),
    '64: written, not yet replicated',
  ],
};

/** Adds them. `open(url, options)` makes a client: `{ insert(), end() }`. */
export function addMongoFaults(lib, open, { skip = [], instead = {} } = {}) {
  const add = (name, expect, ...rest) =>
    skip.includes(name) || lib.add(name, instead[name] ?? expect, ...rest);
  const insert = async (url, options) => {
    const client = await open(url, {
      serverSelectionTimeoutMS: 400,
      connectTimeoutMS: 400,
      retryWrites: false,
      ...options,
    });
    try {
      return await client.insert();
    } finally {
      await Promise.race([Promise.resolve(client.end()).catch(() => {}), sleep(500)]);
    }
  };
  for (const [name, [reply, expect, why]] of Object.entries(REPLIES)) {
    add(name, expect, why, async () => insert((await mongo(() => reply)).url));
  }
  add(
    'refused',
    again('NETWORK_ERROR', 'TIMEOUT'),
    'MongoServerSelectionError: no server is there',
    async () => insert(`mongodb://127.0.0.1:${await closedPort()}/shop`),
  );
  add('unknown-host', again('NETWORK_ERROR', 'TIMEOUT'), 'MongoServerSelectionError over ENOTFOUND', () =>
    insert('mongodb://db.invalid/shop'),
  );
  add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'the server accepts and says nothing', async () =>
    insert(`mongodb://127.0.0.1:${(await tcp()).port}/shop`),
  );
  add('socket-timeout', again('TIMEOUT', 'NETWORK_ERROR'), 'MongoNetworkTimeoutError', async () =>
    insert((await mongo(() => undefined)).url, { socketTimeoutMS: 150 }),
  );
  add(
    'hung-up',
    again('NETWORK_ERROR'),
    'MongoNetworkError: the connection closed under a command',
    async () => insert((await mongo((_, __, socket) => void socket.destroy())).url),
  );
  add(
    'pool-timeout',
    again('TIMEOUT', 'CONFLICT', 'RATE_LIMITED'),
    'MongoWaitQueueTimeoutError',
    async () => {
      const { url } = await mongo(() => undefined);
      const client = await open(url, {
        serverSelectionTimeoutMS: 400,
        maxPoolSize: 1,
        waitQueueTimeoutMS: 120,
        retryWrites: false,
      });
      const held = Promise.resolve(client.insert());
      held.catch(() => {});
      await sleep(80);
      try {
        return await client.insert();
      } finally {
        await Promise.race([Promise.resolve(client.end()).catch(() => {}), sleep(300)]);
      }
    },
  );
}
