// @mendable/firecrawl-js: FirecrawlError with `statusCode` and `details`; what fails below HTTP it turns into a TypeError.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { addResponses } from '../responses.mjs';
import { closedPort, serve } from '../servers/net.mjs';

const lib = library({ packages: ['@mendable/firecrawl-js'] });
const call = async ({ url }) => {
  const { default: Firecrawl } = await import('@mendable/firecrawl-js');
  return new Firecrawl({ apiKey: SECRET, apiUrl: url }).scrapeUrl('https://example.com');
};
addResponses(
  lib,
  [
    [
      'bad-url',
      400,
      {
        success: false,
        error: 'Bad Request',
        details: [{ code: 'custom', message: 'Invalid URL', path: ['url'] }],
      },
      final('VALIDATION_ERROR'),
      '400',
    ],
    [
      'bad-key',
      401,
      { error: 'Unauthorized: Invalid token' },
      final('AUTHENTICATION_ERROR'),
      'of the 401 the status is left',
    ],
    [
      'credits',
      402,
      {
        success: false,
        error: 'Insufficient credits to perform this request. For more credits, you can upgrade your plan.',
      },
      final('QUOTA_EXCEEDED'),
      '402',
    ],
    [
      'blocked-site',
      403,
      {
        success: false,
        error:
          'This website is not currently supported. Please contact support to activate it on your account.',
      },
      final('PERMISSION_DENIED', 'PROVIDER_NOT_SUPPORTED'),
      '403',
    ],
    [
      'page-timeout',
      408,
      { success: false, error: 'Request timed out' },
      again('TIMEOUT'),
      'the page took too long to load',
    ],
    [
      'key-reused',
      409,
      { success: false, error: 'Idempotency key already used' },
      final('ALREADY_EXISTS', 'CONFLICT', 'VALIDATION_ERROR'),
      'a 409 that stays',
    ],
    ['missing', 404, { success: false, error: 'Job not found' }, final('NOT_FOUND'), '404'],
    [
      'rate',
      429,
      { success: false, error: 'Rate limit exceeded. Consumed (req/min): 11, Remaining (req/min): 0.' },
      again('RATE_LIMITED'),
      'of the 429 the status is left',
    ],
    [
      'broken',
      500,
      { success: false, error: 'An error occurred while scraping.' },
      again('SERVER_ERROR'),
      '500',
    ],
    [
      'gateway',
      502,
      '<html><head><title>502 Bad Gateway</title></head></html>',
      again('SERVER_ERROR'),
      '502',
    ],
    [
      'unavailable',
      503,
      { error: 'Service Unavailable' },
      again('SERVER_ERROR', 'PROVIDER_OVERLOADED'),
      '503',
    ],
  ],
  call,
  { status: true },
);
lib.add(
  'not-scraped',
  unclear('UNKNOWN', 'TOOL_EXECUTION_ERROR', 'SERVER_ERROR', 'INVALID_RESPONSE', 'NETWORK_ERROR'),
  'success: false in a 200: the client fails on its own error, and nothing of it is left',
  async () =>
    call({ url: (await serve({ body: { success: false, error: 'The page could not be loaded' } })).url }),
);
const lost = unclear('UNKNOWN', 'NETWORK_ERROR', 'TOOL_EXECUTION_ERROR');
lib.add('refused', lost, "the client fails on axios' error without a response: a TypeError", async () =>
  call({ url: `http://127.0.0.1:${await closedPort()}` }),
);
lib.add('reset', lost, 'the same TypeError', async () => call({ url: (await serve({ reset: true })).url }));
lib.add(
  'no-key',
  final('AUTHENTICATION_ERROR', 'PROVIDER_NOT_CONFIGURED', 'CONFIG_ERROR', { status: 401 }),
  'No API key provided',
  async () => {
    const { default: Firecrawl } = await import('@mendable/firecrawl-js');
    return new Firecrawl({});
  },
);
export default lib;
