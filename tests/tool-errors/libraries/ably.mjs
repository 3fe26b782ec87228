// ably: ErrorInfo with a `code` of five digits and `statusCode`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['ably'] });
const call = async ({ url, timeout }) => {
  const { default: Ably } = await import('ably');
  const { hostname, port } = new URL(url);
  const rest = new Ably.Rest({
    token: SECRET,
    restHost: hostname,
    port: Number(port) || 80,
    tls: false,
    fallbackHosts: [],
    httpMaxRetryCount: 0,
    httpRequestTimeout: timeout ?? 3000,
    useBinaryProtocol: false,
    logLevel: 0,
  });
  return rest.channels.get('orders').publish('update', { id: 7 });
};
// github.com/ably/ably-common/blob/main/protocol/errors.json
for (const [name, statusCode, code, message, expect, why] of [
  ['bad-key', 401, 40101, 'invalid credentials', final('AUTHENTICATION_ERROR'), '40101'],
  ['key-revoked', 401, 40131, 'key revoked', final('AUTHENTICATION_ERROR'), '40131'],
  [
    'capability',
    401,
    40160,
    'Channel denied access based on given capability; channelId = orders',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'a 401 about rights',
  ],
  [
    'disabled',
    401,
    40110,
    'account disabled',
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
    '40110',
  ],
  [
    'messages-used-up',
    401,
    40112,
    'account blocked (message limits exceeded)',
    final('QUOTA_EXCEEDED', 'PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'a 401 about a limit',
  ],
  ['bad-channel', 400, 40010, 'invalid channel name', final('VALIDATION_ERROR'), '40010'],
  [
    'too-long',
    400,
    40009,
    'Maximum message length exceeded (measured 90112, maximum 65536)',
    final('VALIDATION_ERROR'),
    '40009',
  ],
  ['missing', 404, 40400, 'not found', final('NOT_FOUND'), '40400'],
  ['forbidden', 403, 40300, 'forbidden', final('PERMISSION_DENIED'), '40300'],
  [
    'rate',
    429,
    42911,
    'max per-connection publish rate limit exceeded (nonfatal): unable to publish message',
    again('RATE_LIMITED'),
    '42911',
  ],
  [
    'account-rate',
    429,
    42910,
    'rate limit exceeded (nonfatal): request rejected (unspecified)',
    again('RATE_LIMITED'),
    '42910',
  ],
  ['internal', 500, 50000, 'internal error', again('SERVER_ERROR'), '50000'],
  ['internal-timeout', 500, 50003, 'timeout error', again('SERVER_ERROR', 'TIMEOUT'), '50003'],
  [
    'overloaded',
    503,
    50004,
    'Request failed due to overloaded instance',
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR'),
    '50004',
  ],
  [
    'wrong-cluster',
    503,
    50330,
    'request reached the wrong cluster; retry',
    again('SERVER_ERROR', 'NETWORK_ERROR'),
    '50330: its words say so',
  ],
  [
    'edge-timeout',
    504,
    50410,
    "Ably's edge proxy service timed out waiting for the Ably platform",
    again('TIMEOUT', 'SERVER_ERROR'),
    '50410',
  ],
]) {
  lib.add(name, { ...expect, status: statusCode }, why, async () =>
    call({
      url: (
        await serve({
          status: statusCode,
          headers: { 'x-ably-errorcode': String(code), 'x-ably-errormessage': message },
          body: { error: { statusCode, code, message, href: `https://help.ably.io/error/${code}` } },
        })
      ).url,
    }),
  );
}
addTransportFaults(lib, call, { abort: false, skip: ['unknown-host'] });
lib.add(
  'token-expired',
  final('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED', { status: 403 }),
  '40171 as 403: the token expired, and there is no way to renew it',
  async () =>
    call({
      url: (
        await serve({
          status: 401,
          headers: { 'x-ably-errorcode': '40142' },
          body: { error: { statusCode: 401, code: 40142, message: 'token expired' } },
        })
      ).url,
    }),
);
lib.add(
  'bad-key-format',
  final('CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_CONFIGURED', {
    status: 404,
  }),
  'invalid key parameter, as a 404',
  async () => {
    const { default: Ably } = await import('ably');
    return new Ably.Rest({ key: 'nokey', logLevel: 0 });
  },
);
lib.add(
  'no-key',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', { status: 401 }),
  '40106: no authentication options provided',
  async () => {
    const { default: Ably } = await import('ably');
    return new Ably.Rest({ logLevel: 0 });
  },
);
lib.add(
  'callback',
  unclear('AUTHENTICATION_ERROR', 'NETWORK_ERROR', 'SERVER_ERROR', 'PERMISSION_DENIED', { status: 401 }),
  '40170: the token callback of the program failed',
  async () => {
    const { default: Ably } = await import('ably');
    const rest = new Ably.Rest({
      authCallback: (_, done) => done('auth server not reachable', null),
      restHost: '127.0.0.1',
      tls: false,
      logLevel: 0,
    });
    return rest.channels.get('orders').publish('x', 'y');
  },
);
export default lib;
