// @connectrpc/connect over Connect and gRPC-web: ConnectError with a numeric `code`, `rawMessage`, `metadata`, `details`.
import { again, final, library, unclear } from '../expect.mjs';
import { CODES } from '../rpc-faults.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@connectrpc/connect', '@connectrpc/connect-node'] });
const NAMES = [
  '',
  'canceled',
  'unknown',
  'invalid_argument',
  'deadline_exceeded',
  'not_found',
  'already_exists',
  'permission_denied',
  'resource_exhausted',
  'failed_precondition',
  'aborted',
  'out_of_range',
  'unimplemented',
  'internal',
  'unavailable',
  'data_loss',
  'unauthenticated',
];
const HTTP = {
  1: 499,
  2: 500,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  13: 500,
  14: 503,
  15: 500,
  16: 401,
};
const call = async ({ url, timeout, signal }) => {
  const { createClient } = await import('@connectrpc/connect');
  const { createConnectTransport } = await import('@connectrpc/connect-node');
  const { EmptySchema } = await import('@bufbuild/protobuf/wkt');
  const transport = createConnectTransport({
    baseUrl: url,
    httpVersion: '1.1',
    defaultTimeoutMs: timeout,
    useBinaryFormat: false,
  });
  const method = {
    kind: 'rpc',
    name: 'Get',
    localName: 'get',
    methodKind: 'unary',
    input: EmptySchema,
    output: EmptySchema,
    idempotency: 0,
  };
  const service = {
    kind: 'service',
    typeName: 'shop.Shop',
    name: 'Shop',
    methods: [method],
    method: { get: method },
  };
  method.parent = service;
  return createClient(service, transport).get({}, { signal });
};
for (const [name, [code, message, expect, why]] of Object.entries(CODES)) {
  lib.add(name, expect, why, async () =>
    call({
      url: (
        await serve({
          status: HTTP[code],
          headers: { 'content-type': 'application/json' },
          body: { code: NAMES[code], message },
        })
      ).url,
    }),
  );
}
lib.add(
  'retry-after',
  again('RATE_LIMITED', { retryAfterMs: 9000 }),
  'resource_exhausted with Retry-After in `metadata`',
  async () =>
    call({
      url: (
        await serve({
          status: 429,
          headers: { 'retry-after': '9', 'content-type': 'application/json' },
          body: { code: 'resource_exhausted', message: 'Too many requests' },
        })
      ).url,
    }),
);
lib.add(
  'bare-404',
  unclear('NOT_FOUND', 'PROVIDER_NOT_SUPPORTED', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a bare 404 is unimplemented in Connect',
  async () => call({ url: (await serve({ status: 404, body: 'not found' })).url }),
);
lib.add(
  'bare-429',
  again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR'),
  'a bare 429 is UNAVAILABLE in Connect',
  async () => call({ url: (await serve({ status: 429, body: 'slow down' })).url }),
);
lib.add('not-connect', final('INVALID_RESPONSE', 'CONFIG_ERROR'), 'unsupported content type', async () =>
  call({ url: (await serve({ headers: { 'content-type': 'text/html' }, body: '<html></html>' })).url }),
);
addTransportFaults(lib, call, { skip: ['html-502'] });
export default lib;
