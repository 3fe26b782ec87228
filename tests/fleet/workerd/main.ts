// A worker for workerd whose fleets meet in Durable Objects, or in Workers KV: each path is one question of the test.
import { createPolicy } from 'halfopen';
import { type FleetStore, fleet, inspect, isolate } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { durableObjectStore, FleetObject } from 'halfopen/fleet/durable-object';
import { kvStore } from 'halfopen/fleet/kv';

export { FleetObject };

interface Env {
  FLEET: unknown;
  KV: unknown;
}

const entries = new Map<string, { bytes: ArrayBuffer; writtenAt: number }>();

/**
 * workerd sends the requests of a KV binding here. As in production a key accepts one write a second:
 * https://developers.cloudflare.com/kv/platform/limits/
 */
export const Kv = {
  async fetch(request: Request): Promise<Response> {
    const key = decodeURIComponent(new URL(request.url).pathname.slice(1));
    const entry = entries.get(key);
    if (request.method === 'GET')
      return entry === undefined ? new Response(null, { status: 404 }) : new Response(entry.bytes);
    const bytes = await request.arrayBuffer();
    const writtenAt = Date.now();
    if (entry !== undefined && writtenAt < entry.writtenAt + 1_000)
      return new Response(null, { status: 429 });
    entries.set(key, { bytes, writtenAt });
    return new Response(null);
  },
};

/** Starts that number of processes, each with its store, whose calls fail until the shared breaker is open. */
async function outage(
  store: () => FleetStore,
  processes: number,
): Promise<{ nodes: number; state: string | undefined }> {
  const all = Array.from({ length: processes }, () => {
    const workers = fleet({ store: store(), name: 'outage', storeTimeoutMs: 5_000 });
    return {
      workers,
      policy: createPolicy({
        name: 'chat',
        retry: false,
        breaker: { resetTimeoutMs: 60_000 },
        fleet: workers,
      }),
    };
  });
  const seen = async () => (await inspect(store(), 'outage'))[0];
  const isDone = async () => {
    const { nodes, state } = (await seen()) ?? {};
    return nodes === processes && state === 'open';
  };
  while (!(await isDone())) {
    const down = () => Promise.reject(Object.assign(new Error('down'), { status: 503 }));
    await Promise.all(all.map(({ policy }) => policy.execute(down).catch(() => {})));
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { nodes = 0, state } = (await seen()) ?? {};
  await Promise.all(all.map(({ workers }) => workers.close()));
  return { nodes, state };
}

const questions: Record<string, (env: Env) => Promise<unknown>> = {
  '/conformance': (env) => checkStore(async () => durableObjectStore(env.FLEET)),
  '/outage': (env) => outage(() => durableObjectStore(env.FLEET), 3),
  '/kv/conformance': (env) => checkStore(async () => kvStore(env.KV)),
  '/kv/outage': (env) => outage(() => kvStore(env.KV), 3),
  '/isolate': (env) => isolate(durableObjectStore(env.FLEET), 'kept', 'chat'),
  '/inspect': (env) => inspect(durableObjectStore(env.FLEET), 'kept'),
};

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const ask = questions[new URL(request.url).pathname];
    const answer = await ask?.(env).catch((error: unknown) => ({ error: String(error) }));
    return Response.json(answer ?? null);
  },
};
