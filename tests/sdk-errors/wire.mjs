// The same faults in the words of each provider: what its error bodies and headers look like.
// Sources: OpenAI, Anthropic, Google, Mistral, Cohere, Ollama and AWS error references; ids and keys are invented.
import { X } from './faults.mjs';

const openai = (message, type, code = null) => ({ error: { message, type, param: null, code } });
const anthropic = (type, message) => ({ type: 'error', error: { type, message }, request_id: 'req_canary' });
const google = (code, status, message, details) => ({
  error: { code, message, status, ...(details && { details }) },
});
const RETRY_INFO = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' };
const quota = (quotaId) => ({
  '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
  violations: [{ quotaMetric: 'generativelanguage.googleapis.com/requests', quotaId, quotaValue: '10' }],
});

/** fault → [status, what is expected, body by format, AWS exception name]. */
export const FAULTS = {
  'rate-limit': {
    status: 429,
    hint: 7000,
    expected: X('RATE_LIMITED', true),
    aws: 'ThrottlingException',
    openai: openai(
      'Rate limit reached for gpt-canary on requests per min (RPM): Limit 3, Used 3, Requested 1.',
      'requests',
      'rate_limit_exceeded',
    ),
    anthropic: anthropic('rate_limit_error', 'Number of requests has exceeded your per-minute rate limit'),
    google: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
      [quota('GenerateRequestsPerMinutePerProjectPerModel'), RETRY_INFO],
    ),
    mistral: {
      object: 'error',
      message: 'Requests rate limit exceeded',
      type: 'rate_limited',
      param: null,
      code: '1300',
    },
    cohere: { message: 'You are using a Trial key, which is limited to 20 API calls / minute.' },
    ollama: { error: 'you have reached your hourly usage limit, please upgrade to continue' },
    bedrock: { message: 'Too many requests, please wait before trying again.' },
  },
  quota: {
    status: 429,
    expected: X('QUOTA_EXCEEDED', false),
    aws: 'ServiceQuotaExceededException',
    awsStatus: 400,
    openai: openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
    google: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
      [quota('GenerateRequestsPerDayPerProjectPerModel-FreeTier'), RETRY_INFO],
    ),
    cohere: {
      message:
        'You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use the Trial key for free or upgrade to a Production key.',
    },
    bedrock: { message: 'Your request exceeds the service quota for your account.' },
  },
  'bad-key': {
    status: 401,
    expected: X('AUTHENTICATION_ERROR', false),
    aws: 'UnrecognizedClientException',
    awsStatus: 403,
    openai: openai(
      'Incorrect API key provided: sk-proj-****7890.',
      'invalid_request_error',
      'invalid_api_key',
    ),
    anthropic: anthropic('authentication_error', 'invalid x-api-key'),
    google: google(401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'),
    mistral: { message: 'Unauthorized', request_id: 'canary' },
    cohere: { message: 'invalid api token' },
    ollama: { error: 'unauthorized' },
    bedrock: { message: 'The security token included in the request is invalid.' },
  },
  forbidden: {
    status: 403,
    expected: X('PERMISSION_DENIED', false),
    aws: 'AccessDeniedException',
    openai: openai('You have insufficient permissions for this operation.', 'invalid_request_error'),
    anthropic: anthropic(
      'permission_error',
      'Your API key does not have permission to use the specified resource.',
    ),
    google: google(403, 'PERMISSION_DENIED', 'The caller does not have permission'),
    mistral: {
      object: 'error',
      message: 'Your subscription does not allow this.',
      type: 'forbidden',
      code: '3000',
    },
    cohere: { message: 'forbidden' },
    ollama: { error: 'forbidden' },
    bedrock: { message: "You don't have access to this resource." },
  },
  'no-model': {
    status: 404,
    expected: X('MODEL_NOT_FOUND', false),
    aws: 'ResourceNotFoundException',
    openai: openai(
      'The model `gpt-canary` does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    ),
    anthropic: anthropic('not_found_error', 'model: claude-canary'),
    google: google(
      404,
      'NOT_FOUND',
      'models/gemini-canary is not found for API version v1beta, or is not supported for generateContent.',
    ),
    mistral: {
      object: 'error',
      message: 'Invalid model: mistral-canary',
      type: 'invalid_model',
      code: '1500',
    },
    cohere: {
      message:
        "model 'command-canary' not found, make sure the correct model ID was used and that you have access to the model.",
    },
    ollama: { error: 'model "canary" not found, try pulling it first' },
    bedrock: { message: 'Could not resolve the foundation model from the provided model identifier.' },
  },
  context: {
    status: 400,
    expected: X('CONTEXT_LENGTH_EXCEEDED', false),
    aws: 'ValidationException',
    openai: openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
    anthropic: anthropic('invalid_request_error', 'prompt is too long: 218315 tokens > 200000 maximum'),
    google: google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).',
    ),
    mistral: {
      object: 'error',
      message:
        'Prompt contains 40960 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    },
    cohere: {
      message:
        'too many tokens: size limit exceeded by 20000 tokens. Try using shorter or fewer inputs, or setting prompt_truncation.',
    },
    ollama: { error: 'the input length exceeds the context length' },
    bedrock: { message: 'Input is too long for requested model.' },
  },
  'bad-request': {
    status: 400,
    expected: X('VALIDATION_ERROR', false),
    aws: 'ValidationException',
    openai: openai("Invalid value: 'wizard'.", 'invalid_request_error', 'invalid_value'),
    anthropic: anthropic('invalid_request_error', 'messages: first message must use the "user" role'),
    google: google(400, 'INVALID_ARGUMENT', 'contents is not specified'),
    mistral: {
      object: 'error',
      message:
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      type: 'invalid_request_message_order',
      code: '3230',
    },
    cohere: { message: 'invalid request: message must be at least 1 token long' },
    ollama: { error: 'invalid options: temperature' },
    bedrock: {
      message:
        'Malformed input request: #/messages/0: required key [role] not found, please reformat your input and try again.',
    },
  },
  filtered: {
    status: 400,
    expected: X('CONTENT_FILTERED', false),
    openai: {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
        code: 'content_filter',
        status: 400,
      },
    },
    anthropic: anthropic('invalid_request_error', 'Output blocked by content filtering policy'),
  },
  server: {
    status: 500,
    expected: X('SERVER_ERROR', true),
    aws: 'InternalServerException',
    openai: openai(
      'The server had an error while processing your request. Sorry about that!',
      'server_error',
    ),
    anthropic: anthropic('api_error', 'Internal server error'),
    google: google(500, 'INTERNAL', 'An internal error has occurred.'),
    mistral: {
      object: 'error',
      message: 'Internal server error',
      type: 'internal_server_error',
      code: '1000',
    },
    cohere: { message: 'internal server error' },
    ollama: { error: 'llama runner process has terminated: exit status 2' },
    bedrock: { message: 'An internal server error occurred. Retry your request.' },
  },
  overloaded: {
    status: 503,
    expected: X('PROVIDER_OVERLOADED', true),
    aws: 'ServiceUnavailableException',
    openai: openai('The engine is currently overloaded, please try again later', 'server_error'),
    anthropic: anthropic('overloaded_error', 'Overloaded'),
    anthropicStatus: 529,
    google: google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'),
    ollama: { error: 'server busy, please try again.  maximum pending requests exceeded' },
    bedrock: { message: 'Bedrock is unable to process your request.' },
  },
};

/** Values that code around an SDK throws, by their kind rather than by their SDK. */
export const HTML =
  '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>';
