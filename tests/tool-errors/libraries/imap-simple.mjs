// imap-simple (node-imap) on a stub: `source`, `textCode` (RFC 9051), ConnectionTimeoutError.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, lines, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['imap-simple'] });
async function using(port, work = (mail) => mail.openBox('INBOX'), more = {}) {
  const { connect } = (await import('imap-simple')).default;
  const mail = await connect({
    imap: {
      user: 'agent',
      password: SECRET,
      host: '127.0.0.1',
      port,
      tls: false,
      authTimeout: 400,
      connTimeout: 400,
      ...more,
    },
  });
  const failed = new Promise((_, reject) => mail.on('error', reject));
  failed.catch(() => {});
  try {
    return await Promise.race([work(mail), failed]);
  } finally {
    mail.imap.destroy();
  }
}
const stub = (to, says) =>
  lines('* OK ready', (line) => {
    const [tag, word = ''] = line.split(' ');
    const command = word.toUpperCase();
    if (command === to) {
      if (says === 'silence') return undefined;
      return says.replaceAll('TAG', tag);
    }
    if (command === 'CAPABILITY') return `* CAPABILITY IMAP4rev1\r\n${tag} OK done`;
    if (command === 'SELECT' || command === 'EXAMINE')
      return `* 1 EXISTS\r\n* FLAGS (\\Seen)\r\n* OK [UIDVALIDITY 1] x\r\n* OK [UIDNEXT 2] x\r\n${tag} OK [READ-WRITE] done`;
    return `${tag} OK done`;
  });
const search = async (mail) => {
  await mail.openBox('INBOX');
  return mail.search(['UNSEEN'], { bodies: ['HEADER'] });
};
for (const [name, to, says, expect, why, work] of [
  [
    'bad-credentials',
    'LOGIN',
    'TAG NO [AUTHENTICATIONFAILED] Invalid credentials (Failure)',
    final('AUTHENTICATION_ERROR'),
    'AUTHENTICATIONFAILED',
  ],
  [
    'expired',
    'LOGIN',
    'TAG NO [EXPIRED] Your password has expired',
    final('AUTHENTICATION_ERROR'),
    'EXPIRED',
  ],
  [
    'web-login',
    'LOGIN',
    'TAG NO [ALERT] Please log in via your web browser',
    final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
    'until a person logs in',
  ],
  [
    'login-busy',
    'LOGIN',
    'TAG NO [UNAVAILABLE] Temporary authentication failure',
    again('SERVER_ERROR', 'AUTHENTICATION_ERROR', 'PROVIDER_OVERLOADED'),
    'UNAVAILABLE: a subsystem is down',
  ],
  [
    'login-many',
    'LOGIN',
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
    (mail) => mail.openBox('Reports'),
  ],
  ['denied', 'SELECT', 'TAG NO [NOPERM] Permission denied', final('PERMISSION_DENIED'), 'NOPERM'],
  ['in-use', 'SELECT', 'TAG NO [INUSE] Mailbox in use', again('CONFLICT', 'SERVER_ERROR'), 'INUSE'],
  ['server-bug', 'SELECT', 'TAG NO [SERVERBUG] Internal error occurred', again('SERVER_ERROR'), 'SERVERBUG'],
  [
    'corrupt',
    'SELECT',
    'TAG NO [CORRUPTION] Mailbox is damaged',
    final('IO_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE'),
    'CORRUPTION',
  ],
  [
    'no-search',
    'UID',
    'TAG BAD Unknown command',
    final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    'BAD',
    search,
  ],
  [
    'search-limit',
    'UID',
    'TAG NO [LIMIT] Rate limit exceeded',
    again('RATE_LIMITED', 'PROVIDER_OVERLOADED'),
    'LIMIT of a command',
    search,
  ],
  [
    'box-taken',
    'CREATE',
    'TAG NO [ALREADYEXISTS] Mailbox already exists',
    final('ALREADY_EXISTS'),
    'ALREADYEXISTS',
    (mail) => mail.addBox('Reports'),
  ],
  [
    'box-limit',
    'CREATE',
    'TAG NO [OVERQUOTA] Too many mailboxes',
    final('QUOTA_EXCEEDED'),
    'OVERQUOTA',
    (mail) => mail.addBox('Reports'),
  ],
  [
    'box-bad-name',
    'CREATE',
    'TAG NO [CANNOT] Invalid mailbox name',
    final('VALIDATION_ERROR'),
    'CANNOT',
    (mail) => mail.addBox('a/b'),
  ],
  [
    'delete-missing',
    'DELETE',
    'TAG NO [NONEXISTENT] No such mailbox',
    final('NOT_FOUND'),
    'NONEXISTENT',
    (mail) => mail.delBox('Reports'),
  ],
  [
    'append-full',
    'APPEND',
    'TAG NO [OVERQUOTA] Message exceeds your quota',
    final('QUOTA_EXCEEDED'),
    'OVERQUOTA',
    (mail) => mail.append('Subject: x\r\n\r\nx', { mailbox: 'Drafts' }),
  ],
  [
    'append-nowhere',
    'APPEND',
    'TAG NO [TRYCREATE] Mailbox does not exist',
    final('NOT_FOUND'),
    'TRYCREATE',
    (mail) => mail.append('Subject: x\r\n\r\nx', { mailbox: 'Drafts' }),
  ],
  ['no-login', 'LOGIN', 'silence', again('TIMEOUT'), 'no answer to the login'],
])
  lib.add(name, expect, why, async () => using((await stub(to, says)).port, work));
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => using(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using(143, undefined, { host: 'nonexistent.invalid' }),
);
lib.add('no-greeting', again('TIMEOUT', 'NETWORK_ERROR'), 'the server says nothing', async () =>
  using((await tcp()).port),
);
lib.add(
  'not-imap',
  unclear('TIMEOUT', 'NETWORK_ERROR', 'INVALID_RESPONSE', 'CONFIG_ERROR'),
  'an HTTP server answers, of which nothing is said',
  async () => using((await lines('HTTP/1.1 400 Bad Request', () => undefined)).port),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that is not trusted',
  async () => using((await serve({ body: {} }, { tls: true })).port, undefined, { tls: true }),
);
export default lib;
