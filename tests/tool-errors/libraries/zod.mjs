// zod: ZodError with `issues`.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['zod'] });
const make = (build, value) => async () => {
  const { z } = await import('zod');
  return build(z).parse(value);
};
const user = (z) => z.object({ email: z.email(), age: z.number().min(0) });
lib.add(
  'wrong-type',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'the value is not as the schema says',
  make(user, { email: 'jane.doe@example.com', age: 'old' }),
);
lib.add('missing', final('VALIDATION_ERROR', 'INVALID_RESPONSE'), 'a field is missing', make(user, {}));
lib.add(
  'enum',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'none of the values',
  make((z) => z.enum(['a', 'b']), 'c'),
);
lib.add(
  'union',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  'none of the shapes',
  make((z) => z.union([z.string(), z.number()]), {}),
);
lib.add(
  'refined',
  final('VALIDATION_ERROR', 'INVALID_RESPONSE'),
  "a rule of the application's own, with words that mislead",
  make((z) => z.string().refine(() => false, 'the connection timed out'), 'x'),
);
lib.add(
  'async-in-sync',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'UNKNOWN'),
  'a mistake of the program',
  make((z) => z.string().refine(async () => true), 'x'),
);
export default lib;
