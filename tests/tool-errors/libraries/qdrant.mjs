// @qdrant/js-client-rest: ApiError with `status`, `data`, `headers`; QdrantClientResourceExhaustedError with `retry_after`.
import { again, final, library } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const lib = library({ packages: ['@qdrant/js-client-rest'] });
const call = async ({ url, timeout }) => {
  const { QdrantClient } = await import('@qdrant/js-client-rest');
  return new QdrantClient({ url, timeout: timeout ?? 5000, checkCompatibility: false }).search('products', {
    vector: [0.1, 0.2],
  });
};
const failed = (error) => ({ status: { error }, time: 0 });
addResponses(
  lib,
  [
    [
      'no-collection',
      404,
      failed("Not found: Collection `products` doesn't exist!"),
      final('NOT_FOUND'),
      'a missing collection is no missing model',
    ],
    [
      'bad-vector',
      400,
      failed('Wrong input: Vector dimension error: expected dim: 4, got 2'),
      final('VALIDATION_ERROR'),
      'the vector does not fit',
    ],
    [
      'exists',
      409,
      failed('Wrong input: Collection `products` already exists!'),
      final('ALREADY_EXISTS', 'CONFLICT'),
      '409 that stays',
    ],
    [
      'bad-key',
      401,
      'Must provide an API key or an Authorization bearer token',
      final('AUTHENTICATION_ERROR'),
      '401',
    ],
    [
      'forbidden',
      403,
      failed('Forbidden: Only global read-only access is allowed'),
      final('PERMISSION_DENIED'),
      '403',
    ],
    [
      'rate',
      429,
      failed('Rate limiting exceeded: Write rate limit exceeded, retry later'),
      again('RATE_LIMITED', { retryAfterMs: 3000 }),
      '429',
      { 'retry-after': '3' },
    ],
    [
      'strict-mode',
      400,
      failed('Bad request: Index required but not found for "city"'),
      final('VALIDATION_ERROR'),
      'a 400 that says not found',
    ],
    ['internal', 500, failed('Service internal error: Tokio task join error'), again('SERVER_ERROR'), '500'],
    [
      'replica-down',
      500,
      failed('Service internal error: 1 of 1 read operations failed: Timeout error: Operation timed out'),
      again('SERVER_ERROR', 'TIMEOUT'),
      '500',
    ],
    [
      'starting',
      503,
      failed('Service unavailable: not ready'),
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503',
    ],
  ],
  call,
  { hint: true },
);
addTransportFaults(lib, call, { abort: false });
export default lib;
