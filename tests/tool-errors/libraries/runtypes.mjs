// runtypes: ValidationError with `failure.code`, and nested failures in `failure.details`.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['runtypes'] });
const wrong = final('VALIDATION_ERROR', 'INVALID_RESPONSE');
const add = (name, why, build, value) =>
  lib.add(name, wrong, why, async () => build(await import('runtypes')).check(value));
const user = ({ Object: Record, String: Text, Number: Amount }) => Record({ name: Text, age: Amount });
add('type', 'CONTENT_INCORRECT of TYPE_INCORRECT', user, { name: 'jane', age: 'old' });
add('missing', 'PROPERTY_MISSING', user, { name: 'jane' });
add('scalar', 'TYPE_INCORRECT', ({ Number: Amount }) => Amount, 'x');
add('literal', 'VALUE_INCORRECT', ({ Literal }) => Literal('on'), 'off');
add('union', 'none of the shapes', ({ Union, Literal }) => Union(Literal('a'), Literal('b')), 'c');
add('null', 'null where an object is expected', user, null);
add(
  'constraint',
  "CONSTRAINT_FAILED: a rule of the application's own, with words that mislead",
  ({ String: Text }) => Text.withConstraint(() => 'rate limit exceeded for this word'),
  'x',
);
add('array', 'an element is wrong', ({ Array: List, Number: Amount }) => List(Amount), [1, 'two', 3]);
add(
  'exact',
  'PROPERTY_PRESENT: a key that should not be there',
  ({ Object: Record, Number: Amount }) => Record({ id: Amount }).exact(),
  { id: 1, extra: true },
);
add('instance', 'INSTANCEOF_FAILED', ({ InstanceOf }) => InstanceOf(Date), '2026-01-01');
add('never', 'NOTHING_EXPECTED', ({ Never }) => Never, 1);
lib.add('guard', wrong, 'assert() of a parsed value', async () => {
  const { String: Text } = await import('runtypes');
  return Text.withParser(() => {
    throw new Error('no such currency');
  }).parse('x');
});
export default lib;
