// node:child_process: exit codes, signals, timeouts, programs that are not there.
import { exec, execFile, execFileSync, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { again, final, library, unclear } from '../expect.mjs';
import { abortAfter } from '../servers/net.mjs';

const lib = library({});
const shell = promisify(exec);
const file = promisify(execFile);
lib.add('failed', unclear('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'IO_ERROR'), 'exit code 1 says no more', () =>
  shell('exit 1'),
);
lib.add('failed-with-words', unclear('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'UNKNOWN'), 'stderr says why', () =>
  shell('ls /nowhere'),
);
lib.add(
  'not-found-shell',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'),
  '127: command not found',
  () => shell('no-such-program'),
);
lib.add('not-executable', final('TOOL_EXECUTION_ERROR', 'PERMISSION_DENIED'), '126: permission denied', () =>
  shell('/etc/passwd'),
);
lib.add(
  'no-program',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'spawn ENOENT',
  () => file('no-such-program'),
);
lib.add('denied', final('TOOL_EXECUTION_ERROR', 'PERMISSION_DENIED', 'IO_ERROR'), 'spawn EACCES', () =>
  file('/etc/passwd'),
);
lib.add(
  'no-folder',
  final('TOOL_EXECUTION_ERROR', 'NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'spawn ENOENT for want of the folder',
  () => file('ls', [], { cwd: '/nowhere' }),
);
lib.add('timeout', again('TIMEOUT'), 'killed by `timeout`', () => file('sleep', ['5'], { timeout: 80 }));
lib.add('timeout-sync', again('TIMEOUT'), 'spawnSync ETIMEDOUT', () =>
  execFileSync('sleep', ['5'], { timeout: 80 }),
);
lib.add('abort', final('CANCELLED'), 'the user wanted it to end', () =>
  file('sleep', ['5'], { signal: abortAfter(50) }),
);
lib.add(
  'max-buffer',
  final('VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR', 'IO_ERROR', 'INVALID_RESPONSE'),
  'ERR_CHILD_PROCESS_STDIO_MAXBUFFER: it writes too much',
  () => shell('yes', { maxBuffer: 1000 }),
);
lib.add(
  'killed',
  unclear('TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'UNKNOWN', 'CANCELLED'),
  'SIGKILL from outside: out of memory, perhaps',
  () => shell('kill -9 $$'),
);
lib.add('crashed', unclear('TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'UNKNOWN'), 'SIGSEGV', () =>
  shell('kill -SEGV $$'),
);
lib.add('too-many-arguments', final('VALIDATION_ERROR', 'IO_ERROR'), 'spawn E2BIG', () =>
  file('true', ['x'.repeat(300_000)]),
);
lib.add(
  'broken-pipe',
  unclear('NETWORK_ERROR', 'IO_ERROR', 'TOOL_EXECUTION_ERROR'),
  'EPIPE: the child closed its input',
  () =>
    new Promise((_, reject) => {
      const child = spawn('sh', ['-c', 'exec 0<&-; sleep 0.3'], { stdio: ['pipe', 'ignore', 'ignore'] });
      child.stdin.on('error', reject);
      setTimeout(() => child.stdin.write('x'), 100);
    }),
);
lib.add(
  'bad-options',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'ERR_INVALID_ARG_TYPE: a mistake of the program',
  () => spawn('ls', [], { cwd: 7 }),
);
export default lib;
