// superstruct: StructError with `path`, `value`, `type`, `refinement`, `failures()`.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['superstruct'] });
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
const user = (s) => s.object({ id: s.number(), email: s.string(), plan: s.enums(['free', 'team']) });
const make =
  (value, build = user, how = 'assert') =>
  async () => {
    const s = await import('superstruct');
    return s[how](value, build(s));
  };
const jane = { id: 1, email: 'jane.doe@example.com', plan: 'free' };
lib.add('wrong-type', wrong, 'Expected a number', make({ ...jane, id: 'one' }));
lib.add('missing', wrong, 'a field is missing', make({ id: 1, plan: 'free' }));
lib.add('unknown-key', wrong, 'a key that the struct does not have', make({ ...jane, extra: true }));
lib.add('not-one-of', wrong, 'none of the values', make({ ...jane, plan: 'gold' }));
lib.add('not-an-object', wrong, 'null where an object was due', make(null));
lib.add(
  'coerced',
  wrong,
  'what was coerced is no number',
  make('x', (s) => s.coerce(s.number(), s.string(), Number.parseFloat), 'create'),
);
lib.add(
  'refined',
  wrong,
  'the refinement says it in its own words',
  make('jane', (s) => s.refine(s.string(), 'email', () => 'Not an email address')),
);
lib.add(
  'size',
  wrong,
  'a text that is too short',
  make('x', (s) => s.size(s.string(), 3, 5)),
);
lib.add(
  'union',
  wrong,
  'none of the union',
  make(true, (s) => s.union([s.string(), s.number()])),
);
lib.add(
  'pattern',
  wrong,
  'a pattern that does not match',
  make('x', (s) => s.pattern(s.string(), /^\d+$/)),
);
lib.add('own-words', wrong, 'the program has words of its own', async () => {
  const s = await import('superstruct');
  return s.assert(1, s.string(), 'The name must be a text');
});
lib.add(
  'nested',
  wrong,
  'the path is within an array',
  make({ items: [{ price: '2' }] }, (s) => s.object({ items: s.array(s.object({ price: s.number() })) })),
);
lib.add(
  'no-struct',
  final('UNKNOWN', 'CONFIG_ERROR', 'VALIDATION_ERROR'),
  'a mistake of the program: what it checks with is no struct',
  async () => {
    const s = await import('superstruct');
    return s.assert(1, {});
  },
);
export default lib;
