// A worker for workerd whose fleets meet in Durable Objects: each path is one question of the test.
import { createPolicy } from 'halfopen';
import { fleet, inspect, isolate } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { durableObjectStore, FleetObject } from 'halfopen/fleet/durable-object';

export { FleetObject };

interface Env {
  FLEET: unknown;
}

/** So many processes, each with its store, that call what fails until the breaker of all is open. */
async function outage(env: Env, processes: number): Promise<{ nodes: number; state: string | undefined }> {
  const all = Array.from({ length: processes }, () => {
    const workers = fleet({ store: durableObjectStore(env.FLEET), name: 'outage', storeTimeoutMs: 5_000 });
    return { workers, policy: createPolicy({ name: 'chat', retry: false, fleet: workers }) };
  });
  const seen = async () => (await inspect(durableObjectStore(env.FLEET), 'outage'))[0];
  for (let tries = 0; tries < 100 && (await seen())?.state !== 'open'; tries += 1) {
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
  '/outage': (env) => outage(env, 3),
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
