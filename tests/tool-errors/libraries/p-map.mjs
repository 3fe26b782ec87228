// p-map: what the mapper threw, as it was; an AggregateError of all of them; TypeErrors of its own; the reason of its signal.
import { readFile } from 'node:fs/promises';
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter, closedPort, sleep } from '../servers/net.mjs';

const lib = library({ packages: ['p-map'] });
const map = async (...args) => (await import('p-map')).default(...args);
const misuse = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN');
lib.add('no-mapper', misuse, 'Mapper function is required', () => map([1], 7));
lib.add('not-iterable', misuse, 'Expected `input` to be either an Iterable', () => map(7, (one) => one));
lib.add('bad-concurrency', misuse, 'Expected `concurrency` to be an integer', () =>
  map([1], (one) => one, { concurrency: 0 }),
);
lib.add('refused', again('NETWORK_ERROR'), 'one item met a server that does not listen', async () => {
  const port = await closedPort();
  return map(['a', 'b'], () => fetch(`http://127.0.0.1:${port}/`));
});
lib.add('missing-file', final('NOT_FOUND', 'IO_ERROR'), 'one item is a file that is missing', () =>
  map(['/nowhere/june.csv'], (path) => readFile(path)),
);
lib.add('all-refused', again('NETWORK_ERROR'), 'AggregateError: all items met the same', async () => {
  const port = await closedPort();
  return map(['a', 'b'], () => fetch(`http://127.0.0.1:${port}/`), { stopOnError: false });
});
lib.add(
  'different',
  unclear('NETWORK_ERROR', 'NOT_FOUND', 'IO_ERROR', 'UNKNOWN', 'TOOL_EXECUTION_ERROR'),
  'AggregateError: a file is missing and a server does not listen',
  async () => {
    const port = await closedPort();
    return map(
      ['/nowhere/june.csv', `http://127.0.0.1:${port}/`],
      (item) => (item.startsWith('/') ? readFile(item) : fetch(item)),
      { stopOnError: false },
    );
  },
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', () =>
  map([1, 2], () => sleep(2000), { signal: abortAfter(40) }),
);
lib.add('signal-timeout', again('TIMEOUT'), 'AbortSignal.timeout ended it', () =>
  map([1, 2], () => sleep(2000), { signal: AbortSignal.timeout(40) }),
);
lib.add('iterable-threw', again('NETWORK_ERROR'), 'what is iterated failed with ECONNRESET', () =>
  map(
    (function* rows() {
      yield 1;
      throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', errno: -104 });
    })(),
    (one) => one,
  ),
);
export default lib;
