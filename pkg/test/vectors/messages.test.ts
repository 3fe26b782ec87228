// messages.json: every message in every language, through the package.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AgentError, type AgentErrorCode, getUserFriendlyMessage, LOCALES } from 'halfopen';
import { cases } from './cases.js';

interface Case {
  locale: string;
  code: AgentErrorCode;
  provider?: string;
  model?: string;
  tool?: string;
  retryAfterMs?: number;
  circumstance?: 1 | 2;
  message: string;
}

describe('messages', () => {
  const all = cases<Case>('messages');
  for (const locale of new Set(all.map((row) => row.locale))) {
    test(`in '${locale}'`, () => {
      for (const { code, provider, model, tool, retryAfterMs, circumstance, message } of all.filter(
        (row) => row.locale === locale,
      )) {
        const about = { provider, model };
        const metadata = circumstance === 1 ? { received: 2 } : circumstance === 2 ? { disposed: true } : {};
        const error = new AgentError(code, 'x', { provider: about, retryAfterMs, metadata });
        if (tool !== undefined) Object.assign(error, { toolName: tool });
        assert.equal(error.userMessage(locale), message);
        if (tool === undefined && circumstance === undefined) {
          const retryAfter = retryAfterMs === undefined ? undefined : retryAfterMs / 1000;
          assert.equal(getUserFriendlyMessage(code, { ...about, retryAfter }, { locale }), message);
        }
      }
    });
  }

  test('every language is among them', () => {
    assert.deepEqual(LOCALES, ['en', 'de', 'es', 'fr', 'ja', 'zh']);
    for (const locale of LOCALES) assert.ok(all.some((row) => row.locale === locale));
  });
});
