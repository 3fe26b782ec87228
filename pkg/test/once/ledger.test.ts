// A ledger on a store in memory: an act happens once, whatever is called again, and whatever is not known is said.
import assert from 'node:assert/strict';
import test from 'node:test';
import { AgentError, createPolicy, type HalfopenEvent, route, toolResult } from 'halfopen';
import {
  type Act,
  createLedger,
  type Ledger,
  type LedgerOptions,
  memoryStore,
  type OnceOptions,
  type OnceStore,
} from 'halfopen/once';
import { VirtualClock } from 'halfopen/testing';

interface Order {
  id: string;
  cents: number;
}
const ORDER: Order = { id: 'ch_1', cents: 500 };

/** A ledger whose acts are all called with an order, which most of them do not read. */
type OrderLedger = Omit<Ledger, 'once'> & {
  once(
    name: string,
    execute: (this: Act, order: Order) => unknown,
    options: OnceOptions<[Order], unknown>,
  ): (order: Order) => Promise<unknown>;
};

function world(own: Partial<LedgerOptions> = {}) {
  const clock = new VirtualClock(1_000_000);
  const store = own.store ?? memoryStore({ clock });
  const events: HalfopenEvent[] = [];
  const onEvent = (event: HalfopenEvent) => events.push(event);
  /** Another process with the same store. */
  const process = (more: Partial<LedgerOptions> = {}): OrderLedger =>
    createLedger({ store, secret: 's', clock, onEvent, ...own, ...more });
  const types = () => events.map(({ type }) => type);
  return { clock, store, process, events, types };
}

const key = ({ id, cents }: Order) => [id, cents];
const options: OnceOptions<[Order], unknown> = { key };
const lost = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
const codeOf = (error: unknown) => (AgentError.is(error) ? error.code : String(error));

test('a second call, in another process, gets the result of the first', async () => {
  const { process, types } = world();
  let acts = 0;
  const refund = (ledger = process()) =>
    ledger.once('refund', async ({ cents }: Order) => ({ id: 're_1', cents, n: ++acts }), options);
  const first = await refund()(ORDER);
  assert.deepEqual(first, { id: 're_1', cents: 500, n: 1 });
  assert.deepEqual(await refund()({ ...ORDER }), first);
  assert.equal(acts, 1);
  assert.deepEqual(await refund()({ ...ORDER, cents: 501 }), { id: 're_1', cents: 501, n: 2 });
  assert.deepEqual(types(), [
    'effect.claimed',
    'effect.done',
    'effect.reused',
    'effect.claimed',
    'effect.done',
  ]);
});

test('a call that meets a running act waits for its result, and is a conflict after waitMs', async () => {
  const { process, clock } = world();
  let finish = (_: string): void => {};
  let acts = 0;
  const act = () => {
    acts++;
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  };
  const first = process().once('pay', act, options)(ORDER);
  await clock.advance(1);
  const second = process().once('pay', act, options)(ORDER);
  const third = process({ waitMs: 100 }).once('pay', act, options)(ORDER);
  const refused = third.catch((error) => error);
  await clock.advance(200);
  const error = await refused;
  assert.equal(codeOf(error), 'CONFLICT');
  assert.equal((error as AgentError).retryable, true);
  finish('paid');
  await clock.advance(300);
  assert.deepEqual(await Promise.all([first, second]), ['paid', 'paid']);
  assert.equal(acts, 1);
});

test('an act that runs for long keeps its claim', async () => {
  const { process, clock } = world();
  let finish = (_: string): void => {};
  const act = () =>
    new Promise<string>((resolve) => {
      finish = resolve;
    });
  const first = process({ leaseMs: 1000 }).once('pay', act, options)(ORDER);
  for (let i = 0; i < 100; i++) await clock.advance(100);
  const second = process({ waitMs: 0 }).once('pay', act, options)(ORDER);
  await assert.rejects(second, (error) => codeOf(error) === 'CONFLICT');
  finish('paid');
  assert.equal(await first, 'paid');
});

test('an act that ended unclear is never tried again, and everybody reads why', async () => {
  const { process, types, events } = world();
  let acts = 0;
  const act = async (): Promise<string> => {
    acts++;
    throw lost();
  };
  const pay = process().once('pay', act, { ...options, describe: ({ id }: Order) => `the charge ${id}` });
  const policy = createPolicy({ name: 'p', retry: { maxRetries: 5, baseDelayMs: 1 }, breaker: false });
  const error: unknown = await policy.execute(() => pay(ORDER)).catch((error) => error);
  assert.equal(acts, 1);
  assert.ok(AgentError.is(error));
  assert.equal(error.code, 'TOOL_EXECUTION_ERROR');
  assert.equal(error.severity, 'critical');
  assert.equal(error.retryable, false);
  assert.equal(error.metadata.safetyAbortReason, 'It is not known whether pay was carried out');
  assert.deepEqual(route({ error, capabilityName: 'billing' }), {
    next: 'error',
    reason: 'It is not known whether pay was carried out',
  });
  assert.match(error.userMessage(), /not known whether 'pay' was carried out/);
  for (const locale of ['de', 'es', 'fr', 'ja', 'zh'])
    assert.ok(
      error.userMessage(locale).includes('pay') && error.userMessage(locale) !== error.userMessage(),
      locale,
    );
  const retried = process().once('pay', act, options) as (order: Order) => Promise<string>;
  const read = await toolResult(retried)(ORDER);
  assert.match(read.output, /^Error: It is not known whether pay was carried out\. Do not try it again/);
  assert.equal(acts, 1);
  assert.deepEqual(types(), ['effect.claimed', 'effect.unknown', 'effect.unknown']);
  const [unknown, ...more] = await process().unknown();
  for (const event of events) assert.equal('key' in event && event.key, unknown?.key);
  assert.equal(more.length, 0);
  assert.deepEqual(
    { ...unknown, key: 64 },
    {
      name: 'pay',
      key: 64,
      since: 1_000_000,
      attempts: 1,
      about: 'the charge ch_1',
    },
  );
});

test('an act that surely did not happen may be tried again', async () => {
  for (const refusal of [
    Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
    new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ENOTFOUND' }) }),
    Object.assign(new Error('card declined'), { status: 402 }),
    new AgentError('CIRCUIT_OPEN', 'open'),
  ]) {
    const { process } = world();
    let acts = 0;
    const pay = process().once(
      'pay',
      async () => {
        if (++acts === 1) throw refusal;
        return `paid at ${acts}`;
      },
      options,
    );
    await assert.rejects(pay(ORDER), (error) => error === refusal);
    assert.equal(await pay(ORDER), 'paid at 2');
  }
  for (const unclear of [408, 409, 425, 500, 502, 503]) {
    const { process } = world();
    let acts = 0;
    const pay = process().once(
      'pay',
      async () => {
        acts++;
        throw Object.assign(new Error('x'), { status: unclear });
      },
      options,
    );
    for (let i = 0; i < 3; i++) await pay(ORDER).catch(() => {});
    assert.equal(acts, 1, `${unclear}`);
  }
});

test('every attempt of a policy within must surely not have happened', async () => {
  const { process } = world();
  let acts = 0;
  const policy = createPolicy({ name: 'inner', retry: { maxRetries: 1, baseDelayMs: 1 }, breaker: false });
  const pay = process().once(
    'pay',
    policy.wrap(async () => {
      acts++;
      throw acts === 1
        ? Object.assign(new Error('x'), { status: 500 })
        : Object.assign(new Error('x'), { status: 429 });
    }),
    options,
  );
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  assert.equal(acts, 2);
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  assert.equal(acts, 2);
});

test('an attempt that was under way when the call was aborted leaves the act unknown', async () => {
  const { process } = world();
  const caller = new AbortController();
  let acts = 0;
  const policy = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 }, breaker: false });
  const execute = async ({ signal }: { signal: AbortSignal }) => {
    // Surely not carried out. The next attempt may have been.
    if (++acts === 1) throw Object.assign(new Error('x'), { status: 429 });
    caller.abort();
    throw signal.reason;
  };
  const pay = process().once('pay', () => policy.execute(execute, { signal: caller.signal }), options);
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  assert.equal(acts, 2);
});

test('an attempt that was a call of its own must surely not have happened in each of its attempts', async () => {
  const { process } = world();
  let acts = 0;
  const inner = createPolicy({ retry: { maxRetries: 1, baseDelayMs: 1 }, breaker: false });
  const outer = createPolicy({ retry: false, breaker: false });
  const execute = async () => {
    throw Object.assign(new Error('x'), { status: ++acts === 1 ? 500 : 429 });
  };
  const pay = process().once('pay', () => outer.execute(() => inner.execute(execute)), options);
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  assert.equal(acts, 2);
});

test('verify decides about an act that nobody knows of', async () => {
  for (const [happened, expected] of [
    [true, 'found'],
    [false, 'acted 2'],
    ['unknown', 'TOOL_EXECUTION_ERROR'],
  ] as const) {
    const { process, clock, types } = world();
    let acts = 0;
    let looks = 0;
    const act = () => (++acts === 1 ? new Promise<string>(() => {}) : Promise.resolve(`acted ${acts}`));
    // The first process dies: its claim is not renewed.
    const died = process({ leaseMs: 1e9 });
    void died
      .once(
        'pay',
        act,
        options,
      )(ORDER)
      .catch(() => {});
    await clock.advance(1);
    await died.close();
    await clock.advance(1e9);
    const pay = process().once('pay', act, {
      ...options,
      verify: ({ key, since, signal }, order) => {
        looks++;
        assert.match(key, /^[0-9a-f]{64}$/);
        assert.equal(since, 1_000_000);
        assert.equal(signal.aborted, false);
        assert.deepEqual(order, ORDER);
        return happened === true ? { happened, result: 'found' } : { happened };
      },
    });
    const answer = await pay(ORDER).catch((error) => error);
    assert.equal(answer instanceof Error ? codeOf(answer) : answer, expected);
    assert.equal(looks, 1);
    assert.equal(acts, happened === false ? 2 : 1);
    if (happened === true) assert.equal(await pay(ORDER), 'found');
    assert.ok(types().includes(happened === 'unknown' ? 'effect.unknown' : 'effect.verified'));
  }
});

test('its own unclear end is verified at once, and a verify that throws leaves it unknown', async () => {
  const { process } = world();
  const act = async (): Promise<string> => {
    throw lost();
  };
  const seen = process().once('pay', act, { ...options, verify: () => ({ happened: true, result: 'paid' }) });
  assert.equal(await seen(ORDER), 'paid');
  const not = process().once('pay not', act, { ...options, verify: () => ({ happened: false }) });
  await assert.rejects(not(ORDER), /socket hang up/);
  const blind = process().once('pay blind', act, {
    ...options,
    verify: () => {
      throw new Error('down');
    },
  });
  await assert.rejects(
    blind(ORDER),
    (error: AgentError) =>
      codeOf(error) === 'TOOL_EXECUTION_ERROR' &&
      error.cause instanceof Error &&
      error.cause.message === 'socket hang up',
  );
});

test('a person settles what is unknown', async () => {
  const { process, types } = world();
  let acts = 0;
  const pay = process().once(
    'pay',
    async () => {
      if (++acts === 1) throw lost();
      return 'paid';
    },
    options,
  );
  await pay(ORDER).catch(() => {});
  const ledger = process();
  const [act] = await ledger.unknown();
  assert.ok(act);
  await ledger.settle(act.name, act.key, { happened: false });
  assert.equal(await pay(ORDER), 'paid');
  await assert.rejects(
    ledger.settle(act.name, act.key, { happened: true }),
    (error) => codeOf(error) === 'CONFLICT',
  );
  await assert.rejects(
    ledger.settle('pay', 'no such', { happened: true }),
    (error) => codeOf(error) === 'NOT_FOUND',
  );
  assert.deepEqual(await ledger.unknown(), []);
  assert.ok(types().includes('effect.settled'));
});

test('a result that comes after the lease was lost is kept unless somebody knows better', async () => {
  const { process, clock, store } = world();
  let finish = (_: string): void => {};
  let aborted = 0;
  // Its store is away while the act runs, so the claim is not renewed.
  let isAway = false;
  const away: OnceStore = {
    ...store,
    swap: (...args) => (isAway ? Promise.reject(new Error('away')) : store.swap(...args)),
  };
  const pay = process({ store: away, leaseMs: 900 }).once(
    'pay',
    function () {
      this.signal.addEventListener('abort', () => {
        aborted++;
      });
      return new Promise<string>((resolve) => {
        finish = resolve;
      });
    },
    options,
  );
  const running = pay(ORDER);
  await clock.advance(1);
  isAway = true;
  for (let i = 0; i < 20; i++) await clock.advance(100);
  assert.equal(aborted, 1);
  await assert.rejects(
    process().once('pay', async () => 'twice', options)(ORDER),
    (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR',
  );
  isAway = false;
  finish('late');
  assert.equal(await running, 'late');
  assert.equal(await process().once('pay', async () => 'twice', options)(ORDER), 'late');
});

test('without the store nothing acts, or everything does', async () => {
  const away: OnceStore = { swap: () => new Promise(() => {}), list: async () => [], close: async () => {} };
  const { clock, process, types } = world({ store: away });
  let acts = 0;
  const pay = (more: Partial<LedgerOptions>) => process(more).once('pay', async () => ++acts, options)(ORDER);
  const denied = pay({}).catch((error) => error);
  await clock.advance(5000);
  const error = await denied;
  assert.equal(codeOf(error), 'CAPACITY_EXCEEDED');
  assert.equal((error as AgentError).retryable, true);
  assert.equal(acts, 0);
  const allowed = pay({ onStoreLost: 'allow' });
  await clock.advance(5000);
  assert.equal(await allowed, 1);
  assert.deepEqual(types(), ['effect.unguarded']);
});

test('answers of the store that are lost cost no act, and make no second one', async () => {
  const { clock, store, process } = world();
  for (let lostAt = 2; lostAt <= 5; lostAt++) {
    let swaps = 0;
    const lossy: OnceStore = {
      ...store,
      async swap(...args) {
        const answer = await store.swap(...args);
        if (++swaps === lostAt) throw new Error('the answer was lost');
        return answer;
      },
    };
    let acts = 0;
    const pay = process({ store: lossy }).once(`pay ${lostAt}`, async () => ++acts, options);
    assert.equal(await pay(ORDER), 1, `${lostAt}`);
    assert.equal(await pay(ORDER), 1, `${lostAt}`);
  }
  await clock.advance(1);
});

test('events have the hashed key of their act, by which a person settles it', async () => {
  const { process, events } = world();
  const ledger = process();
  // An event has at most 2 KiB.
  const names = ['refund', 'ü"\n'.repeat(1_000)];
  for (const name of names) {
    const pay = ledger.once(
      name,
      async () => {
        throw lost();
      },
      options,
    );
    await assert.rejects(pay(ORDER), { code: 'TOOL_EXECUTION_ERROR' });
  }
  const keys = (await ledger.unknown()).map((act) => act.key);
  assert.deepEqual([keys.length, keys.every((one) => /^[0-9a-f]{64}$/.test(one))], [2, true]);
  assert.deepEqual([...new Set(events.map((event) => 'key' in event && event.key))].sort(), keys.sort());
});

test('the store holds no argument and no secret', async () => {
  const { store, process } = world();
  const written: string[] = [];
  const noted: OnceStore = {
    ...store,
    swap(key, version, next, ...rest) {
      written.push(key, new TextDecoder().decode(next));
      return store.swap(key, version, next, ...rest);
    },
  };
  const ledger = process({ store: noted, secret: 'the-secret-of-it' });
  await ledger.once('pay', async () => 'ok', options)({ id: '4111111111111111', cents: 123_456 });
  await ledger
    .once(
      'fail',
      async () => {
        throw lost();
      },
      options,
    )({ id: '4111111111111111', cents: 123_456 })
    .catch(() => {});
  const text = written.join('\n');
  assert.ok(text.includes('"state":"done"') && text.includes('"state":"unknown"'));
  assert.doesNotMatch(text, /4111|123456|the-secret|socket/);
});

test('results: undefined is kept, nothing on request, and one that JSON does not keep is said at every call', async () => {
  const { process } = world();
  let acts = 0;
  const once = (name: string, result: unknown, more: Partial<OnceOptions<[Order], unknown>> = {}) =>
    process().once(
      name,
      async () => {
        acts++;
        return result;
      },
      { ...options, ...more },
    );
  for (let i = 0; i < 2; i++) {
    assert.equal(await once('undefined', undefined)(ORDER), undefined);
    assert.deepEqual(
      await once('absent', { a: 1, b: undefined })(ORDER),
      i === 0 ? { a: 1, b: undefined } : { a: 1 },
    );
    assert.equal((await once('nothing', new Date(0), { keep: 'nothing' })(ORDER)) instanceof Date, i === 0);
    await assert.rejects(
      once('date', { at: new Date(0) })(ORDER),
      /'date' was carried out, but its result could not be kept: it is not JSON: at is a Date/,
    );
    await assert.rejects(once('large', 'x'.repeat(300_000))(ORDER), TypeError);
  }
  assert.equal(acts, 5);
});

test('wrong uses are TypeErrors before the act', async () => {
  const { process } = world();
  const ledger = process();
  let acts = 0;
  for (const wrong of [undefined, () => {}, { a: { b: undefined } }, [new Date()], Number.NaN, 10n]) {
    await assert.rejects(ledger.once('pay', async () => ++acts, { key: () => wrong })(ORDER), TypeError);
  }
  assert.throws(() => ledger.once('', async () => 1, options), TypeError);
  assert.throws(() => ledger.once('pay', 1 as never, options), TypeError);
  assert.throws(() => ledger.once('pay', async () => 1, {} as never), TypeError);
  assert.throws(() => createLedger({} as never), TypeError);
  assert.throws(() => createLedger({ store: memoryStore(), lease: 1 } as never), /did you mean 'leaseMs'/);
  const again: (order: Order) => Promise<unknown> = ledger.once(
    'again',
    (order: Order) => again(order),
    options,
  );
  await assert.rejects(again(ORDER), (error: AgentError) =>
    /within its own act/.test(String((error.cause as Error)?.message ?? error.message)),
  );
  assert.equal(acts, 0);
});

test('a closed ledger rejects with CANCELLED', async () => {
  const ledger = world().process();
  await ledger.close();
  await assert.rejects(
    ledger.once('pay', async () => 1, options)(ORDER),
    (error) => codeOf(error) === 'CANCELLED',
  );
  await assert.rejects(ledger.unknown(), (error) => codeOf(error) === 'CANCELLED');
});

test('a record that cannot be read counts as unknown', async () => {
  const { store, process } = world();
  let at = '';
  const noted: OnceStore = {
    ...store,
    swap(key, ...rest) {
      at = key;
      return store.swap(key, ...rest);
    },
  };
  let acts = 0;
  const pay = process({ store: noted }).once('pay', async () => ++acts, options);
  assert.equal(await pay(ORDER), 1);
  const { signal } = new AbortController();
  for (const damage of [Uint8Array.of(1, 2), new TextEncoder().encode('{"form":2}')]) {
    const { version } = await store.swap(at, -1, undefined, 1, signal);
    await store.swap(at, version, damage, Number.POSITIVE_INFINITY, signal);
    await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'TOOL_EXECUTION_ERROR');
  }
  assert.equal(acts, 1);
});

test('a store that never writes keeps no call for ever', async () => {
  const { store, process } = world();
  const stubborn: OnceStore = { ...store, swap: (key, _, ...rest) => store.swap(key, -1, ...rest) };
  let acts = 0;
  const pay = process({ store: stubborn }).once('pay', async () => ++acts, options);
  await assert.rejects(pay(ORDER), (error) => codeOf(error) === 'CONFLICT');
  assert.equal(acts, 0);
});

test('the type of an act that keeps nothing says that a later call gets nothing', async () => {
  const ledger = createLedger({ store: memoryStore(), secret: 'a secret' });
  const send = ledger.once('send', async () => 'sent', { key: () => 1, keep: 'nothing' });
  const first: string | undefined = await send();
  // @ts-expect-error: it may be undefined.
  const second: string = await send();
  assert.deepEqual([first, second], ['sent', undefined]);
  const kept: string = await ledger.once('keep', async () => 'kept', { key: () => 1 })();
  assert.equal(kept, 'kept');
  await ledger.close();
});
