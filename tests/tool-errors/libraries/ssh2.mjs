// ssh2 on a real OpenSSH server: `level`, SFTP status numbers in `code`.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, tcp } from '../servers/net.mjs';
import { folder, listening, NotHere, run, start } from '../servers/process.mjs';

async function sshd() {
  if (process.getuid?.() !== 0) throw new NotHere('a server that runs as root');
  const at = folder('sshd');
  const port = await closedPort();
  run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path.join(at, 'host')]);
  run('ssh-keygen', ['-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '', '-f', path.join(at, 'key')]);
  const { readFileSync, chmodSync } = await import('node:fs');
  run('chown', ['-R', 'root:root', at]);
  writeFileSync(path.join(at, 'authorized'), readFileSync(path.join(at, 'key.pub')));
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  chmodSync(path.join(at, 'authorized'), 0o600);
  writeFileSync(
    path.join(at, 'conf'),
    `Port ${port}\nListenAddress 127.0.0.1\nHostKey ${at}/host\nPidFile none\nAuthorizedKeysFile ${at}/authorized\nStrictModes no\nPasswordAuthentication yes\nPermitRootLogin yes\nUsePAM no\nAllowTcpForwarding no\nMaxAuthTries 2\nSubsystem sftp internal-sftp\n`,
  );
  const server = start('/usr/sbin/sshd', ['-D', '-e', '-f', path.join(at, 'conf')]);
  await listening(port, { server });
  return {
    port,
    at,
    key: readFileSync(path.join(at, 'key'), 'utf8'),
  };
}
const lib = library({
  packages: ['ssh2'],
  needs: ['/usr/sbin/sshd', 'ssh-keygen'],
  setup: async () => ({ server: await sshd() }),
});
async function using(options, work = () => {}) {
  const { default: ssh2 } = await import('ssh2');
  const client = new ssh2.Client();
  const failed = new Promise((_, reject) => client.on('error', reject));
  failed.catch(() => {});
  const ended = new Promise((_, reject) =>
    client.on('close', () => setTimeout(() => reject(new Error('Connection closed')), 50)),
  );
  ended.catch(() => {});
  try {
    const ready = new Promise((resolve) => client.on('ready', resolve));
    client.connect({ host: '127.0.0.1', username: 'root', readyTimeout: 3000, ...options });
    await Promise.race([ready, failed, ended]);
    return await Promise.race([work(client), failed]);
  } finally {
    client.end();
  }
}
const promised = (call) =>
  new Promise((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))));
const sftp =
  (work) =>
  ({ server }) =>
    using({ port: server.port, privateKey: server.key }, async (client) =>
      work(await promised((done) => client.sftp(done)), server),
    );
lib.add(
  'wrong-password',
  final('AUTHENTICATION_ERROR'),
  'All configured authentication methods failed',
  ({ server }) => using({ port: server.port, password: SECRET }),
);
lib.add('wrong-key', final('AUTHENTICATION_ERROR'), 'the key is not authorised', ({ server }) =>
  using({
    port: server.port,
    privateKey: generateKeyPairSync('rsa', {
      modulusLength: 2048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    }).privateKey,
  }),
);
lib.add(
  'host-key',
  final('NETWORK_ERROR', 'AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'CONFIG_ERROR'),
  'the host is not the one that is trusted',
  ({ server }) => using({ port: server.port, privateKey: server.key, hostVerifier: () => false }),
);
lib.add(
  'bad-key',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'AUTHENTICATION_ERROR'),
  'the private key cannot be parsed',
  ({ server }) => using({ port: server.port, privateKey: 'not a key' }),
);
lib.add(
  'no-algorithm',
  final('CONFIG_ERROR', 'NETWORK_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'no algorithm that both know',
  ({ server }) => using({ port: server.port, privateKey: server.key, algorithms: { cipher: ['3des-cbc'] } }),
);
lib.add(
  'no-file',
  final('NOT_FOUND'),
  'SFTP status 2',
  sftp((on) => promised((done) => on.readFile('/nowhere/report.csv', done))),
);
lib.add(
  'no-folder',
  final('NOT_FOUND'),
  'SFTP status 2 of a folder',
  sftp((on) => promised((done) => on.readdir('/nowhere', done))),
);
// SSH_FX_FAILURE of version 3 is the catch-all: nothing of the value shows why.
const failure = unclear(
  'UNKNOWN',
  'SERVER_ERROR',
  'IO_ERROR',
  'TOOL_EXECUTION_ERROR',
  'CONFLICT',
  'ALREADY_EXISTS',
);
lib.add(
  'exists',
  failure,
  'SFTP status 4, Failure: the folder is there, of which version 3 says nothing',
  sftp((on, { at }) => promised((done) => on.mkdir(at, done))),
);
lib.add(
  'not-empty',
  failure,
  'SFTP status 4 of rmdir',
  sftp((on, { at }) => promised((done) => on.rmdir(at, done))),
);
lib.add(
  'bad-subsystem',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED', 'NOT_FOUND'),
  'no such subsystem',
  ({ server }) =>
    using({ port: server.port, privateKey: server.key }, (client) =>
      promised((done) => client.subsys('frob', done)),
    ),
);
lib.add('forwarding-denied', final('PERMISSION_DENIED'), 'administratively prohibited', ({ server }) =>
  using({ port: server.port, privateKey: server.key }, (client) =>
    promised((done) => client.forwardOut('127.0.0.1', 0, '127.0.0.1', 80, done)),
  ),
);
lib.add(
  'not-connected',
  unclear('NETWORK_ERROR', 'CONFIG_ERROR', 'CANCELLED', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR'),
  'Not connected: never, or not any more',
  async () => {
    const { default: ssh2 } = await import('ssh2');
    return promised((done) => new ssh2.Client().exec('ls', done));
  },
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  using({ port: await closedPort(), password: SECRET }),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using({ host: 'build.invalid', port: 22, password: SECRET }),
);
lib.add(
  'handshake-timeout',
  again('TIMEOUT', 'NETWORK_ERROR'),
  'Timed out while waiting for handshake',
  async () => using({ port: (await tcp()).port, password: SECRET, readyTimeout: 150 }),
);
lib.add('hung-up', again('NETWORK_ERROR'), 'Connection lost before handshake', async () =>
  using({ port: (await tcp((socket) => socket.end())).port, password: SECRET }),
);
lib.add(
  'not-ssh',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'what listens there does not speak SSH',
  async () =>
    using({ port: (await tcp((socket) => socket.write('SSH-1.0-old\r\n'))).port, password: SECRET }),
);
export default lib;
