// A RabbitMQ broker of our own on 127.0.0.1.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SECRET } from '../expect.mjs';
import { closedPort, sleep } from './net.mjs';
import { folder, listening, start, user } from './process.mjs';

const SCRIPTS = '/usr/lib/rabbitmq/bin';
export const needs = [`${SCRIPTS}/rabbitmq-server`, `${SCRIPTS}/rabbitmqctl`];

export async function rabbitmq() {
  const at = folder('rabbitmq');
  const port = await closedPort();
  const node = `stub${process.pid}@localhost`;
  writeFileSync(
    path.join(at, 'rabbitmq.conf'),
    'loopback_users = none\nheartbeat = 0\nchannel_max = 5\nmax_message_size = 100000\n',
  );
  writeFileSync(path.join(at, 'plugins'), '[].');
  const env = {
    ...process.env,
    HOME: at,
    RABBITMQ_NODENAME: node,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(port + 1000),
    RABBITMQ_BASE: at,
    RABBITMQ_MNESIA_BASE: path.join(at, 'data'),
    RABBITMQ_LOG_BASE: path.join(at, 'log'),
    RABBITMQ_CONFIG_FILE: path.join(at, 'rabbitmq'),
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(at, 'plugins'),
    RABBITMQ_PID_FILE: path.join(at, 'pid'),
  };
  const options = { env, cwd: at, ...user };
  // Nothing else runs meanwhile, not even the clock of a case: it must end by itself.
  const ctl = (...args) =>
    spawnSync(`${SCRIPTS}/rabbitmqctl`, ['-n', node, ...args], {
      ...options,
      encoding: 'utf8',
      timeout: 20_000,
      killSignal: 'SIGKILL',
    });
  const server = start(needs[0], [], options);
  await listening(port, { server });
  await sleep(500);
  for (const args of [
    ['add_user', 'reader', SECRET],
    ['set_permissions', 'reader', '^$', '^$', '.*'],
    ['add_vhost', 'other'],
  ]) {
    const { status, stdout, stderr } = ctl(...args);
    if (status !== 0) throw new Error(`rabbitmqctl ${args[0]}: ${stdout} ${stderr}`);
  }
  return {
    port,
    url: (name = 'guest', password = 'guest', vhost = '') =>
      `amqp://${name}:${password}@127.0.0.1:${port}${vhost && `/${vhost}`}`,
    ctl,
    stop: () => ctl('stop'),
  };
}
