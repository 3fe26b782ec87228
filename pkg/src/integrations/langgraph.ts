/** `halfopen/langgraph`: nodes that recover by `route`, and the error step, for LangGraph's graphs. */

import { Annotation, Command } from '@langchain/langgraph';
import * as is from '../options.js';
import type { ErrorInfo } from '../recovery/error-info.js';
import { ErrorNode, type ErrorNodeOptions } from '../recovery/error-node.js';
import { route } from '../recovery/route.js';

/** What the nodes keep in the graph's state. */
export interface RecoveryState {
  /** What failed last, and where. */
  errorInfo?: ErrorInfo | undefined;
  /** How often it was tried again. */
  retryCount?: number | undefined;
}

/**
 * Returns the channels of the graph's state that {@link recoverable} and {@link recoveryNode} use: `errorInfo` and `retryCount`.
 *
 * @example
 * ```ts
 * const channels = recoveryState(); // Annotation.Root({ ...channels, task: Annotation<string> })
 * ```
 */
export function recoveryState() {
  return {
    errorInfo: Annotation<ErrorInfo | undefined>({
      reducer: (_before, now) => now,
      default: () => undefined,
    }),
    retryCount: Annotation<number>({ reducer: (_before, now) => now, default: () => 0 }),
  };
}

/** Where a failed node leads. */
export interface RecoverableOptions {
  /** The node that recovers. Default: `'recover'`. */
  to?: string | undefined;
  /** The graph's own retries of this node; see `route`. Default: as `route` has them. */
  retryPolicy?: ErrorInfo['retryPolicy'];
}

/** A node of a graph. */
type GraphNode<S, R> = (state: S, config?: unknown) => R | PromiseLike<R>;

/**
 * Wraps a node: what it throws is kept in the state with the node's name, and the graph goes to `recover`. Interrupts pass. A
 * policy inside of such a node should have `retry: false`, or the node a `retryPolicy` with `maxAttempts: 0`.
 *
 * @param name - The node's own name, to come back to.
 * @param options - Where a failure leads, and how often the node is tried again.
 * @throws TypeError at once for a wrong argument.
 *
 * @example
 * ```ts
 * graph.addNode('search', recoverable('search', search), { ends: ['recover'] });
 * ```
 */
export function recoverable<S extends RecoveryState, R>(
  name: string,
  node: GraphNode<S, R>,
  options?: RecoverableOptions,
): (state: S, config?: unknown) => Promise<R | Command> {
  is.expectFunction(node, 'recoverable');
  const { to = 'recover', retryPolicy } = is.readOptions<RecoverableOptions>(
    { to: is.filledText, retryPolicy: is.kind('an object', (value) => typeof value === 'object') },
    options,
    'recoverable',
  );
  return async (state, config) => {
    const failedBefore = state.errorInfo?.capabilityName === name;
    try {
      const result = await node(state, config);
      return failedBefore && isPlain(result) ? { ...result, errorInfo: undefined, retryCount: 0 } : result;
    } catch (thrown) {
      if (isBubbling(thrown)) throw thrown;
      const errorInfo: ErrorInfo = { error: thrown, capabilityName: name };
      if (retryPolicy !== undefined) errorInfo.retryPolicy = retryPolicy;
      return new Command({ goto: to, update: { errorInfo, ...(!failedBefore && { retryCount: 0 }) } });
    }
  };
}

/** An update of the state; a Command is none. */
function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Interrupts and commands to a parent, which LangGraph throws, are no failures. */
function isBubbling(thrown: unknown): boolean {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    (thrown as { is_bubble_up?: unknown }).is_bubble_up === true
  );
}

/** The graph's nodes for what cannot be tried again. */
export interface RecoveryNodeOptions {
  /** The node that plans anew. Default: as `error`. */
  orchestrator?: string | undefined;
  /** The node that chooses anew. Default: as `error`. */
  classifier?: string | undefined;
  /** The error step. Default: `'error'`. */
  error?: string | undefined;
}

/**
 * Returns a node that goes on after an error as {@link route} says: to the node that failed, after a wait; to a new plan or
 * choice; or to the error step. A fatal error ends the run. Give it `ends` with all the nodes that it may lead to.
 *
 * @param options - The names of the graph's nodes.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * graph.addNode('recover', recoveryNode({ orchestrator: 'plan' }), { ends: ['search', 'plan', 'error'] });
 * ```
 */
export function recoveryNode(
  options?: RecoveryNodeOptions,
): (state: RecoveryState, config?: { signal?: AbortSignal }) => Promise<Command> {
  const read = is.readOptions<RecoveryNodeOptions>(
    { orchestrator: is.filledText, classifier: is.filledText, error: is.filledText },
    options,
    'recoveryNode',
  );
  const { error = 'error', orchestrator = error, classifier = error } = read;
  const nodes = { orchestrator, classifier, error };
  return async ({ errorInfo, retryCount = 0 }, config) => {
    if (errorInfo === undefined)
      throw new TypeError(
        'halfopen: recoveryNode was entered without errorInfo: wrap the nodes by recoverable()',
      );
    const next = route(errorInfo, { retryCount });
    if (next.next === 'abort') throw next.error;
    if (next.next !== 'retry') return new Command({ goto: nodes[next.next], update: { retryCount: 0 } });
    await waited(next.delayMs, config?.signal);
    return new Command({ goto: next.capability, update: { retryCount: next.attempt } });
  };
}

/** Resolves after the time; rejects with the signal's reason. */
function waited(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const aborted = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve();
    }, ms);
    signal?.addEventListener('abort', aborted, { once: true });
  });
}

/**
 * Returns the error step as a node: a report of what failed and a model's explanation of it, as a message of the assistant.
 *
 * @param options - Those of {@link ErrorNode}: the model that explains, the language.
 * @throws TypeError for a wrong option.
 *
 * @example
 * ```ts
 * graph.addNode('error', errorNode({ complete })).addEdge('error', end);
 * ```
 */
export function errorNode(
  options?: ErrorNodeOptions,
): (state: RecoveryState) => Promise<{ messages: [{ role: 'assistant'; content: string }] }> {
  const node = new ErrorNode(options);
  return async (state) => {
    const { messages } = await node.execute(state);
    return { messages };
  };
}
