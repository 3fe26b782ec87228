// class-validator: validateOrReject() rejects with a list of ValidationError, which are no errors; a constraint of its own.
import { final, library, unclear } from '../expect.mjs';

const lib = library({ packages: ['class-validator'] });
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
const check =
  (decorate, value, options, how = 'validateOrReject') =>
  async () => {
    const v = await import('class-validator');
    class Order {}
    decorate(v, Order.prototype);
    return v[how](Object.assign(new Order(), value), options);
  };
for (const [name, why, decorate, value, options] of [
  ['wrong-type', 'isString', (v, at) => v.IsString()(at, 'name'), { name: 7 }],
  ['missing', 'isDefined', (v, at) => v.IsDefined()(at, 'name'), {}],
  ['email', 'isEmail', (v, at) => v.IsEmail()(at, 'email'), { email: 'jane' }],
  ['length', 'minLength', (v, at) => v.MinLength(3)(at, 'name'), { name: 'x' }],
  ['range', 'max', (v, at) => v.Max(10)(at, 'count'), { count: 11 }],
  ['one-of', 'isIn', (v, at) => v.IsIn(['free', 'team'])(at, 'plan'), { plan: 'gold' }],
  [
    'own-words',
    'the program has words of its own',
    (v, at) => v.IsInt({ message: 'Please give a whole number' })(at, 'count'),
    { count: 1.5 },
  ],
  [
    'not-allowed',
    'whitelistValidation: a property that is not listed',
    (v, at) => v.IsString()(at, 'name'),
    { name: 'x', extra: 1 },
    { whitelist: true, forbidNonWhitelisted: true },
  ],
  [
    'two',
    'two properties',
    (v, at) => {
      v.IsString()(at, 'name');
      v.IsInt()(at, 'count');
    },
    { name: 7, count: 'x' },
  ],
])
  lib.add(name, wrong, why, check(decorate, value, options));
lib.add('nested', wrong, 'a property within another', async () => {
  const v = await import('class-validator');
  class Item {}
  v.IsInt()(Item.prototype, 'count');
  class Order {}
  v.ValidateNested()(Order.prototype, 'item');
  const order = new Order();
  order.item = Object.assign(new Item(), { count: 'x' });
  return v.validateOrReject(order);
});
lib.add('unknown-value', wrong, 'an unknown value was passed to the validate function', async () => {
  const v = await import('class-validator');
  return v.validateOrReject({ name: 'x' }, { forbidUnknownValues: true });
});
lib.add(
  'promise',
  unclear('UNKNOWN', 'VALIDATION_ERROR', 'TOOL_EXECUTION_ERROR'),
  'a constraint that threw',
  async () => {
    const v = await import('class-validator');
    class Order {}
    v.ValidateBy({
      name: 'own',
      validator: {
        validate: () => {
          throw new Error('no rule for orders');
        },
      },
    })(Order.prototype, 'name');
    return v.validateOrReject(Object.assign(new Order(), { name: 'x' }));
  },
);
lib.add('one', wrong, 'one ValidationError, as a program throws it', async () => {
  const v = await import('class-validator');
  class Order {}
  v.IsUUID()(Order.prototype, 'id');
  const [first] = await v.validate(Object.assign(new Order(), { id: 'x' }));
  throw first;
});
export default lib;
