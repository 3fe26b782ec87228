// dns2: Node's errors of sockets, timeouts of its own, and plain errors about answers and names.
import dgram from 'node:dgram';
import { again, final, library } from '../expect.mjs';
import { closedPort, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['dns2'] });
const dns2 = async () => (await import('dns2')).default;
/** A UDP server that says nothing. */
const silent = () =>
  new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    socket.bind(0, '127.0.0.1', () => resolve(socket));
  });
lib.add('udp-silent', again('TIMEOUT'), 'DNS query timed out', async () => {
  const socket = await silent();
  try {
    return await (await dns2()).UDPClient({ dns: '127.0.0.1', port: socket.address().port, timeout: 120 })(
      'example.com',
    );
  } finally {
    socket.close();
  }
});
lib.add('udp-no-host', again('NETWORK_ERROR'), 'the name of the name server is not found', async () =>
  (await dns2()).UDPClient({ dns: 'nonexistent.invalid', timeout: 2000 })('example.com'),
);
const overTcp = async (port) => (await dns2()).TCPClient({ dns: '127.0.0.1', port })('example.com', 'A', 1);
lib.add('tcp-refused', again('NETWORK_ERROR'), 'nothing listens', async () => overTcp(await closedPort()));
lib.add(
  'tcp-closed',
  again('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'the server closes without an answer',
  async () => overTcp((await tcp((socket) => socket.on('data', () => socket.end()))).port),
);
lib.add('tcp-empty', again('INVALID_RESPONSE', 'NETWORK_ERROR'), 'an answer of no bytes', async () =>
  overTcp((await tcp((socket) => socket.on('data', () => socket.end(Buffer.from([0, 0]))))).port),
);
lib.add(
  'tcp-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Protocol must be tcp: or tls:',
  async () => (await dns2()).TCPClient({ dns: '127.0.0.1', protocol: 'quic:' })('example.com'),
);
const overHttp = async (url) => (await dns2()).DOHClient({ dns: `${url}/dns-query` })('example.com', 'A');
for (const [name, status, body, expect, why] of [
  ['http-bad', 400, 'Invalid query', final('VALIDATION_ERROR'), 'HTTP 400'],
  ['http-denied', 403, 'Forbidden', final('PERMISSION_DENIED'), 'HTTP 403'],
  ['http-missing', 404, 'Not Found', final('NOT_FOUND', 'CONFIG_ERROR'), 'HTTP 404'],
  ['http-throttled', 429, 'Too Many Requests', again('RATE_LIMITED'), 'HTTP 429'],
  ['http-broken', 500, 'Internal Server Error', again('SERVER_ERROR'), 'HTTP 500'],
  ['http-unavailable', 503, '', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), 'HTTP 503 without words'],
])
  lib.add(name, { ...expect, status }, why, async () => overHttp((await serve({ status, body })).url));
lib.add('http-refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  overHttp(`http://127.0.0.1:${await closedPort()}`),
);
lib.add(
  'http-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'a protocol that it does not speak',
  async () => (await dns2()).DOHClient({ dns: 'gopher://127.0.0.1/dns-query' })('example.com', 'A'),
);
lib.add('long-label', final('VALIDATION_ERROR'), 'a label of more than 63 bytes', async () =>
  (await dns2()).UDPClient({ dns: '127.0.0.1', port: 9, timeout: 100 })(`${'x'.repeat(70)}.com`),
);
lib.add('long-name', final('VALIDATION_ERROR'), 'a name of more than 255 bytes', async () =>
  (await dns2()).UDPClient({ dns: '127.0.0.1', port: 9, timeout: 100 })(
    `${`${'x'.repeat(50)}.`.repeat(6)}com`,
  ),
);
export default lib;
