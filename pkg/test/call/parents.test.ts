// Parents and children of calls, on platforms with an AsyncLocalStorage and without. A package looks for it once, so
// each test has a copy.
import assert from 'node:assert/strict';
import { test } from 'node:test';

type Package = typeof import('halfopen');

let copies = 0;

/** The package, as a process has it that has just begun. */
async function anew(): Promise<Package> {
  const shared = new URL(`halfopen.js?${++copies}`, import.meta.resolve('halfopen'));
  return (await import(shared.href)) as Package;
}

/** Runs with another `process`. */
function on<T>(process: unknown, run: () => T): T {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'process') as PropertyDescriptor;
  Object.defineProperty(globalThis, 'process', { value: process, configurable: true });
  try {
    return run();
  } finally {
    Object.defineProperty(globalThis, 'process', before);
  }
}

const throwing = (): never => {
  throw new Error('no');
};

/** The task of each call's parent: of calls that are made at once, behind an `await`, and after one whose operation threw. */
async function family(platform: unknown): Promise<Record<string, string | undefined>> {
  const { createPolicy } = await anew();
  const tasks: Record<string, string> = {};
  const parents: Record<string, string | undefined> = {};
  const policy = on(platform, () =>
    createPolicy({
      retry: false,
      fallback: () => {},
      onEvent: (event) => {
        if (event.type === 'call.started') parents[event.task ?? ''] = tasks[event.parentCall ?? ''];
      },
    }),
  );
  const call = (task: string, inner: () => unknown = () => {}): Promise<unknown> =>
    policy.execute(
      ({ callId }) => {
        tasks[callId] = task;
        return inner();
      },
      { task },
    );
  await call('outer', async () => {
    call('first', () => void call('of the first'));
    await call('throws', throwing);
    await call('later');
  });
  await call('throws alone', throwing);
  await call('last');
  return parents;
}

const AT_ONCE = {
  outer: undefined,
  first: 'outer',
  'of the first': 'first',
  throws: 'outer',
  'throws alone': undefined,
  last: undefined,
};

test('a call is the child of the one that it was made in, also behind an await', async () => {
  assert.deepEqual(await family(process), { ...AT_ONCE, later: 'outer' });
});

/** Platforms without an AsyncLocalStorage, by their `process`. */
const WITHOUT: Record<string, unknown> = {
  'no process': undefined,
  'a process without getBuiltinModule': {},
  'one that knows no such module': { getBuiltinModule: () => undefined },
  'one whose module has no AsyncLocalStorage': { getBuiltinModule: () => ({}) },
  'one that throws': { getBuiltinModule: throwing },
};

for (const [name, platform] of Object.entries(WITHOUT))
  test(`${name}: it is where it was made at once, and nobody's behind an await`, async () => {
    assert.deepEqual(await family(platform), { ...AT_ONCE, later: undefined });
  });

test('nobody listens and no call names a trace: no AsyncLocalStorage is made, which would cost every promise', async () => {
  const { createPolicy } = await anew();
  const looked: string[] = [];
  const getBuiltinModule = (name: string) => void looked.push(name);
  const policy = createPolicy({ retry: false });
  const run = (options: object) => on({ getBuiltinModule }, () => policy.execute(() => 1, options));
  await run({ task: 'first' });
  assert.deepEqual(looked, []);
  await run({ span: { traceId: 'of the application', spanId: 'its span' } });
  await run({ span: { traceId: 'of the application', spanId: 'its span' } });
  assert.deepEqual(looked, ['node:async_hooks']);
});

test('a call that names a trace names it for those within, though nobody listens', async () => {
  const { createPolicy } = await anew();
  const traces: string[] = [];
  const policy = createPolicy({
    retry: false,
    fallback: () => {},
    onError: ({ traceId }) => void traces.push(traceId),
  });
  const outer = async (): Promise<void> => {
    await null;
    await policy.execute(throwing);
  };
  await policy.execute(outer, { span: { traceId: 'of the application', spanId: 'its span' } });
  assert.deepEqual(traces, ['of the application']);
});

test('after the last listener has gone the AsyncLocalStorage rests, and with the next one it works again', async () => {
  const { createPolicy, onEvent } = await anew();
  const stores: { store: unknown; rests: boolean }[] = [];
  class AsyncLocalStorage {
    private readonly own = { store: undefined as unknown, rests: false };
    constructor() {
      stores.push(this.own);
    }
    getStore() {
      return this.own.store;
    }
    run(store: unknown, operation: (context: unknown) => unknown, context: unknown) {
      this.own.store = store;
      this.own.rests = false;
      try {
        return operation(context);
      } finally {
        this.own.store = undefined;
      }
    }
    disable() {
      this.own.rests = true;
    }
  }
  const policy = createPolicy({ retry: false });
  let parent: string | undefined;
  const listener = (event: { type: string; parentCall?: string | undefined }) => {
    if (event.type === 'call.started') parent = event.parentCall;
  };
  const here = <T>(run: () => T): T => on({ getBuiltinModule: () => ({ AsyncLocalStorage }) }, run);
  const run = () => here(() => policy.execute(() => policy.execute(() => 1)));
  const rests = () => stores.map((one) => one.rests);
  for (const listen of [() => policy.onEvent(listener), () => onEvent(listener)]) {
    parent = undefined;
    const stop = here(listen);
    await run();
    assert.ok(parent !== undefined);
    assert.deepEqual(rests(), [false]);
    stop();
    stop();
    await run();
    assert.deepEqual(rests(), [true]);
  }
  const update = (onEvent: typeof listener | undefined) => here(() => policy.update({ onEvent }));
  update(listener);
  await run();
  assert.deepEqual(rests(), [false]);
  update(undefined);
  await run();
  assert.deepEqual(rests(), [true]);
});
