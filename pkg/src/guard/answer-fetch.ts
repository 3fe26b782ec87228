/** A `fetch` for clients of models: an attempt is the whole answer, and of a stream all until its end. */

import { isOneShot } from '../call/fetch.js';
import { type AttemptContext, modelTimes } from '../call/options.js';
import { described } from '../call/watched-body.js';
import { isControlFlow } from '../control-flow.js';
import { AgentError } from '../error/agent-error.js';
import { thrownBy } from '../error/ensure-ok.js';
import * as is from '../options.js';
import { Policy } from '../policy/policy.js';
import { EventReader, eventsOf } from './events.js';

/** The options of a guarded client. */
export interface GuardOptions {
  /**
   * Milliseconds to the first content of a stream; then the attempt fails with TIMEOUT. Default: the policy's `attemptMs`, and without one
   * a `stallTimeoutMs` that is given.
   */
  firstChunkTimeoutMs?: number | undefined;
  /**
   * Milliseconds between two events after the first content; then the attempt fails with TIMEOUT. `attemptMs` does not count from
   * there on. Default: 120000.
   */
  stallTimeoutMs?: number | undefined;
}

export const guardShape: is.Shape = { firstChunkTimeoutMs: is.span, stallTimeoutMs: is.span };

/**
 * Returns a `fetch` under the policy, for clients of models that take one. `policy.fetch` is over with the headers; here an
 * attempt ends with the body. JSON is read whole, so that a body that is cut off is retried. A stream of events is held back
 * until its first content, so that an error which the provider reports in it is retried, and nothing is repeated; if it breaks
 * off later, reading it rejects with the AgentError. Other bodies are passed on as they come.
 *
 * Like `fetch`, it resolves with the last response, whatever its status, so that the client makes its own error of it. Without
 * one it rejects with the signal's reason, or a TypeError whose cause is the AgentError. The policy's fallback does not apply.
 * A request whose body streams is not repeated.
 *
 * @param options - Milliseconds to the first content of a stream (default: `attemptMs`) and between its events (default: 120000).
 * @param send - The `fetch` that sends. Default: the global one.
 * @throws TypeError for a wrong option or something that is no policy.
 *
 * @example
 * ```ts
 * const provider = createOpenAI({ apiKey, fetch: answerFetch(policy) });
 * ```
 */
export function answerFetch(
  policy: Policy<unknown>,
  options?: GuardOptions,
  send?: typeof fetch,
): typeof fetch {
  if (!(policy instanceof Policy)) throw is.misuse('policy', 'a Policy', policy);
  const read = modelTimes(is.readOptions<GuardOptions>(guardShape, options, 'answerFetch'));
  return (input, init) => new Exchange(policy, input, init, send ?? globalThis.fetch).start(read);
}

/** One request with its attempts. */
class Exchange {
  private readonly policy: Policy<unknown>;
  private readonly input: string | URL | Request;
  private readonly init: RequestInit | undefined;
  private readonly send: typeof fetch;
  private readonly caller: AbortSignal | undefined;
  /** What the last attempt brought. */
  private response: Response | undefined = undefined;
  /** What the client gets where that was a failure, and the call has no other answer. */
  private failing: Response | undefined = undefined;

  constructor(
    policy: Policy<unknown>,
    input: string | URL | Request,
    init: RequestInit | undefined,
    send: typeof fetch,
  ) {
    this.policy = policy;
    this.input = input;
    this.init = init;
    this.send = send;
    this.caller = init?.signal ?? (input instanceof Request ? input.signal : undefined);
  }

  async start(options: GuardOptions): Promise<Response> {
    const chunks = this.policy.stream<Uint8Array>((context) => this.attempt(context), {
      ...options,
      signal: this.caller,
      ...(isOneShot(this.init?.body) && { retry: false }),
    });
    try {
      const first = await chunks.next();
      return withBody(this.response as Response, bodyOf(first, chunks));
    } catch (error) {
      if (isControlFlow(error)) throw error;
      if (this.caller?.aborted) throw this.caller.reason;
      // A refused retry is the error of the call; the response is that of the attempt before.
      const isLast = AgentError.is(error) && error.code === error.errors.at(-1)?.code;
      if (this.failing !== undefined && isLast) return this.failing;
      throw new TypeError('fetch failed', { cause: error });
    }
  }

  private async *attempt(context: AttemptContext): AsyncGenerator<Uint8Array, void> {
    this.failing?.body?.cancel().catch(() => {});
    this.failing = undefined;
    const target = this.input instanceof Request ? this.input.clone() : this.input;
    const { send } = this;
    const response = await send(target, { ...this.init, signal: context.signal });
    context.observe({ headers: response.headers });
    if (!response.ok) {
      // The copy is read for the reason; the client gets the other one whole.
      const thrown = await thrownBy(response.clone());
      this.failing = response;
      throw thrown;
    }
    this.response = response;
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null) return;
    if (/event-stream/.test(type)) yield* this.events(response, response.body);
    else if (/[/+]json\b/.test(type)) yield await whole(response, context);
    else yield* bytesOf(response.body);
  }

  /** Events from the first content on, the preamble with it. */
  private async *events(response: Response, body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
    const encoder = new TextEncoder();
    const reader = new EventReader();
    let held = '';
    let hasBegun = false;
    for await (const event of eventsOf(body)) {
      const meaning = reader.read(event);
      held += event;
      if (typeof meaning === 'object') {
        // Before any content the client reads the error itself; after it, what it reads is not the whole.
        if (!hasBegun) this.failing = withBody(response, held);
        throw meaning.error;
      }
      if (meaning === 'preamble' && !hasBegun) continue;
      hasBegun = true;
      yield encoder.encode(held);
      held = '';
    }
    const fault = reader.end();
    if (fault !== undefined) throw fault;
    if (held !== '') yield encoder.encode(held);
  }
}

/** A body of JSON. One that was cut off is not JSON, and throws. */
async function whole(response: Response, context: AttemptContext): Promise<Uint8Array> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const usage = text === '' ? undefined : usageOf(JSON.parse(text));
  if (usage !== undefined) context.observe({ usage });
  return bytes;
}

/** The tokens that OpenAI's, Anthropic's and Google's answers count. */
function usageOf(answer: unknown): { inputTokens?: number; outputTokens?: number } | undefined {
  const { usage, usageMetadata } = (answer ?? {}) as Record<string, Record<string, number> | undefined>;
  const counts = usage ?? usageMetadata;
  if (typeof counts !== 'object' || counts === null) return undefined;
  const inputTokens = counts.input_tokens ?? counts.prompt_tokens ?? counts.promptTokenCount;
  const outputTokens = counts.output_tokens ?? counts.completion_tokens ?? counts.candidatesTokenCount;
  return {
    ...(inputTokens !== undefined && { inputTokens }),
    ...(outputTokens !== undefined && { outputTokens }),
  };
}

async function* bytesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader();
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The same response with another body. */
function withBody(response: Response, body: BodyInit | null): Response {
  const { status, headers } = response;
  const hasNone = status === 204 || status === 205 || status === 304;
  return described(new Response(hasNone ? null : body, { status, headers }), response);
}

function bodyOf(
  first: IteratorResult<Uint8Array>,
  rest: AsyncIterator<Uint8Array | symbol>,
): ReadableStream<Uint8Array> | null {
  if (first.done === true) return null;
  let pending: Uint8Array | undefined = first.value;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const chunk = pending;
        pending = undefined;
        if (chunk !== undefined) return controller.enqueue(chunk);
        const { done, value } = await rest.next();
        if (done === true) controller.close();
        else controller.enqueue(value as Uint8Array);
      },
      async cancel() {
        await rest.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
