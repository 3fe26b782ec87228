// mqtt on a real Mosquitto: ErrorWithReasonCode, errors of the socket.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';
import { folder, listening, run, start, user } from '../servers/process.mjs';

async function mosquitto() {
  const at = folder('mosquitto');
  const port = await closedPort();
  const passwords = path.join(at, 'passwords');
  writeFileSync(passwords, '');
  run('mosquitto_passwd', ['-b', passwords, 'app', SECRET]);
  run('mosquitto_passwd', ['-b', passwords, 'reader', SECRET]);
  run('chown', ['-R', '65534:65534', at]);
  writeFileSync(path.join(at, 'acl'), 'user app\ntopic readwrite #\nuser reader\ntopic read news/#\n');
  const config = [
    `listener ${port} 127.0.0.1`,
    'allow_anonymous false',
    `password_file ${passwords}`,
    `acl_file ${path.join(at, 'acl')}`,
    'max_packet_size 5000',
    'max_connections 3',
    ...(user.uid ? ['user nobody'] : []),
  ];
  writeFileSync(path.join(at, 'conf'), `${config.join('\n')}\n`);
  const up = async () => {
    const server = start('mosquitto', ['-c', path.join(at, 'conf')]);
    await listening(port, { server });
    return server;
  };
  let server = await up();
  return {
    port,
    kill: () => server.stop('SIGKILL'),
    stop: () => server.stop('SIGTERM'),
    start: async () => {
      server = await up();
    },
  };
}
const lib = library({
  packages: ['mqtt'],
  needs: ['mosquitto', 'mosquitto_passwd'],
  setup: async () => ({ broker: await mosquitto() }),
});
async function using(
  { port, host = '127.0.0.1', username = 'app', password = SECRET, ...more },
  work = () => sleep(2500),
) {
  const { default: mqtt } = await import('mqtt');
  const client = mqtt.connect({
    host,
    port,
    protocol: 'mqtt',
    username,
    password,
    protocolVersion: 5,
    reconnectPeriod: 0,
    connectTimeout: 2000,
    ...more,
  });
  const failed = new Promise((_, reject) => client.on('error', reject));
  failed.catch(() => {});
  try {
    await Promise.race([
      failed,
      new Promise((resolve) => client.once('connect', resolve)),
      new Promise((_, reject) =>
        client.once('close', () => setTimeout(() => reject(new Error('closed')), 300)),
      ),
    ]);
    return await work(client, failed);
  } finally {
    client.end(true);
  }
}
lib.add(
  'wrong-password',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  '135 Not authorized at CONNECT',
  ({ broker }) => using({ port: broker.port, password: 'CANARYsecret7890x' }),
);
lib.add(
  'wrong-password-3',
  final('AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  'MQTT 3.1.1: 5 Not authorized',
  ({ broker }) => using({ port: broker.port, password: 'CANARYsecret7890x', protocolVersion: 4 }),
);
lib.add('denied-publish', final('PERMISSION_DENIED'), '135 Not authorized at PUBLISH', ({ broker }) =>
  using({ port: broker.port, username: 'reader' }, (client) =>
    client.publishAsync('orders', 'x', { qos: 1 }),
  ),
);
lib.add('bad-topic', final('VALIDATION_ERROR'), 'no such topic can be', ({ broker }) =>
  using({ port: broker.port }, (client) => client.subscribeAsync('a/#/b')),
);
lib.add(
  'disconnecting',
  final('CANCELLED', 'NETWORK_ERROR', 'INITIALIZATION_ERROR', 'CONFIG_ERROR'),
  'the program ended its own client',
  ({ broker }) =>
    using({ port: broker.port }, async (client) => {
      client.end();
      return client.publishAsync('x', 'y');
    }),
);
lib.add('killed', again('NETWORK_ERROR'), 'the broker was killed under a publish', async ({ broker }) =>
  using({ port: broker.port }, async (client) => {
    await broker.kill();
    await sleep(100);
    try {
      const sent = client.publishAsync('x', 'y', { qos: 1 });
      sent.catch(() => {});
      setTimeout(() => client.end(true), 200);
      return await sent;
    } finally {
      await broker.start();
    }
  }),
);
lib.add('refused', again('NETWORK_ERROR'), 'nothing listens', async () =>
  using({ port: await closedPort() }),
);
lib.add('unknown-host', again('NETWORK_ERROR'), 'name servers fail for a moment, too', () =>
  using({ host: 'broker.invalid', port: 1883 }),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'connack timeout', async () =>
  using({ port: (await tcp()).port, connectTimeout: 150 }),
);
lib.add(
  'not-mqtt',
  final('INVALID_RESPONSE', 'NETWORK_ERROR', 'CONFIG_ERROR'),
  'what listens there does not speak MQTT',
  async () => using({ port: (await tcp((socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'))).port }),
);
for (const [name, code, expect, why] of [
  ['server-unavailable', 136, again('SERVER_ERROR', 'PROVIDER_OVERLOADED'), '136 Server unavailable'],
  [
    'server-busy',
    137,
    again('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'RATE_LIMITED', 'CONFLICT'),
    '137 Server busy',
  ],
  ['quota', 151, unclear('QUOTA_EXCEEDED', 'RATE_LIMITED'), '151 Quota exceeded'],
  ['rate', 159, again('RATE_LIMITED'), '159 Connection rate exceeded'],
  ['banned', 138, final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'), '138 Banned'],
  ['bad-credentials', 134, final('AUTHENTICATION_ERROR'), '134 Bad user name or password'],
  ['use-another', 156, unclear('SERVER_ERROR', 'CONFIG_ERROR', 'NOT_FOUND'), '156 Use another server'],
  [
    'protocol',
    132,
    final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
    '132 Unsupported protocol version',
  ],
]) {
  lib.add(name, expect, why, async () =>
    using({
      port: (
        await tcp((socket) => socket.once('data', () => socket.write(Buffer.from([0x20, 3, 0, code, 0]))))
      ).port,
    }),
  );
}
export default lib;
