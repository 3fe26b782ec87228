// The error of a value that does not match, word for word.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StandardSchemaV1 } from 'halfopen';
import { onVirtualClock, rejectsWith } from '../policy/given.js';

interface Issue {
  message: string;
  path?: readonly unknown[];
}

/** Returns the error's text after its opening, for a schema with these issues. */
async function said(issues: readonly Issue[]): Promise<string> {
  const { policy } = onVirtualClock();
  const validate: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'own', validate: () => ({ issues }) },
  };
  const { message } = await rejectsWith(
    policy.execute(() => 'x', { validate }),
    'INVALID_RESPONSE',
  );
  const opening = 'The value does not match the schema (own): ';
  assert.ok(message.startsWith(opening), message);
  return message.slice(opening.length);
}

test('each issue has its path, if it has one', async () => {
  const issues = [
    { message: 'no path' },
    { message: 'an empty one', path: [] },
    { message: 'keys', path: ['user', { key: 'tags' }, 0] },
    { message: 'a key that is null', path: [null, 'x'] },
  ];
  assert.equal(await said(issues), 'no path; an empty one; user.tags.0: keys; null.x: a key that is null');
});

test('the first twenty issues are read', async () => {
  const issues = Array.from({ length: 21 }, (_, index) => ({ message: `no ${index}` }));
  const twenty = issues.slice(0, 20).map(({ message }) => message);
  assert.equal(await said(issues), twenty.join('; '));
});

test('500 characters are said as they are, and of 501 the first 499', async () => {
  const whole = 'word '.repeat(100);
  assert.equal(await said([{ message: whole }]), whole);
  assert.equal(await said([{ message: `${whole}s` }]), `${whole.slice(0, 499)}…`);
});

test('a function that answers false says so, and has no cause', async () => {
  const { policy } = onVirtualClock();
  const error = await rejectsWith(
    policy.execute(() => 'x', { validate: () => false }),
    'INVALID_RESPONSE',
  );
  assert.equal(error.message, 'validate answered false');
  assert.ok(!('cause' in error));
});

test('an object whose schema is null is none', () => {
  const { policy } = onVirtualClock();
  assert.throws(
    () => policy.execute(() => 1, { validate: { '~standard': null } as never }),
    /^TypeError: halfopen: .*'validate' must be a function, or a Standard Schema \(zod, valibot, arktype\)/,
  );
});
