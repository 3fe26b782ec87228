/** Earlier answers of a policy, by the keys of their calls: what `staleIfError` returns in place of a call that failed. */

import { show } from '../error/properties.js';

/** The earlier answers that `staleIfError` may return. */
export interface StaleIfErrorOptions {
  /** How old an answer may be that is returned, in milliseconds. */
  maxAgeMs: number;
  /** How many answers are kept; the oldest goes first. Default: 1000. */
  maxEntries?: number | undefined;
}

interface Answer {
  readonly value: unknown;
  /** On the policy's clock. */
  readonly at: number;
}

export class EarlierAnswers {
  /** Oldest first. */
  private readonly answers = new Map<string, Answer>();

  keep(key: string, value: unknown, at: number, { maxAgeMs, maxEntries = 1000 }: StaleIfErrorOptions): void {
    if (isReadOnce(value)) return;
    let copy: unknown;
    try {
      copy = copyOf(value);
    } catch {
      return; // A getter that throws, or parts within parts without end.
    }
    const { answers } = this;
    answers.delete(key);
    answers.set(key, { value: copy, at });
    for (const [oldest, answer] of answers) {
      if (answers.size <= maxEntries && at - answer.at <= maxAgeMs) break;
      answers.delete(oldest);
    }
  }

  /** The answer of that key, if it is not too old. */
  find(
    key: string,
    now: number,
    { maxAgeMs }: StaleIfErrorOptions,
  ): { value: unknown; ageMs: number } | undefined {
    const answer = this.answers.get(key);
    if (answer === undefined) return undefined;
    const ageMs = now - answer.at;
    return ageMs <= maxAgeMs ? { value: copyOf(answer.value), ageMs } : undefined;
  }

  clear(): void {
    this.answers.clear();
  }
}

/** Copies lists and plain objects, to which a caller may add. An object of a class stays itself: only it can copy itself. */
function copyOf(value: unknown, copies = new Map<unknown, unknown>()): unknown {
  if (typeof value !== 'object' || value === null || copies.has(value)) return copies.get(value) ?? value;
  const isPlain = [Object.prototype, Array.prototype, null].includes(Object.getPrototypeOf(value));
  const copy: object = isPlain
    ? Array.isArray(value)
      ? []
      : Object.create(Object.getPrototypeOf(value))
    : value;
  copies.set(value, copy);
  if (isPlain) for (const [name, field] of Object.entries(value)) show(copy, name, copyOf(field, copies));
  return copy;
}

/** A response or a stream: whoever gets it second finds it read. */
function isReadOnce(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  try {
    return ['bodyUsed', 'getReader', 'textStream', Symbol.asyncIterator].some((name) => name in value);
  } catch {
    return true; // A proxy that throws.
  }
}
