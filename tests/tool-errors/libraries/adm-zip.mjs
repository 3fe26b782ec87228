// adm-zip: plain errors whose text begins with ADM-ZIP, and errno of files.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

const folder = () => mkdtempSync(path.join(tmpdir(), 'zip-'));
let place;
const lib = library({
  packages: ['adm-zip'],
  setup: () => {
    place = folder();
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const zip = async (...from) => new (await import('adm-zip')).default(...from);
const packed = async () => {
  const made = await zip();
  made.addFile('june.csv', Buffer.from('a,b\n'.repeat(200)));
  return made.toBuffer();
};
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add('not-a-zip', damaged, 'No END header found', async () => zip(Buffer.from('<html>Sign in</html>')));
lib.add('empty-file', damaged, 'no END header in a file without content', async () => zip(Buffer.alloc(0)));
lib.add('cut', unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'), 'the file ends in the middle', async () =>
  (await zip((await packed()).subarray(0, 40))).getEntries(),
);
lib.add('bad-crc', damaged, 'CRC32 checksum failed', async () => {
  const bytes = await packed();
  bytes[14] ^= 0xff;
  const at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
  bytes[at + 16] ^= 0xff;
  return (await zip(bytes)).readFile('june.csv');
});
lib.add('bad-header', damaged, 'Invalid LOC header (bad signature)', async () => {
  const bytes = await packed();
  bytes[0] = 0;
  return (await zip(bytes)).readFile('june.csv');
});
lib.add('bad-directory', damaged, 'Invalid CEN header (bad signature)', async () => {
  const bytes = await packed();
  bytes[bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))] = 0;
  return (await zip(bytes)).getEntries();
});
lib.add(
  'other-method',
  final('PROVIDER_NOT_SUPPORTED', 'INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Invalid/unsupported compression method',
  async () => {
    const bytes = await packed();
    const at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bytes[at + 10] = 99;
    return (await zip(bytes)).readFile('june.csv');
  },
);
lib.add('bad-data', damaged, 'bytes that do not inflate', async () => {
  const bytes = await packed();
  bytes.fill(0xff, 38, 46);
  return (await zip(bytes)).readFile('june.csv');
});
lib.add(
  'no-file',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'IO_ERROR'),
  'Invalid filename: no more is said of a file that is not there',
  async () => zip(path.join(place, 'nowhere.zip')),
);
lib.add('no-entry', final('NOT_FOUND', 'VALIDATION_ERROR'), "Entry doesn't exist", async () =>
  (await zip(await packed())).extractEntryTo('july.csv', place),
);
lib.add('exists', final('ALREADY_EXISTS', 'IO_ERROR'), 'Target file already exists', async () => {
  writeFileSync(path.join(place, 'june.csv'), 'mine');
  return (await zip(await packed())).extractEntryTo('june.csv', place, true, false);
});
lib.add(
  'in-the-way',
  final('IO_ERROR', 'VALIDATION_ERROR', 'ALREADY_EXISTS', 'CONFLICT'),
  'ENOTDIR: there is a file in the way',
  async () => {
    writeFileSync(path.join(place, 'file'), 'mine');
    return (await zip(await packed())).extractAllTo(path.join(place, 'file'), true);
  },
);
lib.add('no-local-file', final('NOT_FOUND', 'IO_ERROR'), 'File not found', async () =>
  (await zip()).addLocalFile(path.join(place, 'nowhere.csv')),
);
lib.add('no-local-folder', final('NOT_FOUND', 'IO_ERROR'), 'File not found', async () =>
  (await zip()).addLocalFolder(path.join(place, 'nowhere')),
);
lib.add(
  'wrong-password',
  final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'Wrong Password',
  async () => {
    const bytes = await packed();
    const at = bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]));
    bytes[6] |= 1;
    bytes[at + 8] |= 1;
    return (await zip(bytes)).readFile('june.csv', 'CANARYsecret7890');
  },
);
export default lib;
