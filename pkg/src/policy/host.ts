/** The policy as its calls and the core see it: its part in the core, its open calls, its listeners. */

import { EarlierAnswers } from '../call/earlier-answers.js';
import type { CallHost, StepCode } from '../call/host.js';
import { OpenCalls } from '../call/open-calls.js';
import type { CallOptions } from '../call/options.js';
import { wantParents } from '../call/parents.js';
import { CallQueue } from '../call/queue.js';
import type { SharedState } from '../call/shared.js';
import { noCalls } from '../call/stats.js';
import { type Time, type Timer, timeOf } from '../clock.js';
import { makeControllable } from '../controllable.js';
import * as engine from '../core/engine.js';
import { randomSeed } from '../core/option-numbers.js';
import { wantWords, whenWords, worded } from '../core/words.js';
import { type AgentError, disposedError } from '../error/agent-error.js';
import { messageFor } from '../error/as-response.js';
import {
  type EventDetails,
  type EventListener,
  emit,
  observe,
  processObserved,
  send,
} from '../event/events.js';
import { type AttemptFacts, type ObservedCall, subjectOf } from '../event/observed-call.js';
import { limitsObserved, rateLimitsIn } from '../event/rate-limit-headers.js';
import { callStarted, emitRecords } from '../event/records.js';
import { coreOptions, coreOverrides, PolicyBudgets } from './core-options.js';
import type { PolicyOptions } from './options.js';
import { describedSettings, type Settings, settingsOf, updated } from './settings.js';

/** The state that processes share, for the policies of this one: a `Fleet` of `halfopen/fleet`. */
interface SharedByPolicies {
  join(host: PolicyHost): SharedState;
}

const NO_RECORDS: readonly number[] = /* @__PURE__ */ Object.freeze([]);
const NO_NUMBERS = /* @__PURE__ */ new Float64Array();

export class PolicyHost implements CallHost {
  readonly name: string;
  time: Time;
  readonly counts = noCalls();
  readonly gates = new Set<() => AgentError | undefined>();
  readonly earlierAnswers: EarlierAnswers = new EarlierAnswers();
  readonly openCalls = new OpenCalls();
  readonly queue: CallQueue = new CallQueue(this);
  readonly shared: SharedState | undefined;
  settings: Settings;
  listeners: readonly EventListener[] = [];
  isDisposed = false;
  /** While the policy is drained, and ever after. */
  refusesCalls = false;
  isTimed = false;
  isObserved = false;
  /** Made with the first call. */
  handle = 0;
  /** The instance of the core that knows the handle. */
  private instance = -1;
  private seed: number | undefined;
  readonly budgets: PolicyBudgets;
  /** The instance after whose loss `onDebug` was called. */
  private lossReportedFor = -1;
  /** `true` if `policy.configured` was emitted for the present settings. */
  private isConfigured = false;
  private detachBreaker: (() => void) | undefined = undefined;
  /** While the option `onEvent` is given. */
  private unwantParents: (() => void) | undefined = undefined;

  constructor(options: PolicyOptions<unknown>) {
    this.name = options.name ?? 'default';
    this.seed = options.seed;
    this.settings = settingsOf(this.name, options);
    const { breaker } = this.settings;
    this.time = timeOf(options.clock ?? breaker?.options.clock);
    this.budgets = new PolicyBudgets(this.time);
    breaker?.adopt(this.time);
    breaker?.adoptSeed(this.seed);
    this.chooseTimers();
    if (options.onEvent !== undefined) {
      this.listeners = [options.onEvent];
      this.unwantParents = wantParents();
    }
    this.shared = (options.fleet as SharedByPolicies | undefined)?.join(this);
    wantWords();
  }

  // ── what a call needs

  begin(options: CallOptions | undefined, within: boolean): StepCode {
    if (this.instance !== engine.core.instanceNumber) this.open();
    const hasListeners = this.listeners.length > 0 || processObserved();
    if (hasListeners !== this.isObserved) this.observeAsNeeded();
    const overrides = options && coreOverrides(this.settings.options, options);
    if (overrides !== undefined || within) {
      const common = this.settings.options;
      const retry = overrides === undefined ? common.retry : overrides.retry;
      const budget = this.budgets.handle(retry, options ?? common);
      return engine.beginWith(this.handle, this.time.now(), overrides?.numbers ?? NO_NUMBERS, budget, within);
    }
    const code = engine.begin(this.handle, this.isTimed ? this.time.now() : Number.NaN);
    const needsTime = (code & engine.STEP) === engine.NEED_TIME;
    return needsTime ? engine.begin(this.handle, this.time.now()) : code;
  }

  recordsOf(code: StepCode): readonly number[] {
    if ((code & engine.EVENTS) === 0) return NO_RECORDS;
    try {
      return engine.takeRecords();
    } catch (error) {
      this.coreFailed(error);
      return NO_RECORDS;
    }
  }

  report(records: readonly number[], call: ObservedCall, facts?: AttemptFacts): void {
    if (records.length === 0) return;
    try {
      emitRecords(records, call, facts);
    } catch (error) {
      this.coreFailed(error);
    }
  }

  follow(code: StepCode, call: ObservedCall, facts?: AttemptFacts): void {
    this.report(this.recordsOf(code), call, facts);
    if ((code & engine.READY) !== 0) this.queue.pump();
  }

  emit(call: ObservedCall, details: EventDetails): void {
    if (!this.isObserved) return;
    emit(subjectOf(call), details, this.time.wall(), this.listeners);
  }

  emitRefused(call: ObservedCall, error: AgentError): void {
    if (!this.hasListeners) return;
    this.seed ??= randomSeed();
    this.unlessTrapped(() => this.observeAsNeeded());
    const subject = subjectOf(call);
    const wall = this.time.wall();
    send(callStarted(call, subject, wall), this.listeners);
    const { code, retryAfterMs } = error;
    if (code === 'CAPACITY_EXCEEDED' || code === 'CIRCUIT_OPEN') {
      const limit = error.metadata.by === 'cost' ? 'cost' : 'rate-limit';
      const by = code === 'CIRCUIT_OPEN' ? 'breaker' : limit;
      emit(subject, { type: 'call.rejected', code, by, retryAfterMs }, wall, this.listeners);
      return;
    }
    const { options } = this.settings;
    const userMessage = worded(() => messageFor(error, options));
    const details = { attempts: 0, durationMs: 0, code, userMessage };
    emit(subject, { type: 'call.failed', why: 'cancelled', ...details }, wall, this.listeners);
  }

  observeLimits(call: ObservedCall, headers: unknown, count: boolean): void {
    const isCounted = count && this.isKnown && this.settings.options.rateLimit !== undefined;
    if (!isCounted && !this.isObserved) return;
    whenWords(() => this.observeLimitsIn(call, headers, isCounted));
  }

  private observeLimitsIn(call: ObservedCall, headers: unknown, isCounted: boolean): void {
    const { time } = this;
    const wall = time.wall();
    try {
      // Reading headers may run any code. So it comes before the policy's handle is read, which a trap in that code may
      // change.
      const limits = rateLimitsIn(headers, wall);
      for (const { unit, remaining, resetMs } of isCounted ? limits : []) {
        if (!this.isKnown) break;
        const isOfRequests = unit === 'requests';
        engine.policyObserveLimit(this.handle, isOfRequests, remaining, resetMs ?? Number.NaN, time.now());
      }
      for (const limit of limits) {
        const details = limitsObserved(limit, call, wall);
        if (details !== undefined) this.emit(call, details);
      }
    } catch (error) {
      this.coreFailed(error);
      return;
    }
    // Calls that wait for their turn may start now, or later than planned.
    if (isCounted) this.queue.pump();
  }

  /** `true` if the present instance of the core knows the policy. */
  get isKnown(): boolean {
    return this.instance === engine.core.instanceNumber;
  }

  coreFailed(error: unknown): void {
    engine.restart(error, (details) =>
      emit({ policy: this.name }, details, this.time.wall(), this.listeners),
    );
    // If another module trapped, the policy's own state is intact.
    if (!this.isKnown) this.coreReplaced();
  }

  coreReplaced(): void {
    if (this.lossReportedFor === engine.core.instanceNumber) return;
    this.lossReportedFor = engine.core.instanceNumber;
    this.isConfigured = false;
    const { onDebug } = this.settings.options;
    if (onDebug === undefined) return;
    const message = 'The core failed; a fresh one was started and the call let through unguarded';
    const trap = engine.lastTrap();
    observe(onDebug, message, { error: trap?.message, stack: trap?.stack });
  }

  // ── what the policy's methods need

  update(changes: PolicyOptions<unknown>): void {
    const old = this.settings;
    const own = old.given.breaker === old.breaker ? undefined : old.breaker;
    this.settings = settingsOf(this.name, updated(old.given, changes), own);
    this.settings.breaker?.adopt(this.time);
    this.chooseTimers();
    if ('onEvent' in changes) {
      const others = this.listeners.filter((listener) => listener !== old.options.onEvent);
      const { onEvent } = changes;
      this.listeners = onEvent === undefined ? others : [onEvent, ...others];
      this.unwantParents?.();
      this.unwantParents = onEvent === undefined ? undefined : wantParents();
    }
    this.unlessTrapped(() => {
      if (!this.isKnown) return;
      const { breaker, options } = this.settings;
      engine.policyUpdate(
        this.handle,
        coreOptions(options),
        breaker?.handle ?? 0,
        this.budgets.handle(options.retry, options),
      );
      // Waiting calls may go now, or at another time.
      this.queue.pump();
    });
    this.detach();
    this.isConfigured = false;
    this.unlessTrapped(() => this.observeAsNeeded());
  }

  /** Returns how many attempts may run at once by the adaptive limit; `undefined` without one. */
  get limit(): number | undefined {
    const { adaptive } = this.settings.options;
    if (adaptive === undefined || adaptive === false) return undefined;
    try {
      if (!this.isKnown) this.open();
      return engine.policyLimit(this.handle);
    } catch (error) {
      this.coreFailed(error);
      return undefined;
    }
  }

  /** Returns how to stop. */
  onEvent(listener: EventListener): () => void {
    this.listeners = [...this.listeners, listener];
    const unwantParents = wantParents();
    this.attach();
    return () => {
      unwantParents();
      this.listeners = this.listeners.filter((one) => one !== listener);
      if (this.listeners.length === 0) this.detach();
    };
  }

  /** Resolves when no call is in flight any more, after `timeoutMs` at the latest; the policy is then disposed. */
  async drain(timeoutMs: number): Promise<void> {
    this.refusesCalls = true;
    let timer: Timer | undefined;
    const late = new Promise<void>((resolve) => {
      timer = this.time.after(timeoutMs, resolve);
    });
    await Promise.race([this.openCalls.ended(), late]);
    timer?.cancel();
    this.dispose();
  }

  dispose(): void {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.refusesCalls = true;
    this.openCalls.cancel(disposedError(this.name));
    this.queue.stop();
    void this.shared?.leave();
    this.earlierAnswers.clear();
    this.detach();
  }

  /** Decides whether timers that are set from now on keep the process alive. */
  private chooseTimers(): void {
    const time = timeOf(this.time.clock);
    this.time = this.settings.options.unref === true ? time.unreferenced : time;
  }

  // ── the core's part of it

  open(): void {
    this.seed ??= randomSeed();
    const { breaker, options } = this.settings;
    breaker?.adoptSeed(this.seed);
    this.handle = engine.policyNew(
      coreOptions(options),
      breaker?.handle ?? 0,
      this.budgets.handle(options.retry, options),
      this.seed,
    );
    this.instance = engine.core.instanceNumber;
    this.isObserved = false;
    this.isTimed = (engine.policyNeeds(this.handle) & engine.NEEDS_TIME) !== 0;
    engine.freeWith(this, 'policy', this.handle);
  }

  /** Makes the engine record calls while there is a listener, and only then. */
  private observeAsNeeded(): void {
    const observed = this.hasListeners;
    if (this.isKnown) engine.policyObserve(this.handle, observed);
    this.isObserved = observed;
    if (this.isKnown) this.isTimed = (engine.policyNeeds(this.handle) & engine.NEEDS_TIME) !== 0;
    if (!observed) return;
    if (this.listeners.length > 0) this.attach();
    if (this.isConfigured || this.seed === undefined) return;
    this.isConfigured = true;
    makeControllable('policy', this.name, this);
    const options = describedSettings(this.settings.options);
    const details: EventDetails = { type: 'policy.configured', options, seed: this.seed };
    emit({ policy: this.name }, details, this.time.wall(), this.listeners);
  }

  private get hasListeners(): boolean {
    return this.listeners.length > 0 || processObserved();
  }

  /** The breaker's changes are events of this policy. */
  private attach(): void {
    if (!this.isDisposed) this.detachBreaker ??= this.settings.breaker?.attach(this);
  }

  private detach(): void {
    this.detachBreaker?.();
    this.detachBreaker = undefined;
  }

  /** After a trap, the policy's next call opens it again with its present settings. */
  private unlessTrapped(run: () => void): void {
    try {
      run();
    } catch (error) {
      this.coreFailed(error);
    }
  }
}
