// pdf-lib: classes of its own for what a document is not, all named Error.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['pdf-lib'] });
const load = async (bytes, options) => {
  const { PDFDocument } = await import('pdf-lib');
  return PDFDocument.load(bytes, { throwOnInvalidObject: true, ...options });
};
const create = async () => {
  const { PDFDocument } = await import('pdf-lib');
  const pdf = await PDFDocument.create();
  pdf.addPage();
  return pdf;
};
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add('not-a-pdf', damaged, 'No PDF header found', () => load(Buffer.from('<html>Sign in</html>')));
lib.add('empty-file', damaged, 'no header in a file without content', () => load(new Uint8Array()));
lib.add('bad-object', damaged, 'Failed to parse invalid PDF object', () =>
  load(Buffer.from('%PDF-1.7\n1 0 obj\n<< /Type ~~ >>\nendobj\ntrailer << /Root 1 0 R >>\n')),
);
lib.add(
  'no-catalog',
  unclear('UNKNOWN', 'INVALID_RESPONSE', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'the trailer names a catalog that is not there: a TypeError that says nothing of it',
  async () =>
    (await load(Buffer.from('%PDF-1.7\ntrailer << /Size 1 /Root 9 0 R >>\nstartxref\n0\n%%EOF'))).getPages(),
);
lib.add(
  'cut',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'UNKNOWN'),
  'the file ends in the middle',
  async () => {
    const bytes = await (await create()).save({ useObjectStreams: false });
    return (await load(bytes.subarray(0, 200))).getPages();
  },
);
lib.add(
  'encrypted',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'PERMISSION_DENIED', 'PROVIDER_NOT_SUPPORTED'),
  'EncryptedPDFError',
  () =>
    load(
      Buffer.from(
        '%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n' +
          '3 0 obj\n<< /Filter /Standard /V 4 >>\nendobj\ntrailer << /Size 4 /Root 1 0 R /Encrypt 3 0 R >>\nstartxref\n0\n%%EOF',
      ),
    ),
);
lib.add(
  'bad-input',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'a TypeError about the type of the input',
  () => load(7),
);
lib.add('no-field', final('NOT_FOUND', 'VALIDATION_ERROR'), 'NoSuchFieldError', async () =>
  (await create()).getForm().getTextField('total'),
);
lib.add('field-exists', final('ALREADY_EXISTS', 'VALIDATION_ERROR'), 'FieldAlreadyExistsError', async () => {
  const form = (await create()).getForm();
  form.createTextField('total');
  return form.createTextField('total');
});
lib.add('field-type', final('VALIDATION_ERROR'), 'UnexpectedFieldTypeError', async () => {
  const form = (await create()).getForm();
  form.createCheckBox('agreed');
  return form.getTextField('agreed');
});
lib.add('field-too-long', final('VALIDATION_ERROR'), 'ExceededMaxLengthError', async () => {
  const field = (await create()).getForm().createTextField('zip');
  field.setMaxLength(5);
  return field.setText('1234567');
});
lib.add('no-page', final('VALIDATION_ERROR', 'NOT_FOUND'), 'an index beyond the last page', async () =>
  (await create()).removePage(7),
);
lib.add('foreign-page', final('VALIDATION_ERROR', 'CONFIG_ERROR'), 'ForeignPageError', async () =>
  (await create()).addPage((await create()).getPage(0)),
);
lib.add(
  'no-fontkit',
  final('CONFIG_ERROR', 'INITIALIZATION_ERROR', 'VALIDATION_ERROR'),
  'FontkitNotRegisteredError',
  async () => (await create()).embedFont(new Uint8Array([0, 1, 0, 0])),
);
lib.add('characters', final('VALIDATION_ERROR'), 'WinAnsi cannot encode', async () => {
  const { StandardFonts } = await import('pdf-lib');
  const pdf = await create();
  return pdf.getPage(0).drawText('请求', { font: await pdf.embedFont(StandardFonts.Helvetica) });
});
lib.add('bad-image', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'SOI not found in JPEG', async () =>
  (await create()).embedJpg(Buffer.from('not an image')),
);
lib.add('bad-png', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'The input is not a PNG file!', async () =>
  (await create()).embedPng(Buffer.from('not an image')),
);
export default lib;
