// bullmq on a real Redis: UnrecoverableError, DelayedError, errors of its scripts and of the connection.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort, sleep } from '../servers/net.mjs';
import { needs, redis } from '../servers/redis.mjs';

const lib = library({
  packages: ['bullmq'],
  needs,
  setup: async () => ({ db: await redis(), small: await redis(['--maxmemory', '2mb']) }),
});
async function using(port, work, more = {}) {
  const { Queue } = await import('bullmq');
  const queue = new Queue('jobs', {
    connection: {
      host: '127.0.0.1',
      port,
      maxRetriesPerRequest: 1,
      retryStrategy: () => null,
      enableOfflineQueue: true,
      ...more,
    },
    skipVersionCheck: true,
  });
  queue.on('error', () => {});
  try {
    return await work(queue);
  } finally {
    await Promise.race([queue.close().catch(() => {}), sleep(500)]);
  }
}
lib.add('no-job', final('NOT_FOUND'), 'Missing key for job', ({ db }) =>
  using(db.port, async (queue) => {
    const job = await queue.add('mail', {});
    await job.remove();
    return job.updateProgress(5);
  }),
);
lib.add(
  'not-failed',
  final('CONFLICT', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'Job is not in the state that a retry needs',
  ({ db }) => using(db.port, async (queue) => (await queue.add('mail', {})).retry()),
);
const failure =
  (process, options) =>
  ({ db }) =>
    using(db.port, async (queue) => {
      const { Worker } = await import('bullmq');
      const worker = new Worker('jobs', process, {
        connection: { host: '127.0.0.1', port: db.port, maxRetriesPerRequest: null },
        skipVersionCheck: true,
      });
      worker.on('error', () => {});
      const failed = new Promise((_, reject) => worker.on('failed', (_job, error) => reject(error)));
      failed.catch(() => {});
      await queue.add('work', {}, options);
      try {
        return await failed;
      } finally {
        await worker.close(true);
      }
    });
lib.add(
  'unrecoverable',
  final('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'VALIDATION_ERROR'),
  'UnrecoverableError says: do not try again',
  failure(async () => {
    const { UnrecoverableError } = await import('bullmq');
    throw new UnrecoverableError('The order was cancelled by its buyer');
  }),
);
lib.add(
  'job-failed',
  again('NETWORK_ERROR'),
  'what the job threw',
  failure(async () => {
    throw Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:5432'), { code: 'ECONNREFUSED' });
  }),
);
lib.add('wait-timeout', again('TIMEOUT'), 'waitUntilFinished timed out', ({ db }) =>
  using(db.port, async (queue) => {
    const { QueueEvents } = await import('bullmq');
    const events = new QueueEvents('jobs', {
      connection: { host: '127.0.0.1', port: db.port, maxRetriesPerRequest: null },
      skipVersionCheck: true,
    });
    const job = await queue.add('never', {});
    try {
      return await job.waitUntilFinished(events, 120);
    } finally {
      await events.close();
    }
  }),
);
lib.add('custom-id', final('VALIDATION_ERROR'), 'Custom Id cannot be integers', ({ db }) =>
  using(db.port, (queue) => queue.add('x', {}, { jobId: '7' })),
);
lib.add(
  'out-of-memory',
  unclear('PROVIDER_OVERLOADED', 'SERVER_ERROR', 'QUOTA_EXCEEDED', 'CAPACITY_EXCEEDED'),
  'OOM of a script',
  ({ small }) =>
    using(small.port, async (queue) => {
      for (let at = 0; at < 400; at++) await queue.add('big', { text: 'x'.repeat(20_000) });
    }),
);
lib.add('refused', again('NETWORK_ERROR'), 'the connection is closed for good', async () =>
  using(await closedPort(), (queue) => queue.add('x', {})),
);
lib.add('killed', again('NETWORK_ERROR', 'SERVER_ERROR'), 'the server was killed', async ({ small }) =>
  using(small.port, async (queue) => {
    await queue.waitUntilReady();
    await small.kill();
    await sleep(100);
    try {
      return await queue.add('x', {});
    } finally {
      await small.start();
    }
  }),
);
lib.add(
  'closing',
  unclear('NETWORK_ERROR', 'CANCELLED', 'CONFIG_ERROR', 'INITIALIZATION_ERROR'),
  'the program closed its own queue',
  ({ db }) =>
    using(db.port, async (queue) => {
      await queue.close();
      return queue.add('x', {});
    }),
);
export default lib;
