// yauzl: plain errors about the archive, some of which state the position; errno of files, and zlib's errors.
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { final, library, unclear } from '../expect.mjs';

let place;
const lib = library({
  packages: ['yauzl'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'yauzl-'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const u16 = (number) => Buffer.from(Uint16Array.of(number).buffer);
const u32 = (number) => Buffer.from(Uint32Array.of(number).buffer);
const ORDERS = Buffer.from('id;price\n'.repeat(20));
/** An archive of one file; sizes, flags and the like can be what they should not be. */
const zip = ({
  name = 'orders.csv',
  method = 8,
  flags = 0,
  size = ORDERS.length,
  data = deflateRawSync(ORDERS),
  packed = data.length,
  disk = 0,
  local = 0x04034b50,
  central = 0x02014b50,
  after = '',
} = {}) => {
  const file = Buffer.from(name);
  const about = [u16(20), u16(flags), u16(method), u32(0), u32(0), u32(packed), u32(size), u16(file.length)];
  const head = Buffer.concat([u32(local), ...about, u16(0), file]);
  const entry = Buffer.concat([u32(central), u16(20), ...about, Buffer.alloc(12), u32(0), file]);
  const end = [u16(disk), u16(0), u16(1), u16(1), u32(entry.length), u32(head.length + data.length), u16(0)];
  return Buffer.concat([head, data, entry, u32(0x06054b50), ...end, Buffer.from(after)]);
};
const open = async (from, options) => {
  const { default: yauzl } = await import('yauzl');
  return new Promise((resolve, reject) => {
    const take = (error, file) => (error ? reject(error) : resolve(file));
    if (typeof from === 'string') yauzl.open(from, { lazyEntries: true, ...options }, take);
    else yauzl.fromBuffer(from, { lazyEntries: true, ...options }, take);
  });
};
const first = (file) =>
  new Promise((resolve, reject) => {
    file.on('error', reject);
    file.on('entry', resolve);
    file.on('end', resolve);
    file.readEntry();
  });
const stream = (file, entry, options = {}) =>
  new Promise((resolve, reject) =>
    file.openReadStream(entry, options, (error, bytes) => {
      if (error) return reject(error);
      bytes.on('error', reject);
      bytes.on('end', resolve);
      bytes.resume();
    }),
  );
const read = async (from, options) => {
  const file = await open(from);
  return stream(file, await first(file), options);
};
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
const cut = unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'NETWORK_ERROR');
lib.add('page', cut, 'a page: not a zip file, or a file that is truncated', () =>
  read(Buffer.from('<html>Sign in</html>'.padEnd(80))),
);
lib.add('cut', cut, 'the same of a file that ends in the middle', () => read(zip().subarray(0, 60)));
lib.add('more-behind', damaged, 'Invalid comment length: there are extra bytes at the end', () =>
  read(zip({ after: 'and more' })),
);
lib.add('bad-directory', damaged, 'invalid central directory file header signature', () =>
  read(zip({ central: 0x12345678 })),
);
lib.add('bad-header', damaged, 'invalid local file header signature', () => read(zip({ local: 0x12345678 })));
lib.add('beyond-the-end', damaged, 'file data overflows file bounds', () => read(zip({ packed: 9000 })));
lib.add('too-long', damaged, 'too many bytes in the stream', () => read(zip({ size: 7 })));
lib.add('too-short', cut, 'not enough bytes in the stream', () => read(zip({ size: 900 })));
lib.add('bad-data', damaged, 'bytes that do not inflate', () => read(zip({ data: Buffer.alloc(40, 0xff) })));
const lacks = final('PROVIDER_NOT_SUPPORTED', 'INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add('other-method', lacks, 'unsupported compression method', () => read(zip({ method: 99 })));
lib.add('disks', lacks, 'multi-disk zip files are not supported', () => read(zip({ disk: 1 })));
lib.add('strong-encryption', lacks, 'strong encryption is not supported', () => read(zip({ flags: 0x41 })));
lib.add(
  'encrypted',
  final('VALIDATION_ERROR', 'PROVIDER_NOT_SUPPORTED', 'AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  'entry is encrypted',
  () => read(zip({ flags: 1 })),
);
const refuses = final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'INVALID_RESPONSE');
lib.add('outside', refuses, 'invalid relative path', () => read(zip({ name: '../../outside.csv' })));
lib.add('absolute', refuses, 'absolute path', () => read(zip({ name: '/etc/passwd' })));
lib.add('missing', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT', () => read(path.join(place, 'none.zip')));
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR'), 'EISDIR', () => read(place));
lib.add('shrunk', cut, 'unexpected EOF: the file was cut while it was read', async () => {
  const at = path.join(place, 'shrunk.zip');
  writeFileSync(at, zip());
  const file = await open(at);
  truncateSync(at, 20);
  return first(file);
});
lib.add(
  'closed',
  unclear('UNKNOWN', 'CANCELLED', 'NETWORK_ERROR', 'VALIDATION_ERROR'),
  'one word: the program closed it',
  async () => {
    const file = await open(zip(), { autoClose: false });
    const entry = await first(file);
    file.close();
    return stream(file, entry);
  },
);
lib.add('range', final('VALIDATION_ERROR'), 'options.start > entry.compressedSize', async () =>
  read(zip(), { start: 5000, decodeFileData: false }),
);
lib.add(
  'not-lazy',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'readEntry() called without lazyEntries:true',
  async () => (await open(zip(), { lazyEntries: false })).readEntry(),
);
export default lib;
