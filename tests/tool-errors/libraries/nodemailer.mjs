// nodemailer: `code` (EAUTH, EENVELOPE, …), `responseCode` and `response` with the enhanced status; on a stub and on OpenSMTPD.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, lines, serve, sleep, tcp } from '../servers/net.mjs';
import { find, folder, listening, NotHere, start } from '../servers/process.mjs';

const lib = library({ packages: ['nodemailer'] });
async function send(port, { auth, to = 'jane.doe@example.com', ...more } = {}) {
  const { default: nodemailer } = await import('nodemailer');
  const transport = nodemailer.createTransport({
    host: '127.0.0.1',
    port,
    secure: false,
    ignoreTLS: true,
    auth,
    connectionTimeout: 1000,
    greetingTimeout: 1000,
    socketTimeout: 1000,
    ...more,
  });
  try {
    return await transport.sendMail({ from: 'agent@example.com', to, subject: 'Report', text: 'Hello' });
  } finally {
    transport.close();
  }
}
/** A server that replies `says` to the command that begins with `to`, and well to all others. */
const stub = (to, says) => {
  let data = false;
  return lines(to === 'CONNECT' ? says : '220 mail.example.com ESMTP', (line, socket) => {
    if (data) {
      if (line !== '.') return undefined;
      data = false;
      return to === 'END' ? says : '250 2.0.0 queued';
    }
    const word = line.split(/[ :]/)[0].toUpperCase();
    if (word === to) {
      if (says === 'hang up') return void socket.destroy();
      return says;
    }
    if (word === 'EHLO')
      return '250-mail.example.com\r\n250-AUTH PLAIN LOGIN\r\n250-SIZE 10000000\r\n250 ENHANCEDSTATUSCODES';
    if (word === 'AUTH') return '235 2.7.0 Authentication successful';
    if (word === 'DATA') {
      data = true;
      return '354 go ahead';
    }
    return '250 2.0.0 OK';
  });
};
const auth = { user: 'agent', pass: SECRET };
for (const [name, to, says, expect, why] of [
  [
    'bad-credentials',
    'AUTH',
    '535 5.7.8 Username and Password not accepted',
    final('AUTHENTICATION_ERROR'),
    '535 5.7.8',
  ],
  [
    'auth-temporary',
    'AUTH',
    '454 4.7.0 Temporary authentication failure',
    again('SERVER_ERROR', 'AUTHENTICATION_ERROR'),
    '454 4.7.0: RFC 4954 says temporary',
  ],
  [
    'mechanism-too-weak',
    'AUTH',
    '534 5.7.9 Application-specific password required',
    final('AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
    '534 5.7.9',
  ],
  [
    'no-mailbox',
    'RCPT',
    '550 5.1.1 The email account that you tried to reach does not exist',
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    '550 5.1.1',
  ],
  [
    'greylisted',
    'RCPT',
    '451 4.7.1 Greylisting in action, please come back later',
    again('RATE_LIMITED', 'SERVER_ERROR'),
    '451 4.7.1: comes through the next time',
  ],
  [
    'mailbox-full',
    'RCPT',
    '452 4.2.2 The mailbox is over quota',
    unclear('QUOTA_EXCEEDED', 'SERVER_ERROR', 'PROVIDER_OVERLOADED', 'CONFLICT'),
    '452 4.2.2: a mailbox that is full may be so for long',
  ],
  ['mailbox-full-final', 'RCPT', '552 5.2.2 The mailbox is over quota', final('QUOTA_EXCEEDED'), '552 5.2.2'],
  [
    'too-many-recipients',
    'RCPT',
    '452 4.5.3 Too many recipients',
    unclear('RATE_LIMITED', 'VALIDATION_ERROR', 'SERVER_ERROR', 'QUOTA_EXCEEDED'),
    '452 4.5.3',
  ],
  [
    'mailbox-busy',
    'RCPT',
    '450 4.2.1 The mailbox is temporarily unavailable',
    again('CONFLICT', 'SERVER_ERROR'),
    '450: RFC 5321 says mailbox busy',
  ],
  ['relay-denied', 'RCPT', '554 5.7.1 Relay access denied', final('PERMISSION_DENIED'), '554 5.7.1'],
  [
    'sender-rejected',
    'MAIL',
    '553 5.1.8 Sender address rejected: domain not found',
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'NOT_FOUND'),
    '553 5.1.8',
  ],
  [
    'rate-limited',
    'MAIL',
    '421 4.7.28 Our system has detected an unusual rate of mail. Try again later',
    again('RATE_LIMITED'),
    '421 4.7.28',
  ],
  [
    'daily-limit',
    'MAIL',
    '550 5.4.5 Daily user sending quota exceeded',
    final('QUOTA_EXCEEDED'),
    '550 5.4.5',
  ],
  [
    'spam',
    'END',
    '554 5.7.1 Message rejected due to suspected spam content',
    final('CONTENT_FILTERED', 'PERMISSION_DENIED'),
    '554 5.7.1 about the content',
  ],
  [
    'too-large',
    'END',
    '552 5.3.4 Message size exceeds fixed maximum message size',
    final('VALIDATION_ERROR'),
    '552 5.3.4',
  ],
  [
    'out-of-storage',
    'MAIL',
    '452 4.3.1 Insufficient system storage',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', 'QUOTA_EXCEEDED'),
    '452 4.3.1',
  ],
  ['local-error', 'END', '451 4.3.0 Local error in processing', again('SERVER_ERROR'), '451'],
  [
    'shutting-down',
    'CONNECT',
    '421 4.3.2 Service not available, closing transmission channel',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED', 'NETWORK_ERROR'),
    '421',
  ],
  [
    'no-service',
    'CONNECT',
    '554 5.7.1 No SMTP service here',
    final('PERMISSION_DENIED', 'CONFIG_ERROR', 'NETWORK_ERROR'),
    '554 at the greeting',
  ],
  ['syntax', 'MAIL', '501 5.5.4 Invalid argument', final('VALIDATION_ERROR'), '501'],
  [
    'not-implemented',
    'DATA',
    '502 5.5.1 Command not implemented',
    final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    '502 of SMTP is no bad gateway',
  ],
  [
    'bad-sequence',
    'DATA',
    '503 5.5.1 Bad sequence of commands',
    final('VALIDATION_ERROR', 'CONFIG_ERROR'),
    '503 of SMTP is no unavailable service',
  ],
  ['hung-up', 'DATA', 'hang up', again('NETWORK_ERROR'), 'the connection ended in the midst of it'],
]) {
  lib.add(name, expect, why, async () => send((await stub(to, says)).port, { auth }));
}
lib.add('no-recipients', final('VALIDATION_ERROR'), 'EENVELOPE of the client', async () =>
  send((await stub('x', '')).port, { to: '' }),
);
lib.add('refused', again('NETWORK_ERROR'), 'ESOCKET over ECONNREFUSED', async () => send(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'EDNS', () => send(25, { host: 'smtp.invalid' }));
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'no greeting: ETIMEDOUT', async () =>
  send((await tcp()).port, { greetingTimeout: 150 }),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'a certificate that is not trusted',
  async () => send((await serve({}, { tls: true })).port, { secure: true, ignoreTLS: false }),
);
lib.add('tls-on-plain', final('NETWORK_ERROR', 'CONFIG_ERROR'), 'the port does not speak TLS', async () =>
  send((await stub('x', '')).port, { secure: true, ignoreTLS: false }),
);
lib.add(
  'no-starttls',
  final('CONFIG_ERROR', 'NETWORK_ERROR', 'PERMISSION_DENIED'),
  'ETLS: TLS is required, the server has none',
  async () =>
    send((await stub('STARTTLS', '454 4.7.0 TLS not available')).port, {
      requireTLS: true,
      ignoreTLS: false,
    }),
);
lib.add(
  'not-smtp',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'EPROTOCOL: what listens there does not speak SMTP',
  async () => send((await tcp((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))).port),
);

// A real server, if there is one.
const real = (name, expect, why, make) =>
  lib.add(name, expect, why, async () => {
    if (!find('smtpd') || process.getuid?.() !== 0) throw new NotHere('OpenSMTPD, which runs as root only');
    const at = folder('smtpd');
    const port = await closedPort();
    const config = path.join(at, 'conf');
    writeFileSync(
      config,
      `listen on 127.0.0.1 port ${port}\nsmtp max-message-size 2K\naction "local" maildir "${at}/mail"\nmatch from any for domain "example.org" action "local"\n`,
    );
    const server = start('smtpd', ['-d', '-f', config]);
    try {
      await listening(port, { server });
      return await make(port);
    } finally {
      await server.stop();
      await sleep(200);
    }
  });
real(
  'real-relay-denied',
  final('NOT_FOUND', 'PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'OpenSMTPD: 550 Invalid recipient',
  (port) => send(port, { to: 'jane.doe@example.com' }),
);
real(
  'real-no-user',
  final('NOT_FOUND', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'OpenSMTPD: no such user here',
  (port) => send(port, { to: 'nobody-here@example.org' }),
);
export default lib;
