// decompress: errno of files, and what its plugins for zip, gzip and tar say.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { final, library, unclear } from '../expect.mjs';

let place;
const lib = library({
  packages: ['decompress'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'unpack-'));
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const unpack = async (...from) => (await import('decompress')).default(...from);
const at = (...names) => path.join(place, ...names);
const header = (name, size, type = '0', link = '') => {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(type, 156);
  block.write(link, 157);
  block.write('ustar\u000000', 257);
  block.write('        ', 148);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
};
const tar = (name, type, link) =>
  Buffer.concat([
    header(name, type ? 0 : 5, type, link),
    ...(type ? [] : [Buffer.from('hello'.padEnd(512, '\0'))]),
    Buffer.alloc(1024),
  ]);
const zip = Buffer.from(
  'UEsDBAoAAAAAAAAAIQCGphA2BQAAAAUAAAABAAAAYWhlbGxvUEsBAh4DCgAAAAAAAAAhAIamEDYFAAAABQAAAAEAAAAAAAAAAAAAAKSBAAAAAGFQSwUGAAAAAAEAAQAvAAAAJAAAAAAA',
  'base64',
);
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'IO_ERROR');
const cut = unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'IO_ERROR', 'NETWORK_ERROR');

lib.add('missing', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT', () => unpack(at('none.zip'), at('out')));
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR'), 'EISDIR', () => unpack(place, at('out')));
lib.add('no-input', final('VALIDATION_ERROR'), 'Input file required', () => unpack(undefined));
lib.add(
  'in-the-way',
  final('ALREADY_EXISTS', 'IO_ERROR', 'VALIDATION_ERROR', 'CONFLICT'),
  'EEXIST: a file has the name of the folder',
  () => {
    writeFileSync(at('file'), '');
    return unpack(tar('a'), at('file'));
  },
);
lib.add('zip-cut', cut, 'the archive ends in the middle', () => unpack(zip.subarray(0, 40)));
lib.add('zip-bad-directory', damaged, 'the directory is damaged', () => {
  const bytes = Buffer.from(zip);
  bytes[bytes.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))] = 0;
  return unpack(bytes);
});
lib.add('gzip-cut', cut, 'the stream ends in the middle', () => {
  const whole = gzipSync(tar('a'));
  return unpack(whole.subarray(0, whole.length - 20));
});
lib.add('gzip-damaged', damaged, 'bytes that do not inflate', () => {
  const bytes = gzipSync(tar('a'.repeat(60)));
  bytes.fill(0xff, 14, 34);
  return unpack(bytes);
});
lib.add('tar-bad-header', damaged, 'a checksum that is wrong', () => {
  const bytes = Buffer.concat([tar('a').subarray(0, 1024), tar('b')]);
  bytes[1024 + 150] ^= 1;
  return unpack(bytes);
});
const refuses = final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add('outside', refuses, 'an entry that leaves the folder', () => {
  mkdirSync(at('inside'), { recursive: true });
  return unpack(tar('../../outside/a'), at('inside', 'out'));
});
lib.add('taken-link', final('ALREADY_EXISTS', 'IO_ERROR', 'CONFLICT'), 'EEXIST of a link', async () => {
  await unpack(tar('link', '2', 'a'), at('links'));
  return unpack(tar('link', '2', 'a'), at('links'));
});
lib.add('long-name', final('VALIDATION_ERROR', 'IO_ERROR'), 'ENAMETOOLONG', () =>
  unpack(tar('a'), at('x'.repeat(300))),
);
export default lib;
