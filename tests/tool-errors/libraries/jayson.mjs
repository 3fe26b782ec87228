// jayson: JSON-RPC errors as plain objects, HTTP errors with `code`, Node's errors of sockets, parsers' errors.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve, tcp } from '../servers/net.mjs';
import { addConnectionFaults, addPage } from '../transport-faults.mjs';

const lib = library({ packages: ['jayson'] });
const jayson = async () => (await import('jayson')).default;
const ask = (client) =>
  new Promise((resolve, reject) => {
    client.on?.('tcp error', reject);
    client.request('orders.get', { id: 7 }, (error, refused, result) => {
      if (error ?? refused) reject(error ?? refused);
      else resolve(result);
    });
  });
const call = async ({ url }) => {
  const { hostname, port } = new URL(url);
  return ask((await jayson()).Client.http({ host: hostname, port }));
};
const rpc = (code, message, data) => ({
  jsonrpc: '2.0',
  id: null,
  error: { code, message, ...(data && { data }) },
});
for (const [name, code, message, expect, why, data] of [
  [
    'parse',
    -32700,
    'Parse error',
    unclear('VALIDATION_ERROR', 'INVALID_RESPONSE'),
    '-32700: the server could not read us',
  ],
  ['invalid-request', -32600, 'Invalid Request', final('VALIDATION_ERROR'), '-32600'],
  [
    'no-method',
    -32601,
    'Method not found',
    final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR'),
    '-32601',
  ],
  ['bad-params', -32602, 'Invalid method parameter(s).', final('VALIDATION_ERROR'), '-32602'],
  ['internal', -32603, 'Internal error', again('SERVER_ERROR'), '-32603'],
  ['server', -32000, 'Server error', unclear('SERVER_ERROR', 'TOOL_EXECUTION_ERROR'), '-32000 says little'],
  [
    'server-busy',
    -32000,
    'Server is busy, try again later',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED'),
    'busy',
  ],
  ['server-rate', -32005, 'Rate limit exceeded', again('RATE_LIMITED'), 'Ethereum nodes: limit exceeded'],
  [
    'not-there',
    -32001,
    'Resource not found',
    final('NOT_FOUND', 'TOOL_EXECUTION_ERROR'),
    'EIP-1474: resource not found',
  ],
  ['own-404', 404, 'Order 7 not found', final('NOT_FOUND'), 'a code of the application'],
  ['own-401', 401, 'Unauthorized', final('AUTHENTICATION_ERROR'), 'a code of the application'],
  ['own-403', 403, 'You may not see this order', final('PERMISSION_DENIED'), 'a code of the application'],
  ['own-429', 429, 'Too many requests', again('RATE_LIMITED'), 'a code of the application'],
  [
    'own-1001',
    1001,
    'Order 7 already exists',
    final('ALREADY_EXISTS', 'CONFLICT'),
    'a number of its own, and a sentence',
  ],
])
  lib.add(name, expect, why, async () =>
    call({ url: (await serve({ body: rpc(code, message, data) })).url }),
  );
for (const [name, status, body, expect, why, headers] of [
  ['http-401', 401, '', final('AUTHENTICATION_ERROR'), '401'],
  ['http-403', 403, 'Forbidden', final('PERMISSION_DENIED'), '403'],
  ['http-404', 404, 'Not Found', final('NOT_FOUND', 'CONFIG_ERROR'), '404'],
  ['http-429', 429, 'Too Many Requests', again('RATE_LIMITED'), '429', { 'retry-after': '3' }],
  ['http-500', 500, 'Internal Server Error', again('SERVER_ERROR'), '500'],
  [
    'http-502',
    502,
    '<html><title>502 Bad Gateway</title></html>',
    again('SERVER_ERROR', 'INVALID_RESPONSE'),
    '502',
  ],
  ['http-503', 503, '', again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '503'],
])
  lib.add(name, { ...expect, status }, why, async () =>
    call({ url: (await serve({ status, body, headers })).url }),
  );
addPage(lib, call);
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body', async () =>
  call({
    url: (
      await serve({
        body: '{"jsonrpc":"2.0","id":null,"res',
        headers: { 'content-type': 'application/json' },
      })
    ).url,
  }),
);
addConnectionFaults((...one) => lib.add(...one), call);
lib.add('tcp-refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  ask((await jayson()).Client.tcp({ host: '127.0.0.1', port: await closedPort() })),
);
lib.add('tcp-closed', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the server hangs up', async () =>
  ask(
    (await jayson()).Client.tcp({
      host: '127.0.0.1',
      port: (await tcp((socket) => socket.on('data', () => socket.resetAndDestroy()))).port,
    }),
  ),
);
lib.add(
  'tcp-not-json',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'what answers does not speak JSON',
  async () =>
    ask(
      (await jayson()).Client.tcp({
        host: '127.0.0.1',
        port: (await tcp((socket) => socket.on('data', () => socket.write('220 ready\r\n')))).port,
      }),
    ),
);
lib.add('bad-method', final('VALIDATION_ERROR'), 'a method that is no text', async () =>
  (await jayson()).Utils.request(7, []),
);
lib.add('bad-call-params', final('VALIDATION_ERROR'), 'parameters that are no object', async () =>
  (await jayson()).Utils.request('orders.get', 7),
);
export default lib;
