// xlsx (SheetJS): plain errors about workbooks, and what the file system says.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['xlsx'] });
const xlsx = async () => (await import('xlsx')).default;
const workbook = async (rows = [['a', 1]]) => {
  const { utils } = await xlsx();
  const book = utils.book_new();
  utils.book_append_sheet(book, utils.aoa_to_sheet(rows), 'Report');
  return book;
};
const read = async (bytes, options) => (await xlsx()).read(bytes, { type: 'buffer', ...options });
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add('png', damaged, 'PNG Image File is not a spreadsheet', () =>
  read(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')),
);
lib.add('other-zip', damaged, 'Unsupported ZIP file: an archive without a workbook', async () => {
  const { CFB } = await xlsx();
  const archive = CFB.utils.cfb_new();
  CFB.utils.cfb_add(archive, '/readme.txt', Buffer.from('hello'));
  return read(CFB.write(archive, { fileType: 'zip', type: 'buffer' }));
});
lib.add(
  'no-table',
  final('INVALID_RESPONSE', 'VALIDATION_ERROR', 'NOT_FOUND'),
  'Invalid HTML: could not find <table>',
  async () => read(Buffer.from('<html><body><h1>Sign in</h1></body></html>')),
);
lib.add(
  'password',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'PERMISSION_DENIED'),
  'File is password-protected',
  async () => {
    const { CFB } = await xlsx();
    const file = CFB.utils.cfb_new({ root: 'R' });
    CFB.utils.cfb_add(file, '/EncryptionInfo', Buffer.from('04000300', 'hex'));
    CFB.utils.cfb_add(file, '/EncryptedPackage', Buffer.alloc(64));
    return read(CFB.write(file, { type: 'buffer' }));
  },
);
lib.add(
  'bad-type',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Unrecognized type: a mistake of the program',
  () => read('x', { type: 'stream' }),
);
lib.add('missing', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT of readFile()', async () =>
  (await xlsx()).readFile('/nowhere/report.xlsx'),
);
lib.add('folder', final('IO_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'), 'EISDIR of readFile()', async () =>
  (await xlsx()).readFile('/etc'),
);
lib.add('no-folder', final('NOT_FOUND', 'IO_ERROR'), 'ENOENT of writeFile()', async () =>
  (await xlsx()).writeFile(await workbook(), '/nowhere/report.xlsx'),
);
lib.add('full', unclear('IO_ERROR', 'QUOTA_EXCEEDED'), 'ENOSPC of writeFile(): the disk is full', async () =>
  (await xlsx()).writeFile(await workbook(), '/dev/full', { bookType: 'xlsx' }),
);
lib.add(
  'sheet-exists',
  final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
  'Worksheet with name |Report| already exists!',
  async () => {
    const { utils } = await xlsx();
    utils.book_append_sheet(await workbook(), utils.aoa_to_sheet([[1]]), 'Report');
  },
);
lib.add('sheet-name', final('VALIDATION_ERROR'), 'Sheet names cannot exceed 31 chars', async () => {
  const { utils } = await xlsx();
  utils.book_append_sheet(await workbook(), utils.aoa_to_sheet([[1]]), 'x'.repeat(40));
});
lib.add('sheet-characters', final('VALIDATION_ERROR'), 'Sheet name cannot contain', async () => {
  const { utils } = await xlsx();
  utils.book_append_sheet(await workbook(), utils.aoa_to_sheet([[1]]), 'Q1/Q2');
});
lib.add('empty', final('VALIDATION_ERROR'), 'Workbook is empty', async () => {
  const { utils, write } = await xlsx();
  return write(utils.book_new(), { type: 'buffer', bookType: 'xlsx' });
});
lib.add(
  'book-type',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'PROVIDER_NOT_SUPPORTED'),
  'Unrecognized bookType',
  async () => {
    const { write } = await xlsx();
    return write(await workbook(), { type: 'buffer', bookType: 'pages' });
  },
);
lib.add(
  'no-sheet',
  final('NOT_FOUND', 'VALIDATION_ERROR'),
  'book_set_sheet_visibility() of a sheet that is not there',
  async () => {
    const { utils } = await xlsx();
    return utils.book_set_sheet_visibility(await workbook(), 'Totals', 1);
  },
);
export default lib;
