// json5: SyntaxError with `lineNumber` and `columnNumber`, which says "invalid character" and "invalid end of input".
import { again, final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['json5'] });
const parse = (text) => async () => (await import('json5')).default.parse(text);
// Nothing says whether a model, a server or a file wrote it.
const wrong = unclear('INVALID_RESPONSE', 'VALIDATION_ERROR', 'CONFIG_ERROR');
const cut = again('INVALID_RESPONSE', 'VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add('cut', cut, 'invalid end of input: an unexpected end is transient', parse('{a: 1'));
lib.add('cut-text', cut, 'invalid end of input within a text', parse('{a: "sho'));
lib.add('empty', cut, 'invalid end of input: nothing at all', parse(''));
lib.add('two-commas', wrong, "invalid character ','", parse('[1,,2]'));
lib.add('not-a-word', wrong, 'a word that is cut by a bracket', parse('{a: tru}'));
lib.add('after-end', wrong, 'more behind the end', parse('{"a": 1}}'));
lib.add('undefined', wrong, 'undefined as a text', parse('undefined'));
lib.add('html', wrong, "invalid character '<': a page", parse('<html></html>'));
lib.add('escape', wrong, 'an escape that is none', parse('{a: "\\u12"}'));
lib.add('prose', wrong, 'what a model said before it', parse('Here is the JSON: {"a": 1}'));
lib.add(
  'circle',
  final('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'Converting circular structure to JSON5: a value that has no JSON',
  async () => {
    const value = {};
    value.self = value;
    return (await import('json5')).default.stringify(value);
  },
);
export default lib;
