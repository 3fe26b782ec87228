// tinyexec: NonZeroExitError with `result` and `output`, errno of spawn(), aborts.
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter } from '../servers/net.mjs';

const lib = library({ packages: ['tinyexec'] });
const run = async (command, args = [], options = {}) =>
  (await import('tinyexec')).x(command, args, { throwOnError: true, ...options });
lib.add('failed', unclear('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'IO_ERROR'), 'exit code 1 says no more', () =>
  run('sh', ['-c', 'exit 1']),
);
lib.add(
  'failed-with-words',
  unclear('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'IO_ERROR', 'UNKNOWN'),
  'stderr says why',
  () => run('ls', ['/nowhere']),
);
lib.add(
  'not-found-shell',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  '127: command not found',
  () => run('sh', ['-c', 'no-such-program']),
);
lib.add('not-executable', final('TOOL_EXECUTION_ERROR', 'PERMISSION_DENIED'), '126', () =>
  run('sh', ['-c', '/etc/passwd']),
);
lib.add(
  'no-program',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'spawn ENOENT',
  () => run('no-such-program'),
);
lib.add('denied', final('TOOL_EXECUTION_ERROR', 'PERMISSION_DENIED', 'IO_ERROR'), 'spawn EACCES', () =>
  run('/etc/passwd'),
);
lib.add(
  'no-folder',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'spawn ENOENT for want of the folder',
  () => run('ls', [], { nodeOptions: { cwd: '/nowhere' } }),
);
lib.add('timeout', again('TIMEOUT'), '`timeout` is up', () => run('sleep', ['5'], { timeout: 80 }));
lib.add('abort', final('CANCELLED', 'TOOL_EXECUTION_ERROR'), 'killed by SIGTERM: `result.aborted`', () =>
  run('sleep', ['5'], { signal: abortAfter(60) }),
);
lib.add(
  'killed',
  unclear('TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CANCELLED'),
  'SIGKILL from outside: out of memory, perhaps',
  () => run('sh', ['-c', 'kill -9 $$']),
);
lib.add(
  'git-lock',
  again('CONFLICT', 'ALREADY_EXISTS', 'TOOL_EXECUTION_ERROR', 'UNKNOWN'),
  'index.lock',
  () =>
    run('sh', [
      '-c',
      'echo "fatal: Unable to create \'/repo/.git/index.lock\': File exists. Another git process seems to be running in this repository" >&2; exit 128',
    ]),
);
lib.add('sync', unclear('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'IO_ERROR'), 'the same of xSync()', async () =>
  (await import('tinyexec')).xSync('sh', ['-c', 'exit 3'], { throwOnError: true }),
);
export default lib;
