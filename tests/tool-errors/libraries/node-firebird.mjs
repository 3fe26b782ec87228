// node-firebird on a stub of the wire protocol (version 10): an Error with `gdscode` and `gdsparams`, whose text is that of its own list.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['node-firebird'] });
const int = (number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(number);
  return bytes;
};
const text = (words) => {
  const bytes = Buffer.from(words);
  return Buffer.concat([int(bytes.length), bytes, Buffer.alloc((4 - (bytes.length & 3)) & 3)]);
};
// The description of a statement without parameters and results: isc_info_sql_stmt_update, and no variables.
const DESCRIBED = Buffer.from([21, 4, 0, 3, 0, 0, 0, 4, 7, 4, 0, 0, 0, 0, 0, 5, 7, 4, 0, 0, 0, 0, 0, 1]);
/** op_response: a handle, a blob's id, data, and the status vector; a number in it is a code, a text its parameter. */
const response = (status = [], data = '') =>
  Buffer.concat([
    int(9),
    int(1),
    Buffer.alloc(8),
    text(data),
    ...status.flatMap((one) => (typeof one === 'number' ? [int(1), int(one)] : [int(2), text(one)])),
    int(0),
  ]);
const OPERATIONS = { attach: 19, prepare: 68, execute: 63 };
// Commit, rollback, allocating and freeing a statement: the client sends them together with what follows.
const LENGTHS = { 30: 8, 31: 8, 62: 8, 67: 12 };
/** A server that grants all but one operation. */
const server = (operation, ...status) =>
  tcp((socket) => {
    socket.on('data', (bytes) => {
      let at = 0;
      const code = () => bytes.readInt32BE(at);
      for (; at < bytes.length && code() in LENGTHS; at += LENGTHS[code()]) socket.write(response());
      if (at >= bytes.length) return;
      if (code() === 1) return void socket.write(Buffer.concat([3, 10, 1, 5].map(int)));
      if (code() !== OPERATIONS[operation])
        return void socket.write(response([], code() === OPERATIONS.prepare ? DESCRIBED : ''));
      if (status[0] === 'close') socket.end();
      else if (status[0] === 'reset') socket.resetAndDestroy();
      else if (status[0] !== 'silent') socket.write(response(status));
    });
  });
const attach = async (port, options = {}) => {
  const { default: Firebird } = await import('node-firebird');
  return new Promise((resolve, reject) =>
    Firebird.attach(
      { host: '127.0.0.1', port, database: '/data/shop.fdb', user: 'AGENT', password: SECRET, ...options },
      (error, db) => {
        if (error) return reject(error);
        db.on('error', () => {});
        resolve(db);
      },
    ),
  );
};
const query = (db, sql = 'UPDATE ORDERS SET TOTAL = 7', values = []) =>
  new Promise((resolve, reject) =>
    db.query(sql, values, (error, rows) => (error ? reject(error) : resolve(rows))),
  );
const refused =
  (operation, ...status) =>
  async () => {
    const { port } = await server(operation, ...status);
    const db = await attach(port);
    return query(db);
  };
// firebirdsql.org/file/documentation/html/en/refdocs/fblangref50, appendix B
const SQL = [335544569, 335544436];
for (const [name, operation, status, expect, why] of [
  ['bad-login', 'attach', [335544472], final('AUTHENTICATION_ERROR'), 'isc_login'],
  [
    'no-file',
    'attach',
    [335544344, 'open', '/data/shop.fdb', 335544734],
    final('IO_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
    'isc_io_error and isc_io_open_err: the client drops why',
  ],
  [
    'shutdown',
    'attach',
    [335544528, '/data/shop.fdb'],
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', 'NETWORK_ERROR'),
    'isc_shutdown: an administrator closed the database for a while',
  ],
  [
    'users',
    'attach',
    [335544744],
    again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', 'CONFLICT', 'QUOTA_EXCEEDED'),
    'isc_max_att_exceeded: connections are given back',
  ],
  [
    'corrupt',
    'attach',
    [335544335, '/data/shop.fdb'],
    final('IO_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE'),
    'isc_db_corrupt',
  ],
  [
    'structure',
    'attach',
    [335544379, '/data/shop.fdb', '11', '2', '13', '1'],
    final('PROVIDER_NOT_SUPPORTED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'IO_ERROR'),
    'isc_wrong_ods: a file of another version',
  ],
  ['denied', 'prepare', [335544352, 'UPDATE', 'TABLE', 'ORDERS'], final('PERMISSION_DENIED'), 'isc_no_priv'],
  [
    'token',
    'prepare',
    [...SQL, '-104', 335544634, '1', '8', 335544382, 'ORDERS'],
    final('VALIDATION_ERROR'),
    'isc_dsql_token_unk_err',
  ],
  [
    'no-table',
    'prepare',
    [...SQL, '-204', 335544580, 335544382, 'INVOICES', 336397208, '1', '15'],
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'isc_dsql_relation_err',
  ],
  [
    'no-column',
    'prepare',
    [...SQL, '-206', 335544578, 335544382, 'NICKNAME', 336397208, '1', '8'],
    final('VALIDATION_ERROR', 'NOT_FOUND'),
    'isc_dsql_field_err',
  ],
  [
    'unique',
    'execute',
    [335544665, 'INTEG_2', 'ORDERS', 335545072, '("ID" = 7)'],
    final('ALREADY_EXISTS'),
    'isc_unique_key_violation',
  ],
  [
    'foreign-key',
    'execute',
    [335544466, 'FK_CUSTOMER', 'ORDERS'],
    final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'),
    'isc_foreign_key',
  ],
  [
    'not-null',
    'execute',
    [335544347, '"ORDERS"."TOTAL"', '*** null ***'],
    final('VALIDATION_ERROR'),
    'isc_not_valid',
  ],
  ['check', 'execute', [335544558, 'POSITIVE', 'ORDERS'], final('VALIDATION_ERROR'), 'isc_check_constraint'],
  ['conversion', 'execute', [335544334, 'ten'], final('VALIDATION_ERROR'), 'isc_convert_error'],
  [
    'truncation',
    'execute',
    [335544321, 335544914, 335545033, '10', '12'],
    final('VALIDATION_ERROR'),
    'isc_arith_except of a text that is too long',
  ],
  [
    'deadlock',
    'execute',
    [335544336, 335544451, 335544878, '42'],
    again('CONFLICT'),
    'isc_deadlock: repeat the transaction',
  ],
  ['no-wait', 'execute', [335544345], again('CONFLICT'), 'isc_lock_conflict'],
  ['lock-timeout', 'execute', [335544510], again('CONFLICT', 'TIMEOUT'), 'isc_lock_timeout'],
  [
    'timeout',
    'execute',
    [335544794, 335545129],
    again('TIMEOUT', 'CANCELLED'),
    'isc_cancelled by isc_req_stmt_timeout',
  ],
  ['cancelled', 'execute', [335544794], final('CANCELLED'), 'isc_cancelled'],
  [
    'closed-by-admin',
    'execute',
    [335544856],
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    'isc_att_shutdown: an administrator ended the session',
  ],
  [
    'read-only',
    'execute',
    [335544361],
    final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'CONFLICT'),
    'isc_read_only_trans',
  ],
  [
    'read-only-database',
    'execute',
    [335544765],
    final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'CONFLICT'),
    'isc_read_only_database',
  ],
  [
    'raised',
    'execute',
    [335544517, '7', 335544382, 'ACCOUNT_CLOSED', 335544382, 'the account is closed'],
    unclear('VALIDATION_ERROR', 'UNKNOWN', 'TOOL_EXECUTION_ERROR'),
    'isc_except: the application refuses',
  ],
  [
    'memory',
    'execute',
    [335544430],
    unclear('SERVER_ERROR', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
    'isc_virmemexh',
  ],
  [
    'consistency',
    'execute',
    [335544333, 'decompression overran buffer (179)'],
    unclear('SERVER_ERROR', 'IO_ERROR', 'UNKNOWN'),
    'isc_bug_check',
  ],
])
  lib.add(name, expect, why, refused(operation, ...status));
lib.add(
  'lost',
  again('NETWORK_ERROR'),
  'Connection to Firebird server was lost',
  refused('execute', 'close'),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection breaks', refused('execute', 'reset'));
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => attach(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  attach(3050, { host: 'nonexistent.invalid' }),
);
lib.add('pool-timeout', again('TIMEOUT'), 'Connection timeout of a pool', async () => {
  const { default: Firebird } = await import('node-firebird');
  const { port } = await server('attach', 'silent');
  const options = { host: '127.0.0.1', port, database: '/data/shop.fdb', user: 'AGENT', password: SECRET };
  const pool = Firebird.pool(1, { ...options, connectTimeout: 150 });
  return new Promise((resolve, reject) => pool.get((error, db) => (error ? reject(error) : resolve(db))));
});
lib.add(
  'pool-ended',
  final('CANCELLED', 'VALIDATION_ERROR', 'UNKNOWN'),
  'Pool has been destroyed: the program ended it',
  async () => {
    const { default: Firebird } = await import('node-firebird');
    const pool = Firebird.pool(1, { host: '127.0.0.1', port: 1, database: 'shop' });
    pool.destroy();
    return new Promise((resolve, reject) => pool.get((error, db) => (error ? reject(error) : resolve(db))));
  },
);
lib.add(
  'scheme',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Unsupported connection URI scheme',
  async () => {
    const { default: Firebird } = await import('node-firebird');
    return new Promise((resolve, reject) =>
      Firebird.attach('postgres://127.0.0.1/shop', (error, db) => (error ? reject(error) : resolve(db))),
    );
  },
);
lib.add(
  'number',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'Invalid port in connection string',
  async () => {
    const { default: Firebird } = await import('node-firebird');
    return new Promise((resolve, reject) =>
      Firebird.attach('db.example.com/gds_db:/data/shop.fdb', (error, db) =>
        error ? reject(error) : resolve(db),
      ),
    );
  },
);
lib.add('named', final('VALIDATION_ERROR'), 'Missing value for named placeholder(s)', async () => {
  const db = await attach((await server('-')).port, { namedPlaceholders: true });
  return query(db, 'SELECT * FROM ORDERS WHERE ID = :id', {});
});
export default lib;
