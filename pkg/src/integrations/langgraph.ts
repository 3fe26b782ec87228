/** `halfopen/langgraph`: nodes that recover by `route`, and the error step, for LangGraph's graphs. */

import type { Command, Send } from '@langchain/langgraph';
import * as langgraph from '@langchain/langgraph';
import { sleep, timeOf } from '../clock.js';
import { isControlFlow } from '../control-flow.js';
import { expectHost } from '../hosts.js';
import * as is from '../options.js';
import type { ErrorInfo } from '../recovery/error-info.js';
import { ErrorNode, type ErrorNodeOptions } from '../recovery/error-node.js';
import { route } from '../recovery/route.js';

/** The part of the graph's state that the nodes write. */
export interface RecoveryState {
  /** The last failure, and its node. */
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

/** A node or several: names, or what LangGraph's `Command` takes as `goto`. */
type Goto = string | Send | readonly (string | Send)[];

/** Where a node leads. */
export interface RecoverableOptions<S = RecoveryState, R = unknown> {
  /**
   * The node that follows a success, or a function that chooses it by the node's update. Needed unless the node returns a
   * `Command`, a `Send` or a list with commands itself. It takes the place of an edge: an edge leads on after a failure too.
   */
  next?: Goto | ((update: R, state: S) => Goto) | undefined;
  /** The node that recovers. Default: `'recover'`. */
  to?: string | undefined;
  /** The graph's own retries of this node; see `route`. Default: as `route` has them. */
  retryPolicy?: ErrorInfo['retryPolicy'];
}

/** A node of a graph. */
type GraphNode<S, R> = (state: S, config?: unknown) => R | PromiseLike<R>;

/**
 * Wraps a node: what it throws is kept in the state with the node's name, and the graph goes to `recover`. When the node has
 * succeeded, the graph goes to `next`, and `errorInfo` and `retryCount` are cleared. Interrupts and other control flow pass. A
 * policy inside of such a node should have `retry: false`, or the node a `retryPolicy` with `maxAttempts: 0`.
 *
 * Add no edge from such a node: LangGraph follows an edge beside the way to `recover`, so that the next node runs without what
 * this one should have brought. Name both ways in `ends`.
 *
 * @param name - The node's own name, to come back to.
 * @param options - Where a success and a failure lead, and how often the node is tried again.
 * @throws TypeError at once for a wrong argument. The node rejects with a TypeError where it has succeeded and nothing says what
 * follows.
 *
 * @example
 * ```ts
 * graph.addNode('search', recoverable('search', search, { next: 'answer' }), { ends: ['answer', 'recover'] });
 * ```
 */
export function recoverable<S extends RecoveryState, R>(
  name: string,
  node: GraphNode<S, R>,
  options?: RecoverableOptions<S, Exclude<R, Command | Send | readonly unknown[]>>,
): (state: S, config?: unknown) => Promise<Command> {
  is.expectFunction(node, 'recoverable');
  const {
    to = 'recover',
    next,
    retryPolicy,
  } = is.readOptions<RecoverableOptions<S, unknown>>(
    {
      to: is.filledText,
      next: is.kind(
        'the name of a node, a list of them, or a function',
        (value) => value !== null && ['string', 'function', 'object'].includes(typeof value),
      ),
      retryPolicy: is.kind('an object', (value) => typeof value === 'object'),
    },
    options,
    'recoverable',
  );
  expectLangGraph();
  const following = (update: unknown, state: S): Goto => {
    if (next !== undefined) return typeof next === 'function' ? next(update, state) : next;
    throw new TypeError(
      `halfopen: recoverable('${name}') does not know what follows: give it the option next, and the graph no edge from '${name}', which would lead on after a failure too`,
    );
  };
  return async (state, config) => {
    const failedBefore = state.errorInfo?.capabilityName === name;
    const cleared = failedBefore ? { errorInfo: undefined, retryCount: 0 } : {};
    let result: R;
    try {
      result = await node(state, config);
    } catch (thrown) {
      if (isControlFlow(thrown)) throw thrown;
      const errorInfo: ErrorInfo = { error: thrown, capabilityName: name };
      if (retryPolicy !== undefined) errorInfo.retryPolicy = retryPolicy;
      return new langgraph.Command({
        goto: to,
        update: { errorInfo, ...(!failedBefore && { retryCount: 0 }) },
      });
    }
    // LangGraph takes the updates and the ways of all commands of a list, and what else is in it for updates; it refuses a list
    // without a command.
    if (Array.isArray(result))
      return (failedBefore && result.some(isCommand) ? [...result, cleared] : result) as unknown as Command;
    if (isNamed(result, 'Send')) return new langgraph.Command({ goto: result as Send, update: cleared });
    if (!isCommand(result))
      return new langgraph.Command({
        goto: following(result, state) as string,
        update: { ...result, ...cleared },
      });
    // The update of a command to a parent graph is that graph's.
    return failedBefore && result.graph === undefined ? updatedBy(result, cleared) : result;
  };
}

/** Checks that LangGraph has what the nodes use. */
function expectLangGraph(): void {
  expectHost('halfopen/langgraph', '@langchain/langgraph', '1', {
    Annotation: langgraph.Annotation,
    Command: langgraph.Command,
  });
}

function isCommand(value: unknown): value is Command {
  return isNamed(value, 'Command');
}

/** Returns `true` if a value is of a class of LangGraph, of any copy of it. */
function isNamed(value: unknown, name: string): boolean {
  return (value as { lg_name?: unknown } | null | undefined)?.lg_name === name;
}

/** The same command, with more in its update: an object, or pairs of names and values. */
function updatedBy({ update, goto, resume }: Command, more: Record<string, unknown>): Command {
  const all = Array.isArray(update) ? [...update, ...Object.entries(more)] : { ...update, ...more };
  return new langgraph.Command({ update: all, goto, ...(resume !== undefined && { resume }) } as never);
}

/** The graph's nodes for what cannot be tried again. */
export interface RecoveryNodeOptions {
  /** The node that plans again. Default: as `error`. */
  orchestrator?: string | undefined;
  /** The node that chooses again. Default: as `error`. */
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
    await sleep(timeOf(undefined), next.delayMs, config?.signal);
    return new langgraph.Command({ goto: next.capability, update: { retryCount: next.attempt } });
  };
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
