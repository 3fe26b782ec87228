// dropbox: DropboxResponseError with `status`, `headers` and the body as `error`; `error_summary` names what happened.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['dropbox'] });
const call = async (
  { url, signal, timeout },
  work = (dbx) => dbx.filesGetMetadata({ path: '/june.csv' }),
) => {
  const { Dropbox } = (await import('dropbox')).default ?? (await import('dropbox'));
  const { hostname, port, protocol } = new URL(url);
  // Its addresses are of another host: only where they go is changed.
  const ends = signal ?? (timeout && AbortSignal.timeout(timeout));
  const go = (to, init) => {
    const there = new URL(to);
    Object.assign(there, { protocol, hostname, port });
    return fetch(there, { ...init, ...(ends && { signal: ends }) });
  };
  return work(new Dropbox({ accessToken: SECRET, fetch: go }));
};
const summary = (text, error) => ({
  error_summary: `${text}/..`,
  error: error ?? { '.tag': text.split('/')[0] },
});
// dropbox.com/developers/documentation/http/documentation
addResponses(
  lib,
  [
    [
      'missing',
      409,
      summary('path/not_found', { '.tag': 'path', path: { '.tag': 'not_found' } }),
      final('NOT_FOUND'),
      'path/not_found comes as 409',
    ],
    [
      'taken',
      409,
      summary('path/conflict/file', {
        '.tag': 'path',
        reason: { '.tag': 'conflict', conflict: { '.tag': 'file' } },
      }),
      final('ALREADY_EXISTS', 'CONFLICT'),
      'path/conflict/file: a file has the name',
    ],
    [
      'no-space',
      409,
      summary('path/insufficient_space', { '.tag': 'path', reason: { '.tag': 'insufficient_space' } }),
      final('QUOTA_EXCEEDED'),
      'the account is full',
    ],
    [
      'no-write',
      409,
      summary('path/no_write_permission', { '.tag': 'path', reason: { '.tag': 'no_write_permission' } }),
      final('PERMISSION_DENIED'),
      'a folder that may only be read',
    ],
    [
      'bad-path',
      409,
      summary('path/malformed_path', { '.tag': 'path', path: { '.tag': 'malformed_path' } }),
      final('VALIDATION_ERROR'),
      'path/malformed_path',
    ],
    [
      'restricted',
      409,
      summary('path/restricted_content', { '.tag': 'path', path: { '.tag': 'restricted_content' } }),
      final('PERMISSION_DENIED', 'CONTENT_FILTERED'),
      'a legal reason',
    ],
    [
      'busy',
      409,
      summary('too_many_write_operations'),
      again('RATE_LIMITED', 'CONFLICT'),
      'too_many_write_operations: contention within a namespace',
    ],
    [
      'too-many-files',
      409,
      summary('too_many_files'),
      final('VALIDATION_ERROR', 'QUOTA_EXCEEDED'),
      'more files than one request may touch',
    ],
    [
      'cursor-reset',
      409,
      summary('reset'),
      final('CONFLICT', 'VALIDATION_ERROR', 'NOT_FOUND'),
      'the cursor is invalid: start again without it',
    ],
    [
      'link-exists',
      409,
      summary('shared_link_already_exists/metadata'),
      final('ALREADY_EXISTS', 'CONFLICT'),
      'the link is there',
    ],
    [
      'bad-input',
      400,
      'Error in call to API function "files/get_metadata": request body: path: did not match pattern',
      final('VALIDATION_ERROR'),
      'a text, not JSON',
    ],
    [
      'bad-token',
      401,
      summary('invalid_access_token'),
      final('AUTHENTICATION_ERROR'),
      'invalid_access_token',
    ],
    [
      'expired-token',
      401,
      summary('expired_access_token'),
      final('AUTHENTICATION_ERROR'),
      'expired_access_token',
    ],
    [
      'no-scope',
      401,
      summary('missing_scope/files.metadata.read', {
        '.tag': 'missing_scope',
        required_scope: 'files.metadata.read',
      }),
      final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
      'a 401 about what the token may',
    ],
    [
      'suspended',
      401,
      summary('user_suspended'),
      final('PERMISSION_DENIED', 'AUTHENTICATION_ERROR'),
      'the account is suspended',
    ],
    ['no-access', 403, summary('paper_access_denied'), final('PERMISSION_DENIED'), '403'],
    [
      'other-root',
      422,
      summary('no_permission'),
      final('PERMISSION_DENIED', 'VALIDATION_ERROR'),
      'a path root that is not ours',
    ],
    [
      'throttled',
      429,
      summary('too_many_requests', { reason: { '.tag': 'too_many_requests' }, retry_after: 9 }),
      again('RATE_LIMITED', { retryAfterMs: 9000 }),
      '429 with a wait',
      { 'retry-after': '9' },
    ],
    [
      'busy-429',
      429,
      summary('too_many_write_operations', { reason: { '.tag': 'too_many_write_operations' } }),
      again('RATE_LIMITED', 'CONFLICT'),
      '429 for contention',
    ],
    ['broken', 500, 'Internal Server Error', again('SERVER_ERROR'), '500'],
    [
      'unavailable',
      503,
      '',
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED', { retryAfterMs: 12_000 }),
      '503',
      { 'retry-after': '12' },
    ],
  ],
  call,
  { status: true, hint: true },
);
addTransportFaults(lib, call);
lib.add('signal-timeout', again('TIMEOUT'), 'AbortSignal.timeout', async () =>
  call({ url: (await serve({ silent: true })).url, signal: AbortSignal.timeout(80) }),
);
lib.add(
  'no-argument',
  unclear('VALIDATION_ERROR', 'UNKNOWN', 'CONFIG_ERROR'),
  'a call without what it needs',
  async () =>
    call(
      {
        url: (
          await serve({
            status: 400,
            body: 'Error in call to API function "files/get_metadata": request body: could not decode input as JSON',
          })
        ).url,
      },
      (dbx) => dbx.filesGetMetadata(),
    ),
);
export default lib;
