// Jest's own module system, which requires CommonJS and gives each test file globals of its own.
const halfopen = require('halfopen');
const testing = require('halfopen/testing');
const { consume } = require('./consumer.cjs');

test('the package in a test of Jest', async () => {
  expect(await consume({ halfopen, testing })).toContain('AUTHENTICATION_ERROR');
});

test("Jest's fake timers move a policy's own clock", async () => {
  jest.useFakeTimers();
  const policy = halfopen.createPolicy({ retry: { enableJitter: false } });
  const call = policy.execute(testing.script(new Error('socket hang up'), 'fine'));
  await jest.advanceTimersByTimeAsync(1000);
  expect(await call).toBe('fine');
  jest.useRealTimers();
});

test('an error that crosses from the package is an Error of the test', async () => {
  const failure = await halfopen
    .createPolicy()
    .execute(() => Promise.reject(Object.assign(new Error('no'), { status: 401 })))
    .catch((error) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).toMatchObject({ code: 'AUTHENTICATION_ERROR', retryable: false });
});
