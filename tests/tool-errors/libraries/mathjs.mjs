// mathjs: SyntaxError with `char`, DimensionError, IndexError, ArgumentsError, and plain errors of its functions.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['mathjs'] });
const run =
  (...expressionAndScope) =>
  async () => {
    const { evaluate } = await import('mathjs');
    return evaluate(...expressionAndScope);
  };
// A model writes expressions: what is wrong with one stays wrong.
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add('cut', wrong, 'Unexpected end of expression', run('2 +'));
lib.add('parenthesis', wrong, 'Parenthesis ) expected', run('(1 + 2'));
lib.add('open-text', wrong, 'End of string " expected', run('"abc'));
lib.add('no-function', final('VALIDATION_ERROR', 'NOT_FOUND'), 'Undefined function', run('frob(3)'));
lib.add('no-symbol', final('VALIDATION_ERROR', 'NOT_FOUND'), 'Undefined symbol', run('x + 1'));
lib.add('no-number', wrong, 'Cannot convert to a number', run('sqrt("a")'));
lib.add('columns', wrong, 'Column dimensions mismatch', run('[1, 2; 3]'));
lib.add('not-square', wrong, 'Matrix must be square', run('det([1, 2, 3])'));
lib.add('units', wrong, 'Units do not match', run('2 cm + 3 s'));
lib.add('singular', wrong, 'Cannot calculate inverse, determinant is zero', run('inv([0, 0; 0, 0])'));
lib.add('lengths', wrong, 'Dimension mismatch in multiplication', run('[1, 2] * [1, 2, 3]'));
lib.add('index', wrong, 'Index out of range', run('[1, 2][5]'));
lib.add('arguments', wrong, 'Too many arguments', run('log(1, 2, 3)'));
lib.add('step', wrong, 'Step must be non-zero', run('range(1, 2, 0)'));
lib.add('negative', wrong, 'Value must be non-negative', run('factorial(-1)'));
lib.add('type', wrong, 'Unexpected type of argument', run('sqrt({a: 1})'));
lib.add('unit-unknown', wrong, 'Unit not found', run('unit("3 frobs")'));
lib.add(
  'forbidden',
  final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
  'No access to property: what an expression may not reach',
  run('cos.constructor'),
);
lib.add(
  'function-threw',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR'),
  'a function of the scope threw',
  run('price(7)', {
    price: () => {
      throw new Error('no price today');
    },
  }),
);
export default lib;
