// thrift on its own server: TApplicationException with `type`, the exceptions that a service declares, THTTPException with
// `statusCode`, TProtocolException. The client and the processor are written as its compiler writes them.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, serve, tcp } from '../servers/net.mjs';

const servers = [];
const lib = library({
  packages: ['thrift'],
  teardown: () => Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve)))),
});
const load = async () => (await import('thrift')).default;
/** A declared exception, as Hive's and HBase's services have them: a class with `message`. */
const declared = ({ Thrift }, name) =>
  ({
    [name]: class extends Thrift.TException {
      constructor(message) {
        super(message);
        this.name = name;
      }
    },
  })[name];
/** The compiler's output for `Order order(1: i32 id) throws (1: X x)`. */
const service = (thrift, exception) => {
  const { Thrift } = thrift;
  class Client {
    constructor(output, pClass) {
      Object.assign(this, { output, pClass, _seqid: 0, _reqs: {} });
    }
    seqid() {
      return this._seqid;
    }
    new_seqid() {
      this._seqid += 1;
      return this._seqid;
    }
    order(id) {
      this._seqid = this.new_seqid();
      return new Promise((resolve, reject) => {
        this._reqs[this.seqid()] = (error, result) => (error ? reject(error) : resolve(result));
        const output = new this.pClass(this.output);
        output.writeMessageBegin('order', Thrift.MessageType.CALL, this.seqid());
        output.writeStructBegin('order_args');
        output.writeFieldBegin('id', Thrift.Type.I32, 1);
        output.writeI32(id);
        output.writeFieldEnd();
        output.writeFieldStop();
        output.writeStructEnd();
        output.writeMessageEnd();
        this.output.flush();
      });
    }
    recv_order(input, mtype, rseqid) {
      const callback = this._reqs[rseqid] || (() => {});
      delete this._reqs[rseqid];
      if (mtype === Thrift.MessageType.EXCEPTION) {
        const problem = new Thrift.TApplicationException();
        problem.read(input);
        input.readMessageEnd();
        return callback(problem);
      }
      input.readStructBegin();
      const { ftype, fid } = input.readFieldBegin();
      let problem;
      if (ftype === Thrift.Type.STRUCT && fid === 1) {
        input.readStructBegin();
        input.readFieldBegin();
        problem = new (declared(thrift, exception))(input.readString());
        input.readFieldEnd();
        input.readFieldBegin();
        input.readStructEnd();
        input.readFieldEnd();
        input.readFieldBegin();
      }
      input.readStructEnd();
      input.readMessageEnd();
      return callback(problem ?? 'order failed: unknown result');
    }
  }
  return Client;
};
/** A server whose every response `write(output, header)` writes. */
const listen = async (thrift, write) => {
  const server = thrift.createMultiplexServer(
    {
      process(input, output) {
        const header = input.readMessageBegin();
        input.skip(thrift.Thrift.Type.STRUCT);
        input.readMessageEnd();
        write(output, header);
        output.flush();
      },
    },
    {},
  );
  const port = await closedPort();
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  servers.push(server);
  return port;
};
/** One call over a socket; what the connection emits fails it, as an application has to see to. */
const call = async (port, { options = {}, exception, id = 7, host = '127.0.0.1' } = {}) => {
  const thrift = await load();
  const connection = thrift.createConnection(host, port, options);
  const failed = new Promise((_, reject) => connection.on('error', reject));
  try {
    return await Promise.race([
      thrift.createClient(service(thrift, exception), connection).order(id),
      failed,
    ]);
  } finally {
    connection.destroy();
  }
};
const refused = (type, message) => async () => {
  const { Thrift, ...thrift } = await load();
  return call(
    await listen({ Thrift, ...thrift }, (output, { fname, rseqid }) => {
      output.writeMessageBegin(fname, Thrift.MessageType.EXCEPTION, rseqid);
      const problem = new Thrift.TApplicationException(type, message);
      problem.code = type; // Its write() takes the number from there.
      problem.write(output);
      output.writeMessageEnd();
    }),
  );
};
const declares = (exception, message) => async () => {
  const thrift = await load();
  const { Type, MessageType } = thrift.Thrift;
  return call(
    await listen(thrift, (output, { fname, rseqid }) => {
      output.writeMessageBegin(fname, MessageType.REPLY, rseqid);
      output.writeStructBegin('order_result');
      output.writeFieldBegin('problem', Type.STRUCT, 1);
      output.writeStructBegin(exception);
      output.writeFieldBegin('message', Type.STRING, 1);
      output.writeString(message);
      output.writeFieldEnd();
      output.writeFieldStop();
      output.writeStructEnd();
      output.writeFieldEnd();
      output.writeFieldStop();
      output.writeStructEnd();
      output.writeMessageEnd();
    }),
    { exception },
  );
};
// TApplicationExceptionType; the texts are those of the servers in Java, C++ and Python
for (const [name, type, message, expect, why] of [
  [
    'no-method',
    1,
    "Invalid method name: 'order'",
    final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'UNKNOWN_METHOD: as -32601 of JSON-RPC',
  ],
  [
    'no-result',
    5,
    'order failed: unknown result',
    unclear('INVALID_RESPONSE', 'SERVER_ERROR', 'UNKNOWN'),
    'MISSING_RESULT',
  ],
  ['internal', 6, 'Internal error processing order', again('SERVER_ERROR'), 'INTERNAL_ERROR'],
  [
    'no-field',
    7,
    "Required field 'id' was not present! Struct: order_args(id:null)",
    final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
    'PROTOCOL_ERROR of a request without a field',
  ],
  [
    'unsupported-client',
    10,
    'Unsupported client type',
    final('PROVIDER_NOT_SUPPORTED', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
    'UNSUPPORTED_CLIENT_TYPE',
  ],
])
  lib.add(name, expect, why, refused(type, message));
for (const [name, exception, message, expect, why] of [
  [
    'hive-missing',
    'NoSuchObjectException',
    'hive.shop.orders table not found',
    final('NOT_FOUND'),
    "of Hive's metastore",
  ],
  [
    'hive-taken',
    'AlreadyExistsException',
    'Table hive.shop.orders already exists',
    final('ALREADY_EXISTS'),
    "of Hive's metastore",
  ],
  [
    'hive-input',
    'InvalidObjectException',
    'orders-2026 is not a valid object name',
    final('VALIDATION_ERROR'),
    "of Hive's metastore",
  ],
  [
    'hive-lock',
    'TxnAbortedException',
    'Aborting [txnid:7] due to a write conflict on shop/orders committed by [txnid:8]',
    again('CONFLICT', 'CANCELLED'),
    "of Hive's metastore: contention",
  ],
  [
    'hbase-table',
    'IOError',
    'org.apache.hadoop.hbase.TableNotFoundException: orders',
    final('NOT_FOUND', 'IO_ERROR'),
    'of HBase: a Java class in the text says which',
  ],
  ['hbase-argument', 'IllegalArgument', 'Row length 40000 is > 32767', final('VALIDATION_ERROR'), 'of HBase'],
  [
    'impala-query',
    'BeeswaxException',
    "AnalysisException: Could not resolve table reference: 'orders'",
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'of Impala',
  ],
])
  lib.add(name, expect, why, declares(exception, message));
lib.add(
  'other-service',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR', 'CONFIG_ERROR'),
  'WRONG_METHOD_NAME: a response to a function that nobody called',
  async () => {
    const thrift = await load();
    const { Type, MessageType } = thrift.Thrift;
    return call(
      await listen(thrift, (output, { rseqid }) => {
        output.writeMessageBegin('invoice', MessageType.REPLY, rseqid);
        output.writeStructBegin('invoice_result');
        output.writeFieldBegin('success', Type.I32, 0);
        output.writeI32(7);
        output.writeFieldStop();
        output.writeMessageEnd();
      }),
    );
  },
);
const garbled = (options, bytes) => async () =>
  call((await tcp((socket) => socket.once('data', () => socket.write(bytes)))).port, { options });
const spoken = final('INVALID_RESPONSE', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR');
lib.add(
  'bad-version',
  spoken,
  'TProtocolException: Bad version in readMessageBegin',
  garbled({}, Buffer.from('900200010000000000000000', 'hex')),
);
lib.add('json-protocol', spoken, 'no JSON of the protocol', async () =>
  garbled({ protocol: (await load()).TJSONProtocol }, '<html>Sign in</html>\n')(),
);
lib.add('json-version', spoken, 'Wrong thrift protocol version', async () =>
  garbled({ protocol: (await load()).TJSONProtocol }, '[9,"order",2,1,{}]')(),
);
lib.add(
  'no-text',
  final('VALIDATION_ERROR', 'UNKNOWN'),
  'writeString called without a string/Buffer argument',
  async () => {
    const thrift = await load();
    const { Type } = thrift.Thrift;
    const output = new thrift.TBinaryProtocol(new thrift.TBufferedTransport(undefined, () => {}));
    output.writeFieldBegin('name', Type.STRING, 1);
    return output.writeString(7);
  },
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => call(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  call(9090, { host: 'thrift.invalid' }),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection broke', async () =>
  call((await tcp((socket) => socket.once('data', () => socket.resetAndDestroy()))).port),
);
/** One call over HTTP. */
const post = async (answer, nodeOptions) => {
  const thrift = await load();
  const { port } = typeof answer === 'number' ? { port: answer } : await serve(answer);
  const connection = thrift.createHttpConnection('127.0.0.1', port, { path: '/orders', nodeOptions });
  const failed = new Promise((_, reject) => connection.on('error', reject));
  return Promise.race([thrift.createHttpClient(service(thrift), connection).order(7), failed]);
};
for (const [status, code, ...neighbours] of [
  [401, final, 'AUTHENTICATION_ERROR'],
  [403, final, 'PERMISSION_DENIED'],
  [404, final, 'NOT_FOUND'],
  [429, again, 'RATE_LIMITED'],
  [502, again, 'SERVER_ERROR'],
  [503, again, 'SERVER_ERROR', 'PROVIDER_OVERLOADED'],
  [504, again, 'TIMEOUT', 'SERVER_ERROR'],
])
  lib.add(`http-${status}`, code(...neighbours, { status }), `THTTPException: ${status}`, () =>
    post({ status, body: `<html><title>${status}</title></html>` }),
  );
lib.add('http-reset', again('NETWORK_ERROR'), 'socket hang up', () => post({ reset: true }));
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', () =>
  post({ silent: true }, { signal: abortAfter(60) }),
);
export default lib;
