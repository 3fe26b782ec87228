// yup: ValidationError with `errors`, `inner`, `path`, `type`; a TypeError where cast() cannot.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['yup'] });
const user = (yup) =>
  yup.object({
    email: yup.string().email().required(),
    age: yup.number().min(0).required(),
    plan: yup.string().oneOf(['free', 'team']),
  });
const make =
  (build, value, options = {}) =>
  async () => {
    const yup = await import('yup');
    return build(yup).validate(value, options);
  };
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
lib.add(
  'wrong-type',
  wrong,
  'typeError: the value is no number',
  make(user, { email: 'jane.doe@example.com', age: 'old' }),
);
lib.add('missing', wrong, 'required: a field is missing', make(user, { email: 'jane.doe@example.com' }));
lib.add(
  'several',
  wrong,
  'abortEarly: false collects all in `inner`',
  make(user, { email: 'jane', age: -1, plan: 'gold' }, { abortEarly: false }),
);
lib.add(
  'not-one-of',
  wrong,
  'oneOf: none of the values',
  make(user, { email: 'jane.doe@example.com', age: 3, plan: 'gold' }),
);
lib.add(
  'unknown-key',
  wrong,
  'noUnknown: a key that the schema does not have',
  make((yup) => yup.object({ id: yup.number() }).noUnknown().strict(), { id: 1, extra: true }),
);
lib.add(
  'nested',
  wrong,
  'the path is within an array',
  make((yup) => yup.object({ items: yup.array().of(yup.object({ price: yup.number().positive() })) }), {
    items: [{ price: 2 }, { price: -2 }],
  }),
);
lib.add(
  'own-words',
  wrong,
  "a rule of the application's own, with words that mislead",
  make(
    (yup) => yup.string().test('reachable', 'the server did not respond in time', () => false),
    'https://example.com',
  ),
);
lib.add(
  'null',
  wrong,
  'nullable: null is not allowed',
  make((yup) => yup.date().required(), null),
);
lib.add(
  'no-stack',
  wrong,
  'disableStackTrace: an object that is no Error',
  make(user, { email: 'x' }, { disableStackTrace: true }),
);
lib.add('cast', wrong, 'cast() throws a TypeError', async () => {
  const yup = await import('yup');
  return yup.object({ at: yup.date().required() }).cast({ at: 'yesterday' });
});
lib.add(
  'async-in-sync',
  final('CONFIG_ERROR', 'VALIDATION_ERROR', 'UNKNOWN'),
  'a mistake of the program: an asynchronous test in validateSync()',
  async () => {
    const yup = await import('yup');
    return yup
      .string()
      .test('later', async () => true)
      .validateSync('x');
  },
);
export default lib;
