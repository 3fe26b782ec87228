// nice-grpc on a server of the same library: ClientError with `code`, `details` and the path in its text.
import { again, final, library, unclear } from '../expect.mjs';
import { CODES } from '../rpc-faults.mjs';
import { abortAfter, closedPort, serve, sleep, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['nice-grpc'] });
const grpc = async () => (await import('nice-grpc')).default ?? (await import('nice-grpc'));
const text = {
  path: '/shop.Shop/Get',
  requestStream: false,
  responseStream: false,
  requestSerialize: (x) => Buffer.from(JSON.stringify(x)),
  requestDeserialize: (x) => JSON.parse(String(x)),
  responseSerialize: (x) => Buffer.from(x),
  responseDeserialize: String,
};
const service = { get: text };
async function call(address, options) {
  const { createChannel, createClient } = await grpc();
  const channel = createChannel(address);
  try {
    return await createClient(service, channel).get({ name: 'june' }, options);
  } finally {
    channel.close();
  }
}
async function against(get, options) {
  const { createServer } = await grpc();
  const server = createServer();
  server.add(service, { get });
  const port = await server.listen(`127.0.0.1:${await closedPort()}`);
  try {
    return await call(`127.0.0.1:${port}`, options);
  } finally {
    server.forceShutdown();
  }
}
for (const [name, [number, message, expect, why]] of Object.entries(CODES))
  lib.add(name, expect, why, () =>
    against(async () => {
      const { ServerError } = await grpc();
      throw new ServerError(number, message);
    }),
  );
lib.add(
  'thrown',
  unclear('UNKNOWN', 'SERVER_ERROR', 'TOOL_EXECUTION_ERROR'),
  'the handler threw: UNKNOWN, Unknown server error occurred',
  async () => {
    const { default: process } = await import('node:process');
    const before = process.stderr.write;
    process.stderr.write = () => true;
    try {
      return await against(async () => {
        throw new Error('secret of the server');
      });
    } finally {
      process.stderr.write = before;
    }
  },
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', () =>
  against(() => sleep(3000), { signal: abortAfter(80) }),
);
lib.add('signal-timeout', again('TIMEOUT'), 'AbortSignal.timeout', () =>
  against(() => sleep(3000), { signal: AbortSignal.timeout(80) }),
);
lib.add(
  'refused',
  again('NETWORK_ERROR', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
  'UNAVAILABLE: nothing listens',
  async () => call(`127.0.0.1:${await closedPort()}`),
);
lib.add(
  'unknown-host',
  again('NETWORK_ERROR', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
  'name servers fail for a moment, too',
  () => call('nonexistent.invalid:443'),
);
lib.add(
  'hung-up',
  again('NETWORK_ERROR', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
  'the connection broke',
  async () => call(`127.0.0.1:${(await tcp((socket) => socket.destroy())).port}`),
);
lib.add(
  'no-protocol',
  unclear('NETWORK_ERROR', 'CONFIG_ERROR', 'SERVER_ERROR', 'PROVIDER_OVERLOADED'),
  'what answers speaks no HTTP/2: TLS alert no application protocol',
  async () => call(`https://127.0.0.1:${(await serve({ body: {} }, { tls: true })).port}`),
);
lib.add(
  'other-method',
  final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'),
  'UNIMPLEMENTED: a method that is not there',
  async () => {
    const { createServer, createChannel, createClient } = await grpc();
    const server = createServer();
    server.add(service, { get: async () => 'x' });
    const channel = createChannel(`127.0.0.1:${await server.listen(`127.0.0.1:${await closedPort()}`)}`);
    try {
      return await createClient({ frob: { ...text, path: '/shop.Shop/Frob' } }, channel).frob({
        name: 'june',
      });
    } finally {
      channel.close();
      server.forceShutdown();
    }
  },
);
export default lib;
