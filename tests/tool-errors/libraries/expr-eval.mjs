// expr-eval: plain errors of the parser with line and column, and of what is evaluated.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['expr-eval'] });
const run = (text, values, options) => async () => {
  const { Parser } = (await import('expr-eval')).default ?? (await import('expr-eval'));
  return new Parser(options).evaluate(text, values);
};
// A model writes expressions: what is wrong with one stays wrong.
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add('cut', wrong, 'unexpected TEOF', run('2 +'));
lib.add('parenthesis', wrong, 'Expected )', run('(1 + 2'));
lib.add('symbol', wrong, 'Unknown character', run('2 @ 3'));
lib.add('open-text', wrong, 'a text without its end', run('"abc'));
lib.add('escape', wrong, 'Illegal escape sequence', run('"\\q"'));
lib.add('no-variable', final('VALIDATION_ERROR', 'NOT_FOUND'), 'undefined variable', run('x + 1'));
lib.add(
  'no-function',
  final('VALIDATION_ERROR', 'NOT_FOUND', 'UNKNOWN'),
  'is not a function',
  run('x(1)', { x: 1 }),
);
lib.add(
  'member',
  final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'member access is not permitted',
  run('x.y', { x: { y: 1 } }, { allowMemberAccess: false }),
);
lib.add(
  'definition',
  final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'function definition is not permitted',
  run('f(x) = x', {}, { operators: { fndef: false, assignment: true } }),
);
lib.add(
  'assignment',
  wrong,
  'expected variable for assignment',
  run('1 = 2', {}, { operators: { assignment: true } }),
);
lib.add('map', wrong, 'First argument to map is not a function', run('map(1, 2)'));
lib.add(
  'filter',
  wrong,
  'Second argument to filter is not an array',
  run('filter(f, 2)', { f: (one) => one }),
);
lib.add('index', wrong, 'Second argument to indexOf is not a string or array', run('indexOf(1, 2)'));
lib.add('words', wrong, 'a sentence', run('two plus two'));
lib.add(
  'function-threw',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'a function of the program threw',
  run('price(7)', {
    price: () => {
      throw new Error('no price today');
    },
  }),
);
export default lib;
