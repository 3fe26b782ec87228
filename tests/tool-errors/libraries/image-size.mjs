// image-size: TypeErrors of its own for types that it does not know, RangeErrors of the engine for files that break off.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['image-size'] });
const size = (bytes) => async () => (await import('image-size')).imageSize(Buffer.from(bytes));
const file = (bytes) => async () => {
  const { imageSizeFromFile } = await import('image-size/fromFile');
  if (bytes === undefined) return imageSizeFromFile('/nowhere/june.png');
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'image-')), 'june.png');
  writeFileSync(place, Buffer.from(bytes));
  return imageSizeFromFile(place);
};
const unknown = final('VALIDATION_ERROR', 'INVALID_RESPONSE', 'PROVIDER_NOT_SUPPORTED');
const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
lib.add('text', unknown, 'unsupported file type', size(Buffer.from('not a picture at all, just text')));
lib.add(
  'page',
  unknown,
  'a page where a picture was due',
  size(Buffer.from('<html><body>404</body></html>')),
);
lib.add('pdf', unknown, 'unsupported file type', size(Buffer.from('%PDF-1.7 and more of it')));
const cut = unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'UNKNOWN');
lib.add('empty', cut, 'nothing at all: the engine says it', size([]));
lib.add('cut-png', cut, 'a PNG that ends after its signature', size(PNG));
lib.add(
  'cut-jpeg',
  cut,
  'a JPEG without a size',
  size([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0]),
);
lib.add(
  'bad-png',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Invalid PNG',
  size([...PNG, 0, 0, 0, 13, 0x46, 0x52, 0x4f, 0x42, 0, 0, 0, 1, 0, 0, 0, 1]),
);
lib.add(
  'bad-svg',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  'Invalid SVG: it has no size',
  size(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>')),
);
lib.add(
  'disabled',
  final('PERMISSION_DENIED', 'VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'disabled file type: the program does not want it',
  async () => {
    const { disableTypes, imageSize } = await import('image-size');
    disableTypes(['gif']);
    try {
      return imageSize(Buffer.from('GIF89a\x01\0\x01\0\0\0\0', 'latin1'));
    } finally {
      disableTypes([]);
    }
  },
);
lib.add('missing-file', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT', file());
lib.add('empty-file', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'Empty file', file([]));
lib.add(
  'text-file',
  unknown,
  'a file that is no picture',
  file(Buffer.from('hello, world, and nothing else')),
);
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR'), 'EISDIR', async () => {
  const { imageSizeFromFile } = await import('image-size/fromFile');
  return imageSizeFromFile(tmpdir());
});
export default lib;
