// arktype: TraversalError with `arkErrors`; ParseError for an invalid type.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['arktype'] });
const make = (definition, value) => async () => {
  const { type } = await import('arktype');
  return type(definition).assert(value);
};
lib.add(
  'wrong-type',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'the value is not as the type says',
  make({ age: 'number' }, { age: 'old' }),
);
lib.add(
  'missing',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'a field is missing',
  make({ age: 'number' }, {}),
);
lib.add('range', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'out of range', make('number<10', 42));
lib.add(
  'several',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'several at once',
  make({ a: 'string', b: 'number', c: 'boolean' }, { a: 1, b: 'x', c: 'y' }),
);
lib.add(
  'bad-definition',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'UNKNOWN'),
  "a mistake of the program: 'strin' is unresolvable",
  make({ a: 'strin' }, {}),
);
export default lib;
