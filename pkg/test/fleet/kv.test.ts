// Stores in key-value stores: those that compare and set, and those that do not.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createPolicy } from 'halfopen';
import { type FleetStore, fleet, inspect, memoryStore } from 'halfopen/fleet';
import { checkStore } from 'halfopen/fleet/conformance';
import { kvStore, type Snapshot, type Snapshots } from 'halfopen/fleet/kv';
import { VirtualClock } from 'halfopen/testing';
import { deltaOf, LEAVE, namesIn, REPORT, type View, viewOf } from '../../src/fleet/protocol.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A key-value store whose reads and writes take a turn of the event loop, so that those of several processes cross. */
class Entries implements Snapshots {
  readonly isAtomic: boolean;
  refuses = false;
  readonly entries = new Map<string, { bytes: Uint8Array; version: number }>();

  constructor(isAtomic: boolean) {
    this.isAtomic = isAtomic;
  }

  async load(key: string): Promise<Snapshot | undefined> {
    const found = this.entries.get(key);
    await turn();
    return found;
  }

  async save(key: string, bytes: Uint8Array, version: unknown): Promise<boolean> {
    await turn();
    if (this.refuses) throw new Error('429 Too Many Requests');
    const current = this.entries.get(key)?.version;
    if (this.isAtomic && current !== version) return false;
    this.entries.set(key, { bytes, version: (current ?? 0) + 1 });
    return true;
  }
}

/** Each sync is another process's. */
function spread(stores: readonly FleetStore[]): FleetStore {
  let count = 0;
  return {
    async sync(resources, signal) {
      count += 1;
      const store = stores[count % stores.length] as FleetStore;
      return store.sync(resources, signal);
    },
    close: async () => {},
  };
}

const signal = new AbortController().signal;

/** A process as far as its deltas show it: `failing` has five failures in a row. */
class Process {
  readonly node: number;
  readonly store: FleetStore;
  view: View | undefined;
  private number = 0;

  constructor(node: number, store: FleetStore) {
    this.node = node;
    this.store = store;
  }

  async sync(failed: number): Promise<void> {
    this.number += 1;
    const generation = this.view?.generation ?? 0;
    const terms = { threshold: 5, resetMs: 60_000, maxResetMs: 60_000, maxProbes: 1, successes: 1 };
    const counts = { total: failed, failed, streak: failed };
    const who = { node: this.node, number: this.number, kind: REPORT, quorum: 1, generation };
    const delta = deltaOf({ ...terms, probeTimeoutMs: 1_000, ...counts, ...who }, [], [`p${this.node}`]);
    const [answer] = await this.store.sync([{ key: 'k', delta }], signal);
    assert.ok(answer);
    this.view = viewOf(answer.state, this.node, answer.now);
  }
}

describe('with compare and set', () => {
  test('five processes pass together: none overwrites another', async () => {
    const kv = new Entries(true);
    const stores = Array.from({ length: 5 }, () => kvStore(kv));
    assert.deepEqual(await checkStore(async () => spread(stores)), { cases: 10 });
  });

  test('a limit may be exact', () => {
    fleet({ store: kvStore(new Entries(true)), name: 'exact', exact: ['rateLimit'] });
  });

  test('a sync that others come before for ever ends when its caller gives up', async () => {
    const kv = new Entries(true);
    kv.save = async () => false;
    const controller = new AbortController();
    const sync = kvStore(kv).sync([{ key: 'k', delta: deltaOf({ node: 1, number: 1 }) }], controller.signal);
    await turn();
    controller.abort();
    await assert.rejects(sync, { name: 'AbortError' });
  });

  test('a refused write is an error', async () => {
    const kv = new Entries(true);
    const process = new Process(1, kvStore(kv));
    await process.sync(0);
    kv.refuses = true;
    await assert.rejects(process.sync(0), /429/);
  });
});

test('a snapshot of a time that never comes is refused: the fleet would live in it for ever', async () => {
  for (const isAtomic of [true, false]) {
    const kv = new Entries(isAtomic);
    const process = new Process(1, kvStore(kv));
    await process.sync(0);
    const [[key, entry] = ['', undefined]] = kv.entries;
    assert.ok(entry);
    const fine = entry.bytes;
    for (const time of [
      2 ** 53,
      1e300,
      Number.POSITIVE_INFINITY,
      Number.NaN,
      Date.now() + 2 * 366 * 86_400_000,
    ]) {
      const bytes = fine.slice();
      new DataView(bytes.buffer).setFloat64(0, time);
      kv.entries.set(key, { ...entry, bytes });
      await assert.rejects(process.sync(0), /something else has written the key/, `${time}`);
    }
    kv.entries.set(key, entry);
    const [answer] = await process.store.sync([{ key: 'k', delta: new Uint8Array() }], signal);
    assert.ok(answer !== undefined && Math.abs(answer.now - Date.now()) < 60_000);
  }
});

describe('without', () => {
  test('one process passes', async () => {
    assert.deepEqual(await checkStore(async () => kvStore(new Entries(false))), { cases: 10 });
  });

  test('several do not: this is what compare and set is for', async () => {
    const kv = new Entries(false);
    const stores = Array.from({ length: 5 }, () => kvStore(kv));
    await assert.rejects(
      checkStore(async () => spread(stores)),
      /must pass/,
    );
  });

  test('processes that overwrite one another come to the same: an opened breaker stays open, and all are there', async () => {
    const kv = new Entries(false);
    const processes = [1, 2, 3, 4].map((node) => new Process(node, kvStore(kv)));
    let rounds = 0;
    // All at once is the worst case: of four writes one stays, each time another's.
    const round = () => {
      rounds += 1;
      const order = processes.map((_, place) => processes[(place + rounds) % 4] as Process);
      return Promise.all(order.map((one) => one.sync(one.node <= 2 ? 5 : 0)));
    };
    await round();
    const isOpen = ({ view }: Process) => view?.state === 'open';
    assert.ok(!processes.every(isOpen));
    for (let count = 0; count < 8; count++) await round();
    assert.ok(processes.every(isOpen), processes.map(({ view }) => view?.state).join());
    const [first] = processes;
    const opened = new Set(processes.map(({ view }) => view?.generation));
    assert.equal(opened.size, 1, [...opened].join());
    const [answer] = (await first?.store.sync([{ key: 'k', delta: new Uint8Array() }], signal)) ?? [];
    assert.deepEqual(answer && namesIn(answer.state), ['p1', 'p2', 'p3', 'p4']);
    // It never goes back: no process sees an older state than before.
    for (let count = 0; count < 5; count++) {
      await round();
      assert.ok(processes.every(isOpen));
    }
  });

  test('an exact limit is refused', () => {
    const store = kvStore(new Entries(false));
    for (const exact of [['rateLimit'], ['probe', 'bulkhead']] as const) {
      assert.throws(() => fleet({ store, name: 'exact', exact }), {
        name: 'TypeError',
        message: /eventual/,
      });
    }
    fleet({ store, name: 'probe', exact: ['probe'] });
    fleet({ store: memoryStore(), name: 'exact', exact: ['rateLimit'] });
  });

  test('a store that takes one write a second loses no process: who refuses all of them for ten seconds is lost', async () => {
    const clock = new VirtualClock(1_000_000);
    const kv = new Entries(false);
    const process = new Process(1, kvStore(kv, { clock }));
    await process.sync(0);
    kv.refuses = true;
    await process.sync(1);
    await clock.advance(9_000);
    await process.sync(2);
    assert.equal(process.view?.acknowledged, 3);
    await clock.advance(1_000);
    await assert.rejects(process.sync(3), /429/);
    kv.refuses = false;
    await process.sync(4);
    assert.equal(process.view?.acknowledged, 5);
  });

  test('a first write that is refused is an error', async () => {
    const kv = new Entries(false);
    kv.refuses = true;
    await assert.rejects(new Process(1, kvStore(kv)).sync(0), /429/);
  });
});

test('clocks that are an hour apart: time does not go back, passes at the same rate, and no breaker opens later for it', async () => {
  const hour = 3_600_000;
  const [behind, right] = [new VirtualClock(1_000_000), new VirtualClock(1_000_000 + hour)];
  const kv = new Entries(true);
  const [slow, fast] = [kvStore(kv, { clock: behind }), kvStore(kv, { clock: right })];
  const look = async (store: FleetStore) => {
    const delta = deltaOf({ node: 9, number: ++number, kind: LEAVE });
    const [answer] = await store.sync([{ key: 'k', delta }], signal);
    return answer?.now ?? 0;
  };
  let number = 0;
  let latest = 0;
  for (let round = 0; round < 10; round++) {
    for (const store of [fast, slow]) {
      const now = await look(store);
      assert.ok(now >= latest, `${now} after ${latest}`);
      latest = now;
      await Promise.all([behind.advance(100), right.advance(100)]);
    }
  }
  // A process with a late clock knows the other's time from its data of a tenth of a second ago.
  assert.equal(latest, 1_000_000 + hour + 1_800);
  const alone = await look(slow);
  await behind.advance(5_000);
  assert.equal((await look(slow)) - alone, 5_000);
});

test('what is no key-value store, and what somebody else has written, is refused', async () => {
  for (const wrong of [undefined, {}, { get: () => {} }])
    assert.throws(() => kvStore(wrong), { name: 'TypeError', message: /kvStore expects Deno KV/ });
  const kv = new Entries(true);
  kv.entries.set('hf1:k', { bytes: Uint8Array.of(1, 2, 3), version: 1 });
  await assert.rejects(new Process(1, kvStore(kv)).sync(0), /something else has written the key/);
});

test('policies share a breaker by snapshots', async () => {
  const clock = new VirtualClock(1_000_000);
  const kv = new Entries(false);
  const processes = Array.from({ length: 3 }, () => {
    const store = kvStore(kv, { clock });
    const joined = fleet({ store, name: 'kv', storeTimeoutMs: 2_000 });
    return {
      joined,
      policy: createPolicy({
        name: 'p',
        clock,
        retry: false,
        breaker: { resetTimeoutMs: 60_000 },
        fleet: joined,
      }),
    };
  });
  const down = () => Promise.reject(Object.assign(new Error('down'), { status: 503 }));
  for (let round = 0; round < 20; round++) {
    for (const { policy } of processes) await policy.execute(down).catch(() => {});
    await clock.advance(200);
    await turn();
    await turn();
    await turn();
  }
  const [shared] = await inspect(kvStore(kv, { clock }), 'kv');
  assert.deepEqual([shared?.policy, shared?.state, shared?.nodes], ['p', 'open', 3]);
  for (const { joined } of processes) assert.equal(joined.status, 'joined');
  await Promise.all(processes.map(({ joined }) => joined.close()));
});
