// fetch of Node, as agents use it: `if (!response.ok) throw`.
import { again, final, library, unclear } from '../expect.mjs';
import { addHttpFaults } from '../http-faults.mjs';
import { serve, tcp } from '../servers/net.mjs';

const lib = library({});
addHttpFaults(lib, async ({ url, timeout, signal }) => {
  const response = await fetch(`${url}/v1/items`, {
    signal: signal ?? (timeout && AbortSignal.timeout(timeout)),
  });
  if (!response.ok) {
    throw Object.assign(new Error(`GET /v1/items failed with ${response.status}: ${await response.text()}`), {
      status: response.status,
      headers: response.headers,
    });
  }
  return response.json();
});
lib.add(
  'not-http',
  final('INVALID_RESPONSE', 'NETWORK_ERROR'),
  'what listens there does not speak HTTP',
  async () => {
    const { port } = await tcp((socket) => socket.write('* OK IMAP4rev1 ready\r\n'));
    return fetch(`http://127.0.0.1:${port}`);
  },
);
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'no URL, no request', () => fetch('items/7'));
lib.add(
  'bad-protocol',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'NETWORK_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'fetch does not speak it',
  () => fetch('ftp://127.0.0.1/x'),
);
lib.add(
  'blocked-port',
  final('CONFIG_ERROR', 'NETWORK_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'the Fetch standard blocks this port always',
  () => fetch('http://127.0.0.1:25/'),
);
lib.add(
  'too-many-redirects',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'a circle of redirects stays one',
  async () => fetch((await serve({ status: 302, headers: { location: '/again' } })).url),
);
lib.add('abort-with-reason', final('CANCELLED'), "the user's own reason, with a status on it", async () => {
  const reason = Object.assign(new Error('navigated away'), { name: 'AbortError', status: 500 });
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 40);
  return fetch((await serve({ silent: true })).url, { signal: controller.signal });
});
lib.add(
  'thrown-response',
  again('SERVER_ERROR', { status: 502, requestId: 'reqCANARY0003' }),
  'some programs throw the Response itself',
  async () => {
    throw await fetch((await serve({ status: 502, headers: { 'x-request-id': 'reqCANARY0003' } })).url);
  },
);
lib.add('message-only', unclear('SERVER_ERROR', 'UNKNOWN'), 'only the status text is left', async () => {
  const response = await fetch((await serve({ status: 500 })).url);
  throw new Error(`Request failed: ${response.statusText}`);
});
export default lib;
