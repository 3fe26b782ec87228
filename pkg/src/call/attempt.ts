/** One run of an operation: its signal, made when somebody reads it, and its timeout. */

import type { Timer } from '../clock.js';
import type { AgentError } from '../error/agent-error.js';
import { responseIdOf } from '../response/id.js';
import type { AttemptContext } from './options.js';
import type { Ending } from './state.js';

/** What an answer said about its use of tokens. */
export interface Usage {
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}

/** What is known of an attempt beside its end. */
interface Facts {
  usage: Usage | undefined;
  /** Of a stream: until its first chunk, in milliseconds. */
  firstChunkMs: number | undefined;
  received: readonly unknown[] | undefined;
  /** The value is a stream result that nobody has read under the policy. */
  unreadStream: boolean;
  /** The provider's id of its answer. */
  responseId: string | undefined;
}

/** The context an operation gets, and what the call keeps of the attempt. */
export class Attempt implements AttemptContext {
  readonly attempt: number;
  /** @internal */ readonly call: Ending<unknown>;
  /** @internal On the policy's clock, where it was read. */ readonly startedAt: number;
  /** @internal */ timer: Timer | undefined;
  /** @internal Of a stream: for the next chunk. */ watch: Timer | undefined;
  private more: Facts | undefined;
  private controller: AbortController | undefined;
  private abortedWith: unknown;

  constructor(call: Ending<unknown>, attempt: number, startedAt: number) {
    this.attempt = attempt;
    this.call = call;
    this.startedAt = startedAt;
    this.timer = undefined;
    this.watch = undefined;
    this.more = undefined;
    this.controller = undefined;
    this.abortedWith = undefined;
  }

  /** @internal */
  get facts(): Facts {
    this.more ??= {
      usage: undefined,
      firstChunkMs: undefined,
      received: undefined,
      unreadStream: false,
      responseId: undefined,
    };
    return this.more;
  }

  /** @internal The facts, where there are any. */
  get known(): Readonly<Facts> | undefined {
    return this.more;
  }

  /** @internal The chunks that a stream has delivered, for `onBreak: 'resume'`. */
  get received(): readonly unknown[] | undefined {
    return this.more?.received;
  }

  get lastError(): AgentError | undefined {
    return this.call.lastFailure?.error;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.abortedWith !== undefined) this.controller.abort(this.abortedWith);
    }
    return this.controller.signal;
  }

  get remainingMs(): number {
    return this.call.remainingMs;
  }

  get callId(): string {
    return this.call.id;
  }

  observe(facts: { headers?: unknown; usage?: Usage | undefined }): void {
    if (typeof facts !== 'object' || facts === null)
      throw new TypeError('halfopen: observe expects an object');
    let headers: unknown;
    let usage: unknown;
    try {
      ({ headers, usage } = facts);
    } catch {
      return; // A getter that throws: nothing is known.
    }
    if (usage !== undefined) this.facts.usage = usageOf(usage);
    if (headers !== undefined) this.call.observeLimits(headers);
  }

  /** @internal What came may be a provider's answer, or a chunk of one: `attempt.succeeded` carries its id. */
  answered(value: unknown): void {
    const id = this.more?.responseId === undefined ? responseIdOf(value) : undefined;
    if (id !== undefined) this.facts.responseId = id;
  }

  /** @internal Whoever listens to the signal is told; the attempt's end for itself does not need this. */
  abort(reason: unknown): void {
    this.abortedWith = reason;
    this.controller?.abort(reason);
  }

  /** @internal The chunk is there. */
  unwatch(): void {
    this.watch?.cancel();
    this.watch = undefined;
  }

  /** @internal The attempt is over: nothing of it is left behind. */
  end(): void {
    this.timer?.cancel();
    this.timer = undefined;
    if (this.watch !== undefined) this.unwatch();
  }
}

/** The counts alone, whatever else the object has, or throws. */
function usageOf(usage: unknown): Usage {
  const read: Usage = {};
  for (const name of ['inputTokens', 'outputTokens'] as const) {
    try {
      const count = (usage as Usage | null)?.[name];
      if (typeof count === 'number' && count >= 0 && count < Number.POSITIVE_INFINITY) read[name] = count;
    } catch {
      // A getter that throws.
    }
  }
  return read;
}
