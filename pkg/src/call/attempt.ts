/** One run of an operation: its signal, made when somebody reads it, its timers, and what is known of it. */

import type { Timer } from '../clock.js';
import type { AgentError } from '../error/agent-error.js';
import type { Failure } from '../error/failure.js';
import type { AttemptFacts } from '../event/observed-call.js';
import { headersOf } from '../event/rate-limit-headers.js';
import { responseFactsIn } from '../event/response-facts.js';
import { givenUsage, type Usage, usageIn } from '../event/usage.js';
import type { AttemptContext } from './options.js';
import { noteSignal, type Parent, release } from './parents.js';

/** The call, as its attempt uses it. */
export interface AttemptOwner {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly remainingMs: number;
  readonly lastFailure: Failure | undefined;
  /** Reads the provider's limits in a response's headers, which the operation has handed over. */
  observeLimits(headers: unknown): void;
  /** Emits the limits in headers that no method was called with. They do not count for a rate limit. */
  showLimits(headers: object): void;
}

const NO_CHUNKS: readonly unknown[] = /* @__PURE__ */ Object.freeze([]);

/** The context that an operation gets, and what the call keeps of the attempt. */
export class Attempt implements AttemptContext {
  readonly attempt: number;
  /** @internal On the policy's clock; NaN if the time is not needed. */ startedAt: number;
  /** @internal What its events say beside its outcome. */ facts: AttemptFacts | undefined;
  /** @internal Bounds the attempt. */ timer: Timer | undefined;
  /** @internal Of a stream: bounds the wait for the next chunk. */ chunkTimer: Timer | undefined;
  /** @internal The surroundings of the calls that its operation makes, if they are kept. */ place:
    | Parent
    | undefined;
  /** @internal Of a stream: tools of the application run, so that it is not the source that is silent. */
  runsTools: boolean;
  /** Of a stream with `onBreak: 'resume'`: the chunks that were delivered before this attempt. */
  received: readonly unknown[];
  private readonly owner: AttemptOwner;
  private controller: AbortController | undefined;
  private abortReason: unknown;
  /** Tokens that the operation itself has observed are not read from its result again. */
  private usageIsGiven: boolean;
  private limitsAreKnown: boolean;

  constructor(owner: AttemptOwner, attempt: number, startedAt: number) {
    this.attempt = attempt;
    this.startedAt = startedAt;
    this.facts = undefined;
    this.timer = undefined;
    this.chunkTimer = undefined;
    this.place = undefined;
    this.runsTools = false;
    this.received = NO_CHUNKS;
    this.owner = owner;
    this.controller = undefined;
    this.abortReason = undefined;
    this.usageIsGiven = false;
    this.limitsAreKnown = false;
  }

  get lastError(): AgentError | undefined {
    return this.owner.lastFailure?.error;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.abortReason !== undefined) this.controller.abort(this.abortReason);
      if (this.place !== undefined) noteSignal(this.controller.signal, this.place);
    }
    return this.controller.signal;
  }

  get remainingMs(): number {
    return this.owner.remainingMs;
  }

  get callId(): string {
    return this.owner.id;
  }

  get idempotencyKey(): string {
    return this.owner.idempotencyKey;
  }

  /** A function of this attempt's own, so that `({ observe }) => …` may take it out of the context. */
  get observe(): AttemptContext['observe'] {
    return (facts) => this.handedOver(facts);
  }

  private handedOver(facts: { headers?: unknown; usage?: Usage | undefined }): void {
    if (typeof facts !== 'object' || facts === null)
      throw new TypeError('halfopen: observe expects an object');
    let headers: unknown;
    let usage: unknown;
    try {
      ({ headers, usage } = facts);
    } catch {
      return; // A getter that throws: nothing is known.
    }
    if (usage !== undefined) {
      this.usageIsGiven = true;
      const given = givenUsage(usage);
      this.know({ usage: this.named(given, given.model) });
    }
    if (headers !== undefined) {
      this.limitsAreKnown = true;
      this.owner.observeLimits(headers);
    }
  }

  /** @internal Adds to what the attempt's events say. */
  know(facts: AttemptFacts): void {
    this.facts = { ...this.facts, ...facts };
  }

  /**
   * @internal A value may be a provider's response, a chunk of one, or its error: the attempt's events carry the id and
   * the tokens, and its limits are shown.
   */
  noteResponse(value: unknown): void {
    // To read a property of a stream's result would begin the stream.
    if (this.facts?.unreadStream === true) return;
    const { responseId, responseModel, finishReasons } = responseFactsIn(value);
    // The first chunk with the id or the model is as good as any other; the reason of the end is in the last.
    if (responseId !== undefined && this.facts?.responseId === undefined) this.know({ responseId });
    if (responseModel !== undefined && this.facts?.responseModel === undefined) this.know({ responseModel });
    if (finishReasons !== undefined) this.know({ finishReasons });
    if (!this.usageIsGiven) {
      const usage = usageIn(value, this.facts?.usage);
      if (usage !== undefined) this.know({ usage: this.named(usage, this.facts?.responseModel) });
    }
    this.noteLimits(value);
  }

  /** With the names of the model and the provider, as far as they are known: prices depend on them. */
  private named(usage: Usage, known: string | undefined): Usage {
    const { owner } = this;
    const model = known ?? owner.model;
    const provider = usage.provider ?? owner.provider;
    if (model !== undefined) usage.model = model;
    if (provider !== undefined) usage.provider = provider;
    return usage;
  }

  private noteLimits(value: unknown): void {
    if (this.limitsAreKnown) return;
    const headers = headersOf(value);
    if (headers === undefined) return;
    this.limitsAreKnown = true;
    this.owner.showLimits(headers);
  }

  /** @internal Aborts the attempt's signal, also one that is read later. The attempt's end alone does not abort it. */
  abort(reason: unknown): void {
    this.abortReason = reason;
    this.controller?.abort(reason);
  }

  /** @internal Nothing bounds the attempt as a whole any more. */
  clearTimer(): void {
    this.timer?.cancel();
    this.timer = undefined;
  }

  /** @internal The chunk has come. */
  clearChunkTimer(): void {
    this.chunkTimer?.cancel();
    this.chunkTimer = undefined;
  }

  /** @internal The attempt is over: no timer of it is left behind, and it holds no slot. */
  end(): void {
    if (this.place !== undefined) release(this.place);
    if (this.timer !== undefined) this.clearTimer();
    if (this.chunkTimer !== undefined) this.clearChunkTimer();
  }
}

/** Notes an answer or a chunk that the call itself does not see, as its operation reads it from a body or holds it back. */
export function noteAnswer(context: AttemptContext, answer: unknown): void {
  if (context instanceof Attempt) context.noteResponse(answer);
}
