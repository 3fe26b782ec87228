// Calls that one of the application's own functions ends, in the middle of a step: whatever comes after that changes nothing.
import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { AgentError, type PolicyOptions } from 'halfopen';
import { recordEvents, VirtualClock } from 'halfopen/testing';
import { deaf, fatal, onVirtualClock, rejectsWith, retryable } from '../policy/given.js';

/** Runs the first, returns the second. */
const after = <T>(run: () => void, value: T): T => {
  run();
  return value;
};
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('an abort in a function of the application: the call is cancelled once, and counted once', () => {
  const ways: Record<string, (abort: () => void) => PolicyOptions<string>> = {
    onError: (abort) => ({ onError: abort }),
    classify: (abort) => ({ classify: () => void abort() }),
    countsAsFailure: (abort) => ({ breaker: { countsAsFailure: () => after(abort, true) } }),
    retryOn: (abort) => ({ retry: { retryOn: () => after(abort, true) } }),
    backoff: (abort) => ({ retry: { backoff: () => after(abort, 1) } }),
    onRetry: (abort) => ({ retry: { onRetry: abort } }),
    'onRetry, which then throws': (abort) => ({
      retry: {
        onRetry: () => {
          abort();
          throw fatal();
        },
      },
    }),
    onDebug: (abort) => ({ onDebug: abort }),
    'a listener that hears of the failure': (abort) => ({
      onEvent: ({ type }) => void (type === 'attempt.failed' && abort()),
    }),
    'a listener that hears of the retry': (abort) => ({
      onEvent: ({ type }) => void (type === 'retry.scheduled' && abort()),
    }),
  };
  for (const [name, options] of Object.entries(ways)) {
    test(name, async () => {
      const controller = new AbortController();
      const errors: string[] = [];
      let runs = 0;
      const { onError, ...rest } = options(() => controller.abort());
      const { clock, policy } = onVirtualClock<string>({
        ...rest,
        fallback: () => 'less',
        onError: (span, response) => {
          errors.push(response.error);
          (onError as ((...args: unknown[]) => void) | undefined)?.(span, response);
        },
      });
      const failing = name === 'onError' ? fatal : () => retryable();
      const result = rejectsWith(
        policy.execute(
          () => {
            runs++;
            throw failing();
          },
          { signal: controller.signal },
        ),
        'CANCELLED',
      );
      await clock.advance(10_000);
      await result;
      assert.equal(runs, 1);
      assert.equal(errors.length, 1, String(errors));
      const { calls, cancelled, failed, fallbacks, inFlight } = policy.stats();
      assert.deepEqual([calls, cancelled, failed, fallbacks, inFlight], [1, 1, 0, 0, 0]);
      assert.equal(clock.pending, 0);
    });
  }
});

test('an abort before a retry that waits for nothing: it is not begun', async () => {
  const controller = new AbortController();
  const debugged: unknown[] = [];
  let runs = 0;
  const { policy } = onVirtualClock({
    retry: { backoff: () => 0, onRetry: () => queueMicrotask(() => controller.abort()) },
    onDebug: (message) => debugged.push(message),
  });
  await rejectsWith(
    policy.execute(
      () => {
        runs++;
        throw retryable();
      },
      { signal: controller.signal },
    ),
    'CANCELLED',
  );
  await turn();
  assert.equal(runs, 1);
  assert.equal(debugged.filter((message) => /core failed/.test(String(message))).length, 0);
});

describe('an abort while the fallback runs', () => {
  for (const [name, end] of [
    ['that answers later', (resolve: (value: string) => void) => resolve('late')],
    ['that fails later', (_: unknown, reject: (error: unknown) => void) => reject(fatal())],
  ] as const) {
    test(`${name}: the call is cancelled, and the fallback counts for nothing`, async () => {
      const controller = new AbortController();
      let errors = 0;
      let settle: () => void = () => {};
      let reason: unknown;
      const { policy } = onVirtualClock<string>({
        onError: () => void errors++,
        fallback: (_error, { signal }) =>
          new Promise<string>((resolve, reject) => {
            signal.addEventListener('abort', () => (reason = signal.reason));
            settle = () => end(resolve, reject);
          }),
      });
      const { events } = recordEvents(policy);
      const result = rejectsWith(
        policy.execute(() => Promise.reject(fatal()), { signal: controller.signal }),
        'CANCELLED',
      );
      await turn();
      const why = new Error('the user left');
      controller.abort(why);
      await result;
      assert.equal(reason, why);
      settle();
      await turn();
      assert.equal(errors, 1);
      assert.deepEqual([policy.stats().cancelled, policy.stats().fallbacks], [1, 0]);
      assert.deepEqual(
        events.filter(({ type }) => type === 'fallback.used'),
        [],
      );
    });
  }
});

test('a listener that aborts the call as its hedge begins: the operation is not called for it', async () => {
  const controller = new AbortController();
  const { clock, policy } = onVirtualClock({
    onEvent: (event) => void (event.type === 'attempt.started' && event.attempt === 2 && controller.abort()),
  });
  let runs = 0;
  const result = rejectsWith(
    policy.execute(
      () => {
        runs++;
        return deaf();
      },
      { signal: controller.signal, hedge: { afterMs: 100 } },
    ),
    'CANCELLED',
  );
  await clock.advance(1000);
  await result;
  assert.equal(runs, 1);
});

test('a step that throws: the call is counted once, nothing of it stays, and onDebug hears of it', async () => {
  class BrokenClock extends VirtualClock {
    override setTimeout(): unknown {
      throw new Error('no timers');
    }
  }
  const debugged: [string, { error?: unknown }][] = [];
  const { policy } = onVirtualClock({
    clock: new BrokenClock(),
    onDebug: (message, details) => debugged.push([message, details as { error?: unknown }]),
  });
  const controller = new AbortController();
  const removed: string[] = [];
  const remove = controller.signal.removeEventListener.bind(controller.signal);
  controller.signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => {
    removed.push(args[0]);
    remove(...args);
  };
  await rejectsWith(
    policy.execute(() => Promise.reject(retryable()), { signal: controller.signal }),
    'UNKNOWN',
  );
  const { calls, failed, inFlight } = policy.stats();
  assert.deepEqual([calls, failed, inFlight], [1, 1, 0]);
  assert.deepEqual(removed, ['abort']);
  const said = debugged.find(([message]) => message.startsWith('A step of the call threw'));
  assert.match(String(said?.[1].error), /no timers/);
});

test('onRetry that takes until the wait would end with the deadline: the call ends at once, with its error', async () => {
  const { clock, policy } = onVirtualClock({
    timeout: { totalMs: 1000 },
    retry: {
      backoff: () => 500,
      onRetry: () => new Promise<void>((resolve) => clock.setTimeout(resolve, 500)),
    },
  });
  const result = policy.execute(() => Promise.reject(retryable())).catch((error) => error);
  await clock.advance(500);
  const error = await Promise.race([result, turn().then(() => 'pending')]);
  assert.ok(AgentError.is(error) && error.code === 'SERVER_ERROR', String(error));
});

test('the deadline of a call that waits for a slot: the fallback answers, and the error says whose time is up', async () => {
  const { clock, policy } = onVirtualClock<string>({ bulkhead: { maxConcurrent: 1, maxQueued: 1 } });
  void policy.execute(deaf).catch(() => {});
  const messages: string[] = [];
  const fallback = (error: AgentError): string => {
    messages.push(error.message);
    return 'less';
  };
  const queued = policy.execute(() => 'more', { timeout: { totalMs: 500 }, fallback });
  await clock.advance(500);
  assert.equal(await queued, 'less');
  const running = onVirtualClock();
  const cut = running.policy.execute(deaf, { timeout: { totalMs: 300 }, fallback });
  await running.clock.advance(300);
  assert.equal(await cut, 'less');
  assert.deepEqual(messages, ['Call timed out after 500 ms', 'Call timed out after 300 ms']);
});
