// @clickhouse/client: ClickHouseError with a numeric `code` as text and a `type`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@clickhouse/client'] });
const call = async ({ url, timeout, signal }) => {
  const { createClient } = await import('@clickhouse/client');
  const client = createClient({
    url,
    username: 'agent',
    password: SECRET,
    request_timeout: timeout ?? 5000,
    log: { level: 127 },
  });
  try {
    const set = await client.query({ query: 'SELECT 1', format: 'JSON', abort_signal: signal });
    return await set.json();
  } finally {
    await client.close();
  }
};
const failed = (code, type, text) =>
  `Code: ${code}. DB::Exception: ${text}. (${type}) (version 25.3.1.1 (official build))\n`;
addResponses(
  lib,
  [
    [
      'syntax',
      400,
      failed(62, 'SYNTAX_ERROR', "Syntax error: failed at position 1 ('SELEC')"),
      final('VALIDATION_ERROR'),
      'a model wrote this SQL',
    ],
    [
      'no-table',
      404,
      failed(60, 'UNKNOWN_TABLE', "Unknown table expression identifier 'invoices'"),
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      '60',
    ],
    [
      'no-column',
      404,
      failed(47, 'UNKNOWN_IDENTIFIER', "Missing columns: 'nickname' while processing query"),
      final('VALIDATION_ERROR', 'NOT_FOUND'),
      '47',
    ],
    [
      'table-exists',
      500,
      failed(57, 'TABLE_ALREADY_EXISTS', 'Table default.users already exists'),
      final('ALREADY_EXISTS'),
      '57 as 500',
    ],
    [
      'bad-login',
      403,
      failed(
        516,
        'AUTHENTICATION_FAILED',
        'agent: Authentication failed: password is incorrect, or there is no user with such name',
      ),
      final('AUTHENTICATION_ERROR'),
      '516 as 403',
    ],
    [
      'access-denied',
      500,
      failed(497, 'ACCESS_DENIED', 'agent: Not enough privileges'),
      final('PERMISSION_DENIED'),
      '497 as 500',
    ],
    [
      'too-many-queries',
      500,
      failed(202, 'TOO_MANY_SIMULTANEOUS_QUERIES', 'Too many simultaneous queries. Maximum: 100'),
      again('RATE_LIMITED', 'PROVIDER_OVERLOADED'),
      '202 as 500',
    ],
    [
      'memory-limit',
      500,
      failed(241, 'MEMORY_LIMIT_EXCEEDED', 'Memory limit (for query) exceeded: would use 9.33 GiB'),
      unclear(
        'SERVER_ERROR',
        'VALIDATION_ERROR',
        'QUOTA_EXCEEDED',
        'CAPACITY_EXCEEDED',
        'PROVIDER_OVERLOADED',
      ),
      '241: this query is too large',
    ],
    [
      'timeout-exceeded',
      500,
      failed(159, 'TIMEOUT_EXCEEDED', 'Timeout exceeded: elapsed 5.01 seconds, maximum: 5'),
      again('TIMEOUT'),
      '159 as 500',
    ],
    [
      'cancelled',
      500,
      failed(394, 'QUERY_WAS_CANCELLED', 'Query was cancelled'),
      final('CANCELLED'),
      '394 as 500: somebody ended it',
    ],
    [
      'quota',
      500,
      failed(
        201,
        'QUOTA_EXCEEDED',
        'Quota for user `agent` for 3600s has been exceeded: queries = 101/100. Interval will end at 2026-01-01 00:00:00',
      ),
      unclear('QUOTA_EXCEEDED', 'RATE_LIMITED'),
      '201 as 500',
    ],
    [
      'type-mismatch',
      500,
      failed(53, 'TYPE_MISMATCH', "Cannot convert string 'x' to type UInt8"),
      final('VALIDATION_ERROR'),
      '53 as 500',
    ],
    [
      'replica-lost',
      500,
      failed(999, 'KEEPER_EXCEPTION', 'Coordination::Exception: Session expired'),
      again('SERVER_ERROR', 'NETWORK_ERROR'),
      '999',
    ],
    [
      'too-many-parts',
      500,
      failed(
        252,
        'TOO_MANY_PARTS',
        'Too many parts (300). Merges are processing significantly slower than inserts',
      ),
      again('PROVIDER_OVERLOADED', 'RATE_LIMITED', 'SERVER_ERROR'),
      '252: merges catch up',
    ],
  ],
  call,
);
addTransportFaults(lib, call, { instead: { 'html-502': again('SERVER_ERROR') } });
export default lib;
