// codes.json: what follows from each code by itself, through the package.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  AGENT_ERROR_CODES,
  type AgentErrorCode,
  type ErrorSeverity,
  type ErrorType,
  errorTypeOf,
  isRetryableCode,
  MODEL_ERROR_CODES,
  severityOf,
  TOOL_ERROR_CODES,
} from 'halfopen';
import { cases } from './cases.js';

interface Case {
  code: AgentErrorCode;
  retryable: boolean;
  severity: ErrorSeverity;
  type: ErrorType;
  model: boolean;
  tool: boolean;
}

test('every code has what the table says', () => {
  const rows = cases<Case>('codes');
  assert.deepEqual(
    AGENT_ERROR_CODES,
    rows.map(({ code }) => code),
  );
  for (const { code, retryable, severity, type, model, tool } of rows) {
    assert.equal(isRetryableCode(code), retryable, `${code} retryable`);
    assert.equal(severityOf(code), severity, `${code} severity`);
    assert.equal(errorTypeOf(code), type, `${code} type`);
    assert.equal((MODEL_ERROR_CODES as readonly string[]).includes(code), model, `${code} model`);
    assert.equal((TOOL_ERROR_CODES as readonly string[]).includes(code), tool, `${code} tool`);
  }
});
