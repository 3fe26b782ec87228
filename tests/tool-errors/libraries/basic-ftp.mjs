// basic-ftp on a stub: FTPError with the reply code in `code`.
import { PassThrough, Readable } from 'node:stream';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, lines, serve, sleep, tcp } from '../servers/net.mjs';

const lib = library({ packages: ['basic-ftp'] });
async function using(port, work = () => {}, more = {}) {
  const { Client } = await import('basic-ftp');
  const client = new Client(more.timeout ?? 1500);
  try {
    await client.access({ host: '127.0.0.1', port, user: 'agent', password: SECRET, ...more });
    return await work(client);
  } finally {
    client.close();
  }
}
const stub = async (to, says) => {
  const data = await tcp((socket) => setTimeout(() => socket.end('partial'), 60));
  return lines(to === 'GREETING' ? says : '220 ready', (line, socket) => {
    const word = line.split(' ')[0].toUpperCase();
    if (word === to) {
      if (says === 'hang up') return void socket.destroy();
      return says;
    }
    if (word === 'PASS') return '230 logged in';
    if (word === 'USER') return '331 password';
    if (word === 'FEAT') return '502 not here';
    if (word === 'EPSV') return `229 Entering Extended Passive Mode (|||${data.port}|)`;
    if (word === 'PWD') return '257 "/"';
    return '200 ok';
  });
};
const download = (client) => client.downloadTo(new PassThrough().resume(), 'report.csv');
const upload = (client) => client.uploadFrom(Readable.from(['x']), 'report.csv');
for (const [name, to, says, expect, why, work] of [
  ['bad-login', 'PASS', '530 Login incorrect.', final('AUTHENTICATION_ERROR'), '530'],
  [
    'too-many-users',
    'GREETING',
    '421 Too many connections (10) from this IP',
    again('RATE_LIMITED', 'PROVIDER_OVERLOADED', 'SERVER_ERROR'),
    '421 at the greeting',
  ],
  [
    'service-closing',
    'CWD',
    '421 Service not available, closing control connection.',
    again('SERVER_ERROR', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
    '421',
    (client) => client.cd('reports'),
  ],
  ['no-file', 'RETR', '550 report.csv: No such file or directory', final('NOT_FOUND'), '550', download],
  [
    'denied',
    'RETR',
    '550 report.csv: Permission denied',
    final('PERMISSION_DENIED'),
    '550 about rights',
    download,
  ],
  ['file-busy', 'RETR', '450 report.csv: file busy', again('CONFLICT', 'SERVER_ERROR'), '450', download],
  [
    'aborted',
    'RETR',
    '426 Connection closed; transfer aborted.',
    again('NETWORK_ERROR', 'SERVER_ERROR'),
    '426',
    download,
  ],
  [
    'no-data-connection',
    'RETR',
    '425 Unable to build data connection: Connection refused',
    again('NETWORK_ERROR'),
    '425',
    download,
  ],
  ['local-error', 'STOR', '451 Local error in processing', again('SERVER_ERROR', 'IO_ERROR'), '451', upload],
  [
    'disk-full',
    'STOR',
    '452 Insufficient storage space in system.',
    unclear('QUOTA_EXCEEDED', 'SERVER_ERROR', 'IO_ERROR', 'PROVIDER_OVERLOADED'),
    '452',
    upload,
  ],
  ['over-quota', 'STOR', '552 Exceeded storage allocation', final('QUOTA_EXCEEDED'), '552', upload],
  [
    'bad-name',
    'STOR',
    '553 File name not allowed',
    final('VALIDATION_ERROR', 'PERMISSION_DENIED'),
    '553',
    upload,
  ],
  [
    'exists',
    'MKD',
    '550 reports: File exists',
    final('ALREADY_EXISTS'),
    '550 about a folder',
    (client) => client.send('MKD reports'),
  ],
  [
    'syntax',
    'CWD',
    '501 Syntax error in parameters',
    final('VALIDATION_ERROR'),
    '501',
    (client) => client.cd('reports'),
  ],
  [
    'not-implemented',
    'CWD',
    '502 Command not implemented',
    final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    '502 of FTP is no bad gateway',
    (client) => client.cd('reports'),
  ],
  [
    'hung-up',
    'CWD',
    'hang up',
    again('NETWORK_ERROR'),
    'the connection ended',
    (client) => client.cd('reports'),
  ],
]) {
  lib.add(name, expect, why, async () => using((await stub(to, says)).port, work));
}
lib.add(
  'closed',
  final('CANCELLED', 'NETWORK_ERROR', 'CONFIG_ERROR', 'INITIALIZATION_ERROR'),
  'User closed client during task',
  async () =>
    using((await stub('CWD', '')).port, async (client) => {
      const going = client.cd('reports');
      going.catch(() => {});
      await sleep(60);
      client.close();
      return going;
    }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () => using(await closedPort()));
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using(21, undefined, { host: 'ftp.invalid' }),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'Timeout (control socket)', async () =>
  using((await tcp()).port, undefined, { timeout: 150 }),
);
lib.add(
  'self-signed',
  final('NETWORK_ERROR', 'CONFIG_ERROR'),
  'a certificate that is not trusted',
  async () => using((await serve({}, { tls: true })).port, undefined, { secure: 'implicit' }),
);
export default lib;
