/** The engine's records made into events: numbers get their words, and what only this side knows is added. */

import type { Attempt } from './attempt.js';
import { describedOwn } from './described.js';
import type { Ending } from './ending.js';
import * as engine from './engine.js';
import { AGENT_ERROR_CODES, type AgentErrorCode } from './errors.js';
import { clip, type EventDetails, type EventSubject } from './events.js';
import type { Failure } from './failure.js';
import { getUserFriendlyMessage, redact } from './message.js';

/** How many numbers stand for one record. */
const STRIDE = 20;

type Numbers = (place: number) => number;

/** Tells of everything that the engine recorded since it was last asked. All of it is about the one call, if any. */
export function drainRecords(call?: Ending<unknown>, attempt?: Attempt): void {
  const all = engine.drainEvents();
  for (let start = 0; start < all.length; start += STRIDE) {
    const at: Numbers = (place) => all[start + place] ?? Number.NaN;
    const kind = at(0);
    if (kind === BREAKER_CHANGED) {
      tellChange(at, call);
      continue;
    }
    if (call === undefined) continue;
    const details = DETAILS[kind]?.(at, call, attempt);
    if (details !== undefined) call.policy.tell(call, details);
  }
}

const BREAKER_CHANGED = 10;

const DETAILS: readonly ((
  at: Numbers,
  call: Ending<unknown>,
  attempt?: Attempt,
) => EventDetails | undefined)[] = [
  (_at, call) => ({ type: 'call.started', task: call.task, options: describedOwn(call.options) }),
  (at, call) => ({
    type: 'call.queued',
    by: at(4) === 2 ? 'rate-limit' : 'bulkhead',
    position: at(5),
    dueAt: wallOf(at(6), call),
  }),
  () => ({ type: 'call.dequeued' }),
  (at, call) => ({
    type: 'attempt.started',
    attempt: at(4),
    provider: call.provider,
    model: call.model,
    probe: at(5) === 1 ? true : undefined,
    generation: call.policy.breaker === undefined ? undefined : at(6),
  }),
  (at, _call, attempt) => ({
    type: 'attempt.succeeded',
    attempt: at(4),
    durationMs: span(at(5)),
    firstChunkMs: attempt?.facts.firstChunkMs,
    usage: attempt?.facts.usage,
  }),
  (at, call) =>
    call.lastFailure === undefined
      ? undefined
      : failedAttempt(call.lastFailure, {
          attempt: at(4),
          durationMs: span(at(5)),
          code: codeOf(at(6)),
          counted: at(7) === 1,
          retryAfterMs: given(at(8)),
        }),
  (at, call) => ({
    type: 'retry.scheduled',
    attempt: at(4),
    delayMs: at(5),
    dueAt: wallOf(at(6), call) ?? 0,
    minMs: at(7),
    maxMs: at(8),
    source: at(9) === 1 ? 'retry-after' : 'backoff',
    budgetLeft: given(at(10)),
  }),
  (at) => ({ type: 'call.succeeded', attempts: at(4), durationMs: span(at(5)) }),
  (at, call) => {
    const code = codeOf(at(6));
    return {
      type: 'call.failed',
      attempts: at(4),
      durationMs: span(at(5)),
      code,
      why: engine.WHY[at(7)] ?? 'not-retryable',
      userMessage: userMessage(code, call),
    };
  },
  (at) => {
    const by = engine.LAYERS[at(4)] ?? 'breaker';
    return {
      type: 'call.rejected',
      code: by === 'breaker' ? 'CIRCUIT_OPEN' : 'CAPACITY_EXCEEDED',
      by,
      retryAfterMs: given(at(5)),
    };
  },
  () => undefined,
  (at) => ({ type: 'events.dropped', count: at(4) }),
];

function codeOf(number: number): AgentErrorCode {
  return AGENT_ERROR_CODES[number] ?? 'UNKNOWN';
}

type FailedAttempt = Extract<EventDetails, { type: 'attempt.failed' }>;

/** What is told of a failed attempt. */
export function failedAttempt(
  { error, rule, signals }: Failure,
  known: Pick<FailedAttempt, 'attempt' | 'durationMs' | 'counted'> & Partial<FailedAttempt>,
): FailedAttempt {
  return {
    type: 'attempt.failed',
    code: error.code,
    severity: error.severity,
    retryable: error.retryable,
    rule,
    technicalDetails: error.metadata.technicalDetails ?? redact(clip(error.message, 512)),
    signals,
    statusCode: error.provider.statusCode,
    requestId: error.provider.requestId,
    ...known,
  };
}

function userMessage(code: AgentErrorCode, call: Ending<unknown>): string {
  const error = call.lastFailure?.error;
  return error?.code === code ? error.userMessage() : getUserFriendlyMessage(code);
}

function tellChange(at: Numbers, call: Ending<unknown> | undefined): void {
  const breaker = engine.breakerOf(at(4));
  if (breaker === undefined) return;
  const total = at(12);
  const retryAt = given(at(11));
  const subject: EventSubject = call === undefined ? {} : call.policy.subject(call);
  breaker.changed(
    {
      from: engine.STATES[at(5)] ?? 'closed',
      to: engine.STATES[at(6)] ?? 'closed',
      reason: engine.reasonText(at(7), at(8), at(9)),
      generation: at(10),
      retryAt: retryAt === undefined ? undefined : breaker.time.wall() + (retryAt - breaker.time.now()),
      window: { total, failures: at(13), slow: at(14), last: lastResults(at(15), at(17), at(16)) },
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
function wallOf(time: number, call: Ending<unknown>): number | undefined {
  if (Number.isNaN(time)) return undefined;
  const clock = call.policy.time;
  return clock.wall() + (time - clock.now());
}
