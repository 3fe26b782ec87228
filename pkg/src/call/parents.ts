/** The parents of calls: a call that an operation starts is its child, also after an `await` if the platform tracks it. */

import { type AsyncStorage, asyncStorage } from '../async-context.js';
import { processObserved } from '../listeners.js';

/** A call, or a run of an agent, as those calls know it that are made within it. */
export interface Parent {
  /** Of the call; absent where only a run is around. */
  readonly id: string | undefined;
  /** Of the trace that it belongs to, where the application has named one. */
  readonly traceId: string | undefined;
  /** The id of the run that it belongs to. */
  readonly run: string | undefined;
}

/** How many want to know for now: listeners of policies; `Infinity` once a call has belonged to a trace. */
let wanted = 0;
/** Made when it is first needed, and once: each leaves a property on Node's resources. `null` on a platform without it. */
let storage: AsyncStorage<Parent> | null | undefined;
/** `true` if it is in use. */
let isActive = false;
/** Where nothing carries the parent over an `await`: that of the operation that is being started. */
let starting: Parent | undefined;

/**
 * Call it for a listener of a policy's events, which name a call's parent. While neither the policy nor the process has
 * listeners, and no call has belonged to a trace, nothing is kept: an `AsyncLocalStorage` that is used makes every promise of
 * the process dearer up to Node 22. Returns a function that ends the need; only its first call counts.
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

/** The call whose operation runs here. */
export function parentHere(): Parent | undefined {
  return storage?.getStore() ?? starting;
}

/** Calls the operation as the call's. */
export function runAs<A, R>(call: Parent, operation: (context: A) => R, context: A): R {
  if (wanted === 0 && !processObserved()) {
    if (isActive) storage?.disable?.();
    isActive = false;
    return operation(context);
  }
  isActive = true;
  // Not the call itself, which would live as long as anything that its operation has started.
  return carried({ id: call.id, traceId: call.traceId, run: call.run }, operation, context);
}

/** Calls the body as the run's. Calls made in it know the run while somebody wants parents. */
export function runWithin<R>(run: string, body: () => R): R {
  const outer = parentHere();
  isActive = true;
  return carried({ id: outer?.id, traceId: outer?.traceId, run }, body, undefined);
}

function carried<A, R>(parent: Parent, operation: (context: A) => R, context: A): R {
  prepare();
  if (storage != null) return storage.run(parent, operation, context);
  const outer = starting;
  starting = parent;
  try {
    return operation(context);
  } finally {
    starting = outer;
  }
}
