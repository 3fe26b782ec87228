// @octokit/request: RequestError with `status`, `request`, `response`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = 'AB12:CANARY:0006';
const lib = library({ packages: ['@octokit/request'] });
const call = async ({ url, timeout, signal }) => {
  const { request } = await import('@octokit/request');
  return request('GET /repos/{owner}/{repo}/issues', {
    baseUrl: url,
    owner: 'acme',
    repo: 'shop',
    headers: { authorization: `token ${SECRET}` },
    request: { signal: signal ?? (timeout && AbortSignal.timeout(timeout)) },
  });
};
const soon = () => String(Math.ceil(Date.now() / 1000) + 60);
for (const [name, status, body, expect, why, headers] of [
  ['missing', 404, { message: 'Not Found' }, final('NOT_FOUND'), 'no such repository, or no right to see it'],
  ['bad-credentials', 401, { message: 'Bad credentials' }, final('AUTHENTICATION_ERROR'), '401'],
  [
    'forbidden',
    403,
    { message: 'Resource not accessible by integration' },
    final('PERMISSION_DENIED'),
    '403',
  ],
  [
    'rate-403',
    403,
    { message: 'API rate limit exceeded for user ID 1.' },
    again('RATE_LIMITED', { retryAfterMs: 60_000, within: 3000 }),
    'a rate limit as 403',
    () => ({ 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() }),
  ],
  [
    'secondary-403',
    403,
    { message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.' },
    again('RATE_LIMITED', { retryAfterMs: 60_000 }),
    'a rate limit as 403',
    () => ({ 'retry-after': '60' }),
  ],
  [
    'rate-429',
    429,
    { message: 'API rate limit exceeded' },
    again('RATE_LIMITED', { retryAfterMs: 60_000, within: 3000 }),
    '429',
    () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': soon() }),
  ],
  [
    'sso',
    403,
    {
      message:
        'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
    },
    final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
    'SAML',
  ],
  [
    'validation',
    422,
    { message: 'Validation Failed', errors: [{ resource: 'Issue', field: 'title', code: 'missing_field' }] },
    final('VALIDATION_ERROR'),
    '422',
  ],
  [
    'already-exists',
    422,
    { message: 'Validation Failed', errors: [{ resource: 'Label', field: 'name', code: 'already_exists' }] },
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'already_exists as 422',
  ],
  ['merge-conflict', 409, { message: 'Merge conflict' }, unclear('CONFLICT'), 'somebody has to resolve it'],
  [
    'sha-mismatch',
    409,
    { message: 'README.md does not match 95b966ae' },
    unclear('CONFLICT'),
    'read the file again',
  ],
  [
    'head-modified',
    409,
    { message: 'Head branch was modified. Review and try the merge again.' },
    unclear('CONFLICT'),
    'changed under the request',
  ],
  [
    'empty-repo',
    409,
    { message: 'Git Repository is empty.' },
    unclear('CONFLICT', 'NOT_FOUND', 'VALIDATION_ERROR'),
    'a 409 about emptiness',
  ],
  [
    'not-mergeable',
    405,
    { message: 'Pull Request is not mergeable' },
    final('VALIDATION_ERROR', 'CONFLICT', 'PERMISSION_DENIED'),
    '405',
  ],
  [
    'blocked',
    451,
    { message: 'Repository access blocked' },
    final('PERMISSION_DENIED', 'NOT_FOUND', 'CONTENT_FILTERED'),
    '451',
  ],
  [
    'moved',
    410,
    { message: 'Issues are disabled for this repo' },
    final('NOT_FOUND', 'PERMISSION_DENIED', 'CONFIG_ERROR'),
    '410',
  ],
  [
    'unicorn',
    503,
    '<html><head><title>Unicorn! GitHub</title></head></html>',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'an HTML page',
  ],
  ['timeout-502', 502, { message: 'Server Error' }, again('SERVER_ERROR', 'TIMEOUT'), '502'],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status, requestId: ID, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({
      url: (await serve({ status, headers: { 'x-github-request-id': ID, ...headers?.() }, body })).url,
    }),
  );
}
addTransportFaults(lib, call, { skip: ['cut-body'] }); // It returns what there is.
export default lib;
