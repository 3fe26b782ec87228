// The options that the package reads, and their types, are the rows of the core's table.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type BreakerOptions, createPolicy, type PolicyOptions, type RetryOptions } from 'halfopen';

interface Row {
  path: string;
  expected: string;
  options: boolean;
  off: boolean;
  required: boolean;
}

const { options: rows } = JSON.parse(
  readFileSync(new URL('../../../tests/vectors/options.json', import.meta.url), 'utf8'),
) as { options: Row[] };

/** Options with this value at a path. */
function at(path: string, value: unknown): PolicyOptions {
  const names = path.split('.');
  return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as PolicyOptions;
}

function refusal(options: PolicyOptions): string {
  try {
    createPolicy(options);
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error));
    return error.message;
  }
  return '';
}

const names = (section: string): string[] =>
  rows
    .filter(({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('.'))) === section)
    .map(({ path }) => path.slice(path.lastIndexOf('.') + 1))
    .sort();

test('the reader knows the names of the table, in each object of options', () => {
  const sections = ['', ...rows.filter(({ options }) => options).map(({ path }) => path)];
  for (const section of sections) {
    const said = refusal(at(section === '' ? 'qqqqqqq' : `${section}.qqqqqqq`, 1));
    const known = /expected one of (.*)$/.exec(said)?.[1]?.split(', ') ?? [];
    assert.deepEqual(known.sort(), names(section), section);
  }
});

test('the reader expects of each option what the table says', () => {
  for (const { path, expected, options } of rows) {
    if (options) continue;
    const said = refusal(at(path, Symbol('none of these')));
    assert.ok(said.includes(`option '${path}' must be`) && said.includes(expected), `${path}: ${said}`);
  }
});

test('false turns off what the table says', () => {
  for (const { path, off } of rows.filter(({ options }) => options))
    assert.equal(refusal(at(path, false)) === '', off, path);
});

test('the reader demands what the table does', () => {
  for (const { path } of rows.filter(({ required }) => required)) {
    const section = path.slice(0, path.lastIndexOf('.'));
    assert.match(refusal(at(section, {})), /must be/, path);
  }
});

/** The compiler holds these lists to the types, and the test to the table. */
const ALL = {
  '': {
    ...{ name: 1, preset: 1, retry: 1, breaker: 1, breakerScope: 1, timeout: 1, bulkhead: 1, adaptive: 1 },
    ...{ rateLimit: 1, failOnNotOk: 1, unref: 1, hedge: 1, staleIfError: 1, fallback: 1, classify: 1 },
    ...{ messages: 1, audience: 1, provider: 1, model: 1, fleet: 1, clock: 1, seed: 1, onError: 1 },
    ...{ onEvent: 1, onDebug: 1 },
  } satisfies Record<keyof PolicyOptions, 1>,
  retry: {
    ...{ enabled: 1, maxRetries: 1, baseDelayMs: 1, maxDelayMs: 1, backoffFactor: 1, backoff: 1 },
    ...{ enableJitter: 1, jitter: 1, retryOn: 1, onRetry: 1, retryNested: 1, maxRetryAfterMs: 1, budget: 1 },
  } satisfies Record<keyof RetryOptions, 1>,
  breaker: {
    ...{ name: 1, failureThreshold: 1, resetTimeoutMs: 1, resetBackoffFactor: 1, maxResetTimeoutMs: 1 },
    ...{ halfOpenMaxCalls: 1, successThreshold: 1, probeTimeoutMs: 1, window: 1, slowCall: 1, throttle: 1 },
    ...{ seed: 1, rampMs: 1, countsAsFailure: 1, clock: 1 },
  } satisfies Record<keyof BreakerOptions, 1>,
};

test('the types have the names of the table', () => {
  for (const [section, known] of Object.entries(ALL))
    assert.deepEqual(Object.keys(known).sort(), names(section), section);
});
