// fastest-validator: it returns a list of what is wrong, which programs throw; it throws for schemas that are wrong.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['fastest-validator'] });
const made = async (options) => new (await import('fastest-validator')).default(options);
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
const schema = {
  email: { type: 'email' },
  age: { type: 'number', min: 0, integer: true },
  plan: { type: 'enum', values: ['free', 'team'] },
  $$strict: true,
};
const check = (value, wrap) => async () => {
  const found = (await made()).compile(schema)(value);
  if (found !== true) throw wrap ? wrap(found) : found;
};
const right = { email: 'jane.doe@example.com', age: 3, plan: 'free' };
lib.add('missing', wrong, 'a list: required', check({ age: 3, plan: 'free' }));
lib.add('type', wrong, 'a list: number', check({ ...right, age: 'old' }));
lib.add('range', wrong, 'a list: numberMin', check({ ...right, age: -1 }));
lib.add('enum', wrong, 'a list: enumValue', check({ ...right, plan: 'gold' }));
lib.add('unknown-field', wrong, 'a list: objectStrict', check({ ...right, more: 1 }));
lib.add(
  'wrapped',
  wrong,
  "a program's error with the first sentence",
  check({ ...right, email: 'jane' }, ([{ message }]) => new Error(message)),
);
lib.add(
  'wrapped-all',
  wrong,
  "a program's error with the list as `errors`",
  check({ email: 'jane', age: 'old', plan: 'gold' }, (errors) =>
    Object.assign(new Error('Parameters validation error!'), { errors }),
  ),
);
const misuse = final('CONFIG_ERROR', 'VALIDATION_ERROR');
lib.add('bad-type', misuse, 'Invalid frob type in validator schema', async () =>
  (await made()).compile({ name: { type: 'frob' } }),
);
lib.add('no-schema', misuse, 'Invalid schema', async () => (await made()).compile(7));
lib.add('bad-root', misuse, 'a root schema that is no schema', async () =>
  (await made()).compile({ $$root: true, type: 'frob' }),
);
lib.add('bad-plugin', misuse, 'Plugin fn type must be function', async () => (await made()).plugin('frob'));
lib.add(
  'thrown-in-check',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  "a custom check of the program's throws",
  async () =>
    (await made()).compile({
      name: {
        type: 'custom',
        check: () => {
          throw new Error('oops');
        },
      },
    })({ name: 'x' }),
);
export default lib;
