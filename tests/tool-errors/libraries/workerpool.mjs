// workerpool: TimeoutError, CancellationError and TerminateError; what a worker throws arrives as an Error with its fields.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { again, final, library, unclear } from '../expect.mjs';

let place;
const lib = library({
  packages: ['workerpool'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'workers-'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
/** Makes a pool, of threads unless `options` say otherwise, and ends it after the work. */
const using = async (work, options, script) => {
  const { default: workerpool } = await import('workerpool');
  const settings = { workerType: 'thread', maxWorkers: 1, ...options };
  const pool = script ? workerpool.pool(script, settings) : workerpool.pool(settings);
  try {
    return await work(pool);
  } finally {
    pool.terminate(true).catch(() => {});
  }
};
const run = (work, ...values) => using((pool) => pool.exec(work, values));
const endless = () => {
  for (;;);
};
lib.add('timeout', again('TIMEOUT'), 'TimeoutError: the task ran for too long', () =>
  using((pool) => pool.exec(endless).timeout(80)),
);
lib.add('cancelled', final('CANCELLED'), 'CancellationError: the program cancelled the task', () =>
  using((pool) => {
    const task = pool.exec(endless);
    setTimeout(() => task.cancel(), 60);
    return task;
  }),
);
lib.add(
  'terminated',
  final('CANCELLED', 'TOOL_EXECUTION_ERROR', 'UNKNOWN'),
  'Pool terminated: the program ended it while the task waited',
  () =>
    using((pool) => {
      pool.exec(endless).catch(() => {});
      const waits = pool.exec((one) => one, [1]);
      setTimeout(() => pool.terminate(true).catch(() => {}), 60);
      return waits;
    }),
);
lib.add(
  'queue-full',
  again('RATE_LIMITED', 'CONFLICT', 'TIMEOUT', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
  'Max queue size reached: tasks that wait are done by and by',
  () =>
    using(
      async (pool) => {
        const tasks = [1, 2, 3, 4].map((one) => async () => pool.exec(endless, [one]));
        return Promise.race(tasks.map((task) => task()));
      },
      { maxQueueSize: 1 },
    ),
);
const ended = unclear('TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CANCELLED');
lib.add('exit', ended, 'TerminateError: the worker ended with code 3', () =>
  using((pool) => pool.exec(() => process.exit(3)), { workerType: 'process' }),
);
lib.add('killed', ended, 'TerminateError: SIGKILL from outside', () =>
  using((pool) => pool.exec(() => process.kill(process.pid, 'SIGKILL')), { workerType: 'process' }),
);
lib.add(
  'memory',
  unclear('SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'CAPACITY_EXCEEDED', 'UNKNOWN', 'INITIALIZATION_ERROR'),
  'ERR_WORKER_OUT_OF_MEMORY is the cause',
  () =>
    using(
      (pool) =>
        pool.exec(() => {
          const all = [];
          for (;;) all.push(new Array(1000).fill(1));
        }),
      { workerThreadOpts: { resourceLimits: { maxOldGenerationSizeMb: 10 } } },
    ),
);
lib.add(
  'no-script',
  final('INITIALIZATION_ERROR', 'TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  'MODULE_NOT_FOUND is the cause: the script of the worker',
  () => using((pool) => pool.exec('price', [7]), {}, path.join(place, 'none.js')),
);
lib.add(
  'no-method',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'VALIDATION_ERROR'),
  'Unknown method: as -32601 of JSON-RPC',
  () => run('frob'),
);
lib.add(
  'own-error',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'the function throws words of its own',
  () =>
    run(() => {
      throw new Error('no price today');
    }),
);
lib.add(
  'type-error',
  final('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'the function has a mistake',
  () => run((order) => order.items.length, {}),
);
lib.add(
  'closure',
  final('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'ReferenceError: what stands around a function is not sent with it',
  () => run(() => place.length),
);
lib.add('missing-file', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT within the worker', () =>
  run(() => process.getBuiltinModule('node:fs').readFileSync('/nowhere/orders.csv')),
);
lib.add('refused', again('NETWORK_ERROR'), 'ECONNREFUSED within the worker', () =>
  run(
    () =>
      new Promise((_, reject) =>
        process.getBuiltinModule('node:net').connect(1, '127.0.0.1').on('error', reject),
      ),
  ),
);
lib.add('own-script', final('NOT_FOUND', 'VALIDATION_ERROR'), 'a code of the application', async () => {
  const script = path.join(place, 'worker.cjs');
  const home = path.resolve(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), '..');
  writeFileSync(
    script,
    `require('${home}/node_modules/workerpool').worker({ order() { throw Object.assign(new Error('order 7 does not exist'), { code: 'ORDER_NOT_FOUND' }); } });`,
  );
  return using((pool) => pool.exec('order'), {}, script);
});
lib.add(
  'clone',
  final('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'DataCloneError: a value that cannot be sent',
  () =>
    run(
      (one) => one,
      () => 1,
    ),
);
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add('params', wrong, 'Array expected as argument "params"', () =>
  using((pool) => pool.exec((one) => one, 7)),
);
lib.add('method', wrong, 'Function or string expected as argument "method"', () =>
  using((pool) => pool.exec(7)),
);
lib.add('no-workers', wrong, 'Option maxWorkers must be an integer number >= 1', () =>
  using(() => 0, { maxWorkers: 0 }),
);
lib.add('strategy', wrong, 'Unknown queue strategy', () => using(() => 0, { queueStrategy: 'random' }));
export default lib;
