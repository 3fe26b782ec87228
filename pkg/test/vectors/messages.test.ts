// messages.json: every message in every language, through the package.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  AgentError,
  type AgentErrorCode,
  type ErrorMetadata,
  getUserFriendlyMessage,
  LOCALES,
  type Remedy,
} from 'halfopen';
import { cases } from './cases.js';

interface Case {
  locale: string;
  code: AgentErrorCode;
  provider?: string;
  model?: string;
  tool?: string;
  retryAfterMs?: number;
  circumstance?: number;
  audience?: 'visitor';
  message: string;
}

/** An error's fields for each circumstance, by the core's numbers. */
const CIRCUMSTANCES: Record<number, ErrorMetadata> = {
  1: { received: 2 },
  2: { disposed: true },
  3: { by: 'rate-limit' },
  4: { by: 'cost' },
  5: { by: 'adaptive' },
  9: { by: 'isolation' },
  10: { by: 'throttle' },
};

/** The remedies that change a sentence, by the core's number of what changes it. */
const REMEDIES: Record<number, Remedy> = {
  7: { kind: 'fix-reasoning' },
  8: { kind: 'drop-media', reason: 'too-many' },
};

describe('messages', () => {
  const all = cases<Case>('messages');
  for (const locale of new Set(all.map((row) => row.locale))) {
    test(`in '${locale}'`, () => {
      for (const row of all.filter((one) => one.locale === locale)) {
        const { code, provider, model, tool, retryAfterMs, circumstance, audience, message } = row;
        const about = { provider, model };
        const metadata = CIRCUMSTANCES[circumstance ?? 0] ?? {};
        const error = new AgentError(code, 'x', {
          provider: about,
          retryAfterMs,
          metadata,
          remedy: REMEDIES[circumstance ?? 0],
        });
        if (tool !== undefined) Object.assign(error, { toolName: tool });
        assert.equal(error.userMessage({ locale, audience }), message);
        if (audience === undefined) assert.equal(error.userMessage(locale), message);
        if (tool === undefined && circumstance === undefined) {
          const retryAfter = retryAfterMs === undefined ? undefined : retryAfterMs / 1000;
          assert.equal(getUserFriendlyMessage(code, { ...about, retryAfter }, { locale, audience }), message);
        }
      }
    });
  }

  test('every language is among them', () => {
    assert.deepEqual(LOCALES, ['en', 'de', 'es', 'fr', 'ja', 'zh']);
    for (const locale of LOCALES) assert.ok(all.some((row) => row.locale === locale));
  });
});
