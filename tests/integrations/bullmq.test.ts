// BullMQ's durable retries on a real Redis, decided by the recipe of docs/integrations/queues.md, and ioredis under a policy; how often a job runs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { type AdvancedOptions, type BackoffOptions, type Job, Queue, QueueEvents, Worker } from 'bullmq';
import { AgentError, createPolicy } from 'halfopen';
import { Redis } from 'ioredis';
import type { Fault } from '../../examples/faulty-provider/faults.js';
import { type FaultyProvider, startFaultyProvider } from '../../examples/faulty-provider/server.js';
import { WAIT } from '../../scripts/patience.mjs';
import { recipe } from './recipe.js';
import { type RedisServer, startRedis } from './redis-server.js';

const { backoffStrategy, asJobError } = await recipe<{
  backoffStrategy(attemptsMade: number, type?: string, error?: Error): number;
  asJobError(error: unknown): unknown;
}>('queues', "import { UnrecoverableError } from 'bullmq';");

const isThere = spawnSync('redis-server', ['--version']).status === 0;
const skip = !isThere && 'there is no redis-server here (Debian has redis-server)';

let redis: RedisServer;
let provider: FaultyProvider;
before(async () => {
  provider = await startFaultyProvider();
  if (isThere) redis = await startRedis();
});
after(async () => {
  await provider.close();
  await redis?.stop();
});

describe('BullMQ', { skip }, () => {
  let count = 0;

  /** Runs one job to its end, and says how: how often it ran, how many requests there were, and what it failed with. */
  async function run(
    faults: Fault[],
    processor: (job: Job) => Promise<unknown>,
    { settings = {}, backoff }: { settings?: AdvancedOptions; backoff: BackoffOptions },
  ) {
    const name = `jobs-${count++}`;
    const connection = { port: redis.port, maxRetriesPerRequest: null };
    const since = provider.received.length;
    provider.next('openai', ...faults);
    const queue = new Queue(name, { connection });
    const events = new QueueEvents(name, { connection });
    const worker = new Worker(name, processor, { connection, settings, drainDelay: 1 });
    await Promise.all([events.waitUntilReady(), worker.waitUntilReady()]);
    const began = performance.now();
    const job = await queue.add('call', {}, { attempts: 4, backoff });
    const value = await job.waitUntilFinished(events, WAIT).catch((error: Error) => error);
    const tookMs = performance.now() - began;
    const runs = (await queue.getJob(job.id as string))?.attemptsMade;
    await Promise.all([worker.close(), events.close(), queue.close()]);
    return { value, runs, requests: provider.received.length - since, tookMs };
  }

  // In the job nothing is retried: the queue does it.
  const policy = createPolicy({ name: 'provider', retry: false });
  const call = () =>
    policy.execute(async ({ signal }) => {
      const response = await fetch(`${provider.openaiUrl}/embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'e', input: ['a'] }),
        signal,
      });
      return response.ok ? 'sent' : response;
    });
  const custom = {
    settings: { backoffStrategy },
    backoff: { type: 'custom' },
  };

  test('what may succeed later is tried again by the queue, once each time', async () => {
    const { value, runs, requests } = await run([{ kind: 'overloaded' }, { kind: 'reset' }], call, custom);
    assert.deepEqual([value, runs, requests], ['sent', 3, 3]);
  });

  test('a hint is waited for', async () => {
    const { value, requests, tookMs } = await run(
      [{ kind: 'rate-limited', retryAfterMs: 700 }],
      call,
      custom,
    );
    assert.deepEqual([value, requests], ['sent', 2]);
    assert.ok(tookMs >= 700, `${tookMs} ms`);
  });

  test('what failed for good is not tried again', async () => {
    const { value, runs, requests } = await run([{ kind: 'quota-exceeded' }], call, custom);
    assert.ok(value instanceof Error);
    assert.deepEqual([runs, requests], [1, 1]);
  });

  test('a hint beyond the bound fails the job', async () => {
    const twoHours: Fault = { kind: 'rate-limited', retryAfterSeconds: 7200 };
    const { value, requests } = await run([twoHours], call, custom);
    assert.ok(value instanceof Error);
    assert.equal(requests, 1);
  });

  test('with a built-in backoff, asJobError ends a job that failed for good, and no other', async () => {
    const bridged = () =>
      call().catch((error) => {
        throw asJobError(error);
      });
    const fixed = { backoff: { type: 'fixed', delay: 5 } };
    const final = await run([{ kind: 'unauthorized' }], bridged, fixed);
    assert.ok(final.value instanceof Error);
    assert.deepEqual([final.runs, final.requests], [1, 1]);
    const again = await run([{ kind: 'server-error' }], bridged, fixed);
    assert.deepEqual([again.value, again.runs, again.requests], ['sent', 2, 2]);
  });
});

describe('ioredis under a policy', { skip }, () => {
  test('a server that is away for a moment is called again; one that stays away is a NETWORK_ERROR', async () => {
    const client = new Redis({
      port: redis.port,
      lazyConnect: true,
      maxRetriesPerRequest: 1,
      commandTimeout: 200,
      retryStrategy: () => 20,
    });
    client.on('error', () => {});
    try {
      await client.connect();
      const policy = createPolicy({ name: 'redis', retry: { maxRetries: 8, baseDelayMs: 50 } });
      const get = policy.wrap((key: string) => client.get(key), { idempotent: true });
      await client.set('greeting', 'hello');
      assert.equal(await get('greeting'), 'hello');
      await redis.stop();
      const asked = get('greeting');
      await redis.start();
      assert.equal(await asked, null, 'the new server answers, and knows nothing');
      await redis.stop();
      const once = createPolicy({ retry: false });
      const error = await once.execute(() => client.get('greeting')).catch((thrown) => thrown);
      assert.ok(AgentError.is(error));
      assert.ok(['NETWORK_ERROR', 'TIMEOUT'].includes(error.code), error.code);
    } finally {
      client.disconnect();
      await redis.start();
    }
  });
});
