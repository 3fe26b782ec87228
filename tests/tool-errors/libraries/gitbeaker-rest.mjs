// @gitbeaker/rest (GitLab): GitbeakerRequestError with the Response in `cause.response`; it retries 429 and 502 itself.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = '01JCANARY0007';
const lib = library({ packages: ['@gitbeaker/rest'] });
const call = async ({ url, timeout }) => {
  const { Gitlab } = await import('@gitbeaker/rest');
  const gitlab = new Gitlab({ host: url, token: SECRET, queryTimeout: timeout ?? 3000 });
  return gitlab.MergeRequests.create(7, 'fix/total', 'main', 'Fix the total');
};
// docs.gitlab.com/api/rest/troubleshooting: `message` is a text or an object by field, OAuth uses `error`.
for (const [name, status, body, expect, why] of [
  ['missing', 404, { message: '404 Project Not Found' }, final('NOT_FOUND'), '404'],
  ['bad-token', 401, { message: '401 Unauthorized' }, final('AUTHENTICATION_ERROR'), '401'],
  [
    'token-revoked',
    401,
    {
      error: 'invalid_token',
      error_description: 'Token was revoked. You have to re-authorize from the user.',
    },
    final('AUTHENTICATION_ERROR'),
    'invalid_token',
  ],
  ['forbidden', 403, { message: '403 Forbidden' }, final('PERMISSION_DENIED'), '403'],
  [
    'scope',
    403,
    {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api',
    },
    final('PERMISSION_DENIED'),
    'insufficient_scope',
  ],
  ['missing-field', 400, { error: 'title is missing' }, final('VALIDATION_ERROR'), '400'],
  [
    'invalid',
    400,
    { message: { title: ["can't be blank"], target_branch: ['is invalid'] } },
    final('VALIDATION_ERROR'),
    '400 by field',
  ],
  [
    'name-taken',
    400,
    { message: { name: ['has already been taken'], path: ['has already been taken'] } },
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'a 400 about a name that is taken',
  ],
  [
    'merge-request-exists',
    409,
    { message: ['Another open merge request already exists for this source branch: !5'] },
    final('ALREADY_EXISTS', 'CONFLICT'),
    'a 409 about what exists',
  ],
  [
    'branch-exists',
    400,
    { message: 'Branch already exists' },
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'a 400 about what exists',
  ],
  [
    'file-changed',
    400,
    { message: 'You are attempting to update a file that has changed since you started editing it.' },
    unclear('CONFLICT', 'VALIDATION_ERROR'),
    'a 400 about a change under the request: read the file again',
  ],
  [
    'sha-mismatch',
    409,
    { message: 'SHA does not match HEAD of source branch: 95b966ae' },
    unclear('CONFLICT'),
    'changed under the request: read it again',
  ],
  [
    'not-mergeable',
    422,
    { message: 'Branch cannot be merged' },
    unclear('VALIDATION_ERROR', 'CONFLICT'),
    'somebody has to resolve it',
  ],
  [
    'not-allowed',
    405,
    { message: '405 Method Not Allowed' },
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'PROVIDER_NOT_SUPPORTED'),
    '405',
  ],
  [
    'too-large',
    413,
    { message: '413 Request Entity Too Large' },
    final('VALIDATION_ERROR'),
    'the same payload is as large again',
  ],
  ['internal', 500, { message: '500 Internal Server Error' }, again('SERVER_ERROR'), '500'],
  [
    'deploying',
    503,
    'GitLab is not responding',
    again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
    'plain text of the proxy',
  ],
  [
    'lock',
    409,
    { message: '409 Conflict: Resource lock' },
    again('CONFLICT'),
    'lease of another request: it is given back',
  ],
]) {
  lib.add(name, { ...expect, status, requestId: ID }, why, async () =>
    call({ url: (await serve({ status, body, headers: { 'x-request-id': ID } })).url }),
  );
}
lib.add(
  'throttled',
  again('RATE_LIMITED'),
  'GitbeakerRetryError: the status is in its words only',
  async () =>
    call({
      url: (await serve({ status: 429, headers: { 'retry-after': '6' }, body: { message: 'Retry later' } }))
        .url,
    }),
);
addTransportFaults(lib, call, {
  abort: false,
  instead: { 'html-502': again('SERVER_ERROR') }, // The status is in the words of a GitbeakerRetryError only.
});
export default lib;
