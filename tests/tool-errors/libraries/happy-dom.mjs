// happy-dom: DOMException of a window of its own, also for its fetch().
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, serve } from '../servers/net.mjs';

const lib = library({
  packages: ['happy-dom'],
  setup: async () => {
    const { Window } = await import('happy-dom');
    return {
      open: (settings = {}) =>
        new Window({
          url: 'http://127.0.0.1/',
          settings: { fetch: { disableSameOriginPolicy: true }, ...settings },
          console: { log() {}, error() {}, warn() {}, info() {}, debug() {} },
        }),
    };
  },
});
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
const mistake = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN');
lib.add('selector', wrong, 'not a valid selector: a model wrote it', ({ open }) =>
  open().document.querySelector('div[[data-id='),
);
lib.add('selector-empty', wrong, 'the provided selector is empty', ({ open }) =>
  open().document.querySelector(''),
);
lib.add('hierarchy', mistake, 'HierarchyRequestError: a node within itself', ({ open }) => {
  const { document } = open();
  const child = document.createElement('p');
  document.body.appendChild(child);
  return child.appendChild(document.body);
});
lib.add(
  'remove-stranger',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR', 'UNKNOWN'),
  'the node is no child of this one',
  ({ open }) => {
    const { document } = open();
    return document.body.removeChild(document.createElement('p'));
  },
);
lib.add('socket-url', wrong, "the URL's protocol must be ws or wss", ({ open }) => {
  const window = open();
  return new window.WebSocket('gopher://example.com');
});
lib.add('bad-url', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'an invalid URL of fetch()', ({ open }) =>
  open().fetch('http://exa mple/'),
);
lib.add('body-used', mistake, 'InvalidStateError: Body has already been used', async ({ open }) => {
  const response = await open().fetch((await serve({ body: { id: 1 } })).url);
  await response.text();
  return response.json();
});
lib.add('refused', again('NETWORK_ERROR'), 'NetworkError: … connect ECONNREFUSED', async ({ open }) =>
  open().fetch(`http://127.0.0.1:${await closedPort()}/`),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', ({ open }) =>
  open().fetch('http://nonexistent.invalid/'),
);
lib.add('reset', again('NETWORK_ERROR'), 'NetworkError: socket hang up', async ({ open }) =>
  open().fetch((await serve({ reset: true })).url),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted',
  async ({ open }) => open().fetch((await serve({ body: {} }, { tls: true })).url),
);
lib.add('abort', final('CANCELLED'), 'AbortError of the window', async ({ open }) => {
  const window = open();
  const controller = new window.AbortController();
  setTimeout(() => controller.abort(), 60);
  return window.fetch((await serve({ silent: true })).url, { signal: controller.signal });
});
lib.add(
  'signal-timeout',
  again('TIMEOUT'),
  'TimeoutError of AbortSignal.timeout of the window',
  async ({ open }) => {
    const window = open();
    return window.fetch((await serve({ silent: true })).url, { signal: window.AbortSignal.timeout(80) });
  },
);
lib.add(
  'closed',
  unclear('CANCELLED', 'NETWORK_ERROR'),
  'the window was closed under a request: a NetworkError that says aborted',
  async ({ open }) => {
    const window = open();
    const { url } = await serve({ silent: true });
    setTimeout(() => window.happyDOM.abort(), 80);
    return window.fetch(url);
  },
);
lib.add('cut-json', again('INVALID_RESPONSE'), 'an unexpected end of a body is transient', async ({ open }) =>
  (
    await open().fetch(
      (
        await serve({ headers: { 'content-type': 'application/json' }, body: '{"items":[{"id":1},{"i' })
      ).url,
    )
  ).json(),
);
lib.add('cut-body', again('NETWORK_ERROR', 'INVALID_RESPONSE'), 'the body broke off', async ({ open }) =>
  (await open().fetch((await serve({ body: '{"items":[{"id":1},{"id":2}]}', cut: 15 })).url)).text(),
);
lib.add(
  'cors',
  final('PERMISSION_DENIED', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'Cross-Origin Request Blocked',
  async ({ open }) =>
    open({ fetch: { disableSameOriginPolicy: false } }).fetch((await serve({ body: {} })).url),
);
lib.add(
  'redirect-loop',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'SERVER_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'a circle of redirects stays one',
  async ({ open }) => open().fetch((await serve({ status: 302, headers: { location: '/again' } })).url),
);
lib.add(
  'script',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a TypeError of a mistaken access to the page',
  ({ open }) => open().document.querySelector('#total').textContent,
);
export default lib;
