// `traps.json`, `classify.json`, `vocabularies.json` and `retry-after.json` through the built package, on live errors.
import assert from 'node:assert/strict';
import test from 'node:test';
import { type ClassifyContext, classify, parseRetryAfter } from 'halfopen';
import { cases, live } from './cases.js';

interface Case {
  name: string;
  thrown: unknown;
  context?: ClassifyContext;
  code: string;
  retryable?: boolean;
  retryAfterMs?: number;
  noHint?: boolean;
  status?: number;
  requestId?: string;
  provider?: string;
  model?: string;
  rule?: string;
}

for (const area of ['traps', 'classify', 'vocabularies']) {
  for (const one of cases<Case>(area)) {
    test(`${area}: ${one.name}`, () => {
      const found = classify(live(one.thrown), one.context);
      assert.equal(found.code, one.code, found.rule);
      if (one.retryable !== undefined) assert.equal(found.retryable, one.retryable, found.rule);
      if (one.noHint || one.retryAfterMs !== undefined) assert.equal(found.retryAfterMs, one.retryAfterMs);
      if (one.retryAfterMs !== undefined) assert.equal(found.provider.retryAfter, one.retryAfterMs / 1000);
      if (one.status !== undefined) assert.equal(found.provider.statusCode, one.status);
      if (one.requestId !== undefined) assert.equal(found.provider.requestId, one.requestId);
      if (one.provider !== undefined) assert.equal(found.provider.provider, one.provider);
      if (one.model !== undefined) assert.equal(found.provider.model, one.model);
      if (one.rule !== undefined) assert.equal(found.rule, one.rule);
      assert.equal(found.retryable, found.severity === 'retriable');
    });
  }
}

test('headers ask for a wait, in any shape', () => {
  const all = cases<{ headers: Record<string, string>; now: number; retryAfterMs: number | null }>(
    'retry-after',
  );
  for (const { headers, now, retryAfterMs } of all) {
    const entries = Object.entries(headers);
    for (const shape of [new Headers(headers), headers, new Map(entries), entries]) {
      assert.equal(parseRetryAfter(shape, now), retryAfterMs ?? undefined, JSON.stringify(headers));
    }
  }
});
