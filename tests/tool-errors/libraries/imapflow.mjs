// imapflow on a stub: `responseStatus`, `serverResponseCode` (RFC 9051), codes of its own.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, lines, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['imapflow'] });
async function using(port, work = () => {}, more = {}) {
  const { ImapFlow } = await import('imapflow');
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    doSTARTTLS: false,
    auth: { user: 'agent', pass: SECRET },
    logger: false,
    connectionTimeout: 1000,
    greetingTimeout: 1000,
    socketTimeout: 1000,
    ...more,
  });
  const failed = new Promise((_, reject) => client.on('error', reject));
  failed.catch(() => {});
  try {
    await client.connect();
    return await Promise.race([work(client), failed]);
  } finally {
    client.close();
  }
}
const stub = (to, says) =>
  lines(to === 'GREETING' ? says : '* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR] ready', (line, socket) => {
    const [tag, word = ''] = line.split(' ');
    const command = word.toUpperCase();
    if (command === to) {
      if (says === 'hang up') return void socket.destroy();
      return says.replaceAll('TAG', tag);
    }
    if (command === 'CAPABILITY') return `* CAPABILITY IMAP4rev1 AUTH=PLAIN SASL-IR\r\n${tag} OK done`;
    if (command === 'LIST') return `* LIST (\\HasNoChildren) "/" INBOX\r\n${tag} OK done`;
    if (command === 'SELECT') return `* 1 EXISTS\r\n* OK [UIDVALIDITY 1] x\r\n${tag} OK [READ-WRITE] done`;
    return `${tag} OK done`;
  });
for (const [name, to, says, expect, why, work] of [
  [
    'bad-credentials',
    'AUTHENTICATE',
    'TAG NO [AUTHENTICATIONFAILED] Invalid credentials',
    final('AUTHENTICATION_ERROR'),
    'AUTHENTICATIONFAILED',
  ],
  [
    'auth-unavailable',
    'AUTHENTICATE',
    'TAG NO [UNAVAILABLE] Temporary authentication failure',
    again('SERVER_ERROR', 'AUTHENTICATION_ERROR', 'PROVIDER_OVERLOADED'),
    'UNAVAILABLE: a subsystem is down',
  ],
  [
    'too-many-connections',
    'AUTHENTICATE',
    'TAG NO [LIMIT] Too many simultaneous connections',
    unclear('RATE_LIMITED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR', 'AUTHENTICATION_ERROR', 'QUOTA_EXCEEDED'),
    'LIMIT at login',
  ],
  [
    'no-mailbox',
    'SELECT',
    'TAG NO [NONEXISTENT] Unknown Mailbox: Reports',
    final('NOT_FOUND'),
    'NONEXISTENT',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'denied',
    'SELECT',
    'TAG NO [NOPERM] Access denied',
    final('PERMISSION_DENIED'),
    'NOPERM',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'in-use',
    'SELECT',
    'TAG NO [INUSE] Mailbox in use',
    again('CONFLICT'),
    'INUSE',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'server-bug',
    'SELECT',
    'TAG NO [SERVERBUG] Internal error occurred. Refer to server log for more information.',
    again('SERVER_ERROR'),
    'SERVERBUG',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'over-quota',
    'APPEND',
    'TAG NO [OVERQUOTA] Quota exceeded (mailbox for user is full)',
    final('QUOTA_EXCEEDED'),
    'OVERQUOTA',
    (client) => client.append('INBOX', 'Subject: x\r\n\r\ny'),
  ],
  [
    'bad-command',
    'SELECT',
    'TAG BAD Error in IMAP command SELECT: Unknown argument',
    final('VALIDATION_ERROR'),
    'BAD',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'hung-up',
    'SELECT',
    'hang up',
    again('NETWORK_ERROR'),
    'the connection ended under a command',
    (client) => client.mailboxOpen('Reports'),
  ],
  [
    'bye',
    'GREETING',
    '* BYE Server shutting down, try again later',
    again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
    'BYE at the greeting',
  ],
]) {
  lib.add(name, expect, why, async () => using((await stub(to, says)).port, work));
}
lib.add(
  'no-connection',
  unclear('NETWORK_ERROR', 'CANCELLED', 'CONFIG_ERROR', 'INITIALIZATION_ERROR'),
  'NoConnection: the program closed the client, or it was cut off',
  async () =>
    using((await stub('x', '')).port, (client) => {
      client.close();
      return client.mailboxOpen('INBOX');
    }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => using(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using(143, undefined, { host: 'imap.invalid' }),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'GREETING_TIMEOUT', async () =>
  using((await tcp()).port, undefined, { greetingTimeout: 150 }),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'a certificate that is not trusted',
  async () => using((await serve({}, { tls: true })).port, undefined, { secure: true }),
);
export default lib;
