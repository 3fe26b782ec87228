// postmark on a stub: classes by the status, and by the code within a 422; `code`, `statusCode`, `recipients`.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['postmark'] });
const call = async ({ url, timeout = 3000 }) => {
  const { ServerClient } = await import('postmark');
  const client = new ServerClient(SECRET, {
    requestHost: new URL(url).host,
    useHttps: false,
    timeout: timeout / 1000,
  });
  return client.sendEmail({
    From: 'agent@example.com',
    To: 'jane.doe@example.com',
    Subject: 'x',
    TextBody: 'x',
  });
};
const no = (ErrorCode, Message) => ({ ErrorCode, Message });
// postmarkapp.com/developer/api/overview#error-codes
addResponses(
  lib,
  [
    [
      'bad-token',
      401,
      no(10, 'No Account or Server API tokens were supplied in the HTTP headers.'),
      final('AUTHENTICATION_ERROR', 'PROVIDER_NOT_CONFIGURED'),
      '10',
    ],
    [
      'invalid',
      422,
      no(300, "Invalid 'To' address: 'jane.doe@'."),
      final('VALIDATION_ERROR'),
      '300: invalid email request',
    ],
    [
      'inactive',
      422,
      no(
        406,
        'You tried to send to recipient(s) that have been marked as inactive. Found inactive addresses: jane.doe@example.com. Inactive recipients are ones that have generated a hard bounce, a spam complaint, or a manual suppression.',
      ),
      final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'NOT_FOUND'),
      '406: inactive recipients',
    ],
    [
      'no-sender',
      422,
      no(
        400,
        "The 'From' address you supplied (agent@example.com) is not a Sender Signature on your account.",
      ),
      final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
      '400: sender signature not found',
    ],
    [
      'unconfirmed',
      422,
      no(401, 'The From address you supplied is not confirmed. Please confirm it first.'),
      final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
      '401: sender signature not confirmed',
    ],
    [
      'no-credits',
      422,
      no(405, 'You ran out of credits. Please purchase more.'),
      final('QUOTA_EXCEEDED', 'VALIDATION_ERROR'),
      '405: not allowed to send',
    ],
    [
      'pending',
      422,
      no(
        412,
        'While your account is pending approval, all recipient addresses must share the same domain as the From address.',
      ),
      final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
      '412: pending',
    ],
    ['bad-json', 422, no(402, 'Invalid JSON: line 1, column 7'), final('VALIDATION_ERROR'), '402'],
    [
      'too-many',
      422,
      no(410, 'Too many batch messages: 501 of 500.'),
      final('VALIDATION_ERROR'),
      '410: a batch over 500',
    ],
    [
      'no-template',
      422,
      no(1101, "The 'TemplateId' associated with this request is not valid or was not found."),
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      '1101',
    ],
    ['no-server', 404, no(606, 'Not found'), final('NOT_FOUND'), '404'],
    ['too-large', 413, no(0, 'Payload too large'), final('VALIDATION_ERROR'), '413: 10 MB'],
    ['throttled', 429, no(429, 'Rate limit exceeded'), again('RATE_LIMITED'), '429'],
    ['broken', 500, no(0, 'Internal server error'), again('SERVER_ERROR'), '500'],
    [
      'maintenance',
      503,
      no(100, 'The service is offline for maintenance'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '100: maintenance',
    ],
    ['gateway', 504, '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { abort: false });
lib.add(
  'no-key',
  final('PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', 'AUTHENTICATION_ERROR', 'VALIDATION_ERROR'),
  'a client without a token',
  async () => {
    const { ServerClient } = await import('postmark');
    return new ServerClient('');
  },
);
lib.add(
  'no-recipients',
  again('NETWORK_ERROR'),
  'the request for a template without an id goes out, to a port where nothing listens',
  async () => {
    const { ServerClient } = await import('postmark');
    return new ServerClient(SECRET, { requestHost: '127.0.0.1:1', useHttps: false }).getTemplate('');
  },
);
export default lib;
