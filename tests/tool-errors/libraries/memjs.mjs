// memjs on a real memcached.
import { again, final, library } from '../expect.mjs';
import { memcached } from '../servers/memcached.mjs';
import { closedPort, sleep, tcp } from '../servers/net.mjs';

const lib = library({
  packages: ['memjs'],
  needs: ['memcached'],
  setup: memcached,
});
async function using(port, work, more) {
  const { default: memjs } = await import('memjs');
  const client = memjs.Client.create(`127.0.0.1:${port}`, {
    retries: 0,
    timeout: 0.5,
    conntimeout: 0.5,
    failover: false,
    logger: { log() {} },
    ...more,
  });
  try {
    return await work(client);
  } finally {
    client.close();
  }
}
lib.add('too-large', final('VALIDATION_ERROR'), 'Value too large', ({ port }) =>
  using(port, (client) => client.set('x', 'x'.repeat(2_000_000), {})),
);
lib.add('not-a-number', final('VALIDATION_ERROR'), 'Incr/decr on a non-numeric value', ({ port }) =>
  using(port, async (client) => {
    await client.set('word', 'x', {});
    return client.increment('word', 1, {});
  }),
);
lib.add('refused', again('NETWORK_ERROR'), 'No servers available', async () =>
  using(await closedPort(), (client) => client.get('x')),
);
lib.add('silent', again('TIMEOUT', 'NETWORK_ERROR'), 'socket timed out waiting on response', async () =>
  using((await tcp()).port, (client) => client.get('x'), { timeout: 0.15 }),
);
lib.add('key-too-long', final('VALIDATION_ERROR'), 'Invalid arguments', ({ port }) =>
  using(port, async (client) => {
    await sleep(0);
    return client.get('x'.repeat(400));
  }),
);
export default lib;
