// halfopen/js, the core translated to JavaScript: it gives what the WebAssembly gives, also after its memory has grown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as compiled from 'halfopen';
import * as translated from 'halfopen/js';

const THROWN = [
  null,
  'x',
  new Error('Request timed out.'),
  { status: 429, headers: { 'retry-after-ms': '1500' }, error: { code: 'insufficient_quota' } },
  {
    status: 400,
    error: { code: 'context_length_exceeded', message: 'maximum context length is 8192 tokens' },
  },
  Object.assign(new Error('fetch failed'), { cause: { code: 'ECONNRESET' } }),
];

function compare(): void {
  for (const thrown of THROWN) {
    assert.deepEqual(translated.classify(thrown), compiled.classify(thrown));
  }
  for (const code of compiled.AGENT_ERROR_CODES) {
    for (const locale of compiled.LOCALES) {
      assert.equal(
        translated.getUserFriendlyMessage(code, { retryAfter: 90 }, { locale }),
        compiled.getUserFriendlyMessage(code, { retryAfter: 90 }, { locale }),
      );
    }
  }
  const secret = 'Authorization: Bearer sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 für 日本 😀';
  assert.equal(translated.redact(secret), compiled.redact(secret));
}

test('the translation classifies and words as the module does', compare);

test('growing memory leaves no view behind', async () => {
  const policies = Array.from({ length: 3000 }, (_, i) =>
    translated.createPolicy({
      name: `p${i}`,
      breaker: { window: { kind: 'count', size: 200, failureRate: 0.5 } },
    }),
  );
  const answers = await Promise.all(policies.map((policy, i) => policy.execute(() => i)));
  assert.deepEqual(
    answers,
    policies.map((_, i) => i),
  );
  assert.ok(translated.redact('ä'.repeat(3_000_000)).length > 0);
  compare();
  for (const policy of policies) policy.dispose();
});
