/** A fleet's store in Cloudflare Durable Objects: one object for each resource. */

import { type FleetStore, mergeResource } from './store.js';

/** The members of a Durable Object's state and namespace that this file uses. */
interface ObjectState {
  storage: {
    get(key: string): Promise<Uint8Array | undefined>;
    put(key: string, value: Uint8Array): Promise<void>;
  };
  blockConcurrencyWhile<T>(run: () => Promise<T>): Promise<T>;
}
interface Namespace {
  idFromName(name: string): unknown;
  get(id: unknown): { fetch(url: string, init: object): Promise<Response> };
}

/** The key in an object's storage that holds its state. The number is the version of the state's form. */
const STATE = 'hf1';

/**
 * The object of one resource. Export it from the worker, and bind a namespace to it.
 *
 * @example
 * ```ts
 * export { FleetObject } from 'halfopen/fleet/durable-object';
 * ```
 */
export class FleetObject {
  /** @internal */ private readonly object: ObjectState;
  /** @internal */ private state: Uint8Array | undefined = undefined;
  /** @internal */ private readonly loaded: Promise<void>;

  constructor(state: unknown, _env: unknown) {
    this.object = state as ObjectState;
    this.loaded = this.object.blockConcurrencyWhile(async () => {
      this.state = await this.object.storage.get(STATE);
    });
  }

  /** Merges the delta in the request's body, and responds with the state. */
  async fetch(request: Request): Promise<Response> {
    await this.loaded;
    const delta = new Uint8Array(await request.arrayBuffer());
    const now = Date.now();
    try {
      // The code awaits nothing between reading and writing. An object runs on one thread, so no other request comes
      // between.
      this.state = mergeResource(this.state, delta, now);
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 400 });
    }
    const { state } = this;
    if (delta.length > 0) await this.object.storage.put(STATE, state);
    return new Response(state as Uint8Array<ArrayBuffer>, { headers: { 'x-now': String(now) } });
  }
}

/**
 * A store whose resources are Durable Objects of a namespace, of the class {@link FleetObject}.
 *
 * @param namespace - the binding, `env.FLEET`.
 *
 * @example
 * ```ts
 * const store = durableObjectStore(env.FLEET);
 * const policy = createPolicy({ name: 'openai', fleet: fleet({ store, name: 'workers' }) });
 * ```
 */
export function durableObjectStore(namespace: unknown): FleetStore {
  const { idFromName } = (namespace ?? {}) as Partial<Namespace>;
  if (typeof idFromName !== 'function')
    throw new TypeError('halfopen: durableObjectStore expects a namespace of Durable Objects');
  const objects = namespace as Namespace;
  return {
    sync: (resources, signal) =>
      Promise.all(
        resources.map(async ({ key, delta }) => {
          const object = objects.get(objects.idFromName(key));
          const answer = await object.fetch('https://fleet/', { method: 'POST', body: delta, signal });
          if (!answer.ok) throw new Error(`the object answered ${answer.status}: ${await answer.text()}`);
          const state = new Uint8Array(await answer.arrayBuffer());
          return { key, state, now: Number(answer.headers.get('x-now')) };
        }),
      ),
    async close() {},
  };
}
