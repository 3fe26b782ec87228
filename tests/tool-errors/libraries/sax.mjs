// sax: errors of a strict parser: the sentence, then Line, Column and Char.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['sax'] });
const parse =
  (text, strict = true, options = {}) =>
  async () => {
    const sax = (await import('sax')).default;
    return new Promise((resolve, reject) => {
      const parser = sax.parser(strict, options);
      parser.onerror = reject;
      parser.onend = resolve;
      parser.write(text).close();
    });
  };
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
const cut = unclear('INVALID_RESPONSE', 'VALIDATION_ERROR');
lib.add('cut', cut, 'Unclosed root tag: the text ends in the middle', parse('<shop><item>7</item>'));
lib.add('cut-tag', cut, 'Unexpected end, within a tag', parse('<shop><item'));
lib.add('close-tag', wrong, 'Unexpected close tag', parse('<shop><item></shop></item>'));
lib.add('not-xml', wrong, 'Non-whitespace before first tag.', parse('Sign in'));
lib.add('behind', wrong, 'Text data outside of root node.', parse('<shop/>more'));
lib.add('entity', wrong, 'Invalid character entity', parse('<shop>&frob;</shop>'));
lib.add('attribute', wrong, 'Unquoted attribute value', parse('<shop id=7></shop>'));
lib.add('attribute-value', wrong, 'Attribute without value', parse('<shop id></shop>'));
lib.add('name', wrong, 'Invalid character in tag name', parse('<sh!op></sh!op>'));
lib.add('unencoded', wrong, 'Unencoded <', parse('<shop>1 < 2</shop>'));
lib.add('cdata', wrong, 'Malformed comment', parse('<shop><!-- a -- b --></shop>'));
lib.add('namespace', wrong, 'Unbound namespace prefix', parse('<a:shop/>', true, { xmlns: true }));
lib.add(
  'xml-prefix',
  wrong,
  'xml: prefix must be bound to its address',
  parse('<shop xmlns:xml="x"/>', true, { xmlns: true }),
);
lib.add(
  'after-error',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE', 'UNKNOWN'),
  'a parser that failed throws its error again',
  async () => {
    const sax = (await import('sax')).default;
    const parser = sax.parser(true);
    parser.onerror = () => {};
    parser.write('<shop></item>');
    return parser.write('<more/>');
  },
);
lib.add(
  'after-end',
  final('VALIDATION_ERROR', 'CANCELLED', 'UNKNOWN', 'CONFIG_ERROR'),
  'Cannot write after close. Assign an onready handler.',
  async () => {
    const sax = (await import('sax')).default;
    const parser = sax.parser(true);
    parser.onerror = (error) => {
      throw error;
    };
    parser.write('<shop/>').close();
    parser.closed = true;
    return parser.write('<more/>');
  },
);
export default lib;
