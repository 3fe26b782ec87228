// undici: request() with the responseError interceptor; UND_ERR_* codes.
import { again, final, library } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['undici'] });
addHttpFaults(lib, async ({ url, timeout, signal }) => {
  const { Agent, interceptors, request } = await import('undici');
  const dispatcher = new Agent({ headersTimeout: timeout, connect: { timeout: 2000 } }).compose(
    interceptors.responseError(),
  );
  const { body } = await request(`${url}/v1/items`, { dispatcher, signal });
  return body.json();
});
lib.add('body-timeout', again('TIMEOUT'), 'the body came to a halt', async () => {
  const { Agent, request } = await import('undici');
  const { port } = await tcp((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":'));
  const { body } = await request(`http://127.0.0.1:${port}`, {
    dispatcher: new Agent({ bodyTimeout: 1100 }),
  });
  return body.json();
});
// A machine without a network refuses it at once, as recorded; elsewhere it is a timeout.
lib.add('connect-timeout', again('NETWORK_ERROR', 'TIMEOUT'), 'nobody took the connection', async () => {
  const { Agent, request } = await import('undici');
  return request('http://192.0.2.1:81', { dispatcher: new Agent({ connect: { timeout: 300 } }) });
});
lib.add(
  'headers-overflow',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'VALIDATION_ERROR'),
  'the server sends headers without end',
  async () => {
    const { request } = await import('undici');
    return request((await serve({ headers: { 'x-long': 'x'.repeat(40_000) } })).url);
  },
);
lib.add(
  'not-http',
  final('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'what listens there does not speak HTTP',
  async () => {
    const { request } = await import('undici');
    const { port } = await tcp((socket) => socket.write('SSH-2.0-OpenSSH_9.2\r\n'));
    return request(`http://127.0.0.1:${port}`);
  },
);
lib.add(
  'destroyed',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'the program closed its own client',
  async () => {
    const { Client } = await import('undici');
    const client = new Client((await serve({})).url);
    await client.destroy();
    return client.request({ path: '/', method: 'GET' });
  },
);
lib.add('bad-argument', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'a mistake of the program', async () => {
  const { request } = await import('undici');
  return request((await serve({})).url, { method: 'GET', headers: { 'bad header': 'x' } });
});
export default lib;
