/** Earlier answers of a policy, by the keys of their calls: what `staleIfError` returns in place of a call that failed. */

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
    const { answers } = this;
    answers.delete(key);
    answers.set(key, { value, at });
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
    return ageMs <= maxAgeMs ? { value: answer.value, ageMs } : undefined;
  }

  clear(): void {
    this.answers.clear();
  }
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
