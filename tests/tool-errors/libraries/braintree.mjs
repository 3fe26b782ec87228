// braintree on a stub: plain errors whose `name` and `type` are of its own, one for each status; what fails below is UnexpectedError.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addConnectionFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['braintree'] });
const open = async (url, more = {}) => {
  const { BraintreeGateway, Environment } = (await import('braintree')).default;
  const { hostname, port, protocol } = new URL(url);
  const ssl = protocol === 'https:';
  const environment = new Environment(hostname, port, url, ssl, hostname, port);
  const gateway = new BraintreeGateway({
    environment,
    merchantId: 'shop',
    publicKey: 'agent',
    privateKey: SECRET,
    ...more,
  });
  gateway.config.timeout = 1500;
  return gateway;
};
const call = async ({ url, timeout = 1500 }) => {
  const gateway = await open(url);
  gateway.config.timeout = timeout;
  return gateway.transaction.find('7abc');
};
const responds = (answer, options) => async () => call({ url: (await serve(answer, options)).url });
// developer.paypal.com/braintree/docs/reference/general/exceptions/node
for (const [status, expect, why] of [
  [401, final('AUTHENTICATION_ERROR'), 'AuthenticationError'],
  [403, final('PERMISSION_DENIED'), 'AuthorizationError'],
  [404, final('NOT_FOUND'), 'NotFoundError'],
  [408, again('TIMEOUT', 'NETWORK_ERROR'), 'RequestTimeoutError'],
  [
    426,
    final('PROVIDER_NOT_SUPPORTED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'INITIALIZATION_ERROR'),
    'UpgradeRequired: the client is too old',
  ],
  [429, again('RATE_LIMITED'), 'TooManyRequestsError'],
  [500, again('SERVER_ERROR'), 'ServerError'],
  [503, again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), 'ServiceUnavailableError'],
  [504, again('TIMEOUT', 'SERVER_ERROR'), 'GatewayTimeoutError'],
  [400, final('VALIDATION_ERROR'), 'UnexpectedError: only the text has the status'],
  [502, again('SERVER_ERROR'), 'UnexpectedError of a proxy: only the text has the status'],
])
  lib.add(
    `http-${status}`,
    expect,
    why,
    responds({
      status,
      headers: { 'content-type': 'application/xml' },
      body: '<?xml version="1.0"?><api-error-response><message>No</message></api-error-response>',
    }),
  );
addConnectionFaults((...one) => lib.add(...one), call);
lib.add('timeout', again('TIMEOUT'), 'UnexpectedError: Request timed out', async () =>
  call({ url: (await serve({ silent: true })).url, timeout: 150 }),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'UnexpectedError with a certificate that nobody trusts',
  responds({ body: {} }, { tls: true }),
);
const XML = { 'content-type': 'application/xml' };
lib.add(
  'cut-body',
  again('NETWORK_ERROR', 'INVALID_RESPONSE'),
  'UnexpectedError: the body broke off',
  responds({ headers: XML, body: '<transaction><id>7abc</id></transaction>', cut: 20 }),
);
lib.add(
  'cut-xml',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Unclosed root tag: the text ends in the middle',
  responds({ headers: XML, body: '<transaction><id>7abc</id>' }),
);
lib.add(
  'not-xml',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'Non-whitespace before first tag',
  responds({ headers: XML, body: 'Sign in' }),
);
lib.add(
  'not-gzip',
  final('INVALID_RESPONSE'),
  'incorrect header check of the unzipper',
  responds({ headers: { ...XML, 'content-encoding': 'gzip' }, body: '<transaction/>' }),
);
const using =
  (work, more, url = 'http://127.0.0.1:1') =>
  async () =>
    work(await open(url, more));
const forged = final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED');
const payload = Buffer.from('<notification/>').toString('base64');
lib.add(
  'signature',
  forged,
  'InvalidSignatureError: signature does not match payload',
  using((gateway) => gateway.webhookNotification.parse('agent|0000', payload)),
);
lib.add(
  'signature-key',
  forged,
  'InvalidSignatureError: no matching public key',
  using((gateway) => gateway.webhookNotification.parse('other|0000', payload)),
);
lib.add(
  'no-signature',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'InvalidSignatureError: signature parameter is required',
  using((gateway) => gateway.webhookNotification.parse('', payload)),
);
lib.add(
  'challenge',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'InvalidChallengeError: challenge contains non-hex characters',
  using((gateway) => gateway.webhookNotification.verify('zzz')),
);
lib.add(
  'keys',
  final('VALIDATION_ERROR'),
  'InvalidKeysError: These keys are invalid',
  using((gateway) => gateway.clientToken.generate({ colour: 'red' })),
);
const missing = final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR');
lib.add(
  'no-key',
  missing,
  'Missing privateKey',
  using(() => 0, { privateKey: '' }),
);
lib.add(
  'no-merchant',
  missing,
  'Missing merchantId',
  using(() => 0, { merchantId: '' }),
);
lib.add(
  'bad-token',
  final('CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
  'Value passed for accessToken is not a valid access token',
  using(() => 0, { accessToken: `${SECRET}$sandbox` }),
);
lib.add(
  'other-environment',
  final('CONFIG_ERROR', 'VALIDATION_ERROR'),
  'Mismatched credential environments',
  using(() => 0, { clientId: 'client_id$sandbox$a', clientSecret: `client_secret$production$${SECRET}` }),
);
lib.add(
  'not-in-production',
  final('PERMISSION_DENIED', 'CONFIG_ERROR', 'VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'TestOperationPerformedInProductionError',
  async () => {
    const { Environment } = (await import('braintree')).default;
    return using((gateway) => gateway.testing.settle('7abc'), { environment: Environment.Production })();
  },
);
export default lib;
