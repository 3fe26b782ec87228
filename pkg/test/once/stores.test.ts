// The stores of a ledger that need no server: in memory, on a Deno KV and on the storage of a Durable Object, played here.
import test from 'node:test';
import { checkStore } from '../../src/once/conformance.js';
import { kvStore } from '../../src/once/kv.js';
import { memoryStore } from '../../src/once/store.js';

test('in memory', async () => {
  await checkStore(async () => memoryStore());
});

test('on a machine so busy that a record expires before it is read', async () => {
  await checkStore(async () => {
    const store = memoryStore();
    const swap: typeof store.swap = async (key, ...rest) => {
      if (/short|longer/.test(key)) await new Promise((resolve) => setTimeout(resolve, 200));
      return store.swap(key, ...rest);
    };
    return { ...store, swap, list: (...given) => store.list(...given) };
  });
});

/** Versionstamps, checks and prefixes as Deno KV has them; it does not remove what has expired. */
function denoKv() {
  const entries = new Map<string, { key: readonly string[]; value: unknown; versionstamp: string }>();
  let stamps = 0;
  const name = (key: readonly string[]) => JSON.stringify(key);
  return {
    async get(key: readonly string[]) {
      return entries.get(name(key)) ?? { value: null, versionstamp: null };
    },
    atomic() {
      const checks: (() => boolean)[] = [];
      const changes: (() => void)[] = [];
      const self = {
        check({ key, versionstamp }: { key: readonly string[]; versionstamp: string | null }) {
          checks.push(() => (entries.get(name(key))?.versionstamp ?? null) === versionstamp);
          return self;
        },
        set(key: readonly string[], value: unknown) {
          changes.push(() => entries.set(name(key), { key, value, versionstamp: String(++stamps) }));
          return self;
        },
        delete(key: readonly string[]) {
          changes.push(() => entries.delete(name(key)));
          return self;
        },
        async commit() {
          const ok = checks.every((check) => check());
          if (ok) for (const change of changes) change();
          return { ok };
        },
      };
      return self;
    },
    async *list({ prefix }: { prefix: readonly string[] }, { limit }: { limit: number }) {
      const found = [...entries.values()].filter(({ key }) => prefix.every((part, at) => key[at] === part));
      yield* found.slice(0, limit);
    },
  };
}

test('on a Deno KV', async () => {
  const kv = denoKv();
  await checkStore(async () => kvStore(kv));
});

/** One transaction at a time, as in a Durable Object. */
function objectStorage() {
  const entries = new Map<string, unknown>();
  const storage = {
    get: async (key: string) => entries.get(key),
    put: async (key: string, value: unknown) => void entries.set(key, value),
    delete: async (key: string) => entries.delete(key),
    async list({ prefix, end, limit }: { prefix: string; end?: string; limit: number }) {
      const keys = [...entries.keys()].sort().filter((key) => key.startsWith(prefix) && !(end && key >= end));
      return new Map(keys.slice(0, limit).map((key) => [key, entries.get(key)]));
    },
  };
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...storage,
    transaction<T>(run: (transaction: typeof storage) => Promise<T>): Promise<T> {
      const result = last.then(() => run(storage));
      last = result.catch(() => {});
      return result;
    },
  };
}

test('in the storage of a Durable Object', async () => {
  const storage = objectStorage();
  await checkStore(async () => kvStore(storage));
});
