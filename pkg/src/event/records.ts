/** The engine's records made into events: numbers get their words, and what only this side knows is added. */

import * as engine from '../core/engine.js';
import { AGENT_ERROR_CODES, type AgentErrorCode } from '../error/agent-error.js';
import { responseFor } from '../error/as-response.js';
import type { Failure } from '../error/failure.js';
import { originOf } from '../error/origin.js';
import { textForLog } from '../message/for-log.js';
import { getUserFriendlyMessage } from '../message/user-message.js';
import { describedOwn } from './described-options.js';
import { copied, drafted, type EventBase, type EventDetails, type EventSubject, send } from './events.js';
import { type AttemptFacts, type ObservedCall, subjectOf } from './observed-call.js';

/** A record's numbers, as `core/src/js/event.rs` lists them. */
type Numbers = (place: number) => number;

/** Emits everything that the engine has recorded since the last time. All of it is about the one call, if any. */
export function drainRecords(call?: ObservedCall, facts?: AttemptFacts): void {
  const all = engine.drainEvents();
  const wall = call?.host.time.wall() ?? 0;
  let next = 0;
  while (next < all.length) {
    const start = next + 2;
    const at: Numbers = (place) => all[start + place] ?? Number.NaN;
    const kind = at(-2);
    next = start + at(-1);
    if (kind === BREAKER_CHANGED) tellChange(at, call);
    else if (call?.host.isObserved) {
      const event = EVENTS[kind]?.(at, { call, facts, about: subjectOf(call), wall });
      if (event !== undefined) send(event, call.host.listeners);
    }
  }
}

const BREAKER_CHANGED = 10;

/** What the records of a drain have in common. */
interface Scene {
  readonly call: ObservedCall;
  readonly facts: AttemptFacts | undefined;
  readonly about: EventSubject;
  readonly wall: number;
}

/** By kind. What every call tells of is drafted and filled in; the rest is copied. */
const EVENTS: readonly ((at: Numbers, scene: Scene) => EventBase | undefined)[] = [
  (_at, { call, about, wall }) => callStarted(call, about, wall),
  (at, { call, about, wall }) => {
    const by = at(0) === 2 ? 'rate-limit' : 'bulkhead';
    return copied({ type: 'call.queued', by, position: at(1), dueAt: wallOf(at(2), call) }, about, wall);
  },
  (_at, { about, wall }) => drafted('call.dequeued', about, wall),
  (at, { call, about, wall }) => {
    const { provider, model } = call;
    const event = drafted('attempt.started', about, wall);
    event.attempt = at(0);
    if (provider !== undefined) event.provider = provider;
    if (model !== undefined) event.model = model;
    if (at(1) === 1) event.probe = true;
    if (call.hasBreaker) event.generation = at(2);
    return event;
  },
  (at, { facts, about, wall }) => {
    const event = drafted('attempt.succeeded', about, wall);
    event.attempt = at(0);
    event.durationMs = span(at(1));
    if (facts?.firstChunkMs !== undefined) event.firstChunkMs = facts.firstChunkMs;
    if (facts?.usage !== undefined) event.usage = facts.usage;
    if (facts?.unreadStream === true) event.unreadStream = true;
    if (facts?.responseId !== undefined) event.responseId = facts.responseId;
    return event;
  },
  (at, { call, about, wall }) => {
    if (call.lastFailure === undefined) return undefined;
    const details = failedAttempt(call.lastFailure, {
      attempt: at(0),
      durationMs: span(at(1)),
      code: codeOf(at(2)),
      counted: at(3) === 1,
      retryAfterMs: given(at(4)),
    });
    return copied(details, about, wall);
  },
  (at, { call, about, wall }) => {
    const details: EventDetails = {
      type: 'retry.scheduled',
      attempt: at(0),
      delayMs: at(1),
      dueAt: wallOf(at(2), call) ?? 0,
      minMs: at(3),
      maxMs: at(4),
      delaySource: at(5) === 1 ? 'retry-after' : 'backoff',
      budgetLeft: given(at(6)),
    };
    return copied(details, about, wall);
  },
  (at, { about, wall }) => {
    const event = drafted('call.succeeded', about, wall);
    event.attempts = at(0);
    event.durationMs = span(at(1));
    if (at(2) === 1) event.closedEarly = true;
    return event;
  },
  (at, { call, about, wall }) => {
    const code = codeOf(at(2));
    const details: EventDetails = {
      type: 'call.failed',
      attempts: at(0),
      durationMs: span(at(1)),
      code,
      why: engine.WHY[at(3)] ?? 'not-retryable',
      userMessage: userMessage(code, call),
    };
    return copied(details, about, wall);
  },
  (at, { about, wall }) => {
    const by = engine.LAYERS[at(0)] ?? 'breaker';
    const code = by === 'breaker' ? 'CIRCUIT_OPEN' : 'CAPACITY_EXCEEDED';
    return copied({ type: 'call.rejected', code, by, retryAfterMs: given(at(1)) }, about, wall);
  },
  () => undefined,
  (at, { about, wall }) => copied({ type: 'events.dropped', count: at(0) }, about, wall),
];

/** A call begins. */
export function callStarted(call: ObservedCall, about: EventSubject, wall: number): EventBase {
  const event = drafted('call.started', about, wall);
  const options = describedOwn(call.options);
  if (call.task !== undefined) event.task = call.task;
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
    technicalDetails: error.metadata.technicalDetails ?? textForLog(error.message, 512),
    signals,
    statusCode: error.provider.statusCode,
    requestId: error.provider.requestId,
    ...originOf(failure),
    ...known,
  };
}

function userMessage(code: AgentErrorCode, call: ObservedCall): string {
  const error = call.lastFailure?.error;
  return error?.code === code ? responseFor(error).message : getUserFriendlyMessage(code);
}

function tellChange(at: Numbers, call: ObservedCall | undefined): void {
  const breaker = engine.breakerOf(at(0));
  if (breaker === undefined) return;
  const total = at(8);
  const retryAt = given(at(7));
  const subject: EventSubject = call === undefined ? {} : subjectOf(call);
  breaker.changed(
    {
      from: engine.STATES[at(1)] ?? 'closed',
      to: engine.STATES[at(2)] ?? 'closed',
      reason: engine.reasonText(at(3), at(4), at(5), at(14)),
      generation: at(6),
      retryAt: retryAt === undefined ? undefined : breaker.time.wall() + (retryAt - breaker.time.now()),
      window: { total, failures: at(9), slow: at(10), last: lastResults(at(11), at(13), at(12)) },
    },
    subject,
  );
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

/** A time of the policy's clock as wall time. */
function wallOf(time: number, call: ObservedCall): number | undefined {
  if (Number.isNaN(time)) return undefined;
  const clock = call.host.time;
  return clock.wall() + (time - clock.now());
}
