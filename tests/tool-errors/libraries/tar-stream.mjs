// tar-stream: plain errors of the parser and of the packer.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['tar-stream'] });
const pack = async (work) => {
  const tar = (await import('tar-stream')).default ?? (await import('tar-stream'));
  const packed = tar.pack();
  packed.resume?.();
  return new Promise((resolve, reject) => {
    packed.on('error', reject);
    Promise.resolve()
      .then(() => work(packed, (error, value) => (error ? reject(error) : resolve(value))))
      .catch(reject);
  });
};
const bytesOf = async (name = 'orders.csv', content = 'id;price\n') => {
  const tar = (await import('tar-stream')).default ?? (await import('tar-stream'));
  const packed = tar.pack();
  packed.entry({ name }, content);
  packed.finalize();
  const parts = [];
  for await (const part of packed) parts.push(part);
  return Buffer.concat(parts);
};
const extract = (bytes) => async () => {
  const tar = (await import('tar-stream')).default ?? (await import('tar-stream'));
  const reader = tar.extract();
  return new Promise((resolve, reject) => {
    reader.on('error', reject);
    reader.on('finish', resolve);
    reader.on('entry', (_header, stream, next) => {
      stream.on('error', reject);
      stream.on('end', next);
      stream.resume();
    });
    Promise.resolve(typeof bytes === 'function' ? bytes() : bytes)
      .then((all) => reader.end(all))
      .catch(reject);
  });
};
const wrong = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add(
  'gzip',
  wrong,
  'Maybe the tar needs to be gunzipped',
  extract(async () => {
    const { gzipSync } = await import('node:zlib');
    return Buffer.concat([gzipSync(await bytesOf()), Buffer.alloc(1024, 7)]);
  }),
);
lib.add(
  'page',
  wrong,
  'a page where an archive was due',
  extract(() => Buffer.from('<html>'.padEnd(2048, ' sorry'))),
);
lib.add(
  'checksum',
  wrong,
  'a header whose checksum does not fit',
  extract(async () => {
    const bytes = await bytesOf();
    bytes[0] ^= 1;
    return bytes;
  }),
);
lib.add(
  'unknown-format',
  wrong,
  'Invalid tar header: unknown format',
  extract(async () => {
    const bytes = await bytesOf();
    bytes.write('frobs\0', 257, 'latin1');
    let sum = 0;
    bytes.fill(' ', 148, 156);
    for (const byte of bytes.subarray(0, 512)) sum += byte;
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    return bytes;
  }),
);
const cut = unclear('INVALID_RESPONSE', 'NETWORK_ERROR');
lib.add(
  'cut',
  cut,
  'Unexpected end of data: the content breaks off',
  extract(async () => (await bytesOf('a', 'x'.repeat(900))).subarray(0, 700)),
);
lib.add(
  'cut-header',
  cut,
  'the header breaks off',
  extract(async () => (await bytesOf()).subarray(0, 300)),
);
lib.add(
  'size',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Size mismatch: more than the header says',
  () =>
    pack((packed, done) => {
      const entry = packed.entry({ name: 'a', size: 3 }, done);
      entry.on('error', done);
      entry.end('four');
    }),
);
lib.add(
  'after-end',
  final('CANCELLED', 'VALIDATION_ERROR', 'UNKNOWN'),
  'already finalized or destroyed',
  () =>
    pack((packed) => {
      packed.finalize();
      return packed.entry({ name: 'a' }, 'x');
    }),
);
lib.add('destroyed', final('CANCELLED', 'VALIDATION_ERROR', 'UNKNOWN'), 'the program ended it', () =>
  pack((packed) => {
    packed.destroy();
    return packed.entry({ name: 'a' }, 'x');
  }),
);
export default lib;
