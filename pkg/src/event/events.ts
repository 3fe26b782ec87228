/** Events: their types, and how they are made and sent. */

import type { Remedy, RemedyKind } from '../classify/remedy.js';
import type { CoreRestarted } from '../core/instance.js';
import type { BreakerState } from '../core/wire.js';
import { onceWords, wordsAreHere } from '../core/words.js';
import type { AgentErrorCode, ErrorSeverity } from '../error/agent-error.js';
import { deliver, listen, nextSeq, processName, processObserved } from '../listeners.js';
import { clip } from '../message/clip.js';
import { withoutSecrets } from './texts.js';
import type { Usage } from './usage.js';

export { observe, processName, processObserved, randomHex, randomUuid } from '../listeners.js';

/** The fields that every event has. */
export interface EventBase {
  v: 1;
  /** Names the process. */
  source: string;
  /** Counts within `source`. */
  seq: number;
  /** Wall time, milliseconds since the Unix epoch. */
  time: number;
  policy?: string | undefined;
  call?: string | undefined;
  parentCall?: string | undefined;
  traceId?: string | undefined;
  /** The run of an agent that it belongs to. */
  run?: string | undefined;
}

/** An action of a person on a process that allows it. */
type ControlAction = 'isolate' | 'close' | 'update' | 'end-run' | 'undo';

/** The fields of each type of event. */
export type EventDetails =
  | { type: 'policy.configured'; options: Record<string, unknown>; seed: number }
  | {
      type: 'call.started';
      task?: string | undefined;
      /** The name of the function that the policy runs, if it has one. It replaces a missing task. */
      operation?: string | undefined;
      /** The call's own options, over its policy's: retries, timeouts, a stream's reaction to a break. */
      options?: Record<string, unknown> | undefined;
    }
  | {
      type: 'call.queued';
      by: 'bulkhead' | 'rate-limit' | 'adaptive';
      position: number;
      dueAt?: number | undefined;
    }
  | { type: 'call.dequeued' }
  | {
      type: 'attempt.started';
      attempt: number;
      provider?: string | undefined;
      model?: string | undefined;
      probe?: boolean | undefined;
      generation?: number | undefined;
    }
  | {
      type: 'attempt.succeeded';
      attempt: number;
      durationMs: number;
      firstChunkMs?: number | undefined;
      usage?: Usage | undefined;
      /** The operation returned an AI SDK stream result that was not read under the policy. */
      unreadStream?: boolean | undefined;
      /** The provider's id of its answer, if the operation's value is an answer. */
      responseId?: string | undefined;
      /** The model that made it, as the answer names it. */
      responseModel?: string | undefined;
      /** The provider's terms for the reason why the answer ended: one for each choice. */
      finishReasons?: readonly string[] | undefined;
    }
  | {
      type: 'attempt.failed';
      attempt: number;
      durationMs: number;
      code: AgentErrorCode;
      severity: ErrorSeverity;
      retryable: boolean;
      rule: string;
      technicalDetails: string;
      signals: Record<string, unknown>;
      counted: boolean;
      statusCode?: number | undefined;
      requestId?: string | undefined;
      retryAfterMs?: number | undefined;
      /** The change that would make the request acceptable, if the error names one. */
      remedy?: Remedy | undefined;
      /** The class of what was thrown. */
      errorClass?: string | undefined;
      /** The error's text: redacted, at most 200 characters; for UNKNOWN errors and faults of the program only. */
      message?: string | undefined;
      /** The place that threw it: the first frame of its stack outside this package. */
      frame?: string | undefined;
      /** The tokens that it took all the same, because its answer was refused, or its stream broke. */
      usage?: Usage | undefined;
    }
  /**
   * The request was changed according to the remedy of this attempt's error, and is sent again at once. `changes` lists
   * the changes, without content: "removed `temperature`".
   */
  | { type: 'attempt.repaired'; attempt: number; remedy: RemedyKind; changes: readonly string[] }
  | {
      type: 'retry.scheduled';
      attempt: number;
      delayMs: number;
      dueAt: number;
      minMs: number;
      maxMs: number;
      /** Where the delay comes from. */
      delaySource: 'backoff' | 'retry-after';
      budgetLeft?: number | undefined;
    }
  | {
      type: 'call.succeeded';
      attempts: number;
      durationMs: number;
      /**
       * No result for the breaker: the consumer closed the stream before its end, or control flow of a host passed (a redirect, an
       * interrupt).
       */
      closedEarly?: boolean | undefined;
      /** The tokens of a closed stream, as far as the provider had reported them: no attempt's event has them. */
      usage?: Usage | undefined;
    }
  | {
      type: 'call.failed';
      attempts: number;
      durationMs: number;
      code: AgentErrorCode;
      why:
        | 'not-retryable'
        | 'exhausted'
        | 'hint'
        | 'deadline'
        | 'budget'
        | 'nested'
        | 'cancelled'
        | 'broken-stream';
      userMessage: string;
      /**
       * The tokens of attempts that ran when the call was cancelled, as far as the provider had reported them. The
       * attempts' own events do not have them.
       */
      usage?: Usage | undefined;
      /** The changes of its requests, which did not help: see `attempt.repaired`. */
      tried?: readonly string[] | undefined;
    }
  | {
      type: 'call.rejected';
      code: 'CIRCUIT_OPEN' | 'CAPACITY_EXCEEDED';
      by: 'breaker' | 'bulkhead' | 'rate-limit' | 'adaptive' | 'cost';
      retryAfterMs?: number | undefined;
    }
  | {
      type: 'fallback.used';
      code: AgentErrorCode;
      failed?: boolean | undefined;
      /** The age of an earlier answer (`staleIfError`), in milliseconds; absent for a new answer. */
      ageMs?: number | undefined;
    }
  | { type: 'failover.switched'; from: string; to: string; code: AgentErrorCode }
  | {
      type: 'breaker.changed';
      breaker: string;
      from: BreakerState;
      to: BreakerState;
      reason: string;
      generation: number;
      retryAt?: number | undefined;
      window?: { total: number; failures: number; slow: number; last: number[] } | undefined;
    }
  /** A closed breaker refused a call, and refuses this share of them (0 to 1): `throttle`, `rampMs`. At most one a second. */
  | { type: 'breaker.throttled'; breaker: string; rate: number }
  /** The adaptive limit has changed: the last reason, and the error if that was overload. At most one a second. */
  | { type: 'limit.changed'; limit: number; because: 'good' | 'overload'; code?: AgentErrorCode | undefined }
  | {
      type: 'stream.chunk';
      attempt: number;
      chunks: number;
      /** Of a body of `policy.fetch`: bytes. */
      characters: number;
      /**
       * The tokens that a body of `policy.fetch` reported after it ended or its reader left it. Its attempt ended
       * before.
       */
      usage?: Usage | undefined;
    }
  | { type: 'stream.broken'; attempt: number; received: number; action: 'fail' | 'restart' | 'resume' }
  | {
      type: 'limits.observed';
      provider: string;
      model?: string | undefined;
      unit: 'requests' | 'tokens';
      limit: number;
      remaining: number;
      resetAt?: number | undefined;
    }
  | {
      type: 'recovery.routed';
      severity: ErrorSeverity;
      next: 'retry' | 'orchestrator' | 'classifier' | 'error' | 'abort';
    }
  | { type: 'degraded'; operation: string; code: AgentErrorCode }
  /** The WebAssembly instance trapped during `during`, and a new one replaced it. */
  | CoreRestarted
  /** An agent's loop went past the limit of `iterationLimit(max)`. */
  | { type: 'iterations.exceeded'; max: number }
  /**
   * The process of the events. `connectDevtools()` sends this after the first of its events, and again each hour, so
   * that a reader of a later time range knows the process too.
   */
  | {
      type: 'process.started';
      host?: string | undefined;
      pid?: number | undefined;
      /** The application's version. */
      version?: string | undefined;
      /** The deployment of the application: production, staging, eu-west. */
      deployment?: string | undefined;
      /** The user of the devtools on this machine may act on it: `connectDevtools({ control: true })`. */
      control?: boolean | undefined;
    }
  /** A person acted on this process from the dashboard. */
  | {
      type: 'control.applied';
      id: string;
      action: ControlAction;
      /** The user who runs the devtools. */
      by: string;
      breaker?: string | undefined;
      /** The changed options of the policy. */
      options?: Record<string, unknown> | undefined;
      /** The action that this one took back. */
      of?: string | undefined;
      /** It can be taken back. */
      undoable: boolean;
    }
  /** Such an action failed, and changed nothing. */
  | {
      type: 'control.failed';
      id: string;
      action: ControlAction;
      by: string;
      breaker?: string | undefined;
      options?: Record<string, unknown> | undefined;
      of?: string | undefined;
      reason: string;
    }
  /** A fleet's store is reached, is away, or returns an old state; or the process has left. */
  | {
      type: 'fleet.changed';
      fleet: string;
      status: 'joined' | 'degraded' | 'left';
      reason?: string | undefined;
    }
  /** Another process has other options for the same policy of a fleet. */
  | { type: 'fleet.mismatch'; fleet: string; key: string }
  /** Of a run of an agent: no arguments, no results. */
  | {
      type: 'run.started';
      run: string;
      name: string;
      task?: string | undefined;
      parentRun?: string | undefined;
      /** Those that are set. */
      limits: Record<string, number>;
      /** It goes on from a snapshot. */
      restored?: boolean | undefined;
    }
  | { type: 'run.step'; run: string; step: number }
  | {
      type: 'run.tool';
      run: string;
      tool: string;
      outcome: 'ok' | 'failed' | 'refused';
      code?: AgentErrorCode | undefined;
      /** How often the outcome has come in a row: 1 for the first. */
      repeated: number;
      durationMs?: number | undefined;
    }
  | { type: 'run.warned'; run: string; limit: string; max: number; spent: number }
  | {
      type: 'run.advised';
      run: string;
      advice: 'steer' | 'escalate' | 'refuse' | 'conclude' | 'stop';
      because: Record<string, unknown>;
    }
  | {
      type: 'run.ended';
      run: string;
      end: 'completed' | 'stopped' | 'failed' | 'cancelled';
      code?: AgentErrorCode | undefined;
      userMessage?: string | undefined;
      spent: Record<string, number>;
    }
  /** Of an act that happens once (`halfopen/once`): its name and its hashed key, no arguments and no results. */
  | { type: 'effect.claimed'; name: string; key: string; attempt: number }
  | { type: 'effect.done'; name: string; key: string; attempt: number }
  /** A later call got the result that was kept. */
  | { type: 'effect.reused'; name: string; key: string }
  /** It is not known whether it was carried out. */
  | { type: 'effect.unknown'; name: string; key: string }
  | { type: 'effect.verified'; name: string; key: string; happened: boolean }
  /** A person has looked. */
  | { type: 'effect.settled'; name: string; key: string; happened: boolean }
  /** It was carried out without the ledger, whose store did not answer. */
  | { type: 'effect.unguarded'; name: string; key: string }
  | { type: 'events.dropped'; count: number };

/** The events of an agent's run (`halfopen/run`). */
export type RunEventDetails = Extract<EventDetails, { type: `run.${string}` }>;

/**
 * One line of JSON each, at most 2 KiB. Readers ignore unknown fields and show unknown types; `v` rises when a meaning
 * changes.
 */
export type HalfopenEvent = EventBase & EventDetails;

export type EventListener = (event: HalfopenEvent) => void;

/** The subject of an event; a call has a policy. */
export interface EventSubject {
  policy?: string | undefined;
  call?: string | undefined;
  parentCall?: string | undefined;
  traceId?: string | undefined;
  run?: string | undefined;
}

/**
 * Listens to every event of every policy in this process, and of `route()` and `degrade()`. An error or a rejection of
 * the listener changes nothing. Returns a function that stops it.
 *
 * @example
 * ```ts
 * const stop = onEvent((event) => console.log(event.type));
 * ```
 */
export function onEvent(listener: EventListener): () => void {
  if (typeof listener !== 'function') {
    throw new TypeError(`halfopen: onEvent expects a function, got ${typeof listener}`);
  }
  return listen(listener);
}

/** An event whose maker still has to add the fields of its type. */
export type Draft<T extends EventDetails['type']> = EventBase & Extract<EventDetails, { type: T }>;

/**
 * Begins an event, to be filled in and sent at once. All events begin with the same fields in the same order, and the
 * fields of every call are added by name. This takes half the time of a copy, whose shape the engine cannot predict.
 */
export function drafted<T extends EventDetails['type']>(
  type: T,
  about: EventSubject,
  wall: number,
): Draft<T> {
  const source = processName();
  const { policy, call, parentCall, traceId, run } = about;
  const seq = nextSeq();
  const event = (
    call === undefined
      ? { v: 1, source, seq, time: wall, type }
      : { v: 1, source, seq, time: wall, policy, call, type }
  ) as Draft<T>;
  if (policy !== undefined) event.policy = policy;
  if (parentCall !== undefined) event.parentCall = parentCall;
  if (traceId !== undefined) event.traceId = traceId;
  if (run !== undefined) event.run = run;
  return event;
}

/** Emits an event to the given listeners and to the process's, in order, so that all see the order of `seq`. */
export function send(event: EventBase, listeners: readonly EventListener[]): void {
  if (wordsAreHere() && late.length === 0) {
    deliver(redacted(event), listeners);
    return;
  }
  if (late.length < MOST_LATE) late.push({ event, listeners });
  else lost++;
  if (!isAwaited) {
    isAwaited = true;
    onceWords(sendLate);
  }
}

/** Events that cannot be redacted yet: in a page, before the words of errors have come. */
const late: { event: EventBase; listeners: readonly EventListener[] }[] = [];
/** Where the words never come, memory ends here. */
const MOST_LATE = 10_000;
let lost = 0;
let isAwaited = false;

/** Sends the events that had to wait, in order. Events that a listener causes meanwhile come after them. */
function sendLate(): void {
  for (const { event, listeners } of late) {
    // It stays in the list meanwhile: `send` adds to its end.
    deliver(redacted(event), listeners);
  }
  isAwaited = false;
  const last = late.at(-1);
  late.length = 0;
  if (lost === 0 || last === undefined) return;
  const count = lost;
  lost = 0;
  deliver(redacted(copied({ type: 'events.dropped', count }, {}, last.event.time)), last.listeners);
}

/**
 * Removes secrets from an event, and cuts it to 2 KiB. It changes the event itself, because no listener has seen it
 * yet.
 */
export function redacted(event: EventBase): EventBase {
  withoutSecrets(event as unknown as Record<string, unknown>);
  fit(event as unknown as Record<string, unknown>);
  return event;
}

/** Makes an event of the details, to be sent at once. */
export function copied(details: EventDetails, about: EventSubject, wall: number): EventBase {
  const event = drafted(details.type, about, wall);
  const loose = event as unknown as Record<string, unknown>;
  // Object.entries would make a pair for each field, which costs the same as all the rest. Details are literals, so
  // nothing is inherited.
  for (const name in details) {
    const value = (details as unknown as Record<string, unknown>)[name];
    if (value !== undefined) loose[name] = value;
  }
  return event;
}

/** Makes an event of the details and emits it to the given listeners and to the process's. */
export function emit(
  subject: EventSubject,
  details: EventDetails,
  wall: number,
  listeners: readonly EventListener[],
): void {
  if (listeners.length === 0 && !processObserved()) return;
  send(copied(details, subject, wall), listeners);
}

/** The longest event, as a line of JSON in UTF-8. */
const MOST_BYTES = 2048;
const encoder = /* @__PURE__ */ new TextEncoder();

/** Shortens an event's texts until its line of JSON fits into 2 KiB. */
function fit(event: Record<string, unknown>): void {
  let length = 0;
  let nested = false;
  for (const name in event) {
    const value = event[name];
    if (typeof value === 'string') length += value.length;
    else if (typeof value === 'object') nested = true;
  }
  // JSON uses at most six bytes for one UTF-16 unit.
  if (!nested && length * 6 < MOST_BYTES - 400) return;
  for (let budget = 512; bytesOf(event) > MOST_BYTES && budget >= 8; budget /= 2) {
    for (const name in event) {
      const value = event[name];
      if (typeof value === 'string' && name !== 'type' && name !== 'source') {
        event[name] = clip(value, budget);
      } else if ((name === 'signals' || name === 'options') && budget <= 128) {
        event[name] = budget <= 32 ? {} : shallow(value as Record<string, unknown>, budget);
      }
    }
  }
}

function shallow(record: Record<string, unknown>, budget: number): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record).slice(0, 16)) {
    if (typeof value === 'string') kept[clip(name, 40)] = clip(value, budget);
    else if (typeof value !== 'object' || value === null) kept[clip(name, 40)] = value;
  }
  return kept;
}

function bytesOf(event: unknown): number {
  return encoder.encode(JSON.stringify(event)).length;
}
