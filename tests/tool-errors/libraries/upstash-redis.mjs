// @upstash/redis: UpstashError with the reply of Redis in its message; over HTTP.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@upstash/redis'] });
const call = async ({ url, signal }) => {
  const { Redis } = await import('@upstash/redis');
  return new Redis({ url, token: SECRET, retry: false, enableTelemetry: false, signal: signal }).get('x');
};
addResponses(
  lib,
  [
    [
      'wrong-type',
      400,
      { error: 'WRONGTYPE Operation against a key holding the wrong kind of value' },
      final('VALIDATION_ERROR', 'CONFLICT'),
      'WRONGTYPE',
    ],
    [
      'bad-token',
      401,
      { error: 'WRONGPASS invalid or missing auth token' },
      final('AUTHENTICATION_ERROR'),
      'WRONGPASS',
    ],
    [
      'no-permission',
      400,
      { error: "NOPERM this user has no permissions to run the 'set' command" },
      final('PERMISSION_DENIED'),
      'NOPERM',
    ],
    [
      'daily-limit',
      400,
      { error: 'ERR max daily request limit exceeded. Limit: 10000, Usage: 10000.' },
      final('QUOTA_EXCEEDED'),
      'a day is long',
    ],
    [
      'request-size',
      400,
      { error: 'ERR max request size exceeded. Limit: 1048576 bytes, Actual: 2000000 bytes.' },
      final('VALIDATION_ERROR'),
      'the request is too large',
    ],
    [
      'concurrent',
      400,
      { error: 'ERR max concurrent connections exceeded' },
      again('RATE_LIMITED', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
      'connections get free',
    ],
    [
      'rate',
      429,
      { error: 'ERR max requests limit exceeded' },
      unclear('RATE_LIMITED', 'QUOTA_EXCEEDED'),
      '429',
    ],
    [
      'loading',
      500,
      { error: 'LOADING Redis is loading the dataset in memory' },
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      'LOADING',
    ],
    [
      'no-script',
      400,
      { error: 'NOSCRIPT No matching script. Please use EVAL.' },
      final('NOT_FOUND', 'VALIDATION_ERROR'),
      'NOSCRIPT',
    ],
    ['internal', 500, { error: 'ERR internal error' }, again('SERVER_ERROR'), '500'],
  ],
  call,
);
addTransportFaults(lib, call, {
  abort: false,
  timeout: false,
  instead: { 'html-502': unclear('SERVER_ERROR', 'INVALID_RESPONSE') },
});
export default lib;
