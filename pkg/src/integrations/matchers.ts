/** `halfopen/matchers`: matchers for `expect.extend` of Vitest and Jest. */

import { classify } from '../classify/classify.js';
import { type AgentErrorCode, isAgentErrorCode } from '../codes.js';
import type { HalfopenEvent } from '../event/events.js';
import * as is from '../options.js';

/** The methods of `expect(…)` after `expect.extend(matchers)`. For types, let your runner's `Matchers` extend it. */
export interface HalfopenMatchers<R = unknown> {
  /** The error means this code: an AgentError its own, any other value what the classification makes of it. */
  toHaveCode(code: AgentErrorCode): R;
  /** Another attempt may succeed. */
  toBeRetryable(): R;
  /** Among the events is one of this type, with these fields. */
  toHaveEmitted(type: HalfopenEvent['type'], fields?: Readonly<Record<string, unknown>>): R;
  /** Among the events are some of these types, in this order; others may come between them. */
  toHaveEmittedInOrder(types: readonly HalfopenEvent['type'][]): R;
}

/** The runner's argument to its matchers. */
interface MatcherContext {
  equals(one: unknown, other: unknown): boolean;
}

/** The result of a matcher. */
interface Verdict {
  pass: boolean;
  message: () => string;
}

type Recorded = readonly HalfopenEvent[] | { readonly events: readonly HalfopenEvent[] };

/**
 * Matchers for error codes and events, for `expect.extend` of Vitest and Jest.
 *
 * @example
 * ```ts
 * expect.extend(matchers);
 * const recorded = recordEvents(policy);
 * await expect(policy.execute(operation)).rejects.toHaveCode('RATE_LIMITED');
 * expect(recorded).toHaveEmitted('retry.scheduled', { attempt: 1 });
 * ```
 */
export const matchers = {
  toHaveCode(this: unknown, received: unknown, code: AgentErrorCode): Verdict {
    if (!isAgentErrorCode(code)) throw is.misuse('code', 'an AgentErrorCode', code);
    const actual = classify(received).code;
    return {
      pass: actual === code,
      message: () =>
        `expected ${nameOf(received)} ${actual === code ? 'not ' : ''}to have code ${code}, it has ${actual}`,
    };
  },
  toBeRetryable(this: unknown, received: unknown): Verdict {
    const { code, retryable } = classify(received);
    const message = () => `expected ${nameOf(received)} (${code}) ${retryable ? 'not ' : ''}to be retryable`;
    return { pass: retryable, message };
  },
  toHaveEmitted(
    this: MatcherContext,
    received: Recorded,
    type: HalfopenEvent['type'],
    fields: Readonly<Record<string, unknown>> = {},
  ): Verdict {
    const events = eventsOf(received);
    const ofType = events.filter((event) => event.type === type) as unknown as Record<string, unknown>[];
    const pass = ofType.some((event) =>
      Object.entries(fields).every(([name, value]) => this.equals(event[name], value)),
    );
    const wanted = Object.keys(fields).length === 0 ? type : `${type} ${JSON.stringify(fields)}`;
    const seen = ofType.length > 0 ? JSON.stringify(ofType) : events.map((event) => event.type).join(', ');
    return {
      pass,
      message: () => `expected events ${pass ? 'not ' : ''}to have ${wanted}; there were: ${seen || 'none'}`,
    };
  },
  toHaveEmittedInOrder(this: unknown, received: Recorded, types: readonly HalfopenEvent['type'][]): Verdict {
    const emitted = eventsOf(received).map(({ type }) => type);
    let matched = 0;
    for (const type of emitted) if (type === types[matched]) matched++;
    const pass = matched === types.length;
    const message = () =>
      `expected events ${pass ? 'not ' : ''}to have ${types.join(', ')} in this order; there were: ${emitted.join(', ')}`;
    return { pass, message };
  },
};

function eventsOf(received: Recorded): readonly HalfopenEvent[] {
  const events = Array.isArray(received) ? received : (received as { events?: unknown } | null)?.events;
  if (!Array.isArray(events)) throw is.misuse('received', 'events, or what recordEvents returned', received);
  return events;
}

function nameOf(received: unknown): string {
  return received instanceof Error ? `${received.name}: ${received.message}` : String(received);
}
