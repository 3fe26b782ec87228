// stripe: StripeError subclasses with `type`, `code`, `decline_code`, `statusCode`, `headers`, `requestId`.
import { again, final, library, SECRET, unclear } from '../expect.mjs';
import { serve } from '../servers/net.mjs';
import { addTransportFaults } from '../transport-faults.mjs';

const ID = 'req_CANARYstripe05';
const lib = library({ packages: ['stripe'] });
const call = async ({ url, timeout }) => {
  const { default: Stripe } = await import('stripe');
  const { protocol, hostname, port } = new URL(url);
  const stripe = new Stripe(SECRET, {
    host: hostname,
    port,
    protocol: protocol.slice(0, -1),
    maxNetworkRetries: 0,
    timeout: timeout ?? 5000,
    telemetry: false,
  });
  return stripe.paymentIntents.create({ amount: 1000, currency: 'eur' });
};
for (const [name, status, error, expect, why, headers] of [
  [
    'bad-request',
    400,
    {
      type: 'invalid_request_error',
      code: 'parameter_invalid_integer',
      message: 'Invalid integer: abc',
      param: 'amount',
    },
    final('VALIDATION_ERROR'),
    'a parameter',
  ],
  [
    'missing',
    404,
    { type: 'invalid_request_error', code: 'resource_missing', message: "No such payment_intent: 'pi_123'" },
    final('NOT_FOUND'),
    'resource_missing',
  ],
  [
    'missing-400',
    400,
    {
      type: 'invalid_request_error',
      code: 'resource_missing',
      message: "No such customer: 'cus_123'",
      param: 'customer',
    },
    final('NOT_FOUND', 'VALIDATION_ERROR'),
    'resource_missing as 400',
  ],
  [
    'bad-key',
    401,
    { type: 'invalid_request_error', message: 'Invalid API Key provided: CANARY********7890' },
    final('AUTHENTICATION_ERROR'),
    '401',
  ],
  [
    'restricted-key',
    403,
    {
      type: 'invalid_request_error',
      message: 'The provided key does not have the required permissions for this endpoint.',
    },
    final('PERMISSION_DENIED'),
    '403',
  ],
  [
    'card-declined',
    402,
    {
      type: 'card_error',
      code: 'card_declined',
      decline_code: 'insufficient_funds',
      message: 'Your card has insufficient funds.',
    },
    final('VALIDATION_ERROR', 'PERMISSION_DENIED', 'QUOTA_EXCEEDED', 'TOOL_EXECUTION_ERROR'),
    "a customer's card; no quota of ours",
  ],
  [
    'try-again-card',
    402,
    {
      type: 'card_error',
      code: 'processing_error',
      message: 'An error occurred while processing your card. Try again in a little bit.',
    },
    unclear('SERVER_ERROR', 'VALIDATION_ERROR'),
    'processing_error',
  ],
  [
    'idempotency',
    400,
    {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same parameters they were first used with.',
    },
    final('VALIDATION_ERROR', 'CONFLICT'),
    'another request had this key',
  ],
  [
    'idempotency-in-use',
    409,
    {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this Idempotent Key.',
    },
    again('CONFLICT'),
    'the first request is under way',
    { 'stripe-should-retry': 'true' },
  ],
  [
    'lock-timeout',
    429,
    {
      type: 'invalid_request_error',
      code: 'lock_timeout',
      message:
        'This object cannot be accessed right now because another API request or Stripe process is currently accessing it.',
    },
    again('CONFLICT', 'RATE_LIMITED'),
    'a lock as 429',
  ],
  [
    'rate-limit',
    429,
    { type: 'invalid_request_error', code: 'rate_limit', message: 'Request rate limit exceeded.' },
    again('RATE_LIMITED', { retryAfterMs: 3000 }),
    '429',
    { 'retry-after': '3' },
  ],
  [
    'server-says-no',
    500,
    { type: 'api_error', message: 'An unexpected error has occurred.' },
    final('SERVER_ERROR'),
    'stripe-should-retry: false outranks the status',
    { 'stripe-should-retry': 'false' },
  ],
  [
    'api-error',
    500,
    { type: 'api_error', message: 'Sorry! There was an error while talking to one of our backends.' },
    again('SERVER_ERROR'),
    '500',
  ],
  [
    'amount-too-small',
    400,
    { type: 'invalid_request_error', code: 'amount_too_small', message: 'Amount must be at least 50 cents' },
    final('VALIDATION_ERROR'),
    'a parameter',
  ],
  [
    'exists',
    400,
    { type: 'invalid_request_error', code: 'resource_already_exists', message: 'Coupon already exists.' },
    final('ALREADY_EXISTS', 'VALIDATION_ERROR'),
    'already exists as 400',
  ],
]) {
  const { retryAfterMs, ...right } = expect;
  lib.add(name, { ...right, status, requestId: ID, ...(retryAfterMs && { retryAfterMs }) }, why, async () =>
    call({ url: (await serve({ status, headers: { 'request-id': ID, ...headers }, body: { error } })).url }),
  );
}
lib.add(
  'bad-webhook',
  final('AUTHENTICATION_ERROR', 'VALIDATION_ERROR', 'PERMISSION_DENIED'),
  'StripeSignatureVerificationError',
  async () => {
    const { default: Stripe } = await import('stripe');
    return new Stripe(SECRET).webhooks.constructEvent('{}', 't=1,v1=abc', 'whsec');
  },
);
// Of a page it keeps no status.
addTransportFaults(lib, call, {
  abort: false,
  instead: { 'html-502': unclear('INVALID_RESPONSE', 'SERVER_ERROR') },
});
export default lib;
