/** `halfopen/langgraph`: nodes that recover by `route`, and the error step, for LangGraph's graphs. */

import type { Command } from '@langchain/langgraph';
import * as langgraph from '@langchain/langgraph';
import { expectHost } from '../hosts.js';
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
  expectLangGraph();
  return {
    errorInfo: langgraph.Annotation<ErrorInfo | undefined>({
      reducer: (_before, now) => now,
      default: () => undefined,
    }),
    retryCount: langgraph.Annotation<number>({ reducer: (_before, now) => now, default: () => 0 }),
  };
}

/** Where a failed node leads. */
export interface RecoverableOptions {
  /** The node that recovers. Default: `'recover'`. */
  to?: string | undefined;
  /**
   * The node, or nodes, that follow a success; `END` ends the run. Give it in place of `addEdge`: LangGraph follows the edges
   * of a node also after it has failed. A node that returns a `Command` with `goto` decides by itself. Default: none.
   */
  next?: string | readonly string[] | undefined;
  /** The graph's own retries of this node; see `route`. Default: as `route` has them. */
  retryPolicy?: ErrorInfo['retryPolicy'];
}

/** A node of a graph. */
type GraphNode<S, R> = (state: S, config?: unknown) => R | PromiseLike<R>;

/**
 * Wraps a node: what it throws is kept in the state with the node's name, and the graph goes to `recover`; after a success it
 * goes to `next`, and forgets the failure. Interrupts pass. A policy inside of such a node should have `retry: false`, or the
 * node a `retryPolicy` with `maxAttempts: 0`.
 *
 * Do not add an edge from this node (`addEdge('search', …)`): LangGraph would follow it after a failure too, with a state in
 * which the node's result is missing.
 *
 * @param name - The node's own name, to come back to.
 * @param options - Where a success and a failure lead, and how often the node is tried again.
 * @throws TypeError at once for a wrong argument.
 *
 * @example
 * ```ts
 * graph.addNode('search', recoverable('search', search, { next: 'approve' }), { ends: ['approve', 'recover'] });
 * ```
 */
export function recoverable<S extends RecoveryState, R>(
  name: string,
  node: GraphNode<S, R>,
  options?: RecoverableOptions,
): (state: S, config?: unknown) => Promise<R | Command> {
  is.expectFunction(node, 'recoverable');
  const {
    to = 'recover',
    next = [],
    retryPolicy,
  } = is.readOptions<RecoverableOptions>(
    {
      to: is.filledText,
      next: is.either(is.filledText, is.list(is.filledText)),
      retryPolicy: is.kind('an object', (value) => typeof value === 'object'),
    },
    options,
    'recoverable',
  );
  expectLangGraph();
  return async (state, config) => {
    const failedBefore = state.errorInfo?.capabilityName === name;
    try {
      return succeeded(await node(state, config), failedBefore, [next].flat() as string[]);
    } catch (thrown) {
      if (isBubbling(thrown)) throw thrown;
      const errorInfo: ErrorInfo = { error: thrown, capabilityName: name };
      if (retryPolicy !== undefined) errorInfo.retryPolicy = retryPolicy;
      return new langgraph.Command({
        goto: to,
        update: { errorInfo, ...(!failedBefore && { retryCount: 0 }) },
      });
    }
  };
}

/** A node's result, with the nodes that follow it, and without the failure before it. */
function succeeded<R>(result: R, failedBefore: boolean, next: string[]): R | Command {
  const cleared = failedBefore ? { errorInfo: undefined, retryCount: 0 } : {};
  if (result instanceof langgraph.Command) {
    const { goto, update, resume, graph } = result;
    // A command to the graph around this one changes that graph's state, not this one's.
    if (graph !== undefined) return result;
    const decided = [goto ?? []].flat().length > 0;
    return new langgraph.Command({
      ...{ goto: decided ? goto : next, update: joined(update, cleared) },
      ...(resume !== undefined && { resume }),
    });
  }
  // A list of commands and updates.
  if (Array.isArray(result)) return [...result, new langgraph.Command({ goto: next, update: cleared })] as R;
  if (!failedBefore && next.length === 0) return result;
  return new langgraph.Command({ goto: next, update: { ...result, ...cleared } });
}

/** A command's update, which may be a list of pairs, and more of it. */
function joined(update: Command['update'], more: Record<string, unknown>): NonNullable<Command['update']> {
  return Array.isArray(update) ? [...update, ...Object.entries(more)] : { ...update, ...more };
}

/** Checks that LangGraph has what the nodes use. */
function expectLangGraph(): void {
  expectHost('halfopen/langgraph', '@langchain/langgraph', '1', {
    Annotation: langgraph.Annotation,
    Command: langgraph.Command,
  });
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
    if (next.next !== 'retry')
      return new langgraph.Command({ goto: nodes[next.next], update: { retryCount: 0 } });
    await waited(next.delayMs, config?.signal);
    return new langgraph.Command({ goto: next.capability, update: { retryCount: next.attempt } });
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
