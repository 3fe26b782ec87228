/** The policy, as its calls use it. */

import type { CircuitBreaker } from '../breaker/breaker.js';
import type { Audience, Classifier } from '../classify/types.js';
import type { AgentError } from '../error/agent-error.js';
import type { ReportMisuse } from '../error/failure.js';
import type { AgentErrorResponse } from '../error/response-types.js';
import type { EventDetails } from '../event/events.js';
import type { AttemptFacts, EventSource, ObservedCall } from '../event/observed-call.js';
import type { retryPresets } from '../retry/options.js';
import type { EarlierAnswers, StaleIfErrorOptions } from './earlier-answers.js';
import type { OpenCalls } from './open-calls.js';
import type { CallOptions, ExecuteOptions, SpanContext } from './options.js';
import type { CallQueue } from './queue.js';
import type { SharedState } from './shared.js';
import type { CallCounts } from './stats.js';

/** The result of an input to the engine: a step in the lowest bits, flags, and the call's number, as in `core/engine.ts`. */
export type StepCode = number;

/** The policy, as its calls know it. */
export interface CallHost extends EventSource {
  /** The settings of calls that begin now. A call keeps them when the policy is updated. */
  readonly settings: CallSettings;
  /** `true` if it is drained or disposed. */
  readonly refusesCalls: boolean;
  /** The core's number of the policy. A trap of the core gives it another: read it for each input. */
  readonly handle: number;
  /** `true` if the engine needs the time of every success. */
  readonly isTimed: boolean;
  readonly counts: CallCounts;
  readonly earlierAnswers: EarlierAnswers;
  readonly openCalls: OpenCalls;
  readonly queue: CallQueue;
  /** The application's caps, such as a `costLimit`, which may refuse a call that begins now. */
  readonly gates: ReadonlySet<() => AgentError | undefined>;
  /** The state that it shares with other processes, if it does. */
  readonly shared: SharedState | undefined;
  /** The engine's first step for a new call. `within`: an attempt of another call of the policy holds the slots for it. */
  begin(options: CallOptions | undefined, within: boolean): StepCode;
  /**
   * Takes what a step has recorded. Records do not say whose they are: take them before a function of the application can
   * make another call.
   */
  recordsOf(code: StepCode): readonly number[];
  /** Emits the events of a step, from its records. */
  report(records: readonly number[], call: ObservedCall, facts?: AttemptFacts): void;
  /** Does what a step says beside its own: emits the events, and lets queued calls go on. */
  follow(code: StepCode, call: ObservedCall, facts?: AttemptFacts): void;
  /** Emits an event about the call, where somebody listens. */
  emit(call: ObservedCall, details: EventDetails): void;
  /** Emits the events of a call that must not begin. */
  emitRefused(call: ObservedCall, error: AgentError): void;
  /** Reads the provider's limits in a response's headers: events report them and, where they `count`, a rate limit too. */
  observeLimits(call: ObservedCall, headers: unknown, count: boolean): void;
  /**
   * Goes on after a trap of the core, with a fresh instance that knows neither policy nor call.
   *
   * @throws the error itself, unless it is a trap.
   */
  coreFailed(error: unknown): void;
  /** The core has been replaced since the call began, whoever met the trap. */
  coreReplaced(): void;
}

/** A policy's options, as its calls apply them. */
export interface CallSettings {
  readonly options: CallDefaults;
  readonly attemptMs: number;
  readonly totalMs: number;
  readonly breaker: CircuitBreaker | undefined;
  /**
   * 'slots': attempts take slots of a bulkhead, an adaptive limit or a rate limit. 'tokens': a rate limit counts tokens too, so
   * the usage of attempts is read, observed or not.
   */
  readonly limits: 'none' | 'slots' | 'tokens';
  countsAsFailure(error: AgentError, report?: ReportMisuse): boolean;
}

/** The options of a policy that its calls go by. `PolicyOptions` documents them. */
interface CallDefaults
  extends Pick<
    ExecuteOptions<unknown>,
    'retry' | 'provider' | 'model' | 'failOnNotOk' | 'hedge' | 'fallback'
  > {
  readonly name?: string | undefined;
  readonly preset?: keyof typeof retryPresets | undefined;
  readonly staleIfError?: StaleIfErrorOptions | undefined;
  readonly classify?: Classifier | undefined;
  readonly messages?: 'private' | 'provider' | undefined;
  readonly audience?: Audience | undefined;
  readonly onError?: ((context: SpanContext, error: AgentErrorResponse) => void) | undefined;
  readonly onDebug?: ((message: string, details: Record<string, unknown>) => void) | undefined;
}
