/** The suite that every store of a fleet must pass. Anyone can run it against an adapter. */

import { deltaOf, ISOLATE, namesIn, REPORT, randomNode, viewOf } from './protocol.js';
import { type FleetStore, mergeResource } from './store.js';

type Case = (store: FleetStore, key: (name: string) => string) => Promise<void>;

function check(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(what);
}

async function one(
  store: FleetStore,
  key: string,
  delta: Uint8Array,
): Promise<{ state: Uint8Array; now: number }> {
  const states = await store.sync([{ key, delta }], new AbortController().signal);
  const [state] = states;
  if (states.length !== 1 || state === undefined)
    throw new Error('sync of one resource did not return exactly one state');
  check(state.key === key, 'the state is of another key');
  check(state.state instanceof Uint8Array, 'the state is not a Uint8Array');
  check(Number.isFinite(state.now) && state.now > 0, `now is ${state.now}`);
  return state;
}

const READ = /* @__PURE__ */ new Uint8Array();
const report = (node: number, number: number, name: string): Uint8Array =>
  deltaOf({ kind: REPORT, node, number }, [], [name]);
const slots = (node: number, number: number, limit: number, has: number): Uint8Array => {
  const wants = { limit, windowMs: 0, ofTokens: 0, exact: 1, wants: 1, used: has, has };
  return deltaOf({ kind: REPORT, node, number }, [wants]);
};

/** Each case uses its own keys, so one store can serve all of them. */
const CASES: Readonly<Record<string, Case>> = {
  'a resource that nobody has written can be read': async (store, key) => {
    const { state, now } = await one(store, key('new'), READ);
    check(viewOf(state, 0, now).version === 0, 'there are deltas in it');
  },
  'a delta is merged, and stays': async (store, key) => {
    const { state } = await one(store, key('stays'), report(1, 1, 'a'));
    check(namesIn(state).join() === 'a', 'the answer is without it');
    check(namesIn((await one(store, key('stays'), READ)).state).join() === 'a', 'it was not kept');
  },
  'a delta that comes twice counts once': async (store, key) => {
    const delta = report(7, 1, 'twice');
    const first = await one(store, key('twice'), delta);
    const second = await one(store, key('twice'), delta);
    const version = ({ state, now }: { state: Uint8Array; now: number }) => viewOf(state, 0, now).version;
    check(version(first) === version(second), 'it was counted twice');
  },
  'many deltas: none is lost': async (store, key) => {
    const count = 100;
    for (let from = 0; from < count; from += 10) {
      const some = Array.from({ length: 10 }, (_, i) => report(from + i + 1, 1, `n${from + i}`));
      await Promise.all(some.map((delta) => one(store, key('many'), delta)));
    }
    const { state } = await one(store, key('many'), READ);
    check(namesIn(state).length === count, `${namesIn(state).length} of ${count} deltas are in the state`);
  },
  'keys do not know each other': async (store, key) => {
    await one(store, key('left'), report(1, 1, 'left'));
    await one(store, key('right/{x} ü'), report(1, 1, 'right'));
    check(namesIn((await one(store, key('left'), READ)).state).join() === 'left', 'left has changed');
    check(
      namesIn((await one(store, key('right/{x} ü'), READ)).state).join() === 'right',
      'right is not kept',
    );
  },
  'several resources at once, in their order': async (store, key) => {
    const keys = ['c', 'a', 'b'].map(key);
    const deltas = keys.map((key, index) => ({ key, delta: report(1, 1, `n${index}`) }));
    const states = await store.sync(deltas, new AbortController().signal);
    check(states.map(({ key }) => key).join() === keys.join(), 'the order is another');
    check(states.map(({ state }) => namesIn(state).join()).join() === 'n0,n1,n2', 'states are mixed up');
  },
  'time does not go back, and is the same for all': async (store, key) => {
    let latest = 0;
    for (let round = 1; round <= 5; round++) {
      const { now } = await one(store, key(`time-${round % 2}`), report(round, 1, 'time'));
      check(now >= latest, `${now} came after ${latest}`);
      latest = now;
    }
  },
  'the last slot goes to one alone': async (store, key) => {
    const nodes = Array.from({ length: 20 }, (_, index) => index + 1);
    await Promise.all(nodes.map((node) => one(store, key('slots'), slots(node, 1, 3, 0))));
    const { state, now } = await one(store, key('slots'), READ);
    const granted = nodes.map((node) => viewOf(state, node, now).limits[0]?.granted ?? 0);
    const sum = granted.reduce((sum, part) => sum + part, 0);
    check(sum === 3, `${sum} of 3 slots were granted`);
  },
  'an order of an operator is seen by all': async (store, key) => {
    await one(store, key('order'), deltaOf({ node: randomNode(), number: 1, kind: ISOLATE }));
    const { state, now } = await one(store, key('order'), READ);
    check(viewOf(state, 1, now).state === 'isolated', 'it is not isolated');
  },
  'what is no delta is refused, and changes nothing': async (store, key) => {
    await one(store, key('bad'), report(1, 1, 'good'));
    const outcome = await one(store, key('bad'), Uint8Array.of(1, 2, 3)).then(
      () => 'taken',
      () => 'refused',
    );
    const { state, now } = await one(store, key('bad'), report(2, 1, 'better'));
    check(outcome === 'refused' || namesIn(state).includes('good'), 'it was taken');
    check(namesIn(state).join() === 'better,good', 'the state was damaged');
    check(mergeResource(state, READ, now).length === state.length, 'the state cannot be merged');
  },
};

/**
 * Runs the suite that every store of a fleet must pass.
 *
 * @param make - makes a store, which may still have earlier contents. The suite closes it after each case.
 * @returns the number of cases.
 * @throws Error (as a rejection) that names the first failing case.
 *
 * @example
 * ```ts
 * import { memoryStore } from 'halfopen/fleet';
 * import { checkStore } from 'halfopen/fleet/conformance';
 * await checkStore(async () => memoryStore());
 * ```
 */
export async function checkStore(make: () => Promise<FleetStore>): Promise<{ cases: number }> {
  const run = randomNode().toString(36);
  const cases = Object.entries(CASES);
  for (const [index, [name, test]] of cases.entries()) {
    const store = await make();
    try {
      await test(store, (key) => `conformance/${run}/${index}/${key}`);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`halfopen: a store must pass "${name}": ${reason}`, { cause });
    } finally {
      await store.close();
    }
  }
  return { cases: cases.length };
}
