/** The policies and runs of this process that a person may act on: one registry for all copies of the package in it. */

const KEY = Symbol.for('halfopen.controllable');

/** A policy or a run. */
export type ControllableKind = 'policy' | 'run';

/** Weak: a policy that its owner has dropped must not stay in memory. By kind and name, oldest first. */
type Registry = Map<string, WeakRef<object>[]>;

const home = globalThis as unknown as Record<symbol, Registry | undefined>;

/** Names that are kept. A program that makes up a name for each request drops its oldest ones here. */
const MOST_NAMES = 1000;
/** Policies of one name that are kept. */
const MOST_OF_A_NAME = 20;

/** Makes a policy known by its name, or a run by its id. */
export function makeControllable(kind: ControllableKind, name: string, thing: object): void {
  if (typeof WeakRef !== 'function') return;
  let all = home[KEY];
  if (all === undefined) {
    all = new Map();
    try {
      home[KEY] = all;
    } catch {
      // Frozen globals: nothing can be controlled.
      return;
    }
  }
  const key = `${kind} ${name}`;
  const alive = (all.get(key) ?? []).filter((one) => one.deref() !== undefined && one.deref() !== thing);
  // Deleted first, so that a name in use is among the youngest.
  all.delete(key);
  all.set(key, [...alive.slice(1 - MOST_OF_A_NAME), new WeakRef(thing)]);
  if (all.size > MOST_NAMES) all.delete(all.keys().next().value as string);
}

/** Returns those of a name that are alive; without a name, all of the kind. */
export function controllable(kind: ControllableKind, name?: string): object[] {
  const found = [...(home[KEY] ?? [])].filter(([key]) =>
    name === undefined ? key.startsWith(`${kind} `) : key === `${kind} ${name}`,
  );
  return found.flatMap(([, all]) => all.map((one) => one.deref())).filter((one) => one !== undefined);
}
