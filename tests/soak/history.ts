// A history: what an application may do to a few policies within some minutes of a virtual clock, made by chance. It is plain
// data, so that fast-check can shrink one that breaks a law to the smallest that does.
import fc from 'fast-check';

/** The operation's result in one attempt, after that many milliseconds. */
export interface Outcome {
  afterMs: number;
  what: (typeof OUTCOMES)[number];
}
const OUTCOMES = [
  'answer',
  'answer', // as often as what is below together would starve the breaker of failures
  'unavailable', // 503
  'rate limited', // 429 with a Retry-After
  'refused', // 400
  'programming error', // a TypeError
  'hostile', // an error whose getters throw
  'thrown at once', // synchronously
  'until aborted', // never, except for the signal
  'never', // not even then
] as const;

/** A call that an application makes. */
export interface Call {
  kind: 'execute' | 'respond' | 'stream' | 'wrap';
  /** One for each attempt; the last repeats. */
  outcomes: Outcome[];
  /** The caller aborts it after so long. */
  abortAfterMs: number | undefined;
  /** Of a stream: chunks before an outcome that is a failure. */
  chunks: number;
  onBreak: 'fail' | 'restart' | 'resume';
  /** For a stream: its consumer leaves after that number of chunks. */
  closeAfter: number | undefined;
  /** Of a stream: the attempt fails where the next chunk takes longer. */
  stallTimeoutMs: number | undefined;
  totalMs: number | undefined;
  idempotent: boolean;
}

/** Other inputs to a policy and its clock, beside calls. A disposed policy takes no more. */
const CHANGES = [
  'update',
  'isolate',
  'lift',
  'reset',
  'disable',
  'snapshot',
  'clock back',
  'clock forward',
  'wall clock',
] as const;

export type Step = { afterMs: number; policy: number } & (
  | { do: 'call'; call: Call }
  | { do: (typeof CHANGES)[number] | 'dispose' }
  | { do: 'trap'; function: number }
);

export interface PolicyShape {
  retry:
    | false
    | { maxRetries: number; baseDelayMs: number; jitter: number | 'full' | 'decorrelated'; budget: boolean };
  breaker:
    | false
    | {
        failureThreshold?: number;
        window?: { kind: 'count'; size: number; failureRate: number; minimumCalls: number };
        throttle?: { minimumCalls: number };
        resetTimeoutMs?: number;
        halfOpenMaxCalls?: number;
        successThreshold?: number;
        rampMs?: number;
      };
  breakerScope: 'call' | 'attempt';
  timeout: { attemptMs?: number; totalMs?: number };
  bulkhead: { maxConcurrent: number; maxQueued: number } | undefined;
  adaptive: { min: number; max: number; initial: number } | undefined;
  rateLimit: { limit: number; windowMs: number; maxWaitMs: number } | undefined;
  fallback: 'none' | 'answers' | 'throws';
  hedge: { afterMs: number; max: number } | false;
  observers: 'quiet' | 'throw' | 'reject' | 're-enter';
}

export interface History {
  policies: PolicyShape[];
  steps: Step[];
}

const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const ms = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

const outcome: fc.Arbitrary<Outcome> = fc.record({ afterMs: ms(400), what: fc.constantFrom(...OUTCOMES) });

const call: fc.Arbitrary<Call> = fc.record({
  kind: fc.constantFrom('execute', 'execute', 'respond', 'stream', 'wrap'),
  outcomes: fc.array(outcome, { minLength: 1, maxLength: 4 }),
  abortAfterMs: maybe(ms(1500)),
  chunks: fc.integer({ min: 0, max: 3 }),
  onBreak: fc.constantFrom('fail', 'restart', 'resume'),
  closeAfter: maybe(fc.integer({ min: 1, max: 3 })),
  stallTimeoutMs: maybe(fc.integer({ min: 1, max: 500 })),
  totalMs: maybe(fc.integer({ min: 500, max: 3000 })), // at least the longest attemptMs
  idempotent: fc.boolean(),
});

const breaker = fc.oneof(
  fc.constant<false>(false),
  fc.record(
    {
      failureThreshold: fc.integer({ min: 1, max: 4 }),
      resetTimeoutMs: fc.integer({ min: 1, max: 2000 }),
      halfOpenMaxCalls: fc.integer({ min: 1, max: 3 }),
      successThreshold: fc.integer({ min: 1, max: 3 }),
      rampMs: ms(500),
    },
    { requiredKeys: ['failureThreshold', 'resetTimeoutMs'] },
  ),
  fc.record({
    window: fc.record({
      kind: fc.constant<'count'>('count'),
      size: fc.integer({ min: 3, max: 8 }),
      failureRate: fc.constantFrom(0.3, 0.5, 0.8),
      minimumCalls: fc.integer({ min: 1, max: 3 }),
    }),
    resetTimeoutMs: fc.integer({ min: 1, max: 2000 }),
  }),
  fc.record({ throttle: fc.record({ minimumCalls: fc.integer({ min: 1, max: 5 }) }) }),
);

const policy: fc.Arbitrary<PolicyShape> = fc.record({
  retry: fc.oneof(
    fc.constant<false>(false),
    fc.record({
      maxRetries: fc.integer({ min: 0, max: 4 }),
      baseDelayMs: ms(300),
      jitter: fc.constantFrom<(number | 'full' | 'decorrelated')[]>(0, 0.2, 'full', 'decorrelated'),
      budget: fc.boolean(),
    }),
  ),
  breaker,
  breakerScope: fc.constantFrom('call', 'attempt'),
  timeout: fc.record(
    { attemptMs: fc.integer({ min: 1, max: 500 }), totalMs: fc.integer({ min: 500, max: 3000 }) },
    { requiredKeys: [] },
  ),
  bulkhead: maybe(fc.record({ maxConcurrent: fc.integer({ min: 1, max: 3 }), maxQueued: ms(4) })),
  adaptive: maybe(
    fc.record({ min: fc.constantFrom(1, 2), max: fc.constantFrom(3, 4), initial: fc.constantFrom(2, 3) }),
  ),
  rateLimit: maybe(
    fc.record({
      limit: fc.integer({ min: 1, max: 5 }),
      windowMs: fc.integer({ min: 1, max: 1000 }),
      maxWaitMs: ms(1500),
    }),
  ),
  fallback: fc.constantFrom('none', 'none', 'answers', 'throws'),
  hedge: fc.oneof(
    { arbitrary: fc.constant<false>(false), weight: 3 },
    {
      arbitrary: fc.record({
        afterMs: fc.integer({ min: 1, max: 200 }),
        max: fc.integer({ min: 1, max: 2 }),
      }),
      weight: 1,
    },
  ),
  observers: fc.constantFrom('quiet', 'quiet', 'throw', 'reject', 're-enter'),
});

const where = { afterMs: ms(300), policy: fc.nat({ max: 2 }) };
const step: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: fc.record({ ...where, do: fc.constant<'call'>('call'), call }), weight: 40 },
  {
    arbitrary: fc.record({
      ...where,
      do: fc.constantFrom(...CHANGES),
    }),
    weight: 3,
  },
  { arbitrary: fc.record({ ...where, do: fc.constant<'dispose'>('dispose') }), weight: 1 },
  {
    arbitrary: fc.record({ ...where, do: fc.constant<'trap'>('trap'), function: fc.nat({ max: 200 }) }),
    weight: 1,
  },
);

export const histories: fc.Arbitrary<History> = fc.record({
  policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 120 }),
});
