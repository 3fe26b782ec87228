// docx: plain errors about the parts of a document, about what is patched, and those of its unzipper with a number as `code`.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['docx'] });
/** Makes a document of what `make` returns, and packs it. */
const pack = (make, type) => async () => {
  const docx = await import('docx');
  const document = new docx.Document({ sections: [{ children: [].concat(make(docx)) }] });
  return type ? docx.Packer.pack(document, type) : docx.Packer.toBuffer(document);
};
const template = async (text = 'Dear {{name}}') => {
  const { Document, Packer, Paragraph } = await import('docx');
  return Packer.toBuffer(new Document({ sections: [{ children: [new Paragraph(text)] }] }));
};
const patch =
  (make, patches = (docx) => ({ name: greeting(docx) }), more = {}) =>
  async () => {
    const docx = await import('docx');
    return docx.patchDocument({
      outputType: 'nodebuffer',
      data: await make(),
      patches: patches(docx),
      ...more,
    });
  };
const greeting = ({ PatchType, TextRun }) => ({ type: PatchType.PARAGRAPH, children: [new TextRun('Jane')] });
/** An archive, made by another library. */
const archive = async (files) => {
  const zip = new (await import('adm-zip')).default();
  for (const [name, text] of Object.entries(files)) zip.addFile(name, Buffer.from(text));
  return zip.toBuffer();
};
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
const run = (options) =>
  pack(({ Paragraph, TextRun }) => new Paragraph({ children: [new TextRun(options)] }));
lib.add('colour', wrong, "Invalid hex value 'reddish'", run({ text: 'a', color: 'reddish' }));
lib.add('theme-colour', wrong, 'Invalid theme color', run({ text: 'a', color: { theme: 'accent9' } }));
lib.add(
  'size',
  wrong,
  'Invalid value specified. Expected a positive number.',
  run({ text: 'a', size: '-4pt' }),
);
lib.add('width', wrong, 'Invalid universal measure', async () => {
  const { Document } = await import('docx');
  return new Document({
    sections: [{ properties: { page: { size: { width: '2furlongs' } } }, children: [] }],
  });
});
lib.add(
  'level',
  wrong,
  'Level cannot be greater than 9',
  pack(({ Paragraph }) => new Paragraph({ text: 'a', bullet: { level: 12 } })),
);
lib.add(
  'no-number',
  wrong,
  'Must be an integer',
  pack(({ Paragraph }) => new Paragraph({ text: 'a', indent: { left: Number.NaN } })),
);
lib.add(
  'image-type',
  wrong,
  "type isn't given, and data isn't a picture",
  pack(({ ImageRun, Paragraph }) => [
    new Paragraph({
      children: [new ImageRun({ data: Buffer.from('<html>'), transformation: { width: 10, height: 10 } })],
    }),
  ]),
);
lib.add(
  'image-size',
  wrong,
  "Word won't open a drawing of that width",
  pack(({ ImageRun, Paragraph }) => [
    new Paragraph({
      children: [
        new ImageRun({
          type: 'png',
          data: Buffer.alloc(8),
          transformation: { width: 9_000_000, height: 10 },
        }),
      ],
    }),
  ]),
);
lib.add(
  'output',
  final('PROVIDER_NOT_SUPPORTED', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'pdf is not supported by this platform',
  pack(({ Paragraph }) => new Paragraph('a'), 'pdf'),
);
const damaged = final('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add(
  'page',
  damaged,
  'a page: invalid zip data',
  patch(async () => Buffer.from('<html>Sign in</html>'.padEnd(200))),
);
lib.add(
  'cut',
  damaged,
  'the same of a file that ends in the middle: nothing says that it does',
  patch(async () => (await template()).subarray(0, 500)),
);
lib.add(
  'bad-data',
  damaged,
  'bytes that do not inflate',
  patch(async () => {
    const bytes = Buffer.from(await template());
    bytes.fill(0xff, 60, 120);
    return bytes;
  }),
);
const types =
  '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"></Types>';
const body = (text) =>
  `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
lib.add(
  'bad-xml',
  damaged,
  'Invalid XML: a closing tag that does not match',
  patch(() => archive({ '[Content_Types].xml': types, 'word/document.xml': body('{{name}}</w:wrong>') })),
);
lib.add(
  'open-xml',
  unclear('INVALID_RESPONSE', 'VALIDATION_ERROR'),
  "Invalid XML: an element that isn't closed",
  patch(() => archive({ '[Content_Types].xml': types, 'word/document.xml': body('{{name}}').slice(0, -20) })),
);
lib.add(
  'entity',
  damaged,
  'Invalid XML: unknown entity',
  patch(() => archive({ '[Content_Types].xml': types, 'word/document.xml': body('{{name}} &#0;') })),
);
lib.add(
  'no-types',
  damaged,
  'Could not find content types file',
  patch(
    () => archive({ 'word/document.xml': body('{{name}}') }),
    ({ ImageRun, PatchType }) => ({
      name: {
        type: PatchType.PARAGRAPH,
        children: [
          new ImageRun({ type: 'png', data: Buffer.alloc(8), transformation: { width: 9, height: 9 } }),
        ],
      },
    }),
  ),
);
lib.add(
  'patch',
  wrong,
  'Invalid patch: no children',
  patch(template, () => ({ name: { type: 'paragraph' } })),
);
lib.add(
  'patch-numbering',
  wrong,
  "a numbering that isn't in the numbering option",
  patch(template, ({ PatchType, Paragraph }) => ({
    name: {
      type: PatchType.DOCUMENT,
      children: [new Paragraph({ text: 'a', numbering: { reference: 'steps', level: 0 } })],
    },
  })),
);
lib.add(
  'delimiters',
  wrong,
  'Both start and end delimiters must be non-empty strings',
  patch(template, undefined, { placeholderDelimiters: { start: '', end: '' } }),
);
export default lib;
