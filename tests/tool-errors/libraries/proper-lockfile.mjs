// proper-lockfile: ELOCKED, ENOTACQUIRED, ERELEASED and ECOMPROMISED; below them errno of files.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { again, final, library, unclear } from '../expect.mjs';

let place;
const at = (name) => path.join(place, name);
const lib = library({
  packages: ['proper-lockfile'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'proper-'));
    for (const name of ['orders.db', 'held.db', 'file', 'stale.db']) writeFileSync(at(name), '');
    mkdirSync(at('held.db.lock'));
    symlinkSync(at('round'), at('round'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const locks = async () => (await import('proper-lockfile')).default;
const lock = async (name, options) => (await locks()).lock(at(name), options);
const held = again('CONFLICT', 'ALREADY_EXISTS');
lib.add('held', held, 'ELOCKED: somebody holds the lock, and gives it back', () => lock('held.db'));
lib.add('held-retried', held, 'ELOCKED after `retries`', () =>
  lock('held.db', { retries: { retries: 2, minTimeout: 5, maxTimeout: 10 } }),
);
const misuse = final('VALIDATION_ERROR', 'CONFLICT', 'PERMISSION_DENIED', 'NOT_FOUND');
lib.add('not-mine', misuse, 'ENOTACQUIRED: Lock is not acquired/owned by you', async () =>
  (await locks()).unlock(at('held.db')),
);
lib.add('released-twice', misuse, 'ERELEASED: Lock is already released', async () => {
  const release = await lock('orders.db');
  await release();
  return release();
});
// The work under the lock must start over. The value does not say whether it may.
const lost = unclear('CONFLICT', 'IO_ERROR', 'NOT_FOUND', 'TIMEOUT');
const compromised = (harm, options) => async () => {
  writeFileSync(at('lost.db'), '');
  return new Promise((resolve, reject) => {
    lock('lost.db', { update: 1000, stale: 2000, onCompromised: reject, ...options })
      .then(() => harm(at('lost.db.lock')))
      .then(() => setTimeout(resolve, 5000), reject);
  });
};
lib.add(
  'removed',
  lost,
  'ECOMPROMISED: somebody removed the lock',
  compromised((file) => rmSync(file, { recursive: true, force: true })),
);
lib.add('taken-over', lost, 'ECOMPROMISED: somebody else has renewed it', async () =>
  compromised((file) => utimesSync(file, new Date(), new Date(Date.now() - 60_000)))(),
);
lib.add('no-file', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT: what is to be locked is not there', () =>
  lock('none.db'),
);
lib.add(
  'no-folder',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT: where the lock is to be is no folder',
  () => lock('orders.db', { lockfilePath: at('nowhere/orders.lock') }),
);
lib.add('not-a-folder', final('IO_ERROR', 'VALIDATION_ERROR', 'NOT_FOUND', 'CONFIG_ERROR'), 'ENOTDIR', () =>
  lock('orders.db', { lockfilePath: at('file/orders.lock') }),
);
lib.add('links', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'ELOOP', () => lock('round'));
lib.add('long-name', final('VALIDATION_ERROR', 'IO_ERROR'), 'ENAMETOOLONG', () =>
  lock('x'.repeat(300), { realpath: false }),
);
lib.add(
  'retries-sync',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'ESYNC: Cannot use retries with the sync api',
  async () => (await locks()).lockSync(at('orders.db'), { retries: 3 }),
);
lib.add(
  'no-path',
  final('NOT_FOUND', 'IO_ERROR', 'VALIDATION_ERROR'),
  'ENOENT of a file named "undefined"',
  async () => (await locks()).lock(undefined),
);
export default lib;
