// First aid decides in a page whose words of errors cannot be fetched: its code is that of `classify`, or UNKNOWN.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type ClassifyContext, classify } from 'halfopen';
import { firstAid } from '../../src/classify/first-aid.js';
import { cases, live } from '../vectors/cases.js';

interface Sample {
  name: string;
  thrown: unknown;
  context: ClassifyContext;
}

const { unpack } = (await import(
  new URL('../../../tests/tool-errors/serialise.mjs', import.meta.url).href
)) as { unpack: (recorded: unknown) => unknown };
const recorded = new URL('../../../tests/tool-errors/recorded/', import.meta.url);
const samples: Sample[] = [
  ...['traps', 'classify', 'vocabularies'].flatMap((area) =>
    cases<{ name: string; thrown: unknown; context?: ClassifyContext }>(area).map(
      ({ name, thrown, context = {} }) => ({ name: `${area}: ${name}`, thrown: live(thrown), context }),
    ),
  ),
  ...readdirSync(recorded).flatMap((file) => {
    const { cases: all } = JSON.parse(readFileSync(new URL(file, recorded), 'utf8')) as {
      cases: Record<string, { at: number; thrown: unknown }>;
    };
    return Object.entries(all).map(([name, { at, thrown }]) => ({
      name: `${file}: ${name}`,
      thrown: unpack(thrown),
      context: { now: at },
    }));
  }),
];

test('of every recorded error, the code is right or UNKNOWN, and never retried where it must not be', () => {
  const wrong: string[] = [];
  let known = 0;
  for (const { name, thrown, context } of samples) {
    const full = classify(thrown, context);
    const { code, retryable, retryAfterMs } = firstAid(thrown, context).classification;
    if (code !== 'UNKNOWN') known++;
    if (code !== 'UNKNOWN' && (code !== full.code || retryable !== full.retryable))
      wrong.push(`${name}: ${code} ${retryable}, not ${full.code} ${full.retryable} (${full.rule})`);
    if (code === 'UNKNOWN' && retryable) wrong.push(`${name}: retries what it does not know`);
    if (retryAfterMs !== undefined && retryAfterMs !== full.retryAfterMs)
      wrong.push(`${name}: waits ${retryAfterMs} ms, not ${full.retryAfterMs}`);
  }
  assert.deepEqual(wrong, []);
  assert.ok(samples.length > 900, `${samples.length} samples`);
  assert.ok(known > 60, `${known} of ${samples.length} are known`);
});

test('what a page meets offline is known', () => {
  const code = (thrown: unknown) => firstAid(thrown, {}).classification.code;
  for (const message of ['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])
    assert.equal(code(new TypeError(message)), 'NETWORK_ERROR');
  assert.equal(code(new TypeError('x is not a function')), 'UNKNOWN');
  assert.equal(code(new DOMException('aborted', 'AbortError')), 'CANCELLED');
  assert.equal(code(new DOMException('too long', 'TimeoutError')), 'TIMEOUT');
  assert.equal(code(Object.assign(new Error('x'), { code: 'ECONNREFUSED' })), 'NETWORK_ERROR');
  const unavailable = Object.assign(new Error('503 Service Unavailable'), {
    status: 503,
    headers: new Headers({ 'retry-after': '7' }),
  });
  assert.equal(code(unavailable), 'SERVER_ERROR');
  assert.equal(firstAid(unavailable, {}).classification.retryAfterMs, 7000);
});

test('whatever is thrown, first aid returns', () => {
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
    },
  );
  for (const thrown of [trap, null, undefined, 1, 'x', Symbol('x'), () => {}, { headers: trap, status: 503 }])
    assert.equal(typeof firstAid(thrown, {}).classification.code, 'string');
});
