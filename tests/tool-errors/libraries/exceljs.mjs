// exceljs: plain errors about names, cells and merges; those of JSZip and sax for files, errno.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { final, library, unclear } from '../expect.mjs';

let place;
const lib = library({
  packages: ['exceljs'],
  setup: () => {
    place = mkdtempSync(path.join(tmpdir(), 'xlsx-'));
    writeFileSync(path.join(place, 'page.xlsx'), '<html>Sign in</html>');
  },
  teardown: () => rmSync(place, { recursive: true, force: true }),
});
const book = async () => new (await import('exceljs')).default.Workbook();
const sheet = async () => (await book()).addWorksheet('June');
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add('not-a-zip', damaged, "Can't find end of central directory: is this a zip file?", async () =>
  (await book()).xlsx.load(Buffer.from('<html>Sign in</html>')),
);
lib.add('cut', unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'), 'the file ends in the middle', async () => {
  const bytes = await (await sheet()).workbook.xlsx.writeBuffer();
  return (await book()).xlsx.load(bytes.subarray(0, 300));
});
lib.add('not-a-zip-file', damaged, 'the same of a file', async () =>
  (await book()).xlsx.readFile(path.join(place, 'page.xlsx')),
);
lib.add('no-file', final('NOT_FOUND', 'IO_ERROR'), 'File not found', async () =>
  (await book()).xlsx.readFile(path.join(place, 'nowhere.xlsx')),
);
lib.add('no-csv-file', final('NOT_FOUND', 'IO_ERROR'), 'File not found', async () =>
  (await book()).csv.readFile(path.join(place, 'nowhere.csv')),
);
lib.add(
  'no-folder',
  final('NOT_FOUND', 'IO_ERROR', 'CONFIG_ERROR'),
  'ENOENT of where it is to be written',
  async () => (await sheet()).workbook.xlsx.writeFile(path.join(place, 'nowhere', 'june.xlsx')),
);
lib.add(
  'same-name',
  final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
  'Worksheet name already exists',
  async () => {
    const made = await book();
    made.addWorksheet('June');
    return made.addWorksheet('june');
  },
);
lib.add('bad-name', wrong, 'a name with characters that cannot be', async () =>
  (await book()).addWorksheet('a/b*c'),
);
lib.add('name-type', wrong, 'The name has to be a string.', async () => (await book()).addWorksheet(7));
lib.add('name-reserved', wrong, 'The name History is protected', async () =>
  (await book()).addWorksheet('History'),
);
lib.add('name-quote', wrong, 'a single quotation mark at an end', async () =>
  (await book()).addWorksheet("'June'"),
);
lib.add(
  'merged-twice',
  final('CONFLICT', 'VALIDATION_ERROR', 'ALREADY_EXISTS'),
  'Cannot merge already merged cells',
  async () => {
    const made = await sheet();
    made.mergeCells('A1:B2');
    made.mergeCells('B2:C3');
  },
);
lib.add('column', wrong, 'Out of bounds. Invalid column letter', async () =>
  (await sheet()).getColumn('ABCD'),
);
lib.add(
  'column-number',
  wrong,
  'Out of bounds. Excel supports columns from 1 to 16384',
  async () => (await sheet()).getColumn(20_000).letter,
);
lib.add('address', wrong, 'Invalid Address', async () => (await sheet()).getCell('??'));
lib.add('table', wrong, 'a table without a name and columns', async () =>
  (await sheet()).addTable({ ref: 'A1', columns: [], rows: [] }),
);
lib.add(
  'no-image',
  unclear('UNKNOWN', 'NOT_FOUND', 'VALIDATION_ERROR'),
  'a TypeError that says nothing of the image',
  async () => {
    const made = await sheet();
    made.addImage(9, 'A1:B2');
    return made.workbook.xlsx.writeBuffer();
  },
);
lib.add('image', wrong, 'Unsupported media', async () => {
  const made = await sheet();
  made.addImage(made.workbook.addImage({ extension: 'png' }), 'A1:B2');
  return made.workbook.xlsx.writeBuffer();
});
lib.add(
  'shared-formula',
  wrong,
  'Shared Formula master must exist above and or left of this cell',
  async () => {
    const made = await sheet();
    made.getCell('A1').value = { sharedFormula: 'B2', result: 1 };
    return made.workbook.xlsx.writeBuffer();
  },
);
lib.add(
  'frozen-row',
  final('VALIDATION_ERROR', 'CONFLICT', 'CANCELLED', 'UNKNOWN'),
  'a row that was committed already',
  async () => {
    const { stream } = (await import('exceljs')).default;
    const writer = new stream.xlsx.WorkbookWriter({ filename: path.join(place, 'out.xlsx') });
    const made = writer.addWorksheet('June');
    made.addRow([1]).commit();
    return made.getRow(1);
  },
);
export default lib;
