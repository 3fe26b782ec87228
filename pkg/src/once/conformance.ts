/** The suite that every store of a ledger must pass. Anyone can run it against an adapter. */

import { randomHex } from '../event/events.js';
import type { OnceStore } from './store.js';

type Case = (store: OnceStore, key: (name: string) => string) => Promise<void>;

const NEVER = Number.POSITIVE_INFINITY;
const controller = /* @__PURE__ */ new AbortController();
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const textOf = (record: Uint8Array | undefined): string | undefined =>
  record === undefined ? undefined : new TextDecoder().decode(record);

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

async function put(store: OnceStore, key: string, version: number, text: string, ttlMs = NEVER) {
  return store.swap(key, version, bytes(text), ttlMs, controller.signal);
}

const read = (store: OnceStore, key: string) => store.swap(key, -1, undefined, NEVER, controller.signal);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Each case uses its own keys, so one store can serve all of them. */
const CASES: Readonly<Record<string, Case>> = {
  'a key that nobody has written has version 0 and no record': async (store, key) => {
    const { written, version, record, now } = await read(store, key('new'));
    check(!written && version === 0 && record === undefined, 'there is something');
    check(Number.isFinite(now) && now > 0, `now is ${now}`);
  },
  'a record is written where there is none, and stays': async (store, key) => {
    const first = await put(store, key('stays'), 0, 'a');
    check(first.written && first.version > 0 && textOf(first.record) === 'a', 'it was not written');
    const found = await read(store, key('stays'));
    check(!found.written && found.version === first.version, 'reading has changed the version');
    check(textOf(found.record) === 'a', 'it was not kept');
  },
  'another version writes nothing, and gets what stands there': async (store, key) => {
    const { version } = await put(store, key('other'), 0, 'a');
    for (const wrong of [0, version + 1, -1]) {
      const refused = await put(store, key('other'), wrong, 'b');
      check(!refused.written && refused.version === version, `version ${wrong} wrote`);
      check(textOf(refused.record) === 'a', 'the answer is without the record');
    }
    const next = await put(store, key('other'), version, 'c');
    check(
      next.written && next.version !== version && textOf(next.record) === 'c',
      'its version did not write',
    );
  },
  'of many at once one alone writes': async (store, key) => {
    for (let round = 0, version = 0; round < 5; round++) {
      const all = await Promise.all(
        Array.from({ length: 20 }, (_, index) => put(store, key('race'), version, `${round} ${index}`)),
      );
      const written = all.flatMap((one, index) => (one.written ? [{ ...one, index }] : []));
      check(written.length === 1, `${written.length} have written`);
      const found = await read(store, key('race'));
      check(textOf(found.record) === `${round} ${written[0]?.index}`, 'another record stands there');
      version = found.version;
    }
  },
  'no version comes back, not even after the record is gone': async (store, key) => {
    const seen = new Set<number>();
    for (let round = 0; round < 5; round++) {
      const { written, version } = await put(store, key('again'), 0, 'a');
      check(written, 'it was not removed');
      const next = await put(store, key('again'), version, 'b');
      for (const one of [version, next.version]) {
        check(!seen.has(one), `version ${one} came back`);
        seen.add(one);
      }
      const gone = await store.swap(key('again'), next.version, undefined, NEVER, controller.signal);
      check(gone.written && gone.version === 0 && gone.record === undefined, 'it is still there');
    }
  },
  'a record expires after its time, and not before': async (store, key) => {
    const began = Date.now();
    await put(store, key('short'), 0, 'a', 150);
    // On a busy machine these two may take longer than the record lives.
    const isThere = (await read(store, key('short'))).version > 0;
    check(isThere || Date.now() - began >= 150, 'it is gone at once');
    await put(store, key('long'), 0, 'a', 600_000);
    const { version } = await put(store, key('longer'), 0, 'a', 150);
    const longer = await put(store, key('longer'), version, 'b');
    await pause(400);
    check((await read(store, key('short'))).record === undefined, 'it is still there');
    check((await put(store, key('short'), 0, 'b')).written, 'its place is taken');
    check((await read(store, key('long'))).version > 0, 'another one is gone');
    const kept = textOf((await read(store, key('longer'))).record);
    check(kept === 'b' || !longer.written, 'an earlier time still holds');
  },
  'keys do not know each other, and bytes are kept as they are': async (store, key) => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    await store.swap(key('a'), 0, all, NEVER, controller.signal);
    await put(store, key('a%20ü'), 0, 'b');
    check((await read(store, key('a'))).record?.join() === all.join(), 'bytes have changed');
    check(textOf((await read(store, key('a%20ü'))).record) === 'b', 'another key has changed');
  },
  'records that never expire are listed by prefix, up to a limit': async (store, key) => {
    for (const name of ['one', 'two', 'three']) await put(store, key(`list/${name}`), 0, name);
    await put(store, key('listing'), 0, 'x');
    const { version } = await put(store, key('list/done'), 0, 'x');
    await put(store, key('list/done'), version, 'y', 600_000);
    const { version: gone } = await put(store, key('list/gone'), 0, 'x');
    await store.swap(key('list/gone'), gone, undefined, NEVER, controller.signal);
    const listed = await store.list(key('list/'), 10, controller.signal);
    const endless = listed.filter((one) => one.key !== key('list/done'));
    check(
      endless
        .map((one) => `${one.key}=${textOf(one.record)}`)
        .sort()
        .join() === ['one', 'three', 'two'].map((name) => `${key(`list/${name}`)}=${name}`).join(),
      `${endless.map((one) => one.key).join()} were listed`,
    );
    const found = await read(store, key('list/one'));
    check(listed.find((one) => one.key === key('list/one'))?.version === found.version, 'another version');
    check((await store.list(key('list/'), 2, controller.signal)).length === 2, 'the limit does not hold');
  },
  'time does not go back, and is the same for all keys': async (store, key) => {
    let latest = 0;
    for (let round = 1; round <= 5; round++) {
      const { now } = await put(store, key(`time-${round % 2}`), 0, 'a');
      check(now >= latest, `${now} came after ${latest}`);
      latest = now;
    }
  },
};

/**
 * Runs the suite that every store of a ledger must pass.
 *
 * @param make - makes a store, which may still have earlier contents. The suite closes it after each case.
 * @returns the number of cases.
 * @throws Error (as a rejection) that names the first failing case.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'halfopen/once';
 * import { checkStore } from 'halfopen/once/conformance';
 * await checkStore(async () => memoryStore());
 * ```
 */
export async function checkStore(make: () => Promise<OnceStore>): Promise<{ cases: number }> {
  const run = randomHex(8);
  const cases = Object.entries(CASES);
  for (const [index, [name, test]] of cases.entries()) {
    const store = await make();
    try {
      await test(store, (key) => `conformance-${run}/${index}/${key}`);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`halfopen: a store must pass "${name}": ${reason}`, { cause });
    } finally {
      await store.close();
    }
  }
  return { cases: cases.length };
}
