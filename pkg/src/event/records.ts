/**
 * Turns the engine's records into events: numbers get their words, and facts that only TypeScript knows are added.
 */

import * as engine from '../core/engine.js';
import {
  ATTEMPT_FAILED,
  ATTEMPT_STARTED,
  ATTEMPT_SUCCEEDED,
  BREAKER_CHANGED,
  BREAKER_THROTTLED,
  CALL_DEQUEUED,
  CALL_FAILED,
  CALL_QUEUED,
  CALL_REJECTED,
  CALL_STARTED,
  CALL_SUCCEEDED,
  DELAY_SOURCES,
  EVENTS_DROPPED,
  LAYERS,
  LIMIT_CHANGED,
  LIMIT_REASONS,
  RETRY_SCHEDULED,
  STATES,
  WHY,
} from '../core/wire.js';
import { worded } from '../core/words.js';
import { AGENT_ERROR_CODES, type AgentErrorCode } from '../error/agent-error.js';
import { messageFor } from '../error/as-response.js';
import type { Failure } from '../error/failure.js';
import { originOf } from '../error/origin.js';
import { textForLog } from '../message/for-log.js';
import { getUserFriendlyMessage } from '../message/user-message.js';
import { describedOwn } from './described-options.js';
import { copied, drafted, type EventBase, type EventDetails, type EventSubject, send } from './events.js';
import { type AttemptFacts, type ObservedCall, subjectOf } from './observed-call.js';

/** A record's numbers, by their places in `core/wire.ts`. */
type Numbers = (place: number) => number;

/** Emits all records since the last time, which belong to no call. */
export function drainRecords(): void {
  emitRecords(engine.takeRecords());
}

/** Emits the engine's records. All of them belong to the one call, if any. */
export function emitRecords(all: readonly number[], call?: ObservedCall, facts?: AttemptFacts): void {
  const wall = call?.host.time.wall() ?? 0;
  let next = 0;
  while (next < all.length) {
    const start = next + 2;
    const at: Numbers = (place) => all[start + place] ?? Number.NaN;
    const kind = at(-2);
    next = start + at(-1);
    if (kind === BREAKER_CHANGED.kind) emitChange(at, call);
    else if (kind === BREAKER_THROTTLED.kind) emitThrottled(at, call);
    else if (call?.host.isObserved) {
      const event = EVENTS[kind]?.(at, { call, facts, about: subjectOf(call), wall });
      if (event !== undefined) send(event, call.host.listeners);
    }
  }
}

/** The common data of the records of a drain. */
interface Scene {
  readonly call: ObservedCall;
  readonly facts: AttemptFacts | undefined;
  readonly about: EventSubject;
  readonly wall: number;
}

type Read = (at: Numbers, scene: Scene) => EventBase | undefined;

/** By kind. The events of every call are drafted and filled in; the rest are copied. */
const EVENTS: Readonly<Record<number, Read>> = {
  [CALL_STARTED.kind]: (_at, { call, about, wall }) => callStarted(call, about, wall),
  [CALL_QUEUED.kind]: (at, { call, about, wall }) => {
    const layer = LAYERS[at(CALL_QUEUED.by)];
    const by = layer === undefined || layer === 'breaker' ? 'bulkhead' : layer;
    const dueAt = wallOf(at(CALL_QUEUED.dueAt), call);
    return copied({ type: 'call.queued', by, position: at(CALL_QUEUED.position), dueAt }, about, wall);
  },
  [CALL_DEQUEUED.kind]: (_at, { about, wall }) => drafted('call.dequeued', about, wall),
  [ATTEMPT_STARTED.kind]: (at, { call, about, wall }) => {
    const { provider, model } = call;
    const event = drafted('attempt.started', about, wall);
    event.attempt = at(ATTEMPT_STARTED.attempt);
    if (provider !== undefined) event.provider = provider;
    if (model !== undefined) event.model = model;
    if (at(ATTEMPT_STARTED.probe) === 1) event.probe = true;
    if (call.hasBreaker) event.generation = at(ATTEMPT_STARTED.generation);
    return event;
  },
  [ATTEMPT_SUCCEEDED.kind]: (at, { facts, about, wall }) => {
    const event = drafted('attempt.succeeded', about, wall);
    event.attempt = at(ATTEMPT_SUCCEEDED.attempt);
    event.durationMs = span(at(ATTEMPT_SUCCEEDED.durationMs));
    if (facts?.firstChunkMs !== undefined) event.firstChunkMs = facts.firstChunkMs;
    if (facts?.usage !== undefined) event.usage = facts.usage;
    if (facts?.unreadStream === true) event.unreadStream = true;
    if (facts?.responseId !== undefined) event.responseId = facts.responseId;
    if (facts?.responseModel !== undefined) event.responseModel = facts.responseModel;
    if (facts?.finishReasons !== undefined) event.finishReasons = facts.finishReasons;
    return event;
  },
  [ATTEMPT_FAILED.kind]: (at, { call, about, wall }) => {
    if (call.lastFailure === undefined) return undefined;
    const details = failedAttempt(call.lastFailure, {
      attempt: at(ATTEMPT_FAILED.attempt),
      durationMs: span(at(ATTEMPT_FAILED.durationMs)),
      code: codeOf(at(ATTEMPT_FAILED.code)),
      counted: at(ATTEMPT_FAILED.counted) === 1,
      retryAfterMs: given(at(ATTEMPT_FAILED.retryAfterMs)),
      usage: call.lastUsage,
    });
    return copied(details, about, wall);
  },
  [RETRY_SCHEDULED.kind]: (at, { call, about, wall }) => {
    const details: EventDetails = {
      type: 'retry.scheduled',
      attempt: at(RETRY_SCHEDULED.attempt),
      delayMs: at(RETRY_SCHEDULED.delayMs),
      dueAt: wallOf(at(RETRY_SCHEDULED.dueAt), call) ?? 0,
      minMs: at(RETRY_SCHEDULED.minMs),
      maxMs: at(RETRY_SCHEDULED.maxMs),
      delaySource: DELAY_SOURCES[at(RETRY_SCHEDULED.source)] ?? 'backoff',
      budgetLeft: given(at(RETRY_SCHEDULED.budgetLeft)),
    };
    return copied(details, about, wall);
  },
  [CALL_SUCCEEDED.kind]: (at, { call, about, wall }) => {
    const event = drafted('call.succeeded', about, wall);
    event.attempts = at(CALL_SUCCEEDED.attempts);
    event.durationMs = span(at(CALL_SUCCEEDED.durationMs));
    if (at(CALL_SUCCEEDED.closedEarly) === 1) event.closedEarly = true;
    if (call.openUsage !== undefined) event.usage = call.openUsage;
    return event;
  },
  [CALL_FAILED.kind]: (at, { call, about, wall }) => {
    const code = codeOf(at(CALL_FAILED.code));
    const details: EventDetails = {
      type: 'call.failed',
      attempts: at(CALL_FAILED.attempts),
      durationMs: span(at(CALL_FAILED.durationMs)),
      code,
      why: WHY[at(CALL_FAILED.why)] ?? 'not-retryable',
      userMessage: worded(() => userMessage(code, call)),
      usage: call.openUsage,
      tried: call.tried,
    };
    return copied(details, about, wall);
  },
  [CALL_REJECTED.kind]: (at, { about, wall }) => {
    const by = LAYERS[at(CALL_REJECTED.by)] ?? 'breaker';
    const code = by === 'breaker' ? 'CIRCUIT_OPEN' : 'CAPACITY_EXCEEDED';
    const retryAfterMs = given(at(CALL_REJECTED.retryAfterMs));
    return copied({ type: 'call.rejected', code, by, retryAfterMs }, about, wall);
  },
  [LIMIT_CHANGED.kind]: (at, { about, wall }) => {
    const code = given(at(LIMIT_CHANGED.code));
    const details: EventDetails = {
      type: 'limit.changed',
      limit: at(LIMIT_CHANGED.limit),
      because: LIMIT_REASONS[at(LIMIT_CHANGED.because)] ?? 'good',
      code: code === undefined ? undefined : codeOf(code),
    };
    return copied(details, about, wall);
  },
  [EVENTS_DROPPED.kind]: (at, { about, wall }) =>
    copied({ type: 'events.dropped', count: at(EVENTS_DROPPED.count) }, about, wall),
};

/** Returns the event for the beginning of a call. */
export function callStarted(call: ObservedCall, about: EventSubject, wall: number): EventBase {
  const event = drafted('call.started', about, wall);
  const options = describedOwn(call.options);
  if (call.task !== undefined) event.task = call.task;
  else if (call.operation !== undefined) event.operation = call.operation;
  if (options !== undefined) event.options = options;
  return event;
}

function codeOf(number: number): AgentErrorCode {
  return AGENT_ERROR_CODES[number] ?? 'UNKNOWN';
}

type FailedAttempt = Extract<EventDetails, { type: 'attempt.failed' }>;

/** The event of a failed attempt. */
export function failedAttempt(
  failure: Failure,
  known: Pick<FailedAttempt, 'attempt' | 'durationMs' | 'counted'> & Partial<FailedAttempt>,
): FailedAttempt {
  const { error, rule, signals } = failure;
  return {
    type: 'attempt.failed',
    code: error.code,
    severity: error.severity,
    retryable: error.retryable,
    rule,
    technicalDetails: error.metadata.technicalDetails ?? worded(() => textForLog(error.message, 512)),
    signals,
    statusCode: error.provider.statusCode,
    requestId: error.provider.requestId,
    remedy: error.remedy,
    ...originOf(failure),
    ...known,
  };
}

function userMessage(code: AgentErrorCode, call: ObservedCall): string {
  const error = call.lastFailure?.error;
  const { audience } = call;
  return error?.code === code
    ? messageFor(error, { audience })
    : getUserFriendlyMessage(code, undefined, { audience });
}

function emitChange(at: Numbers, call: ObservedCall | undefined): void {
  const field = BREAKER_CHANGED;
  const breaker = engine.breakerOf(at(field.breaker));
  if (breaker === undefined) return;
  const retryAt = given(at(field.retryAt));
  const subject: EventSubject = call === undefined ? {} : subjectOf(call);
  breaker.changed(
    {
      from: STATES[at(field.from)] ?? 'closed',
      to: STATES[at(field.to)] ?? 'closed',
      reason: engine.reasonText(at(field.reason), at(field.a), at(field.b), at(field.hintMs)),
      generation: at(field.generation),
      retryAt: retryAt === undefined ? undefined : breaker.time.wall() + (retryAt - breaker.time.now()),
      window: {
        total: at(field.total),
        failures: at(field.failures),
        slow: at(field.slow),
        last: lastResults(at(field.results), at(field.older), at(field.newer)),
      },
    },
    subject,
  );
}

function emitThrottled(at: Numbers, call: ObservedCall | undefined): void {
  const breaker = engine.breakerOf(at(BREAKER_THROTTLED.breaker));
  breaker?.throttled(at(BREAKER_THROTTLED.rate), call === undefined ? {} : subjectOf(call));
}

/** Two bits for each of the last results, the newest lowest; in order, oldest first: 0 ok, 1 failed, 2 slow. */
function lastResults(length: number, older: number, newer: number): number[] {
  const last: number[] = [];
  for (let index = length - 1; index >= 0; index--) {
    const half = index < 16 ? newer : older;
    const result = (half >>> (2 * (index % 16))) & 3;
    last.push(result === 3 ? 1 : result);
  }
  return last;
}

function given(value: number): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

function span(value: number): number {
  return Number.isNaN(value) ? 0 : value;
}

/** Converts a time of the policy's clock to wall time. */
function wallOf(time: number, call: ObservedCall): number | undefined {
  if (Number.isNaN(time)) return undefined;
  const clock = call.host.time;
  return clock.wall() + (time - clock.now());
}
