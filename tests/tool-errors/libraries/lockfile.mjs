// lockfile: Node's errors of files; EEXIST is the lock that somebody holds.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

let place;
const lib = library({
  packages: ['lockfile'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'lock-'));
    writeFileSync(path.join(place, 'held.lock'), '');
    mkdirSync(path.join(place, 'folder'));
    symlinkSync(path.join(place, 'round'), path.join(place, 'round'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const lock = async (name, options) => {
  const { default: lockfile } = await import('lockfile');
  return new Promise((resolve, reject) =>
    lockfile.lock(path.join(place, name), options, (error) => (error ? reject(error) : resolve())),
  );
};
// Only the path says that it is a lock.
const held = unclear('CONFLICT', 'ALREADY_EXISTS', 'IO_ERROR');
lib.add('held', held, 'EEXIST: somebody holds the lock, and gives it back', () => lock('held.lock', {}));
lib.add('held-waited', held, 'EEXIST after `wait`', () => lock('held.lock', { wait: 60, pollPeriod: 20 }));
lib.add('held-retried', held, 'EEXIST after `retries`', () =>
  lock('held.lock', { retries: 2, retryWait: 10 }),
);
lib.add('held-sync', held, 'EEXIST of lockSync()', async () => {
  const { default: lockfile } = await import('lockfile');
  return lockfile.lockSync(path.join(place, 'held.lock'));
});
lib.add(
  'no-folder',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT: where the lock is to be is no folder',
  () => lock('nowhere/my.lock', {}),
);
lib.add('not-a-folder', final('IO_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'), 'ENOTDIR', () =>
  lock('held.lock/my.lock', {}),
);
lib.add('long-name', final('VALIDATION_ERROR', 'IO_ERROR'), 'ENAMETOOLONG', () => lock('x'.repeat(300), {}));
lib.add(
  'links',
  final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'ELOOP: the path runs in a circle',
  () => lock('round/my.lock', {}),
);
const misuse = final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN');
lib.add('wait-sync', misuse, 'opts.wait not supported sync for obvious reasons', async () => {
  const { default: lockfile } = await import('lockfile');
  return lockfile.lockSync(path.join(place, 'held.lock'), { wait: 100 });
});
lib.add('check-wait-sync', misuse, 'the same of checkSync()', async () => {
  const { default: lockfile } = await import('lockfile');
  return lockfile.lockSync(path.join(place, 'held.lock'), { stale: 1e9, wait: 1 });
});
lib.add('no-path', misuse, 'ERR_INVALID_ARG_TYPE', async () => {
  const { default: lockfile } = await import('lockfile');
  return lockfile.lockSync(undefined);
});
export default lib;
