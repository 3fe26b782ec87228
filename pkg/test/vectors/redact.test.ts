// redact.json: what redaction takes out and what it leaves, through the package.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { redact } from 'halfopen';
import { cases } from './cases.js';

describe('redact', () => {
  for (const { name, text, redacted } of cases<{ name: string; text: string[]; redacted: string }>(
    'redact',
  )) {
    test(name, () => {
      assert.equal(redact(text.join('')), redacted);
      assert.equal(redact(redacted), redacted);
    });
  }
});
