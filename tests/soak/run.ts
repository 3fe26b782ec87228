// Lives through a history with the real package under a virtual clock, and says which law it broke.
import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { createPolicy, type HalfopenEvent, onEvent, type Policy, RetryBudget, STREAM_RESET } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';
import { BreakerModel, PROBE_TIMEOUT_MS } from './breaker-model.js';
import type { Call, History, Outcome, PolicyShape } from './history.js';
import { armed, trappable } from './modules.js';

const FALLBACK = 'the fallback';

/** A clock that the system sets back or, after a sleep, forward: what it reads jumps, its timers go on. */
class UnsteadyClock extends VirtualClock {
  jump = 0;
  wallJump = 0;
  override now(): number {
    return Math.max(0, super.now() + this.jump);
  }
  override wall(): number {
    return Math.max(0, super.now() + this.wallJump);
  }
}

/** The outcome of a call, and its observed actions. */
interface Fate {
  call: Call;
  policy: PolicyShape;
  invoked: number;
  /** Invocations after the call had settled: there must be none. */
  late: number;
  settled: number;
  answer?: unknown;
  error?: unknown;
  signal: AbortSignal | undefined;
}

const hostile = (): Error =>
  Object.defineProperties(new Error('x'), {
    status: {
      get() {
        throw new Error('a getter');
      },
    },
    message: {
      get() {
        throw new Error('a getter');
      },
    },
  });

const failures: Record<string, () => unknown> = {
  unavailable: () => Object.assign(new Error('unavailable'), { status: 503 }),
  'rate limited': () =>
    Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after': '1' } }),
  refused: () => Object.assign(new Error('bad request'), { status: 400 }),
  'programming error': () => new TypeError("Cannot read properties of undefined (reading 'x')"),
  hostile,
};

function outcomeOf(call: Call, invoked: number): Outcome {
  return call.outcomes[Math.min(invoked, call.outcomes.length) - 1] as Outcome;
}

/** Runs one attempt as the history says. */
function attempt(
  clock: VirtualClock,
  outcome: Outcome,
  value: unknown,
  signal: () => AbortSignal,
): Promise<unknown> {
  if (outcome.what === 'thrown at once') throw Object.assign(new Error('unavailable'), { status: 503 });
  return new Promise((resolve, reject) => {
    if (outcome.what === 'never') return;
    if (outcome.what === 'until aborted') {
      const given = signal();
      given.addEventListener('abort', () => reject(given.reason), { once: true });
      if (given.aborted) reject(given.reason);
      return;
    }
    clock.setTimeout(() => {
      const failure = failures[outcome.what];
      if (failure) reject(failure());
      else resolve(value);
    }, outcome.afterMs);
  });
}

/** Observers that misbehave as the shape says. */
function observers(
  shape: PolicyShape,
  policy: () => Policy<unknown> | undefined,
  noteCall: () => void,
): object {
  let left = 20; // what an observer begins is observed
  const observe = (): unknown => {
    if (shape.observers === 'throw') throw new Error('an observer');
    if (shape.observers === 'reject') return Promise.reject(new Error('an observer'));
    if (shape.observers === 're-enter' && left > 0) {
      left -= 1;
      policy()?.stats();
      policy()?.snapshot();
      policy()?.update({ timeout: shape.timeout });
      noteCall();
      policy()
        ?.respond(() => 'from an observer', { task: 'from an observer' })
        .catch(() => {});
    }
    return undefined;
  };
  return shape.observers === 'quiet' ? {} : { onEvent: observe, onDebug: observe, onError: observe };
}

function makePolicy(
  shape: PolicyShape,
  name: string,
  clock: VirtualClock,
  budget: RetryBudget,
  noteCall: () => void,
): Policy<unknown> {
  let made: Policy<unknown> | undefined;
  made = createPolicy<unknown>({
    name,
    clock,
    seed: 1,
    retry: shape.retry && { ...shape.retry, budget: shape.retry.budget ? budget : undefined },
    breaker: shape.breaker,
    breakerScope: shape.breakerScope,
    timeout: shape.timeout,
    bulkhead: shape.bulkhead,
    adaptive: shape.adaptive,
    rateLimit: shape.rateLimit,
    hedge: shape.hedge,
    ...(shape.fallback === 'none'
      ? {}
      : {
          fallback: () => {
            if (shape.fallback === 'throws') throw new Error('the fallback fails too');
            return FALLBACK;
          },
        }),
    ...observers(shape, () => made, noteCall),
  });
  return made;
}

/** Starts a call, and writes its outcome into its fate. */
function start(policy: Policy<unknown>, fate: Fate, task: string, clock: VirtualClock): void {
  const { call } = fate;
  const options = {
    task,
    idempotent: call.idempotent,
    signal: fate.signal,
    timeout: call.totalMs === undefined ? undefined : { totalMs: call.totalMs },
  };
  const invoke = (signal: () => AbortSignal): Promise<unknown> => {
    fate.invoked += 1;
    if (fate.settled > 0) fate.late += 1;
    return attempt(clock, outcomeOf(call, fate.invoked), task, signal);
  };
  async function* chunks(signal: () => AbortSignal): AsyncGenerator<unknown> {
    const last = invoke(signal);
    last.catch(() => {}); // it may fail before it is waited for
    for (let chunk = 0; chunk < call.chunks; chunk++) yield task;
    yield await last;
  }
  const consume = async (): Promise<unknown> => {
    let seen = 0;
    const stream = policy.stream((context) => chunks(() => context.signal), {
      ...options,
      onBreak: call.onBreak,
      stallTimeoutMs: call.stallTimeoutMs,
    });
    for await (const chunk of stream) {
      assert.ok(chunk === task || chunk === STREAM_RESET, 'a chunk of another call');
      seen += 1;
      if (seen === call.closeAfter) break;
    }
    return task;
  };
  const promise =
    call.kind === 'stream'
      ? consume()
      : call.kind === 'respond'
        ? policy
            .respond((context) => invoke(() => context.signal), options)
            .then((response) => {
              if (response.success) return response.result;
              throw response.cause;
            })
        : call.kind === 'wrap'
          ? policy.wrap(() => invoke(() => new AbortController().signal), options)()
          : policy.execute((context) => invoke(() => context.signal), options);
  promise.then(
    (answer) => {
      fate.settled += 1;
      fate.answer = answer;
    },
    (error) => {
      fate.settled += 1;
      fate.error = error;
    },
  );
}

const ENDS = new Set(['call.succeeded', 'call.failed', 'call.rejected']);
const ATTEMPT_ENDS = new Set(['attempt.succeeded', 'attempt.failed']);

/** The events of a call determine its outcome. */
function checkCall(fate: Fate, events: readonly HalfopenEvent[], about: string): void {
  const types = events.map((event) => event.type);
  const ends = types.filter((type) => ENDS.has(type));
  const started = types.filter((type) => type === 'attempt.started').length;
  assert.deepEqual(types.filter((type) => type === 'call.started').length, 1, `${about}: call.started`);
  assert.equal(ends.length, 1, `${about}: ends ${ends.join(', ')}`);
  assert.equal(types[0], 'call.started', `${about}: first event`);
  assert.equal(started, fate.invoked, `${about}: attempts in events`);
  // An attempt that runs when the call ends needs no end of its own.
  assert.ok(types.filter((type) => ATTEMPT_ENDS.has(type)).length <= started, `${about}: attempts that end`);
  const end = types.findIndex((type) => ENDS.has(type));
  assert.ok(!types.slice(end).includes('attempt.started'), `${about}: an attempt after the end`);
  const flowing = new Set<number>();
  for (const event of events) {
    if (event.type === 'stream.chunk') flowing.add(event.attempt);
    if (event.type !== 'attempt.failed' || event.rule !== 'policy.timeout' || !flowing.has(event.attempt))
      continue;
    assert.doesNotMatch(
      event.technicalDetails,
      /Attempt/,
      `${about}: a stream that flowed was cut by attemptMs`,
    );
  }
  const byFallback = events.some((event) => event.type === 'fallback.used' && event.failed !== true);
  if (fate.error === undefined && fate.call.kind !== 'stream')
    assert.ok(types[end] === 'call.succeeded' || byFallback, `${about}: answered, but ${types[end]}`);
  if (fate.error !== undefined)
    assert.notEqual(types[end], 'call.succeeded', `${about}: rejected, but call.succeeded`);
  const { retry, hedge } = fate.policy;
  if (!hedge) assert.ok(started <= (retry ? retry.maxRetries : 0) + 1, `${about}: ${started} attempts`);
}

/** The transitions of a breaker by calls, and by hand (`isolate`, `lift`, `reset`, `disable`). */
const NEXT: Record<string, readonly string[]> = {
  closed: ['open', 'isolated', 'disabled'],
  open: ['half_open', 'closed', 'isolated', 'disabled'],
  half_open: ['closed', 'open', 'isolated', 'disabled'],
  isolated: ['closed', 'open', 'half_open', 'disabled'],
  disabled: ['closed', 'isolated'],
};

/** The breaker goes from state to state without a gap, where it may, and admits nothing while it refuses. */
function checkBreaker(shape: PolicyShape, events: readonly HalfopenEvent[], about: string): void {
  let state = 'closed';
  let generation = -1;
  const probes = new Map<string, number>();
  for (const event of events) {
    const attempt = 'attempt' in event ? `${event.call} ${event.attempt}` : '';
    if (event.type === 'breaker.changed') {
      assert.equal(event.from, state, `${about}: breaker.changed from`);
      assert.ok(
        event.generation >= generation,
        `${about}: generation ${event.generation} after ${generation}`,
      );
      assert.ok(NEXT[state]?.includes(event.to), `${about}: breaker.changed from ${state} to ${event.to}`);
      state = event.to;
      generation = event.generation;
      probes.clear();
    } else if (event.type === 'attempt.started' && shape.breaker && shape.breakerScope === 'attempt') {
      assert.ok(state !== 'open' && state !== 'isolated', `${about}: an attempt while ${state}`);
      if (event.probe) probes.set(attempt, event.time);
      // A probe that is silent for longer has given its place back.
      const { halfOpenMaxCalls: most = 3 } = shape.breaker;
      const places = [...probes.values()].filter((began) => event.time - began < PROBE_TIMEOUT_MS).length;
      assert.ok(state !== 'half_open' || places <= most, `${about}: ${places} probes, at most ${most}`);
    } else if (ATTEMPT_ENDS.has(event.type)) probes.delete(attempt);
    else if (ENDS.has(event.type))
      for (const probe of probes.keys()) if (probe.startsWith(`${event.call} `)) probes.delete(probe);
  }
}

/** A step's effect on a breaker without an event of its own, between the events before and after it. */
interface ByHand {
  which: number;
  what: 'reset' | 'snapshot';
  /** How many events there were before. */
  after: number;
}

/** The breaker is in the state that the reference model is in, and changes when the model does. */
function checkModel(
  shape: PolicyShape,
  {
    events,
    which,
    hands,
    steady,
  }: { events: readonly HalfopenEvent[]; which: number; hands: readonly ByHand[]; steady: boolean },
): void {
  const { breaker } = shape;
  // The model takes results in the order of their events: hedges end in another, and what observers begin comes between.
  if (!breaker || breaker.throttle || breaker.rampMs) return;
  if (shape.hedge || shape.observers === 're-enter') return;
  const model = new BreakerModel({ ...breaker, scope: shape.breakerScope }, steady);
  const own: HalfopenEvent[] = [];
  try {
    for (const [index, event] of events.entries()) {
      for (const hand of hands) if (hand.which === which && hand.after === index) model.byHand(hand.what);
      if (!isOf(which, event)) continue;
      own.push(event);
      model.take(event);
    }
    model.checkNothingDue();
  } catch (error) {
    const lines = own.slice(-12).map((one) => JSON.stringify(one));
    throw new Error(`policy ${which}: ${(error as Error).message}\n${lines.join('\n')}`, { cause: error });
  }
}

/** Returns `true` for an event of this policy. Manual changes of the breaker belong to no policy. */
const isOf = (which: number, event: HalfopenEvent): boolean =>
  event.policy === `p${which}` || (event.type === 'breaker.changed' && event.breaker === `p${which}`);

/** No more attempts run, or begin within a window, than were allowed. */
function checkLimits(shape: PolicyShape, events: readonly HalfopenEvent[], about: string): void {
  const running = new Set<string>();
  const begun: number[] = [];
  for (const event of events) {
    const attempt = 'attempt' in event ? `${event.call} ${event.attempt}` : '';
    if (event.type === 'attempt.started') {
      running.add(attempt);
      begun.push(event.time);
      if (shape.bulkhead)
        assert.ok(running.size <= shape.bulkhead.maxConcurrent, `${about}: ${running.size} attempts at once`);
      if (shape.adaptive)
        assert.ok(
          running.size <= shape.adaptive.max,
          `${about}: ${running.size} attempts, the adaptive limit is below`,
        );
    } else if (event.type === 'limit.changed') {
      const { min = 1, max = 1000 } = shape.adaptive ?? {};
      assert.ok(event.limit >= min && event.limit <= max, `${about}: an adaptive limit of ${event.limit}`);
      assert.equal(event.code === undefined, event.because === 'good', `${about}: the cause of a limit`);
    } else if (ATTEMPT_ENDS.has(event.type)) running.delete(attempt);
    else if (ENDS.has(event.type))
      for (const one of running) if (one.startsWith(`${event.call} `)) running.delete(one);
  }
  if (!shape.rateLimit) return;
  const { limit, windowMs } = shape.rateLimit;
  for (let first = 0; first + limit < begun.length; first++)
    assert.ok(
      (begun[first + limit] as number) - (begun[first] as number) >= windowMs,
      `${about}: ${limit + 1} attempts within ${windowMs} ms`,
    );
}

/** Lives through it. Rejects with the first law that does not hold. Returns how many calls there were. */
export async function live(history: History): Promise<number> {
  const clock = new UnsteadyClock(1_000_000);
  const budget = new RetryBudget({ clock, minPerSecond: 1, windowMs: 1000 });
  const events: HalfopenEvent[] = [];
  const stop = onEvent((event) => events.push(event));
  let observersCalls = 0;
  const noteCall = () => {
    observersCalls += 1;
  };
  const policies = history.policies.map((shape, index) =>
    makePolicy(shape, `p${index}`, clock, budget, noteCall),
  );
  const fates = new Map<string, Fate>();
  const held: { dispose(): void }[] = [];
  const hands: ByHand[] = [];
  // Set by steps that the laws on time and on breakers do not cover.
  let trapped = false;
  let steady = true;

  for (const [index, step] of history.steps.entries()) {
    await clock.advance(step.afterMs);
    const which = step.policy % policies.length;
    const policy = policies[which] as Policy<unknown>;
    const shape = history.policies[which] as PolicyShape;
    if (step.do === 'reset' || step.do === 'snapshot')
      hands.push({ which, what: step.do, after: events.length });
    if (step.do === 'call') {
      const { call } = step;
      const controller = call.abortAfterMs === undefined ? undefined : new AbortController();
      const fate: Fate = { call, policy: shape, invoked: 0, late: 0, settled: 0, signal: controller?.signal };
      fates.set(`${which} c${index}`, fate);
      start(policy, fate, `c${index}`, clock);
      if (controller) clock.setTimeout(() => controller.abort(), call.abortAfterMs as number);
    } else if (step.do === 'update') policy.update({ timeout: { totalMs: 2000 } });
    else if (step.do === 'dispose') policy.dispose();
    else if (step.do === 'isolate') {
      const handle = policy.breaker?.isolate();
      if (handle) held.push(handle);
    } else if (step.do === 'lift') held.pop()?.dispose();
    else if (step.do === 'reset') policy.breaker?.reset();
    else if (step.do === 'disable') policy.breaker?.disable();
    else if (step.do === 'snapshot') policy.restore(JSON.parse(JSON.stringify(policy.snapshot())));
    else if (step.do === 'clock back') {
      steady = false; // the policy's time does not advance until the clock has caught up
      clock.jump -= 700;
    } else if (step.do === 'clock forward') {
      steady = false;
      clock.jump += 90_000;
    } else if (step.do === 'trap') {
      trapped = true;
      const names = [...trappable];
      const name = names[step.function % Math.max(1, names.length)];
      if (name) armed.add(name);
    } else {
      steady = false;
      clock.wallJump += 3_600_000;
    }
  }
  await clock.advance(5_000);
  armed.clear();
  for (const policy of policies) policy.dispose();
  // Any wait for a time is over by then; operations that never answer were ended by `dispose`.
  await clock.advance(20_000);
  for (const handle of held) handle.dispose();
  stop();

  for (const [name, fate] of fates) {
    const about = `call ${name} (${fate.call.kind})`;
    assert.equal(fate.settled, 1, `${about}: settled ${fate.settled} times`);
    assert.equal(fate.late, 0, `${about}: its operation was called after it had settled`);
    if (fate.error === undefined)
      assert.ok(
        fate.answer === FALLBACK || fate.answer === name.split(' ')[1],
        `${about}: answered ${fate.answer}`,
      );
    if (fate.signal)
      assert.equal(getEventListeners(fate.signal, 'abort').length, 0, `${about}: a listener is left`);
  }
  assert.equal(clock.pending, 0, `${clock.pending} timers are left`);
  const calls = fates.size + observersCalls;
  if (trapped) return calls; // rebuilt policies start from nothing

  for (const [which, shape] of history.policies.entries()) {
    const own = events.filter((event) => isOf(which, event));
    const byCall = new Map<string, HalfopenEvent[]>();
    for (const event of own)
      if (event.call !== undefined) byCall.set(event.call, [...(byCall.get(event.call) ?? []), event]);
    for (const told of byCall.values()) {
      const first = told[0];
      const task = first?.type === 'call.started' ? first.task : undefined;
      const fate = fates.get(`${which} ${task}`);
      if (fate) checkCall(fate, told, `call ${which} ${task} (${fate.call.kind})`);
    }
    checkBreaker(shape, own, `policy ${which}`);
    checkModel(shape, { events, which, hands, steady });
    if (steady) checkLimits(shape, own, `policy ${which}`);
  }
  return calls;
}
