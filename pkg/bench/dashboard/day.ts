// An agent's day as lines of JSON: what policies under load tell, one event after the other, from a seed.
//
// Forty calls run at once. One attempt in eight fails and is retried, so a call has five events or so; the fields are
// those that the package writes, and so is their order.

const AT_ONCE = 40;
const TARGETS = [
  { policy: 'openai', provider: 'openai', model: 'gpt-5-mini' },
  { policy: 'anthropic', provider: 'anthropic', model: 'claude-sonnet-5' },
  { policy: 'search', provider: 'bing', model: undefined },
] as const;
const TASKS = ['plan the trip', 'summarize chapter 1', 'answer the customer', 'find sources', undefined];

/** A row of events without an end. */
export class Day {
  readonly #source: string;
  readonly #step: number;
  readonly #calls: Iterator<Record<string, unknown>>[];
  #time: number;
  #seq = 0;
  #random: number;
  #slot = 0;
  #started = 0;

  /** Begins at `start` (wall time, milliseconds), with `perSecond` events a second. */
  constructor(start: number, perSecond: number, seed = 1) {
    this.#time = start;
    this.#step = 1_000 / perSecond;
    this.#random = seed;
    this.#source = `b3nch${seed.toString(16).padStart(11, '0')}`;
    this.#calls = Array.from({ length: AT_ONCE }, () => this.#call());
  }

  /** The next events, one a line, with a line break behind each. */
  lines(count: number): string {
    let text = '';
    for (let made = 0; made < count; made += 1) text += `${this.#next()}\n`;
    return text;
  }

  #next(): string {
    this.#slot = (this.#slot + 1) % AT_ONCE;
    this.#time += this.#step;
    let result = this.#calls[this.#slot]?.next();
    if (result === undefined || result.done) {
      const fresh = this.#call();
      this.#calls[this.#slot] = fresh;
      result = fresh.next();
    }
    const { policy, call, ...rest } = result.value;
    this.#seq += 1;
    const time = Math.round(this.#time * 10) / 10;
    return JSON.stringify({ v: 1, source: this.#source, seq: this.#seq, time, policy, call, ...rest });
  }

  *#call(): Generator<Record<string, unknown>> {
    const target = TARGETS[this.#draw(TARGETS.length)] ?? TARGETS[0];
    const { policy, provider, model } = target;
    this.#started += 1;
    const head = { policy, call: `${this.#source.slice(0, 8)}-${this.#started.toString(36)}` };
    const began = this.#time;
    yield { ...head, type: 'call.started', task: TASKS[this.#draw(TASKS.length)] };
    for (let attempt = 1; ; attempt += 1) {
      const from = this.#time;
      yield { ...head, type: 'attempt.started', attempt, provider, model, generation: 1 };
      const durationMs = Math.round((this.#time - from) * 10) / 10;
      if (this.#draw(8) > 0) {
        const usage = { inputTokens: 200 + this.#draw(4_000), outputTokens: this.#draw(900) };
        yield { ...head, type: 'attempt.succeeded', attempt, durationMs, usage };
        yield { ...head, type: 'call.succeeded', attempts: attempt, durationMs: this.#time - began };
        return;
      }
      const failure = {
        code: 'RATE_LIMITED',
        severity: 'retriable',
        retryable: true,
        rule: 'http.429.rate_limit',
        technicalDetails: `HTTP 429 · requests · RateLimitError · ${provider} ${model ?? ''} · rule http.429.rate_limit`,
        signals: { status: 429, type: 'requests', name: 'RateLimitError' },
        counted: true,
        statusCode: 429,
        requestId: `req_${(this.#seq * 7919).toString(36)}`,
      };
      yield { ...head, type: 'attempt.failed', attempt, durationMs, ...failure };
      if (attempt === 3) {
        const userMessage = 'The service is busy right now. Please try again in a few minutes.';
        const end = { attempts: attempt, durationMs: this.#time - began, code: failure.code };
        yield { ...head, type: 'call.failed', ...end, why: 'exhausted', userMessage };
        return;
      }
      const wait = { delayMs: 400, dueAt: this.#time + 400, minMs: 200, maxMs: 600, source: 'backoff' };
      yield { ...head, type: 'retry.scheduled', attempt: attempt + 1, ...wait, process: this.#source };
    }
  }

  /** A number below `most`, by mulberry32. */
  #draw(most: number): number {
    this.#random = (this.#random + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#random ^ (this.#random >>> 15), 1 | this.#random);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % most;
  }
}
