// p-retry: the last error of the operation with `attemptNumber` and `retriesLeft`; its own for what it is not given.
import { again, final, library, unclear } from '../expect.mjs';
import { closedPort } from '../servers/net.mjs';

const lib = library({ packages: ['p-retry'] });
const run = async (operation, options = {}) =>
  (await import('p-retry')).default(operation, { retries: 1, minTimeout: 1, maxTimeout: 2, ...options });
const thrower = (error) => () => {
  throw error;
};
const misuse = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN');
lib.add('refused', again('NETWORK_ERROR'), "fetch's TypeError, after all tries", async () => {
  const port = await closedPort();
  return run(() => fetch(`http://127.0.0.1:${port}/`));
});
lib.add(
  'given-up-by-status',
  final('NOT_FOUND'),
  'the program ends it by AbortError, with its own error inside',
  async () => {
    const { AbortError } = await import('p-retry');
    return run(thrower(new AbortError(Object.assign(new Error('404 Not Found'), { status: 404 }))));
  },
);
lib.add(
  'given-up-by-words',
  unclear('CANCELLED', 'UNKNOWN', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'AbortError of a text',
  async () => {
    const { AbortError } = await import('p-retry');
    return run(thrower(new AbortError('The report is not wanted any more')));
  },
);
lib.add('busy-file', again('CONFLICT', 'IO_ERROR'), 'EBUSY, after all tries', () =>
  run(
    thrower(
      Object.assign(new Error('EBUSY: resource busy or locked, open'), {
        code: 'EBUSY',
        syscall: 'open',
        errno: -16,
      }),
    ),
  ),
);
lib.add('conflict', again('CONFLICT'), 'a deadlock, after all tries', () =>
  run(thrower(Object.assign(new Error('deadlock detected'), { code: '40P01' }))),
);
lib.add(
  'server',
  again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { status: 503 }),
  'a 503, after all tries',
  () => run(thrower(Object.assign(new Error('Service Unavailable'), { status: 503 }))),
);
lib.add('signal', final('CANCELLED'), 'the signal aborts between tries', () =>
  run(thrower(new Error('x')), { signal: AbortSignal.abort(), retries: 3 }),
);
lib.add('signal-timeout', again('TIMEOUT'), "the signal's time is up", () =>
  run(thrower(new Error('x')), {
    signal: AbortSignal.timeout(30),
    retries: 50,
    minTimeout: 20,
    maxTimeout: 20,
  }),
);
lib.add(
  'type-error',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a fault of the program is not tried again',
  () => run(() => undefined.items),
);
lib.add(
  'not-an-error',
  unclear('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'Non-error was thrown',
  () => run(thrower('oops')),
);
lib.add('bad-retries', misuse, 'Expected `retries` to be a non-negative number.', () =>
  run(() => 1, { retries: -1 }),
);
lib.add('bad-option', misuse, 'Expected `factor` to be a finite number.', () =>
  run(() => 1, { factor: 'x' }),
);
lib.add('forever', misuse, 'The `forever` option is no longer supported', () =>
  run(() => 1, { forever: true }),
);
export default lib;
