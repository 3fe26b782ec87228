// @grpc/grpc-js on a server of the same library: ServiceError with `code`, `details`, `metadata`.
import { again, final, library, unclear } from '../expect.mjs';
import { CODES } from '../rpc-faults.mjs';
import { closedPort, serve, sleep, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['@grpc/grpc-js'] });
const plain = {
  requestStream: false,
  responseStream: false,
  path: '/shop.Shop/Get',
  requestSerialize: (x) => Buffer.from(x),
  requestDeserialize: String,
  responseSerialize: (x) => Buffer.from(x),
  responseDeserialize: String,
};
const grpc = async () => (await import('@grpc/grpc-js')).default;
async function server(handler) {
  const { Server, ServerCredentials } = await grpc();
  const made = new Server();
  made.addService(
    { get: plain, list: { ...plain, path: '/shop.Shop/List', responseStream: true } },
    { get: handler, list: handler },
  );
  const port = await closedPort();
  await new Promise((resolve, reject) =>
    made.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return { port, stop: () => made.forceShutdown() };
}
async function call(target, { deadline, cancel, method = 'get', during } = {}) {
  const { Client, credentials, Metadata } = await grpc();
  const client = new Client(target, credentials.createInsecure(), {
    'grpc.enable_retries': 0,
    'grpc.initial_reconnect_backoff_ms': 10000,
  });
  try {
    if (method === 'list') {
      const stream = client.makeServerStreamRequest(
        '/shop.Shop/List',
        plain.requestSerialize,
        plain.responseDeserialize,
        'x',
      );
      return await new Promise((resolve, reject) =>
        stream
          .on('data', () => during?.())
          .on('error', reject)
          .on('end', resolve),
      );
    }
    return await new Promise((resolve, reject) => {
      const going = client.makeUnaryRequest(
        '/shop.Shop/Get',
        plain.requestSerialize,
        plain.responseDeserialize,
        'x',
        new Metadata(),
        { deadline: deadline && Date.now() + deadline },
        (error, value) => (error ? reject(error) : resolve(value)),
      );
      if (cancel) setTimeout(() => going.cancel(), cancel);
    });
  } finally {
    client.close();
  }
}
for (const [name, [code, details, expect, why]] of Object.entries(CODES)) {
  lib.add(name, expect, why, async () => {
    const { port, stop } = await server((_, done) => done({ code, details }));
    try {
      return await call(`127.0.0.1:${port}`);
    } finally {
      stop();
    }
  });
}
lib.add(
  'pushback',
  again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR', { retryAfterMs: 1500 }),
  'UNAVAILABLE with grpc-retry-pushback-ms',
  async () => {
    const { Metadata } = await grpc();
    const metadata = new Metadata();
    metadata.set('grpc-retry-pushback-ms', '1500');
    const { port, stop } = await server((_, done) => done({ code: 14, details: 'overloaded', metadata }));
    try {
      return await call(`127.0.0.1:${port}`);
    } finally {
      stop();
    }
  },
);
lib.add('handler-threw', unclear('UNKNOWN', 'SERVER_ERROR'), 'UNKNOWN: the handler threw', async () => {
  const { port, stop } = await server((_, done) => done(new Error('Cannot read properties of undefined')));
  try {
    return await call(`127.0.0.1:${port}`);
  } finally {
    stop();
  }
});
lib.add('deadline', again('TIMEOUT'), 'the deadline of the client', async () => {
  const { port, stop } = await server(() => {});
  try {
    return await call(`127.0.0.1:${port}`, { deadline: 120 });
  } finally {
    stop();
  }
});
lib.add('user-cancel', final('CANCELLED'), 'Cancelled on client', async () => {
  const { port, stop } = await server(() => {});
  try {
    return await call(`127.0.0.1:${port}`, { cancel: 60 });
  } finally {
    stop();
  }
});
lib.add(
  'no-method',
  final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
  'UNIMPLEMENTED of a server that lacks the service',
  async () => {
    const { Server, ServerCredentials } = await grpc();
    const made = new Server();
    const port = await closedPort();
    await new Promise((resolve) =>
      made.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), resolve),
    );
    try {
      return await call(`127.0.0.1:${port}`);
    } finally {
      made.forceShutdown();
    }
  },
);
lib.add(
  'server-stopped',
  unclear('CANCELLED', 'NETWORK_ERROR', 'SERVER_ERROR'),
  'the server ends in the midst of a stream, by a reset that says CANCEL',
  async () => {
    const { port, stop } = await server((stream) => {
      stream.write('a');
    });
    return call(`127.0.0.1:${port}`, { method: 'list', during: () => setTimeout(stop, 30) });
  },
);
lib.add(
  'refused',
  again('NETWORK_ERROR', 'SERVER_ERROR'),
  'UNAVAILABLE: no connection established',
  async () => call(`127.0.0.1:${await closedPort()}`),
);
lib.add('unknown-host', again('NETWORK_ERROR', 'SERVER_ERROR'), 'UNAVAILABLE: name resolution failed', () =>
  call('api.invalid:443'),
);
lib.add(
  'http-1',
  unclear('NETWORK_ERROR', 'SERVER_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE'),
  'what listens there speaks HTTP/1',
  async () => call(`127.0.0.1:${(await serve({ status: 404 })).port}`),
);
lib.add('hung-up', again('NETWORK_ERROR', 'SERVER_ERROR'), 'UNAVAILABLE: the connection dropped', async () =>
  call(`127.0.0.1:${(await tcp((socket) => socket.once('data', () => socket.destroy()))).port}`),
);
lib.add(
  'tls-required',
  unclear('NETWORK_ERROR', 'CONFIG_ERROR', 'SERVER_ERROR'),
  'a client without TLS at a server with it',
  async () => {
    await sleep(0);
    return call(`127.0.0.1:${(await serve({}, { tls: true })).port}`);
  },
);
export default lib;
