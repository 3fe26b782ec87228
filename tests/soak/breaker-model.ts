// A reference model of a breaker, written from its documentation. It follows the events of a policy and reports when
// the real breaker is in a state that the model is not in. Each counted unit (a call or an attempt) gets its permit
// when it begins, and its result is counted when it ends.
//
// The order of the events is the order in which the core decided. The model leaves open what the events do not show:
// how many failures were counted before an isolation that is lifted; and whether a probe's result counts if it came
// late, or in a history in which a clock jumps.
import assert from 'node:assert/strict';
import type { HalfopenEvent } from 'halfopen';

/** The default of `createPolicy`, which no history changes. */
export const PROBE_TIMEOUT_MS = 3000;

/** The breaker's options that the model needs; the defaults are those of `createPolicy`. */
export interface ModelOptions {
  /** The unit that the breaker counts: `breakerScope` of the policy. */
  scope: 'call' | 'attempt';
  failureThreshold?: number;
  window?: { size: number; failureRate: number; minimumCalls: number };
  resetTimeoutMs?: number;
  successThreshold?: number;
}

type State = 'closed' | 'open' | 'half_open' | 'isolated' | 'disabled';

export class BreakerModel {
  private state: State = 'closed';
  /** The state that must come next, because of the result that has just been counted. */
  private due: State | undefined;
  /** Each change begins a generation: what was admitted in an earlier one changes nothing. */
  private generation = 0;
  private readonly admitted = new Map<string, { generation: number; time: number }>();
  /** The results since it closed, oldest first, true for a failure; `undefined` where the model does not know them. */
  private results: boolean[] | undefined = [];
  private probesSucceeded = 0;
  private retryAt = 0;
  /** The wait that the failure just counted requested. */
  private hintMs: number | undefined;
  /** The call that has begun last: its next event says whether it was admitted. */
  private beginning: { call: string; time: number } | undefined;
  /** The last failure of each call: its result, if the call fails. */
  private readonly lastFailures = new Map<string, { counted: boolean; hintMs: number | undefined }>();
  private readonly options: ModelOptions;
  /** `true` if times can be compared: no clock has jumped. */
  private readonly isSteady: boolean;

  constructor(options: ModelOptions, isSteady: boolean) {
    this.options = options;
    this.isSteady = isSteady;
  }

  /** Takes the next event of the policy or its breaker. Throws where the real breaker did what the model does not. */
  take(event: HalfopenEvent): void {
    const countsCalls = this.options.scope === 'call';
    if (countsCalls && event.call !== this.beginning?.call) this.admitBeginning();
    if (event.type === 'breaker.changed') {
      // A call that fails changes the breaker before the event that says so.
      if (countsCalls && event.call !== undefined && this.beginning === undefined)
        this.callFailed(event.call, event.time);
      this.changed(event);
      return;
    }
    this.checkNothingDue();
    if (countsCalls) this.takeOfCalls(event);
    else this.takeOfAttempts(event);
  }

  /** Throws if the real breaker has left out a change. */
  checkNothingDue(): void {
    assert.equal(this.due, undefined, `the model is ${this.due}, the breaker stayed ${this.state}`);
  }

  private takeOfAttempts(event: HalfopenEvent): void {
    switch (event.type) {
      case 'attempt.started':
        this.started(nameOf(event), event.time);
        break;
      case 'attempt.succeeded':
        this.hintMs = undefined;
        this.ended(nameOf(event), event.time, false);
        break;
      case 'attempt.failed':
        this.hintMs = event.retryAfterMs;
        if (event.counted) this.ended(nameOf(event), event.time, true);
        else this.admitted.delete(nameOf(event));
        break;
      case 'call.rejected':
      case 'call.failed':
        if (event.code === 'CIRCUIT_OPEN') this.refused(event.time);
    }
  }

  private takeOfCalls(event: HalfopenEvent): void {
    const { call = '', time } = event;
    if (event.type === 'call.started') {
      this.beginning = { call, time };
      return;
    }
    if (event.type === 'call.rejected' && event.by === 'breaker') {
      this.beginning = undefined;
      this.refused(time);
      return;
    }
    // The policy is disposed, so the call ends before the breaker sees it.
    if (event.type === 'call.failed' && event.why === 'cancelled' && this.beginning) {
      this.beginning = undefined;
      return;
    }
    this.admitBeginning();
    switch (event.type) {
      case 'attempt.succeeded':
        this.hintMs = undefined;
        this.lastFailures.delete(call);
        this.ended(call, time, false);
        break;
      case 'attempt.failed':
        this.lastFailures.set(call, { counted: event.counted, hintMs: event.retryAfterMs });
        break;
      case 'call.succeeded': // without a result if the consumer of a stream has left
        this.admitted.delete(call);
        this.lastFailures.delete(call);
        break;
      case 'call.rejected': // by the bulkhead or the rate limit, before a retry
        this.callFailed(call, time);
        break;
      case 'call.failed':
        if (event.why === 'cancelled') {
          assert.ok(this.admitted.has(call), 'a call that was cancelled has changed the breaker');
          this.lastFailures.delete(call);
        }
        this.callFailed(call, time);
    }
  }

  private admitBeginning(): void {
    const { beginning } = this;
    this.beginning = undefined;
    if (beginning) this.started(beginning.call, beginning.time);
  }

  /** The result of a call that fails is its last failure, if that counts. */
  private callFailed(call: string, time: number): void {
    const last = this.lastFailures.get(call);
    this.lastFailures.delete(call);
    if (last?.counted) {
      this.hintMs = last.hintMs;
      this.ended(call, time, true);
    } else this.admitted.delete(call);
  }

  /**
   * Manual changes to the breaker that do not change its state have no event. `snapshot`: a snapshot is taken and
   * restored at once.
   */
  byHand(what: 'reset' | 'snapshot'): void {
    this.admitBeginning();
    this.generation += 1;
    this.probesSucceeded = 0;
    if (what === 'reset') this.results = [];
  }

  private started(what: string, time: number): void {
    assert.ok(
      this.state !== 'open' && this.state !== 'isolated',
      `${what} begins while the model is ${this.state}`,
    );
    this.admitted.set(what, { generation: this.generation, time });
  }

  private refused(time: number): void {
    assert.ok(
      this.state !== 'closed' && this.state !== 'disabled',
      `refused while the model is ${this.state}`,
    );
    if (this.state === 'open' && this.isSteady)
      assert.ok(
        time < this.retryAt,
        `refused at ${time}, when the model admits a probe since ${this.retryAt}`,
      );
  }

  private ended(what: string, time: number, failed: boolean): void {
    const permit = this.admitted.get(what);
    this.admitted.delete(what);
    if (permit === undefined || permit.generation !== this.generation) return;
    if (this.state === 'half_open') this.probeEnded(time - permit.time, failed);
    else if (this.state === 'closed' && this.results !== undefined) {
      this.results.push(failed);
      if (this.isTooMuch(this.results)) this.due = 'open';
    }
  }

  private isTooMuch(results: readonly boolean[]): boolean {
    const { window, failureThreshold = 5 } = this.options;
    if (window === undefined) {
      const inARow = results.length - 1 - results.lastIndexOf(false);
      return inARow >= failureThreshold;
    }
    const last = results.slice(-window.size);
    const failures = last.filter(Boolean).length;
    return last.length >= window.minimumCalls && failures / last.length >= window.failureRate;
  }

  private probeEnded(tookMs: number, failed: boolean): void {
    // Its place may be another's by now: then a failure changes nothing.
    if (!this.isSteady || tookMs >= PROBE_TIMEOUT_MS) {
      this.results = undefined;
      return;
    }
    if (failed) this.due = 'open';
    else {
      this.probesSucceeded += 1;
      if (this.results !== undefined && this.probesSucceeded >= (this.options.successThreshold ?? 1))
        this.due = 'closed';
    }
  }

  private get resetTimeoutMs(): number {
    return this.options.resetTimeoutMs ?? 1000;
  }

  private changed(event: Extract<HalfopenEvent, { type: 'breaker.changed' }>): void {
    const { from, to, time } = event;
    assert.equal(from, this.state, "the state that the breaker leaves is the model's");
    // Manual changes belong to no call.
    const byHand = event.call === undefined;
    if (this.due !== undefined)
      assert.equal(to, this.due, `the model is ${this.due}, the breaker went to ${to}`);
    else if (!byHand && to === 'half_open') {
      if (this.isSteady)
        assert.ok(time >= this.retryAt, `half open at ${time}, the model from ${this.retryAt} on`);
    } else if (!byHand && this.results !== undefined)
      assert.fail(`the model is ${from}, the breaker went to ${to}`);
    if (to === 'open') {
      this.retryAt = byHand
        ? (event.retryAt ?? 0)
        : time + Math.min(this.hintMs ?? this.resetTimeoutMs, 10 * this.resetTimeoutMs);
      if (this.isSteady && !byHand) assert.equal(event.retryAt, this.retryAt, 'when a probe may go');
    }
    this.state = to;
    this.due = undefined;
    this.generation += 1;
    this.probesSucceeded = 0;
    this.results = byHand && from === 'isolated' ? undefined : [];
  }
}

const nameOf = ({ call, attempt }: { call?: string | undefined; attempt: number }): string =>
  `${call} ${attempt}`;
