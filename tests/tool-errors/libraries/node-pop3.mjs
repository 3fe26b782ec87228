// node-pop3 on a stub: an Error with the server's line after -ERR, `err.command`, `err.eventName`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, lines, serve, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['node-pop3'] });
const open = async (port, more = {}) => {
  const { default: Pop3 } = await import('node-pop3');
  return new Pop3({ host: '127.0.0.1', port, user: 'agent', password: SECRET, ...more });
};
/** A server that refuses the command named; `-` is the greeting. */
const server = (which, refusal) =>
  lines(which === '-' ? refusal : '+OK ready', (line) => {
    const command = line.split(' ')[0].toUpperCase();
    return command === which ? refusal : '+OK';
  });
const refused =
  (which, refusal, use = (pop3) => pop3.RETR(1)) =>
  async () =>
    use(await open((await server(which, refusal)).port, { timeout: 3000 }));
// RFC 1939, RFC 2449 §8 and RFC 3206: the response codes in brackets
lib.add(
  'bad-login',
  final('AUTHENTICATION_ERROR'),
  '[AUTH]',
  refused('PASS', '-ERR [AUTH] Authentication failed.'),
);
lib.add(
  'bad-password',
  final('AUTHENTICATION_ERROR'),
  'no response code',
  refused('PASS', '-ERR invalid password'),
);
lib.add(
  'no-mailbox',
  final('AUTHENTICATION_ERROR', 'NOT_FOUND'),
  'never heard of it',
  refused('USER', '-ERR sorry, no mailbox for agent here'),
);
lib.add(
  'plain',
  final('AUTHENTICATION_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'TLS is due',
  refused('USER', '-ERR [AUTH] Plaintext authentication disallowed on non-secure (SSL/TLS) connections.'),
);
lib.add(
  'in-use',
  again('CONFLICT'),
  '[IN-USE]: another session has the mailbox',
  refused('PASS', '-ERR [IN-USE] Unable to lock maildrop: Mailbox is locked by POP server'),
);
lib.add(
  'too-soon',
  again('RATE_LIMITED'),
  '[LOGIN-DELAY]',
  refused('PASS', '-ERR [LOGIN-DELAY] minimum time between mail checks violation'),
);
lib.add(
  'sys-temp',
  again('SERVER_ERROR'),
  '[SYS/TEMP]',
  refused('PASS', '-ERR [SYS/TEMP] Temporary system problem, try again later'),
);
lib.add(
  'sys-perm',
  final('SERVER_ERROR', 'PERMISSION_DENIED', 'CONFIG_ERROR'),
  '[SYS/PERM]',
  refused('PASS', '-ERR [SYS/PERM] The mailbox is corrupt, call support'),
);
lib.add('missing', final('NOT_FOUND'), 'no such message', refused('RETR', '-ERR no such message'));
lib.add(
  'missing-outlook',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  'as Dovecot says it',
  refused('RETR', "-ERR There's no message 1."),
);
lib.add(
  'deleted',
  final('NOT_FOUND', 'VALIDATION_ERROR', 'CONFLICT', 'ALREADY_EXISTS'),
  'it was deleted in this session',
  refused('DELE', '-ERR message 1 already deleted', async (pop3) => {
    await pop3.connect();
    return pop3.command('DELE', 1);
  }),
);
lib.add(
  'unknown-command',
  final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Unknown command',
  refused('FROB', '-ERR Unknown command: FROB', async (pop3) => {
    await pop3.connect();
    return pop3.command('FROB');
  }),
);
lib.add(
  'bad-argument',
  final('VALIDATION_ERROR'),
  'an argument that is no number',
  refused('RETR', '-ERR Invalid message number: x', (pop3) => pop3.RETR('x')),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  (await open(await closedPort())).UIDL(),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', async () =>
  (await open(110, { host: 'nonexistent.invalid' })).UIDL(),
);
lib.add('timeout', again('TIMEOUT'), 'it says nothing', async () =>
  (await open((await tcp()).port, { timeout: 150 })).UIDL(),
);
lib.add('closed', again('NETWORK_ERROR'), 'the server ends the connection', async () =>
  (await open((await tcp((socket) => socket.end())).port)).UIDL(),
);
lib.add('reset', again('NETWORK_ERROR'), 'the connection breaks', async () =>
  (await open((await tcp((socket) => socket.resetAndDestroy())).port)).UIDL(),
);
lib.add(
  'not-tls',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'INVALID_RESPONSE'),
  'TLS to a port without it',
  async () => (await open((await server('-', '+OK ready')).port, { tls: true, timeout: 1000 })).UIDL(),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR', 'PERMISSION_DENIED'),
  'a certificate that nobody trusts',
  async () =>
    (await open((await serve({ body: {} }, { tls: true })).port, { tls: true, timeout: 1000 })).UIDL(),
);
lib.add(
  'not-connected',
  unclear('NETWORK_ERROR', 'CANCELLED', 'VALIDATION_ERROR'),
  'a command before connect()',
  async () => (await open(1)).command('STAT'),
);
export default lib;
