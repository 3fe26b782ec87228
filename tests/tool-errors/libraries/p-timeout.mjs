// p-timeout: a TimeoutError of its own, and the reasons of signals.
import { again, final, library } from '../expect.mjs';
import { abortAfter } from '../servers/net.mjs';

const lib = library({ packages: ['p-timeout'] });
const never = () => new Promise(() => {});
const wait = async (promise, options) => (await import('p-timeout')).default(promise, options);
lib.add('late', again('TIMEOUT'), 'TimeoutError', () => wait(never(), { milliseconds: 40 }));
lib.add('late-own-words', again('TIMEOUT'), 'TimeoutError with words of the program', () =>
  wait(never(), { milliseconds: 40, message: 'The inventory service is slow today' }),
);
lib.add('late-own-error', again('TIMEOUT'), 'an error of the program, that says so in words only', () =>
  wait(never(), { milliseconds: 40, message: new RangeError('Upload timed out after 40 ms') }),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', () =>
  wait(never(), { milliseconds: 5000, signal: abortAfter(30) }),
);
lib.add('aborted-before', final('CANCELLED'), 'it was ended before it began', () =>
  wait(never(), { milliseconds: 5000, signal: AbortSignal.abort() }),
);
lib.add('signal-timeout', again('TIMEOUT'), 'AbortSignal.timeout is a timeout', () =>
  wait(never(), { milliseconds: 5000, signal: AbortSignal.timeout(30) }),
);
lib.add('bad-milliseconds', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'a mistake of the program', () =>
  wait(never(), { milliseconds: -1 }),
);
lib.add('inner', again('NETWORK_ERROR'), 'what it waits for fails: that is what counts', () =>
  wait(Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' })), {
    milliseconds: 500,
  }),
);
export default lib;
