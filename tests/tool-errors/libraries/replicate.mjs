// replicate on a stub: ApiError with `request` and `response`; Error of its own for a prediction that failed.
import { again, final, library, SECRET } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['replicate'] });
const open = async (url, more = {}) => {
  const { default: Replicate } = await import('replicate');
  return new Replicate({ auth: SECRET, baseUrl: `${url}/v1`, ...more });
};
// Requests that only read are repeated by the client, after a second each: these create.
const call = async ({ url, signal }) =>
  (await open(url)).predictions.create({ version: 'a1b2c3', input: { prompt: 'a cat' }, signal });
const problem = (status, detail, title) => ({ detail, status, ...(title && { title }) });
// replicate.com/docs/reference/http
addResponses(
  lib,
  [
    [
      'invalid',
      422,
      problem(422, '- input: prompt is required\n', 'Input validation failed'),
      final('VALIDATION_ERROR'),
      '422',
    ],
    [
      'bad-version',
      422,
      problem(422, '- version does not exist', 'Invalid version or not permitted'),
      final('VALIDATION_ERROR', 'NOT_FOUND', 'PERMISSION_DENIED'),
      '422 about a version',
    ],
    [
      'bad-token',
      401,
      problem(401, 'You did not pass a valid authentication token', 'Unauthenticated'),
      final('AUTHENTICATION_ERROR'),
      '401',
    ],
    [
      'unpaid',
      402,
      problem(402, 'You have insufficient credit to run this model.', 'Insufficient credit'),
      final('QUOTA_EXCEEDED'),
      '402',
    ],
    [
      'forbidden',
      403,
      problem(403, 'You do not have permission to perform this action.'),
      final('PERMISSION_DENIED'),
      '403',
    ],
    ['missing', 404, problem(404, 'The requested resource could not be found.'), final('NOT_FOUND'), '404'],
    [
      'throttled',
      429,
      problem(429, 'Request was throttled. Your rate limit resets in ~30s.', 'Too many requests'),
      again('RATE_LIMITED'),
      '429',
      { 'retry-after': '30' },
    ],
    ['broken', 500, problem(500, 'Internal server error'), again('SERVER_ERROR'), '500'],
    [
      'unavailable',
      503,
      problem(503, 'Service unavailable'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503',
    ],
    ['gateway', 504, '', again('TIMEOUT', 'SERVER_ERROR'), '504 without words'],
  ],
  call,
  { status: true },
);
addTransportFaults(lib, call, { timeout: false });
const ended = (status, error) => async () => {
  const { url } = await serve((request) => ({
    status: request.method === 'POST' ? 201 : 200,
    body: { id: 'p7', status, error, urls: {}, output: null },
  }));
  return (await open(url)).run('acme/cat:a1b2c3', { input: {} });
};
lib.add(
  'prediction-failed',
  final('TOOL_EXECUTION_ERROR', 'UNKNOWN', 'SERVER_ERROR'),
  'Prediction failed: the model threw',
  ended('failed', 'ValueError: prompt has no subject'),
);
lib.add(
  'out-of-memory',
  final('SERVER_ERROR', 'TOOL_EXECUTION_ERROR', 'PROVIDER_OVERLOADED', 'CAPACITY_EXCEEDED'),
  'the model had no memory for this input',
  ended('failed', 'CUDA out of memory. Tried to allocate 2.50 GiB'),
);
lib.add(
  'filtered',
  final('CONTENT_FILTERED', 'TOOL_EXECUTION_ERROR', 'VALIDATION_ERROR', 'UNKNOWN'),
  'NSFW content detected',
  ended('failed', 'NSFW content detected. Try running it again, or try a different prompt.'),
);
lib.add(
  'bad-identifier',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'Invalid reference to model version',
  async () => (await open('http://127.0.0.1:1')).run('cat', { input: {} }),
);
lib.add('bad-webhook', final('CONFIG_ERROR', 'VALIDATION_ERROR'), 'Invalid webhook URL', async () =>
  (await open('http://127.0.0.1:1')).predictions.create({ version: 'a1b2c3', input: {}, webhook: 'nowhere' }),
);
lib.add(
  'no-version',
  final('VALIDATION_ERROR', 'CONFIG_ERROR', 'UNKNOWN'),
  'neither a model nor a version',
  async () => (await open('http://127.0.0.1:1')).predictions.create({ input: {} }),
);
lib.add(
  'webhook-secret',
  final('VALIDATION_ERROR', 'AUTHENTICATION_ERROR', 'CONFIG_ERROR'),
  'a webhook without what its signature needs',
  async () => {
    const { validateWebhook } = await import('replicate');
    return validateWebhook({ id: 'w1', timestamp: '1', body: '{}', secret: SECRET });
  },
);
export default lib;
