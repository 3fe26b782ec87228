// @mozilla/readability: plain errors about the document that it was given.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['@mozilla/readability'] });
const page = async (html) => {
  const { Window } = await import('happy-dom');
  const { document } = new Window();
  document.write(html);
  return document;
};
const reader = async () => (await import('@mozilla/readability')).default.Readability;
lib.add(
  'too-large',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'Aborting parsing document; too many elements found',
  async () =>
    new (await reader())(await page(`<html><body>${'<p>x</p>'.repeat(20)}</body></html>`), {
      maxElemsToParse: 5,
    }).parse(),
);
lib.add(
  'no-document',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'First argument must be a document object',
  async () => new (await reader())(undefined).parse(),
);
lib.add(
  'no-root',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'an object that is no document',
  async () => new (await reader())({}).parse(),
);
export default lib;
