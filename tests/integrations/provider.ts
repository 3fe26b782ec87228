// The faulty provider of a test file: started before its tests, closed after them, and how many requests each test sent.
import assert from 'node:assert/strict';
import { after, afterEach, before } from 'node:test';
import { createPolicy, type PolicyOptions } from 'halfopen';
import type { Fault } from '../../examples/faulty-provider/faults.js';
import { type FaultyProvider, startFaultyProvider } from '../../examples/faulty-provider/server.js';

export let provider: FaultyProvider;
let since = 0;
before(async () => {
  provider = await startFaultyProvider();
});
after(() => provider.close());
afterEach(() => {
  since = provider.received.length;
});

/** The response to a request without a fault. */
export const GOOD = 'All is well.';

/** The requests that the test has sent, and how many they are. */
export const received = () => provider.received.slice(since);
export const requests = (): number => received().length;

/** Sets the faults of the next requests to OpenAI's paths. */
export const given = (...faults: Fault[]): void => provider.next('openai', ...faults);

/** A policy whose retries do not wait. */
export const quick = (options: PolicyOptions = {}) => createPolicy({ retry: { baseDelayMs: 1 }, ...options });

/** Returns the promise's rejection. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => assert.fail('it resolved'),
    (error) => error,
  );
