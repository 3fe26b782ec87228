// Model checking of streams: every order in which consumers, their sources and time can go through streams that break off,
// up to a number of inputs. After each input the laws of a stream must hold. From each state that can be reached, once the
// sources go well, every request is answered, the streams end, nothing is left of them, and the breaker closes again.
//
// Breadth first, so that the history that breaks a law is a shortest one. A stream cannot be copied: each history is run from
// its beginning. Two states are one when all that can be seen of them is the same. INTERLEAVINGS=1 goes one input deeper.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type AgentError,
  createPolicy,
  type Policy,
  type PolicyOptions,
  STREAM_RESET,
  type StreamContext,
} from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { retryable } from '../policy/given.js';

/** The chunks of a source: the numbers below this, in order. */
const CHUNKS = 2;
const MAX_RETRIES = 2;
const RETRY_MS = 100;
const STALL_MS = 250;
const RESET_MS = 1000;
const DEEPER = Number(process.env.INTERLEAVINGS ?? 0);

type OnBreak = 'fail' | 'restart' | 'resume';

/** The next input: to a stream, to one of its attempts, or to all. */
type Input =
  | { what: 'request' | 'close'; stream: number }
  | { what: 'open' | 'refuse' | 'chunk' | 'end' | 'break'; stream: number; attempt: number }
  | { what: 'pass' };

const written = (history: readonly Input[]): string =>
  history.map((input) => JSON.stringify(input)).join(' ');

interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function deferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((...settle) => {
    [resolve, reject] = settle;
  });
  return { promise, resolve, reject };
}

/** Waits until every promise that can settle has settled. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** An attempt as its operation sees it: first a promise of chunks, then the chunks. */
class Source implements AsyncIterableIterator<number> {
  readonly opened = deferred<Source>();
  stage: 'opening' | 'open' | 'over' = 'opening';
  pulled: Deferred<IteratorResult<number>> | undefined;
  closed = 0;
  private readonly stream: GuardedStream;
  readonly signal: AbortSignal;
  at: number;

  constructor(stream: GuardedStream, { signal, received }: StreamContext) {
    this.stream = stream;
    this.signal = signal;
    this.at = received?.length ?? 0;
  }

  /** `true` if a reader waits for it. */
  get isRunning(): boolean {
    return this.stage !== 'over' && this.closed === 0 && !this.signal.aborted;
  }

  next(): Promise<IteratorResult<number>> {
    assert.equal(this.stage, 'open', 'a chunk is pulled of a source that is over');
    assert.equal(this.pulled, undefined, 'two chunks are pulled at once');
    assert.ok(this.stream.unanswered > 0, 'a chunk is pulled that nobody has requested');
    this.pulled = deferred();
    return this.pulled.promise;
  }

  async return(): Promise<IteratorResult<number>> {
    this.closed += 1;
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  give(what: Input['what']): void {
    const { pulled } = this;
    if (what === 'open') {
      this.stage = 'open';
      this.opened.resolve(this);
      return;
    }
    if (what !== 'chunk') this.stage = 'over';
    if (what === 'refuse') this.opened.reject(retryable());
    this.pulled = undefined;
    if (what === 'chunk') pulled?.resolve({ done: false, value: this.at++ });
    else if (what === 'end') pulled?.resolve({ done: true, value: undefined });
    else pulled?.reject(retryable());
  }

  /** Returns its possible inputs, even when no reader waits for it any more. */
  inputs(): ('open' | 'refuse' | 'chunk' | 'end' | 'break')[] {
    if (this.stage === 'opening') return ['open', 'refuse'];
    if (this.pulled === undefined) return [];
    return [this.at < CHUNKS ? 'chunk' : 'end', 'break'];
  }
}

/** A guarded stream, and what its consumer knows of it. */
class GuardedStream {
  readonly sources: Source[] = [];
  /** Since it began, or began again. */
  received: number[] = [];
  unanswered = 0;
  isClosed = false;
  isDone = false;
  error: AgentError | undefined;
  /** The first law that does not hold. */
  broken: unknown;
  private readonly iterator: AsyncIterableIterator<number | typeof STREAM_RESET>;

  constructor(world: World, policy: Policy, onBreak: OnBreak) {
    this.iterator = policy.stream<number>(
      (context) => {
        const source = new Source(this, context);
        this.holds(() => world.admits(this, context));
        this.sources.push(source);
        return source.opened.promise;
      },
      { onBreak, stallTimeoutMs: STALL_MS },
    );
  }

  get isOver(): boolean {
    return this.isClosed || this.isDone || this.error !== undefined;
  }

  /** Keeps a law that does not hold: thrown here it would be a failure of the source. */
  holds(law: () => void): void {
    try {
      law();
    } catch (error) {
      this.broken ??= error;
    }
  }

  request(): void {
    this.unanswered += 1;
    this.iterator.next().then(
      (result) => this.holds(() => this.answered(result)),
      (error) => this.holds(() => this.failed(error)),
    );
  }

  close(): void {
    this.isClosed = true;
    void this.iterator.return?.();
  }

  private answered({ done, value }: IteratorResult<number | typeof STREAM_RESET>): void {
    this.unanswered -= 1;
    if (done === true) {
      if (!this.isOver) assert.equal(this.received.length, CHUNKS, 'it is done before its last chunk');
      this.isDone = true;
      return;
    }
    assert.ok(!this.isOver, 'a chunk comes after the end');
    if (value === STREAM_RESET) {
      assert.ok(this.received.length > 0, 'there is nothing to forget');
      this.received = [];
    } else {
      assert.equal(value, this.received.length, 'a chunk is missing, or comes twice');
      this.received.push(value);
    }
  }

  private failed(error: AgentError): void {
    this.unanswered -= 1;
    assert.ok(!this.isOver, 'it fails after its end');
    this.error = error;
    const received = (error.metadata.received as number | undefined) ?? 0;
    assert.equal(received, this.received.length, 'the error counts other chunks');
  }

  inputs(stream: number): Input[] {
    const inputs: Input[] = [];
    if (!this.isOver && this.unanswered < 2) inputs.push({ what: 'request', stream });
    if (!this.isClosed) inputs.push({ what: 'close', stream });
    for (const [attempt, source] of this.sources.entries())
      inputs.push(...source.inputs().map((what) => ({ what, stream, attempt })));
    return inputs;
  }
}

/** Streams under one policy. */
class World {
  readonly streams: GuardedStream[];
  private readonly clock = new VirtualClock();
  private readonly onBreak: OnBreak;
  private readonly policy: Policy;

  constructor(onBreak: OnBreak, count: number, options: PolicyOptions) {
    const { clock } = this;
    this.onBreak = onBreak;
    this.policy = createPolicy({
      clock,
      retry: { maxRetries: MAX_RETRIES, baseDelayMs: RETRY_MS, backoffFactor: 1, enableJitter: false },
      breaker: { failureThreshold: 1, resetTimeoutMs: RESET_MS, maxResetTimeoutMs: RESET_MS },
      ...options,
    });
    this.streams = Array.from({ length: count }, () => new GuardedStream(this, this.policy, onBreak));
  }

  /** The laws of an attempt that begins. */
  admits(stream: GuardedStream, context: StreamContext): void {
    const { sources, received } = stream;
    assert.ok(!stream.isOver, 'an attempt for a stream that is over');
    assert.ok(stream.unanswered > 0, 'an attempt that nobody has requested anything of');
    assert.ok(sources.length <= MAX_RETRIES, 'an attempt too many');
    assert.ok(!sources.some(({ isRunning }) => isRunning), 'two attempts of a stream at once');
    if (this.onBreak === 'fail')
      assert.deepEqual(received, [], 'a stream that broke off is tried again, though it shall fail');
    if (this.onBreak === 'resume')
      assert.deepEqual([...context.received], received, 'the operation learns of other chunks');
  }

  async give(input: Input): Promise<void> {
    if (input.what === 'pass') await this.clock.advance(RETRY_MS);
    else {
      const stream = this.streams[input.stream] as GuardedStream;
      if (input.what === 'request') stream.request();
      else if (input.what === 'close') stream.close();
      else if ('attempt' in input) stream.sources[input.attempt]?.give(input.what);
    }
    await settled();
    for (const { broken } of this.streams) if (broken !== undefined) throw broken;
    const running = this.streams.flatMap(({ sources }) => sources.filter(({ isRunning }) => isRunning));
    assert.ok(running.length <= this.atOnce, `${running.length} attempts at once`);
  }

  /** How many attempts may run at once. */
  atOnce = Number.POSITIVE_INFINITY;

  inputs(): Input[] {
    return [...this.streams.flatMap((stream, at) => stream.inputs(at)), { what: 'pass' }];
  }

  /** All that can be seen of it. */
  fingerprint(): string {
    const { clock, policy } = this;
    const now = clock.now();
    const timers = [...(clock as unknown as { timers: Set<{ due: number }> }).timers].map(
      ({ due }) => due - now,
    );
    const streams = this.streams.map(({ sources, received, unanswered, isClosed, isDone, error }) => [
      sources.map(({ stage, pulled, closed, at, signal }) => [
        stage,
        pulled !== undefined,
        closed,
        at,
        signal.aborted,
      ]),
      received.length,
      unanswered,
      isClosed,
      isDone,
      error?.code,
    ]);
    const { state, retryAfterMs } = policy.breaker ?? {};
    return JSON.stringify([streams, timers, policy.stats(), state, retryAfterMs]);
  }

  /** Everything goes well from here on: every request is answered, every stream ends, and nothing is left. */
  async endsWell(): Promise<void> {
    for (
      let round = 0;
      round < 40 && !this.streams.every(({ isOver, unanswered }) => isOver && unanswered === 0);
      round++
    ) {
      for (const [stream, { isOver, unanswered }] of this.streams.entries())
        if (!isOver && unanswered === 0) await this.give({ what: 'request', stream });
      for (const [stream, { sources }] of this.streams.entries())
        for (const [attempt, source] of sources.entries()) {
          const [what] = source.inputs();
          if (what !== undefined) await this.give({ what, stream, attempt });
        }
      await this.give({ what: 'pass' });
    }
    for (const { sources, unanswered, isOver } of this.streams) {
      assert.equal(unanswered, 0, 'a request is never answered');
      assert.ok(isOver, 'a stream never ends');
      for (const { stage, closed } of sources) {
        assert.ok(stage !== 'open' || closed > 0, 'a source that is left is not closed');
        assert.ok(closed <= 1, 'a source is closed twice');
      }
    }
    assert.equal(this.clock.pending, 0, 'a timer is left');
    const { inFlight, waiting } = this.policy.stats();
    assert.deepEqual([inFlight, waiting], [0, 0], 'a call is left');
    await this.closes();
  }

  /** Streams come that go well: the breaker is closed by them. */
  private async closes(): Promise<void> {
    await this.clock.advance(RESET_MS);
    for await (const _ of this.policy.stream(async function* () {
      yield 0;
    }));
    assert.equal(this.policy.breaker?.state, 'closed', 'the breaker stays open for ever');
  }
}

/** Runs every history of that number of inputs, and returns how many states there are. */
async function explore(start: () => World, inputs: number): Promise<number> {
  const seen = new Set<string>();
  let level: Input[][] = [[]];
  for (let depth = 0; depth < inputs + DEEPER; depth++) {
    const next: Input[][] = [];
    for (const history of level) {
      const from = start();
      for (const input of history) await from.give(input);
      for (const input of from.inputs()) {
        const after = [...history, input];
        const world = start();
        try {
          for (const one of after) await world.give(one);
          const fingerprint = world.fingerprint();
          if (seen.has(fingerprint)) continue;
          seen.add(fingerprint);
          await world.endsWell();
        } catch (error) {
          const [law] = (error as Error).message.split('\n');
          throw new Error(`${law}, after ${written(after)}`, { cause: error });
        }
        next.push(after);
      }
    }
    level = next;
  }
  return seen.size;
}

async function holds(start: () => World, inputs: number, atLeast: number): Promise<void> {
  const states = await explore(start, inputs);
  assert.ok(states >= atLeast, `${states} states: less than there were`);
}

for (const [onBreak, atLeast] of [
  ['fail', 500],
  ['restart', 500],
  ['resume', 500],
] as const) {
  test(`a stream that may break off, onBreak: '${onBreak}'`, async () => {
    await holds(() => new World(onBreak, 1, {}), 9, atLeast);
  });
}

test('two streams that take turns in a bulkhead, and resume', async () => {
  const start = (): World => {
    const world = new World('resume', 2, { bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
    world.atOnce = 1;
    return world;
  };
  await holds(start, 6, 600);
});
