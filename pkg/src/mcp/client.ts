/** Clients of the MCP TypeScript SDK, versions 1 and 2, under a policy. */

import { listen, unlisten } from '../call/abort-listeners.js';
import { Call } from '../call/call.js';
import { joinedSignal } from '../call/joined-signal.js';
import type { AttemptContext } from '../call/options.js';
import { AgentError, cancellation } from '../error/agent-error.js';
import { randomUuid } from '../event/events.js';
import * as is from '../options.js';
import type { Policies } from '../policy/policies.js';
import { Policy } from '../policy/policy.js';
import { deferred } from '../promises.js';
import { refusalOf as refusalByRun, reported, run as runKind } from '../run/around.js';
import type { Run } from '../run/types.js';
import { cutContent, outputShape, type ToolOutputOptions } from '../tool/output.js';
import { type OnceTools, onceByTool, onceKind } from './once.js';
import { isUnknownTool, refusalIn, refusalOf, unknownTool } from './refusal.js';

/** The server's tools as a guarded client knows them, and the bound of their output. */
export interface GuardClientOptions extends ToolOutputOptions {
  /**
   * Whether a tool may run twice, by its name. One that may not is not called again where its first call may have been carried
   * out: after a timeout, a lost connection, an internal error. Default: what the server says by `readOnlyHint` and `idempotentHint`, as far as `listTools` was called; else no.
   */
  idempotent?: ((tool: string) => boolean) | undefined;
  /**
   * The run that the tools are called in (`createRun`). A call that it refuses does not reach the server: its result has
   * `isError` and the text for the model. Once the run has stopped, calls reject with its error. Default: no run.
   */
  run?: Run | undefined;
  /**
   * Tools that may not run twice act once, across retries, plans and processes (`halfopen/once`): a later call with the same
   * arguments gets the kept result. The tools are listed before the first call, unless `idempotent` is set. A server with more
   * than 10 pages of tools needs it: else calls reject with CONFIG_ERROR. Arguments that the server refuses, and tools that it
   * does not have, surely did not act; after any other failure it is not known whether the tool acted. Default: no ledger.
   */
  once?: OnceTools | undefined;
}

/** A result of a tool's call. */
interface CallResult {
  readonly isError?: boolean;
  readonly content?: readonly { readonly text?: string }[];
}

/** A call of a tool. */
interface NamedTool {
  readonly name: string;
  readonly arguments?: Record<string, unknown>;
}

interface ListedTools {
  readonly nextCursor?: string | undefined;
  readonly tools: readonly {
    readonly name: string;
    readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean };
  }[];
}

/** Pages of a list of tools. */
const MOST_PAGES = 10;

type Method = (...args: unknown[]) => Promise<unknown>;

/** A client of the SDK, as far as it is called here. */
export interface McpClient {
  /** Calls a tool of the server. */
  // biome-ignore lint/suspicious/noExplicitAny: both versions of the SDK fit.
  callTool(params: any, ...rest: any[]): Promise<any>;
  /** Lists the server's tools, with the annotations that say which may be repeated. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  listTools(params?: any, options?: any): Promise<any>;
}

/** Requests that may be repeated, and which of their arguments are the options. */
const READS: Readonly<Record<string, number>> = {
  ping: 0,
  listTools: 1,
  listPrompts: 1,
  getPrompt: 1,
  listResources: 1,
  listResourceTemplates: 1,
  readResource: 1,
  complete: 1,
};

/**
 * Returns the same client with its requests under a policy, or under one each by the tool's name (`createPolicies`). A result with
 * `isError` is a failure, and so is a tool that the server does not have (NOT_FOUND), a transport that closed (NETWORK_ERROR)
 * and a request that took too long (TIMEOUT): each rejects with the AgentError once the policy has given up. The attempt's
 * signal cancels the request at the server too.
 *
 * A tool may have run although its answer was lost: only tools that may run twice are called again then.
 *
 * The message of an error is for the model. A tool that the server does not have is answered with the names of those that it
 * has, arguments that do not fit with the places and what was expected there. Of a result whose texts have more than `maxOutput`
 * (50000) characters, head and tail remain; `structuredContent`, which is for programs, stays as it is.
 *
 * Works with `Client` of `@modelcontextprotocol/sdk` (1) and `@modelcontextprotocol/client` (2). The policy's fallback does not
 * apply. The SDK's own timeout of 60 seconds bounds each attempt.
 *
 * @param options - Which tools may run twice, bounds on their output, and the run that they are called in.
 * @throws TypeError for anything but such a client, policies and right options.
 *
 * @example
 * ```ts
 * const tools = guardClient(client, policy);
 * const { content } = await tools.callTool({ name: 'weather', arguments: { city: 'Paris' } });
 * ```
 */
export function guardClient<C extends McpClient>(
  client: C,
  policy: Policy<unknown> | Policies<unknown>,
  options?: GuardClientOptions,
): C {
  if (!isMcpClient(client)) throw is.misuse('client', 'a Client of the MCP SDK', client);
  const read = is.readOptions<{ policy: typeof policy } & GuardClientOptions>(
    {
      policy: is.either(
        is.instance('a Policy', Policy as never),
        is.duck('policies by name (createPolicies)', 'get'),
      ),
      idempotent: is.syncCallback,
      run: runKind,
      once: onceKind,
      ...outputShape,
    },
    { policy, ...options },
    'guardClient',
  );
  const guarded = new GuardedClient(client, read);
  return new Proxy(client, {
    get: (target, name) => guarded.method(name) ?? bound(target, name),
    // Setters of a class's private state need the client itself.
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
}

/** Returns `true` if it looks like a client of the MCP SDK. */
export function isMcpClient(client: object): client is McpClient {
  const { callTool, listTools } = (client ?? {}) as Partial<McpClient>;
  return typeof callTool === 'function' && typeof listTools === 'function';
}

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name, target);
  return typeof value === 'function' ? value.bind(target) : value;
}

class GuardedClient {
  private readonly client: McpClient;
  private readonly policy: Policy<unknown> | Policies<unknown>;
  private readonly mayRepeat: (tool: string) => boolean;
  private readonly bounds: ToolOutputOptions;
  private readonly run: Run | undefined;
  private readonly once: ReturnType<typeof onceByTool> | undefined;
  /** `true` if the server's hints decide which tools may run twice. */
  private readonly usesHints: boolean;
  /** Tools that the server says may run twice. */
  private readonly repeatable = new Set<string>();
  /** The names of its tools, as far as they were listed. */
  private names: readonly string[] = [];
  /** Where the pages begin that were not listed; `undefined` once all were. */
  private rest: { readonly cursor?: string } | undefined = {};
  /** How many pages were listed. */
  private pages = 0;
  /** The listing that calls at the same time wait for. */
  private listing: Promise<unknown> | undefined;
  /** Where `callTool` takes its options: version 1 has a schema before them. */
  private readonly optionsAt: number;

  constructor(
    client: McpClient,
    {
      policy,
      idempotent,
      run,
      once,
      ...bounds
    }: { policy: Policy<unknown> | Policies<unknown> } & GuardClientOptions,
  ) {
    this.bounds = bounds;
    this.run = run;
    this.client = client;
    this.policy = policy;
    this.usesHints = idempotent === undefined;
    this.mayRepeat = idempotent ?? ((tool) => this.repeatable.has(tool));
    this.once = once && onceByTool(once);
    this.optionsAt = 'getProtocolEra' in client ? 1 : 2;
  }

  /** The guarded method of that name, if it has one. */
  method(name: string | symbol): Method | undefined {
    if (name === 'callTool') return (...args) => this.callTool(args);
    const at = typeof name === 'string' && Object.hasOwn(READS, name) ? READS[name] : undefined;
    return at === undefined ? undefined : (...args) => this.read(name as string, args, at);
  }

  /** Async: what is wrong with the arguments rejects, as it does in the SDK. */
  private async callTool(args: unknown[]): Promise<unknown> {
    const { run } = this;
    if (run === undefined) return this.toolCall(args);
    const { name, arguments: given } = args[0] as NamedTool;
    const call = { id: randomUuid(), name, arguments: given };
    const refusal = refusalByRun(run, call);
    if (refusal !== undefined) return { content: [{ type: 'text', text: refusal }], isError: true };
    return reported(
      run,
      call,
      run.within(() => this.toolCall(args)),
      (result) => ({ result: contentOf(result as object) }),
    );
  }

  private async toolCall(args: unknown[]): Promise<unknown> {
    const { name, arguments: given = {} } = args[0] as NamedTool;
    if (this.once === undefined) return this.sendCall(args, name);
    // A tool that only reads must not be taken for one that acts: it would return what is kept.
    if (this.usesHints && !this.mayRepeat(name))
      await this.listed(name, args[this.optionsAt] as { signal?: AbortSignal } | undefined);
    if (this.mayRepeat(name)) return this.sendCall(args, name);
    return this.once(name, given, (signal) => this.sendCall(args, name, signal));
  }

  private async sendCall(args: unknown[], name: string, lost?: AbortSignal): Promise<object> {
    const call = async (context: AttemptContext) => {
      try {
        const result = await this.send('callTool', args, this.optionsAt, context).catch((thrown) => {
          throw refusalOf(thrown) ?? thrown;
        });
        toolSucceeded(result as object);
        return result;
      } catch (error) {
        if (!isUnknownTool(error)) throw error;
        const names = await this.namesOfTools(context);
        throw names.length === 0 || names.includes(name) ? error : unknownTool(name, names, error);
      }
    };
    const given = args[this.optionsAt] as { signal?: AbortSignal } | undefined;
    const options = lost === undefined ? given : { ...given, signal: joinedSignal(given?.signal, lost) };
    const result = (await this.guarded(name, options, call, this.mayRepeat(name))) as CallResult;
    const content = await cutContent(result.content, name, this.bounds);
    return content === undefined ? result : { ...result, content };
  }

  /** The names that the server has: as they were listed, or as it lists them now. */
  private async namesOfTools(context: AttemptContext): Promise<readonly string[]> {
    try {
      await this.listRest(context);
    } catch {
      // The call has failed already; the names are only of help.
    }
    return this.names;
  }

  /**
   * Lists the tools before a call of one whose hints are not known. Calls at the same time share one listing, so no call's signal
   * ends it.
   *
   * @throws CONFIG_ERROR if the tool may be on a page that is not listed.
   */
  private async listed(name: string, { signal }: { signal?: AbortSignal } = {}): Promise<void> {
    if (this.names.includes(name)) return;
    if (this.rest !== undefined && this.pages < MOST_PAGES) {
      this.listing ??= this.guarded(
        'listTools',
        undefined,
        (context) => this.listRest(context),
        true,
      ).finally(() => {
        this.listing = undefined;
      });
      await unlessAborted(this.listing, signal);
    }
    if (this.rest === undefined || this.names.includes(name)) return;
    throw new AgentError(
      'CONFIG_ERROR',
      `The server lists more than ${MOST_PAGES} pages of tools, so it is not known whether ${name} may run twice. Set the option 'idempotent' of guardClient`,
    );
  }

  /** Lists the pages that the application has not listed, up to a number. */
  private async listRest(context: AttemptContext): Promise<void> {
    while (this.rest !== undefined && this.pages < MOST_PAGES) {
      const { cursor } = this.rest;
      const params = cursor === undefined ? undefined : { cursor };
      this.note((await this.send('listTools', [params], 1, context)) as ListedTools, cursor !== undefined);
    }
  }

  private async read(method: string, args: unknown[], at: number): Promise<unknown> {
    const result = await this.guarded(
      method,
      args[at],
      (context) => this.send(method, args, at, context),
      true,
    );
    const isNext = (args[0] as { cursor?: unknown } | undefined)?.cursor !== undefined;
    if (method === 'listTools') this.note(result as ListedTools, isNext);
    return result;
  }

  private note({ tools, nextCursor }: ListedTools, isNextPage: boolean): void {
    this.rest = nextCursor === undefined ? undefined : { cursor: nextCursor };
    this.pages = isNextPage ? this.pages + 1 : 1;
    const before = isNextPage ? this.names : [];
    this.names = [...new Set([...before, ...tools.map(({ name }) => name)])];
    for (const { name, annotations } of tools) {
      const { readOnlyHint, idempotentHint } = annotations ?? {};
      if (readOnlyHint === true || idempotentHint === true) this.repeatable.add(name);
      else this.repeatable.delete(name);
    }
  }

  private guarded(
    task: string,
    options: unknown,
    operation: (context: AttemptContext) => Promise<unknown>,
    idempotent: boolean,
  ): Promise<unknown> {
    const { signal } = (options ?? {}) as { signal?: AbortSignal };
    const policy = this.policy instanceof Policy ? this.policy : this.policy.get(task);
    return new Call<unknown>(
      policy.host,
      operation,
      { task, ...(signal !== undefined && { signal }), ...(!idempotent && { idempotent }) },
      { refusesFallback: true },
    ).start();
  }

  private send(method: string, args: unknown[], at: number, context: AttemptContext): Promise<unknown> {
    const sent = [...args];
    while (sent.length < at) sent.push(undefined);
    sent[at] = { ...(args[at] as object | undefined), signal: context.signal };
    return (this.client as unknown as Record<string, Method>)[method]?.(...sent) as Promise<unknown>;
  }
}

/** The promise's result, or the abort if that comes first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = deferred<never>();
  const listener = { handleEvent: () => reject(cancellation(signal.reason)) };
  if (signal.aborted) listener.handleEvent();
  else listen(signal, listener);
  return Promise.race([promise, aborted]).finally(() => unlisten(signal, listener));
}

/** The part of a result that is compared: `_meta` changes from one to the next. */
function contentOf({ content, structuredContent }: { content?: unknown; structuredContent?: unknown }) {
  return structuredContent === undefined ? { content } : { content, structuredContent };
}

/**
 * Throws what a tool's result with `isError` says, as the AgentError that it means; NOT_FOUND for a tool that the server does
 * not have. For `validate` of a policy's call, where {@link guardClient} does not fit.
 *
 * @throws AgentError for a result with `isError`.
 *
 * @example
 * ```ts
 * const result = await policy.execute(({ signal }) => call(signal), { validate: toolSucceeded });
 * ```
 */
export function toolSucceeded(result: object): void {
  const { isError, content = [] } = result as CallResult;
  if (isError !== true) return;
  const text = content.map((part) => part.text ?? '').join('\n');
  throw refusalIn(text) ?? AgentError.from(new Error(text), { layer: 'tool' });
}
