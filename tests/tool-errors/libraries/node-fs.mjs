// node:fs: errno names in `code`, with `syscall` and `path`.
import { execFileSync } from 'node:child_process';
import fs, { promises } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { again, final, library, unclear } from '../expect.mjs';
import { NotHere } from '../servers/process.mjs';

const lib = library({});
const inFolder = (work) => async () => {
  const at = fs.mkdtempSync(path.join(os.tmpdir(), 'files-'));
  try {
    fs.writeFileSync(path.join(at, 'report.csv'), 'a,b');
    fs.mkdirSync(path.join(at, 'folder'));
    fs.writeFileSync(path.join(at, 'folder', 'x'), '');
    return await work(at);
  } finally {
    fs.rmSync(at, { recursive: true, force: true });
  }
};
/** Runs as a user without rights: root may do all. */
const asNobody =
  (script, ...more) =>
  async () => {
    if (process.getuid?.() !== 0) throw new NotHere('a process of root that can become nobody');
    const { setegid, seteuid } = process;
    setegid.call(process, 65534);
    seteuid.call(process, 65534);
    try {
      return await script(...more);
    } finally {
      seteuid.call(process, 0);
      setegid.call(process, 0);
    }
  };
lib.add(
  'missing',
  final('NOT_FOUND'),
  'ENOENT',
  inFolder((at) => promises.readFile(path.join(at, 'nowhere.csv'))),
);
lib.add(
  'missing-sync',
  final('NOT_FOUND'),
  'ENOENT, thrown at once',
  inFolder((at) => fs.readFileSync(path.join(at, 'nowhere.csv'))),
);
lib.add(
  'denied',
  final('PERMISSION_DENIED'),
  'EACCES',
  asNobody(() => promises.readFile('/etc/shadow')),
);
lib.add(
  'not-permitted',
  final('PERMISSION_DENIED'),
  'EPERM',
  asNobody(() => promises.chmod('/etc/passwd', 0o777)),
);
lib.add(
  'exists',
  final('ALREADY_EXISTS'),
  'EEXIST of a folder',
  inFolder((at) => promises.mkdir(path.join(at, 'folder'))),
);
lib.add(
  'exists-exclusive',
  final('ALREADY_EXISTS'),
  'EEXIST of the flag wx',
  inFolder((at) => promises.writeFile(path.join(at, 'report.csv'), 'x', { flag: 'wx' })),
);
lib.add(
  'is-folder',
  final('IO_ERROR', 'VALIDATION_ERROR'),
  'EISDIR',
  inFolder((at) => promises.readFile(path.join(at, 'folder'))),
);
lib.add(
  'not-folder',
  final('IO_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'ENOTDIR',
  inFolder((at) => promises.readdir(path.join(at, 'report.csv'))),
);
lib.add(
  'not-empty',
  final('CONFLICT', 'IO_ERROR', 'VALIDATION_ERROR'),
  'ENOTEMPTY: not until it is emptied',
  inFolder((at) => promises.rmdir(path.join(at, 'folder'))),
);
lib.add(
  'rm-folder',
  final('IO_ERROR', 'VALIDATION_ERROR'),
  'ERR_FS_EISDIR',
  inFolder((at) => promises.rm(path.join(at, 'folder'))),
);
lib.add(
  'name-too-long',
  final('VALIDATION_ERROR', 'IO_ERROR'),
  'ENAMETOOLONG',
  inFolder((at) => promises.writeFile(path.join(at, 'x'.repeat(300)), '')),
);
lib.add(
  'loop',
  final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'ELOOP',
  inFolder(async (at) => {
    await promises.symlink(path.join(at, 'b'), path.join(at, 'a'));
    await promises.symlink(path.join(at, 'a'), path.join(at, 'b'));
    return promises.readFile(path.join(at, 'a'));
  }),
);
lib.add('disk-full', unclear('IO_ERROR', 'QUOTA_EXCEEDED'), 'ENOSPC: until somebody makes room', () =>
  promises.writeFile('/dev/full', 'x'),
);
lib.add('io-error', unclear('IO_ERROR'), 'EIO: a device, or what pretends to be a file', () =>
  promises.writeFile('/proc/version', 'x'),
);
lib.add(
  'too-many-open',
  unclear('IO_ERROR', 'CAPACITY_EXCEEDED', 'PROVIDER_OVERLOADED'),
  'EMFILE: files are closed again',
  async () => {
    const open = [];
    const script = `const fs = require('fs'); try { for (;;) fs.openSync('/dev/null') } catch (e) { console.log(JSON.stringify({ message: e.message, errno: e.errno, code: e.code, syscall: e.syscall, path: e.path })) }`;
    open.push(
      execFileSync(
        '/bin/sh',
        ['-c', `ulimit -n 30; exec "${process.execPath}" -e "${script.replaceAll('"', '\\"')}"`],
        { encoding: 'utf8' },
      ),
    );
    const { message, ...more } = JSON.parse(open[0]);
    throw Object.assign(new Error(message), more);
  },
);
lib.add(
  'busy',
  again('CONFLICT', 'IO_ERROR'),
  'EBUSY of a mount point',
  inFolder(() => promises.rmdir('/proc')),
);
lib.add(
  'text-busy',
  again('CONFLICT', 'IO_ERROR'),
  'ETXTBSY: the program is being run',
  inFolder(async (at) => {
    const program = path.join(at, 'sleep');
    await promises.copyFile('/bin/sleep', program);
    const { spawn } = await import('node:child_process');
    const child = spawn(program, ['2'], { stdio: 'ignore' });
    await new Promise((resolve) => child.once('spawn', resolve));
    try {
      return await promises.writeFile(program, 'x');
    } finally {
      child.kill();
    }
  }),
);
lib.add(
  'abort',
  final('CANCELLED'),
  'the user wanted it to end',
  inFolder(async (at) => {
    const controller = new AbortController();
    controller.abort();
    return promises.readFile(path.join(at, 'report.csv'), { signal: controller.signal });
  }),
);
lib.add('bad-path', final('VALIDATION_ERROR'), 'ERR_INVALID_ARG_VALUE: a null byte', () =>
  promises.readFile('a\0b'),
);
lib.add(
  'bad-type',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'ERR_INVALID_ARG_TYPE: a mistake of the program',
  () => promises.readFile(undefined),
);
lib.add('bad-descriptor', final('IO_ERROR', 'VALIDATION_ERROR'), 'EBADF', () =>
  fs.readSync(9999, Buffer.alloc(1)),
);
lib.add(
  'cross-device',
  final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'EXDEV',
  inFolder((at) => promises.link('/proc/version', path.join(at, 'x'))),
);
export default lib;
