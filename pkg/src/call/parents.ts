/**
 * The surroundings of calls: the call, the run or the failover that makes them, also after an `await` if the platform tracks it.
 * They say who a call's parent is, whether its own policy holds a slot for it already, and how soon a failover goes on to its
 * next target.
 */

import { type AsyncStorage, asyncStorage } from '../async-context.js';
import { processObserved } from '../listeners.js';
import type { CallHost } from './host.js';
import type { Switching } from './switching.js';

/** The surroundings of the calls that are made in an operation, in a run of an agent, or in a failover. */
export interface Parent {
  /** Of the call; absent if only a run or a failover is around, or while there is no listener. */
  readonly id: string | undefined;
  /** Of the trace that it belongs to, where the application has named one. */
  readonly traceId: string | undefined;
  /** The id of the run that it belongs to. */
  readonly run: string | undefined;
  /** The bounds of the failover that it belongs to, while that has another target. */
  readonly switching: Switching | undefined;
  /** The attempt that holds slots for the calls within; absent once it is over, though code that it has started still runs. */
  holder: Holder | undefined;
  /** The next one around it that has a holder. */
  outer: Parent | undefined;
}

/** An attempt that holds the slots of its policy: of the bulkhead, the adaptive limit and the rate limit. */
export interface Holder {
  readonly host: CallHost;
  /** Those that calls within have used. */
  readonly tokens: number;
  /** A call within has used tokens: they count as this attempt's. */
  used(tokens: number): void;
}

/** A call, as its operation is started. */
interface Caller {
  readonly id: string;
  readonly traceId: string | undefined;
  readonly run: string | undefined;
  /** The surroundings of the call itself. */
  readonly parent: Parent | undefined;
}

/** How many want to know for now: listeners of policies; `Infinity` once a call has belonged to a trace. */
let wanted = 0;
/** Made when it is first needed, and once: each leaves a property on Node's resources. `null` on a platform without it. */
let storage: AsyncStorage<Parent> | null | undefined;
/** `true` if it is in use. */
let isActive = false;
/** `true` once a limit or a failover has used it: calls go by it from then on, and it does not rest any more. */
let isKept = false;
/** Where nothing carries the parent over an `await`: that of the operation that is being started. */
let starting: Parent | undefined;
/** By the signals of attempts that hold slots, where nothing else carries them: a call that is given one is made within. */
const bySignal = /* @__PURE__ */ new WeakMap<AbortSignal, Parent>();

/**
 * Call it for a listener of a policy's events, which name a call's parent. While neither the policy nor the process has
 * listeners, no call has belonged to a trace, and neither a limit nor a failover is in use, nothing is kept: an
 * `AsyncLocalStorage` that is used makes every promise of the process dearer up to Node 22. Returns a function that ends the
 * need; only its first call counts.
 */
export function wantParents(): () => void {
  wanted++;
  prepare();
  let isOver = false;
  return () => {
    if (!isOver) wanted--;
    isOver = true;
  };
}

/** A call belongs to a trace, and so do those that its operation makes. */
export function wantTraces(): void {
  wanted = Number.POSITIVE_INFINITY;
  prepare();
}

function prepare(): void {
  if (storage === undefined) storage = asyncStorage<Parent>() ?? null;
}

/** The surroundings of code that runs here. */
export function parentHere(): Parent | undefined {
  return storage?.getStore() ?? starting;
}

/** The same for a call with that signal. */
export function parentOf(signal: AbortSignal | undefined): Parent | undefined {
  return parentHere() ?? (signal && bySignal.get(signal));
}

/** Calls the operation as the call's. `holder`: its attempt, if that holds slots. */
export function runAs<A extends { place: Parent | undefined }, R>(
  call: Caller,
  holder: Holder | undefined,
  operation: (attempt: A) => R,
  attempt: A,
): R {
  const isNamed = wanted > 0 || processObserved();
  if (isNamed || holder !== undefined || call.parent !== undefined)
    return runKept(call, isNamed, holder, operation, attempt);
  if (isActive && !isKept) {
    storage?.disable?.();
    isActive = false;
  }
  return operation(attempt);
}

function runKept<A extends { place: Parent | undefined }, R>(
  call: Caller,
  isNamed: boolean,
  holder: Holder | undefined,
  operation: (attempt: A) => R,
  attempt: A,
): R {
  const { parent } = call;
  isActive = true;
  isKept ||= holder !== undefined;
  // Not the call itself, which would live as long as anything that its operation has started.
  attempt.place = {
    id: isNamed ? call.id : undefined,
    traceId: call.traceId,
    run: call.run,
    switching: parent?.switching,
    holder,
    outer: holding(parent),
  };
  return within(attempt.place, operation, attempt);
}

/** Calls the body as the run's. Calls made in it know the run while somebody wants parents. */
export function runWithin<R>(run: string, body: () => R): R {
  isActive = true;
  return within({ ...around(parentHere()), run }, body, undefined);
}

/** Calls the body as a failover's, whose calls switch within these bounds. */
export function switchingWithin<R>(switching: Switching, body: () => R): R {
  isActive = true;
  isKept = true;
  return within({ ...around(parentHere()), switching }, body, undefined);
}

/** Those around, for another thing within them. */
function around(outer: Parent | undefined): Parent {
  const { id, traceId, run, switching } = outer ?? {};
  return { id, traceId, run, switching, holder: undefined, outer: holding(outer) };
}

/** Runs a step of an operation within its surroundings. */
export function within<A, R>(parent: Parent, step: (context: A) => R, context: A): R {
  prepare();
  if (storage != null) return storage.run(parent, step, context);
  const outer = starting;
  starting = parent;
  try {
    return step(context);
  } finally {
    starting = outer;
  }
}

/** An attempt is over: it holds no slot for what it has started, and keeps nothing of what is over as well. */
export function release(place: Parent): void {
  place.holder = undefined;
  place.outer = holding(place.outer);
}

/** Notes the signal of an attempt, for platforms where nothing else says what is made within it. */
export function noteSignal(signal: AbortSignal, place: Parent): void {
  if (storage === null && place.holder !== undefined) bySignal.set(signal, place);
}

/** The attempt of that policy that holds slots for the calls within; `undefined` for none. */
export function holderOf(host: CallHost, parent: Parent | undefined): Holder | undefined {
  for (let place = holding(parent); place !== undefined; place = holding(place.outer)) {
    const { holder } = place;
    if (holder?.host === host) return holder;
    const { name } = host.settings.options;
    if (name !== undefined && name === holder?.host.settings.options.name) warnOfTwo(name);
  }
  return undefined;
}

function holding(parent: Parent | undefined): Parent | undefined {
  let place = parent;
  while (place !== undefined && place.holder === undefined) place = place.outer;
  return place;
}

const twice = /* @__PURE__ */ new Set<string>();

function warnOfTwo(name: string): void {
  if (twice.has(name)) return;
  twice.add(name);
  console.warn(
    `halfopen: a call of a policy named '${name}' is made within a call of another policy of that name: they are two, and each has limits and a breaker of its own. Make the policy once and share it, or give the two different names`,
  );
}
