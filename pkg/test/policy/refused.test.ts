// Options that are refused, by the whole text of the TypeError; and values that look wrong but are not.
import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker, createPolicies, createPolicy } from 'halfopen';
import { VirtualClock } from 'halfopen/testing';

const policy = createPolicy({ clock: new VirtualClock() });

const refuses = (run: () => unknown, message: string): void => {
  assert.throws(run, { name: 'TypeError', message: `halfopen: ${message}` });
};

test('not a fleet', () => {
  const got = (fleet: unknown, what: string): void =>
    refuses(
      () => createPolicy({ fleet: fleet as never }),
      `option 'fleet' must be a fleet of halfopen/fleet, got ${what}`,
    );
  got(null, 'null');
  got('shop', "'shop'");
  got({}, 'an object');
  got({ join: true }, 'an object');
});

test('neither a breaker nor options of one', () => {
  refuses(
    () => createPolicy({ breaker: 5 as never }),
    "option 'breaker' must be false, or a CircuitBreaker, or an object, got 5",
  );
});

test('both units of a rate limit are known by their names', () => {
  for (const unit of ['requests', 'tokens'] as const)
    createPolicy({ rateLimit: { limit: 1, windowMs: 1, unit } });
  refuses(
    () => createPolicy({ rateLimit: { limit: 1, windowMs: 1, unit: '' as never } }),
    "option 'rateLimit.unit' must be 'requests', 'tokens', got ''",
  );
});

test("a policy's fixed options are not updated", () => {
  const given = { name: 'x', fleet: { join() {} }, clock: new VirtualClock(), seed: 1 };
  for (const [name, value] of Object.entries(given)) {
    assert.throws(
      () => policy.update({ [name]: value }),
      (error: Error) =>
        error instanceof TypeError &&
        error.message.startsWith(`halfopen: unknown option '${name}' of update; `),
    );
  }
});

test('a misspelt option names the method that it was given to', () => {
  const wrong = { provder: 'openai' } as never;
  const named = (method: string): string => `unknown option 'provder' of ${method}; did you mean 'provider'?`;
  refuses(() => policy.execute(() => 1, wrong), named('execute'));
  refuses(() => policy.respond(() => 1, wrong), named('respond'));
  refuses(() => policy.stream(async function* () {}, wrong), named('stream'));
  refuses(() => policy.wrap(() => 1, wrong), named('wrap'));
  refuses(() => policy.update(wrong), named('update'));
  refuses(() => createPolicy(wrong), named('createPolicy'));
});

test("a stream's reaction to a break is checked by its name", async () => {
  for (const onBreak of ['fail', 'restart', 'resume'] as const) {
    const chunks: unknown[] = [];
    const source = async function* () {
      yield 'a';
    };
    for await (const chunk of policy.stream<string>(source, { onBreak } as object)) chunks.push(chunk);
    assert.deepEqual(chunks, ['a']);
  }
  refuses(
    () => policy.stream(async function* () {}, { onBreak: '' } as never),
    "option 'onBreak' must be 'fail', 'restart', 'resume', got ''",
  );
});

test('a stream has no fallback of its own', () => {
  const options = { fallback: () => 'spare' } as never;
  assert.throws(() => policy.stream(async function* () {}, options), /unknown option 'fallback' of stream/);
});

test('a key that is no string is named as the key; a key behind a name is both', () => {
  refuses(() => createPolicies().get(5 as never), "option 'key' must be a string, got 5");
  const models = createPolicies({ name: 'models' });
  assert.deepEqual(
    [models.get('small').name, models.get('small').breaker?.name],
    ['models:small', 'models:small'],
  );
  assert.equal(createPolicies().get('small').name, 'small');
  assert.deepEqual(
    models.all.map(({ name }) => name),
    ['models:small'],
  );
});

test('not a snapshot of a policy', () => {
  const looksRight = Object.assign(() => {}, { version: 1 });
  for (const bad of [undefined, null, 5, 'x', {}, { version: 2, name: 'x' }, looksRight])
    refuses(() => policy.restore(bad as never), 'restore expects a policy snapshot of version 1');
});

test('a snapshot has a breaker where the policy has one, and is restored by policies with and without', () => {
  const clock = new VirtualClock();
  const breaker = new CircuitBreaker({ clock, failureThreshold: 2 });
  const guarded = createPolicy({ clock, name: 'same', breaker });
  const bare = createPolicy({ clock, name: 'same', breaker: false });
  breaker.recordFailure();
  assert.deepEqual(bare.snapshot(), { version: 1, name: 'same' });
  const snapshot = guarded.snapshot();
  bare.restore(snapshot);
  assert.equal(bare.breaker, undefined);
  guarded.restore(bare.snapshot());
  assert.deepEqual(guarded.snapshot(), snapshot);
});
