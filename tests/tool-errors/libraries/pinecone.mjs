// @pinecone-database/pinecone: classes by status (PineconeNotFoundError …), prose in `message`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@pinecone-database/pinecone'] });
const call = async ({ url }) => {
  const { Pinecone } = await import('@pinecone-database/pinecone');
  return new Pinecone({ apiKey: SECRET, controllerHostUrl: url, maxRetries: 0 }).describeIndex('products');
};
const failed = (status, code, message) => ({ status, error: { code, message } });
addResponses(
  lib,
  [
    [
      'no-index',
      404,
      failed(404, 'NOT_FOUND', 'Resource products not found'),
      final('NOT_FOUND'),
      'PineconeNotFoundError',
    ],
    [
      'exists',
      409,
      failed(409, 'ALREADY_EXISTS', 'Resource already exists'),
      final('ALREADY_EXISTS'),
      'PineconeConflictError',
    ],
    ['bad-key', 401, 'Invalid API Key', final('AUTHENTICATION_ERROR'), 'PineconeAuthorizationError'],
    [
      'forbidden',
      403,
      failed(403, 'FORBIDDEN', 'Deletion protection is enabled for this index'),
      final('PERMISSION_DENIED'),
      '403',
    ],
    [
      'quota',
      403,
      failed(
        403,
        'FORBIDDEN',
        'You have reached the max serverless indexes allowed in your project. Upgrade your plan.',
      ),
      final('QUOTA_EXCEEDED', 'PERMISSION_DENIED'),
      'a quota as 403',
    ],
    [
      'invalid',
      400,
      failed(400, 'INVALID_ARGUMENT', 'Vector dimension 2 does not match the dimension of the index 4'),
      final('VALIDATION_ERROR'),
      'PineconeBadRequestError',
    ],
    ['rate', 429, failed(429, 'RESOURCE_EXHAUSTED', 'Too many requests'), again('RATE_LIMITED'), '429'],
    [
      'monthly',
      429,
      failed(
        429,
        'RESOURCE_EXHAUSTED',
        'Request failed. You have reached your read unit limit for the current month (1000000). To continue reading data, upgrade your plan.',
      ),
      final('QUOTA_EXCEEDED'),
      'a month is long',
    ],
    [
      'internal',
      500,
      failed(500, 'UNKNOWN', 'Internal server error'),
      unclear('SERVER_ERROR', 'UNKNOWN', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
      'after its retries nothing is left of the 500',
    ],
    [
      'unavailable',
      503,
      'upstream connect error',
      unclear('SERVER_ERROR', 'UNKNOWN', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED'),
      'after its retries nothing is left of the 503',
    ],
  ],
  call,
);
addTransportFaults(lib, call, {
  abort: false,
  timeout: false,
  instead: { 'html-502': unclear('SERVER_ERROR', 'UNKNOWN', 'NETWORK_ERROR', 'PROVIDER_OVERLOADED') },
});
export default lib;
