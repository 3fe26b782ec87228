// valibot: ValiError with `issues`.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['valibot'] });
const make = (build, value) => async () => {
  const v = await import('valibot');
  return v.parse(build(v), value);
};
lib.add(
  'wrong-type',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'the value is not as the schema says',
  make((v) => v.object({ age: v.number() }), { age: 'old' }),
);
lib.add(
  'missing',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'a field is missing',
  make((v) => v.object({ age: v.number() }), {}),
);
lib.add(
  'format',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'no such address',
  make((v) => v.pipe(v.string(), v.email()), 'x'),
);
lib.add(
  'picklist',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'none of the values',
  make((v) => v.picklist(['a', 'b']), 'c'),
);
lib.add(
  'misleading',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  "the application's own words",
  make((v) => v.pipe(v.string(), v.minLength(9, 'rate limit exceeded')), 'x'),
);
export default lib;
