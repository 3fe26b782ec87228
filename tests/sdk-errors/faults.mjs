// Provider fault tables. All ids, organisations, accounts and keys are invented.
// The per-entry 'src' hints here are superseded by the SEEN table in cases.mjs.

// Canary keys. Each is put together at run time so that no line of this file looks like a credential to a scanner.
const TAIL = ['CANARYkey', 'AbCdEfGhIjKlMnOpQrStUvWx', '7890'].join('');
export const KEYS = {
  openai: ['sk', 'proj', TAIL].join('-'),
  anthropic: ['sk', 'ant', 'api03', TAIL].join('-'),
  google: ['AI', 'za', 'Sy', TAIL.replace('UvWx', '')].join(''),
  azure: ['CANARYazure', 'key7890'].join(''),
};
export const PROMPT = 'CANARYPROMPT my email is jane.doe@example.com';
/** Strings that must never reach a classification: whole secret keys, and any recognisable piece of the prompt. */
export const SECRETS = Object.values(KEYS);
export const PROMPT_MARKS = ['CANARYPROMPT', 'jane.doe'];
const mask = (k) =>
  k.length > 12 ? k.slice(0, 8) + '*'.repeat(Math.max(4, k.length - 12)) + k.slice(-4) : k;
const bearer = (ctx) => (ctx.auth || '').replace(/^Bearer /i, '');
const httpDate = (ms) => new Date(Date.now() + ms).toUTCString();

// ---------- expected-helper ----------
export const X = (code, retryable, extra = {}) => ({ code, retryable, ...extra });

// =====================================================================  OpenAI
const oaiErr = (message, type, code = null, param = null, more = {}) => ({
  error: { message, type, param, code, ...more },
});
const oaiHeaders = (extra = {}) => ({
  'content-type': 'application/json',
  'openai-version': '2020-10-01',
  'openai-organization': 'acme-canaryorg',
  'openai-processing-ms': '12',
  'x-request-id': 'req_oaiCANARYrequest0001',
  'cf-ray': '8f1a2b3c4d5e6f70-AMS',
  server: 'cloudflare',
  'strict-transport-security': 'max-age=31536000',
  ...extra,
});
const OAI_RID = 'req_oaiCANARYrequest0001';
const oai = (status, body, exp, o = {}) => ({
  status,
  body,
  headers: oaiHeaders(o.headers),
  exp,
  requestId: OAI_RID,
  why: o.why,
  src: o.src || 'recall',
  statusText: o.statusText,
});
export const OPENAI_MODEL = 'gpt-4o-canary';
const tpm = (tail) =>
  `Rate limit reached for ${OPENAI_MODEL} in organization org-CANARYorganization on tokens per min (TPM): Limit 30000, Used 29937, Requested 1385. ${tail} Visit https://platform.openai.com/account/rate-limits to learn more.`;
const quotaMsg =
  'You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.';
export const openai = {
  'bad-request': oai(
    400,
    oaiErr(
      "Invalid value: 'wizard'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      'invalid_request_error',
      'invalid_value',
      'messages[0].role',
    ),
    X('VALIDATION_ERROR', false),
  ),
  'bad-request-unsupported-param': oai(
    400,
    oaiErr(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'invalid_request_error',
      'unsupported_parameter',
      'max_tokens',
    ),
    X('VALIDATION_ERROR', false),
    {
      src: 'issue',
      why: 'mentions max_tokens / "not supported with this model" yet is neither context length nor model-not-found',
    },
  ),
  'max-output-tokens-too-large': oai(
    400,
    oaiErr(
      'max_tokens is too large: 99999. This model supports at most 16384 completion tokens, whereas you provided 99999.',
      'invalid_request_error',
      'invalid_value',
      'max_tokens',
    ),
    X('VALIDATION_ERROR', false),
    { src: 'issue', why: 'a parameter error, not an overflowing context: trimming history does not help' },
  ),
  'context-length': oai(
    400,
    oaiErr(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
      'invalid_request_error',
      'context_length_exceeded',
      'messages',
    ),
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { src: 'issue' },
  ),
  'context-length-responses': oai(
    400,
    oaiErr(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'invalid_request_error',
      'context_length_exceeded',
      'input',
    ),
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { src: 'sdk', why: '"try again" is not a retry hint' },
  ),
  'content-policy': oai(
    400,
    oaiErr(
      'Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.',
      'invalid_request_error',
      'content_policy_violation',
    ),
    X('CONTENT_FILTERED', false),
  ),
  'invalid-prompt': oai(
    400,
    oaiErr(
      'Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt: https://platform.openai.com/docs/guides/reasoning#advice-on-prompting',
      'invalid_request_error',
      'invalid_prompt',
    ),
    X('CONTENT_FILTERED', false),
  ),
  'bad-key': {
    ...oai(
      401,
      (c) =>
        oaiErr(
          `Incorrect API key provided: ${mask(bearer(c))}. You can find your API key at https://platform.openai.com/account/api-keys.`,
          'invalid_request_error',
          'invalid_api_key',
        ),
      X('AUTHENTICATION_ERROR', false),
      { why: 'message echoes first 8 and last 4 characters of the key' },
    ),
  },
  'no-key-sent': oai(
    401,
    oaiErr(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the API from your browser and are prompted for a username and password. You can obtain an API key from https://platform.openai.com/account/api-keys.",
      'invalid_request_error',
    ),
    X('AUTHENTICATION_ERROR', false, { accept: ['PROVIDER_NOT_CONFIGURED'] }),
  ),
  'bad-org': oai(
    401,
    oaiErr('No such organization: org-CANARYorganization.', 'invalid_request_error', 'invalid_organization'),
    X('AUTHENTICATION_ERROR', false, { accept: ['PERMISSION_DENIED'] }),
    { why: '401 whose text mentions neither key nor unauthorized' },
  ),
  region: oai(
    403,
    {
      error: {
        code: 'unsupported_country_region_territory',
        message: 'Country, region, or territory not supported',
        param: null,
        type: 'request_forbidden',
      },
    },
    X('PERMISSION_DENIED', false),
    { src: 'issue', why: '"not supported" must not become PROVIDER_NOT_SUPPORTED' },
  ),
  'project-no-model': oai(
    403,
    oaiErr(
      `Project \`proj_CANARYproject\` does not have access to model \`${OPENAI_MODEL}\``,
      'invalid_request_error',
      'model_not_found',
    ),
    X('MODEL_NOT_FOUND', false, { accept: ['PERMISSION_DENIED'] }),
    { src: 'issue', why: 'status says 403 but body code says model_not_found; body code is more specific' },
  ),
  'missing-scope': oai(
    403,
    oaiErr(
      "You have insufficient permissions for this operation. Missing scopes: model.request. Check that you have the correct role in your organization (Reader, Writer, Owner) and project (Member, Owner), and if you're using a restricted API key, that it has the necessary scopes.",
      'invalid_request_error',
    ),
    X('PERMISSION_DENIED', false),
    {
      src: 'issue',
      why: 'contains the words "API key" but the key is valid (live API has used both 401 and 403)',
    },
  ),
  'model-not-found': oai(
    404,
    oaiErr(
      `The model \`${OPENAI_MODEL}\` does not exist or you do not have access to it.`,
      'invalid_request_error',
      'model_not_found',
    ),
    X('MODEL_NOT_FOUND', false),
  ),
  'resource-not-found': oai(
    404,
    oaiErr("Response with id 'resp_CANARY' not found.", 'invalid_request_error', null, 'id'),
    X('NOT_FOUND', false),
    { why: 'a 404 that is not about a model' },
  ),
  'request-timeout-408': oai(408, '', X('TIMEOUT', true), {
    why: 'empty body',
    headers: { 'content-type': 'text/plain' },
  }),
  conflict: oai(
    409,
    oaiErr(
      'The resource was updated by another request. Please retry your request.',
      'invalid_request_error',
      'conflict',
    ),
    X('CONFLICT', true),
    { why: 'official SDKs retry it' },
  ),
  'too-large-413': oai(
    413,
    oaiErr('Maximum content size limit (26214400) exceeded (26214557 bytes read)', 'server_error'),
    X('VALIDATION_ERROR', false, { accept: ['CONTEXT_LENGTH_EXCEEDED', 'REQUEST_TOO_LARGE'] }),
    { src: 'issue', why: 'bytes, not tokens; type:"server_error" lies: retrying cannot help' },
  ),
  unprocessable: oai(
    422,
    oaiErr(
      'Unprocessable entity: the training file could not be read.',
      'invalid_request_error',
      'unprocessable',
    ),
    X('VALIDATION_ERROR', false),
  ),
  'rate-limit-sec': oai(
    429,
    oaiErr(tpm('Please try again in 7s.'), 'tokens', 'rate_limit_exceeded'),
    X('RATE_LIMITED', true, { retryAfterMs: 7000 }),
    {
      headers: {
        'retry-after': '7',
        'x-ratelimit-limit-tokens': '30000',
        'x-ratelimit-remaining-tokens': '63',
        'x-ratelimit-reset-tokens': '6.92s',
      },
      src: 'issue',
    },
  ),
  'rate-limit-ms': oai(
    429,
    oaiErr(tpm('Please try again in 1.5s.'), 'tokens', 'rate_limit_exceeded'),
    X('RATE_LIMITED', true, { retryAfterMs: 1500 }),
    {
      headers: { 'retry-after-ms': '1500', 'retry-after': '2' },
      why: 'retry-after-ms wins over the rounded retry-after',
    },
  ),
  'rate-limit-date': {
    ...oai(
      429,
      oaiErr('Rate limit reached for requests', 'requests', 'rate_limit_exceeded'),
      X('RATE_LIMITED', true, { retryAfterMs: 11000, retryAfterTolMs: 2500 }),
    ),
    headers: () => oaiHeaders({ 'retry-after': httpDate(11000), date: httpDate(0) }),
  },
  'rate-limit-body-only': oai(
    429,
    oaiErr(
      `Rate limit reached for ${OPENAI_MODEL} in organization org-CANARYorganization on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 644ms. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      'requests',
      'rate_limit_exceeded',
    ),
    X('RATE_LIMITED', true, { retryAfterMs: 644 }),
    { src: 'issue', why: 'the only delay hint is in prose ("644ms", "6m0s" also occur)' },
  ),
  'rate-limit-compound': oai(
    429,
    oaiErr(
      `Rate limit reached for ${OPENAI_MODEL} in organization org-CANARYorganization on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      'requests',
      'rate_limit_exceeded',
    ),
    X('RATE_LIMITED', true, { retryAfterMs: 432000 }),
    { src: 'issue', headers: { 'x-ratelimit-reset-requests': '7m12s' }, why: 'compound duration "7m12s"' },
  ),
  'rate-limit-request-too-large': oai(
    429,
    oaiErr(
      `Request too large for ${OPENAI_MODEL} in organization org-CANARYorganization on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.`,
      'tokens',
      'rate_limit_exceeded',
    ),
    X('RATE_LIMITED', false, { accept: ['CONTEXT_LENGTH_EXCEEDED', 'VALIDATION_ERROR'] }),
    { src: 'issue', why: 'one request above the whole per-minute budget: waiting never helps, must shrink' },
  ),
  'insufficient-quota': oai(
    429,
    oaiErr(quotaMsg, 'insufficient_quota', 'insufficient_quota'),
    X('QUOTA_EXCEEDED', false, { accept: [] }),
    { why: '429 but permanent until billing changes' },
  ),
  'billing-hard-limit': oai(
    400,
    oaiErr('Billing hard limit has been reached', 'invalid_request_error', 'billing_hard_limit_reached'),
    X('QUOTA_EXCEEDED', false),
    { src: 'issue', why: 'quota as HTTP 400' },
  ),
  'server-error': oai(
    500,
    oaiErr('The server had an error while processing your request. Sorry about that!', 'server_error'),
    X('SERVER_ERROR', true),
  ),
  'overloaded-503': oai(
    503,
    oaiErr('The engine is currently overloaded, please try again later', 'server_error'),
    X('PROVIDER_OVERLOADED', true, { accept: ['SERVER_ERROR'] }),
  ),
  'slow-down-503': oai(
    503,
    oaiErr(
      'Slow down: please reduce your request rate to its original level, maintain it for at least 15 minutes, then increase it gradually.',
      'server_error',
      'slow_down',
    ),
    X('PROVIDER_OVERLOADED', true, { accept: ['RATE_LIMITED', 'SERVER_ERROR'] }),
    { src: 'doc' },
  ),
};
const oaiChunk = (delta, finish = null) =>
  `data: ${JSON.stringify({ id: 'chatcmpl-CANARY', object: 'chat.completion.chunk', created: 1760000000, model: OPENAI_MODEL, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
export const openaiStream = {
  'sse-error-chunk': {
    kind: 'stream',
    headers: { 'x-request-id': OAI_RID },
    chunks: [
      oaiChunk({ role: 'assistant', content: 'Hel' }),
      `data: ${JSON.stringify(oaiErr('The server had an error while processing your request. Sorry about that!', 'server_error'))}\n\n`,
    ],
    exp: X('SERVER_ERROR', true),
    requestId: OAI_RID,
    why: 'HTTP status was 200; only body.type tells',
    src: 'recall',
  },
  'sse-error-event': {
    kind: 'stream',
    headers: { 'x-request-id': OAI_RID },
    chunks: [
      oaiChunk({ role: 'assistant', content: 'Hel' }),
      `event: error\ndata: ${JSON.stringify(oaiErr(tpm('Please try again in 7s.'), 'tokens', 'rate_limit_exceeded'))}\n\n`,
    ],
    exp: X('RATE_LIMITED', true, { retryAfterMs: 7000 }),
    requestId: OAI_RID,
    why: 'mid-stream, HTTP 200, delay only in prose',
    src: 'recall',
  },
  'sse-malformed-chunk': {
    kind: 'stream',
    headers: { 'x-request-id': OAI_RID },
    chunks: [
      oaiChunk({ role: 'assistant', content: 'Hel' }),
      'data: {"id":"chatcmpl-CANARY","choices":[{"del\n\n',
    ],
    exp: X('INVALID_RESPONSE', true),
    src: 'recall',
  },
  'destroy-mid-stream': {
    kind: 'stream',
    headers: { 'x-request-id': OAI_RID },
    chunks: [oaiChunk({ role: 'assistant', content: 'Hel' })],
    end: 'destroy',
    exp: X('NETWORK_ERROR', true),
    transport: true,
  },
  'truncated-stream': {
    kind: 'stream',
    headers: { 'x-request-id': OAI_RID },
    chunks: [oaiChunk({ role: 'assistant', content: 'Hel' })],
    end: 'end',
    exp: X('INVALID_RESPONSE', true),
    transport: true,
    mayReturn: true,
    why: 'clean end with neither finish_reason nor [DONE]: most SDKs report success',
  },
};
export const openaiOk = {
  'empty-choices': {
    id: 'chatcmpl-CANARY',
    object: 'chat.completion',
    created: 1760000000,
    model: OPENAI_MODEL,
    choices: [],
    usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
  },
  'content-filter-200': {
    id: 'chatcmpl-CANARY',
    object: 'chat.completion',
    created: 1760000000,
    model: OPENAI_MODEL,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: "I'm sorry, I can't help with that." },
        finish_reason: 'content_filter',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 0, total_tokens: 1 },
  },
};
// Azure (through AzureOpenAI)
const azH = (e = {}) => ({
  'content-type': 'application/json',
  'apim-request-id': 'apimCANARY-0001',
  'x-request-id': 'azCANARY-request-0001',
  'x-ms-region': 'East US',
  ...e,
});
const az = (status, body, exp, o = {}) => ({
  status,
  body,
  headers: azH(o.headers),
  exp,
  requestId: 'azCANARY-request-0001',
  why: o.why,
  src: o.src || 'issue',
});
export const azure = {
  'content-filter': az(
    400,
    {
      error: {
        message:
          "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry. To learn more about our content filtering policies please read our documentation: https://go.microsoft.com/fwlink/?linkid=2198766",
        type: null,
        param: 'prompt',
        code: 'content_filter',
        status: 400,
        innererror: {
          code: 'ResponsibleAIPolicyViolation',
          content_filter_result: {
            hate: { filtered: false, severity: 'safe' },
            jailbreak: { filtered: true, detected: true },
            self_harm: { filtered: false, severity: 'safe' },
            sexual: { filtered: false, severity: 'safe' },
            violence: { filtered: false, severity: 'safe' },
          },
        },
      },
    },
    X('CONTENT_FILTERED', false),
    { why: 'text says "retry"' },
  ),
  'bad-key': az(
    401,
    {
      error: {
        code: '401',
        message:
          'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.',
      },
    },
    X('AUTHENTICATION_ERROR', false),
    { why: 'code is the string "401"; no "api key"/"unauthorized" in text' },
  ),
  'no-token': az(
    401,
    {
      statusCode: 401,
      message:
        'Unauthorized. Access token is missing, invalid, audience is incorrect (https://cognitiveservices.azure.com), or have expired.',
    },
    X('AUTHENTICATION_ERROR', false),
    { why: 'no {error:{}} envelope: the SDK drops the whole body' },
  ),
  'deployment-not-found': az(
    404,
    {
      error: {
        code: 'DeploymentNotFound',
        message:
          'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again.',
      },
    },
    X('MODEL_NOT_FOUND', false),
  ),
  'path-not-found': az(
    404,
    { error: { code: '404', message: 'Resource not found' } },
    X('NOT_FOUND', false, { accept: ['MODEL_NOT_FOUND', 'CONFIG_ERROR'] }),
  ),
  'rate-limit': az(
    429,
    {
      error: {
        code: '429',
        message:
          'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 26 seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.',
      },
    },
    X('RATE_LIMITED', true, { retryAfterMs: 26000 }),
    { headers: { 'retry-after': '26', 'retry-after-ms': '26000' }, why: 'URL contains "quotaincrease"' },
  ),
  'no-capacity': az(
    429,
    {
      error: {
        code: 'NoCapacity',
        message:
          'The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load. For improved capacity reliability, consider switching to Provisioned Throughput.',
      },
    },
    X('PROVIDER_OVERLOADED', true, { accept: ['RATE_LIMITED'] }),
  ),
  'apim-html-503': {
    ...az(
      503,
      "<!DOCTYPE html><html><head><title>Service Unavailable</title></head><body><h2>Our services aren't available right now</h2></body></html>",
      X('SERVER_ERROR', true, { accept: ['PROVIDER_OVERLOADED'] }),
    ),
    headers: azH({ 'content-type': 'text/html' }),
  },
};
// OpenAI-compatible gateways, seen through the openai SDK
const cp = (status, body, exp, o = {}) => ({
  status,
  body,
  headers: { 'content-type': 'application/json', ...(o.headers || {}) },
  exp,
  requestId: null,
  why: o.why,
  src: o.src || 'recall',
  provider: null,
});
export const compat = {
  'vllm-context': cp(
    400,
    {
      object: 'error',
      message:
        "This model's maximum context length is 8192 tokens. However, you requested 9120 tokens (8096 in the messages, 1024 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    X('CONTEXT_LENGTH_EXCEEDED', false),
    {
      why: 'vLLM (older) has no {error:{}} envelope: SDK message is "400 status code (no body)", so the cause is unrecoverable',
      unrecoverable: true,
    },
  ),
  'llamacpp-context': cp(
    400,
    {
      error: {
        code: 400,
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9012,
        n_ctx: 8192,
      },
    },
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { why: 'numeric code' },
  ),
  'openrouter-402': cp(
    402,
    {
      error: {
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 8192 tokens, but can only afford 1234. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account',
        code: 402,
        metadata: { provider_name: null },
      },
      user_id: 'user_CANARYuser',
    },
    X('QUOTA_EXCEEDED', false),
    { src: 'issue', why: 'numeric code; "max_tokens" bait' },
  ),
  'openrouter-upstream-429': cp(
    429,
    {
      error: {
        message: 'Provider returned error',
        code: 429,
        metadata: {
          raw: 'google/gemini-x is temporarily rate-limited upstream. Please retry shortly, or add your own key to accumulate your rate limits',
          provider_name: 'Google AI Studio',
        },
      },
    },
    X('RATE_LIMITED', true),
    { src: 'issue', why: 'outer message is content-free; truth is in error.metadata.raw' },
  ),
  'openrouter-200-error': cp(
    200,
    {
      error: {
        message: 'Provider returned error',
        code: 502,
        metadata: { raw: 'upstream connect error', provider_name: 'CanaryInfra' },
      },
    },
    X('SERVER_ERROR', true, { accept: ['INVALID_RESPONSE', 'NETWORK_ERROR'] }),
    { src: 'issue', why: 'HTTP 200 with an error body: SDK returns it as a success' },
  ),
  'litellm-ratelimit': cp(
    429,
    {
      error: {
        message:
          'litellm.RateLimitError: AnthropicException - {"type":"error","error":{"type":"rate_limit_error","message":"Number of request tokens has exceeded your per-minute rate limit"}}. Received Model Group=claude-x\nAvailable Model Group Fallbacks=None',
        type: 'None',
        param: 'None',
        code: '429',
      },
    },
    X('RATE_LIMITED', true),
    { src: 'issue', why: 'nested JSON in message; string code; literal "None"' },
  ),
  'litellm-context': cp(
    400,
    {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 218315 tokens > 200000 maximum"}}',
        type: null,
        param: null,
        code: '400',
      },
    },
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { src: 'issue' },
  ),
  'deepseek-402': cp(
    402,
    oaiErr('Insufficient Balance', 'unknown_error', 'invalid_request_error'),
    X('QUOTA_EXCEEDED', false),
    { src: 'doc', why: 'code says invalid_request_error; only status 402 / "balance" tells' },
  ),
  'xai-string-error': cp(
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Incorrect API key provided: CA***89. You can obtain an API key from https://console.x.ai.',
    },
    X('AUTHENTICATION_ERROR', false),
    { src: 'issue', why: '`error` is a string, status 400; SDK message contains JSON-quoted text' },
  ),
  'fastapi-detail-422': cp(
    422,
    { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required', input: {} }] },
    X('VALIDATION_ERROR', false),
    { why: 'FastAPI shape, no error envelope: body dropped by SDK' },
  ),
  'fastapi-detail-401': cp(401, { detail: 'Invalid or missing bearer' }, X('AUTHENTICATION_ERROR', false), {
    why: 'only the status survives',
  }),
  'nginx-413-html': {
    ...cp(
      413,
      '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>\r\n',
      X('VALIDATION_ERROR', false, { accept: ['REQUEST_TOO_LARGE', 'CONTEXT_LENGTH_EXCEEDED'] }),
    ),
    headers: { 'content-type': 'text/html' },
  },
  'cloudflare-403-html': {
    ...cp(
      403,
      '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body>Checking your browser before accessing. Ray ID: 8f1a2b3c4d5e6f70</body></html>',
      X('PERMISSION_DENIED', false, { accept: ['NETWORK_ERROR'] }),
      { why: 'bot wall, not the provider' },
    ),
    headers: { 'content-type': 'text/html', server: 'cloudflare', 'cf-mitigated': 'challenge' },
  },
  'cloudflare-524': {
    ...cp(
      524,
      '<!DOCTYPE html><html><head><title>api.example | 524: A timeout occurred</title></head><body>Error code 524</body></html>',
      X('TIMEOUT', true, { accept: ['SERVER_ERROR'] }),
    ),
    headers: { 'content-type': 'text/html', server: 'cloudflare' },
  },
  'lmstudio-model-load': cp(
    404,
    oaiErr(
      'Failed to load model "canary-7b". Error: Operation canceled.',
      'invalid_request_error',
      'model_not_found',
      'model',
    ),
    X('MODEL_NOT_FOUND', false),
    { src: 'issue', why: '"canceled" bait' },
  ),
};

// =====================================================================  Anthropic
export const ANTHROPIC_MODEL = 'claude-canary-4';
const ANT_RID = 'req_011CANARYanthropicRequest';
const antH = (e = {}) => ({
  'content-type': 'application/json',
  'request-id': ANT_RID,
  'anthropic-organization-id': '11111111-2222-4333-8444-CANARYorg000',
  'x-should-retry': undefined,
  server: 'cloudflare',
  ...e,
});
const clean = (h) => Object.fromEntries(Object.entries(h).filter(([, v]) => v !== undefined));
const antBody = (type, message) => ({ type: 'error', error: { type, message }, request_id: ANT_RID });
const ant = (status, type, message, exp, o = {}) => ({
  status,
  body: o.body ?? antBody(type, message),
  headers: clean(antH(o.headers)),
  exp,
  requestId: ANT_RID,
  why: o.why,
  src: o.src || 'doc',
});
const antRate =
  'This request would exceed the rate limit for your organization (11111111-2222-4333-8444-CANARYorg000) of 40,000 input tokens per minute. For details, refer to: https://docs.claude.com/en/api/rate-limits. You can see the response headers for current usage. Please reduce the prompt length or the maximum tokens requested, or try again later. You may also contact sales at https://www.anthropic.com/contact-sales to discuss your options for a rate limit increase.';
export const anthropic = {
  'bad-request': ant(
    400,
    'invalid_request_error',
    'messages: first message must use the "user" role',
    X('VALIDATION_ERROR', false),
    { src: 'recall' },
  ),
  'bad-request-tool-schema': ant(
    400,
    'invalid_request_error',
    'tools.36.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
    X('VALIDATION_ERROR', false),
    { src: 'issue' },
  ),
  'tool-result-mismatch': ant(
    400,
    'invalid_request_error',
    'messages.12: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_01CANARY. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
    X('VALIDATION_ERROR', false),
    { src: 'issue', why: '"tool" bait: agent history bug, not a failed tool' },
  ),
  'max-tokens-too-large': ant(
    400,
    'invalid_request_error',
    `max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for ${ANTHROPIC_MODEL}`,
    X('VALIDATION_ERROR', false),
    { src: 'issue', why: 'same "N > M" form as context overflow but trimming does not help' },
  ),
  'context-length': ant(
    400,
    'invalid_request_error',
    'prompt is too long: 218315 tokens > 200000 maximum',
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { src: 'issue', why: 'no dedicated type/code: text only' },
  ),
  'context-length-max-tokens': ant(
    400,
    'invalid_request_error',
    'input length and `max_tokens` exceed context limit: 196395 + 64000 > 204698, decrease input length or `max_tokens` and try again',
    X('CONTEXT_LENGTH_EXCEEDED', false),
    { src: 'issue' },
  ),
  'content-filter': ant(
    400,
    'invalid_request_error',
    'Output blocked by content filtering policy',
    X('CONTENT_FILTERED', false),
    { src: 'issue' },
  ),
  'credit-balance': ant(
    400,
    'invalid_request_error',
    'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    X('QUOTA_EXCEEDED', false),
    { src: 'issue', why: 'quota as HTTP 400 invalid_request_error' },
  ),
  'usage-limit': ant(
    400,
    'invalid_request_error',
    'You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.',
    X('QUOTA_EXCEEDED', false),
    { src: 'issue' },
  ),
  'billing-402': ant(
    402,
    'billing_error',
    "There's an issue with your billing or payment information.",
    X('QUOTA_EXCEEDED', false),
  ),
  'bad-key': ant(401, 'authentication_error', 'invalid x-api-key', X('AUTHENTICATION_ERROR', false), {
    headers: { 'x-should-retry': 'false' },
    why: '"x-api-key" contains "api-key" not "api key"',
    src: 'issue',
  }),
  'oauth-expired': ant(
    401,
    'authentication_error',
    'OAuth token has expired. Please obtain a new token or refresh your existing token.',
    X('AUTHENTICATION_ERROR', false),
    { src: 'issue' },
  ),
  permission: ant(
    403,
    'permission_error',
    'Your API key does not have permission to use the specified resource.',
    X('PERMISSION_DENIED', false),
    { why: 'contains "API key"' },
  ),
  'region-403': ant(403, 'forbidden', 'Request not allowed', X('PERMISSION_DENIED', false), {
    src: 'issue',
    body: { error: { type: 'forbidden', message: 'Request not allowed' } },
  }),
  'model-not-found': ant(404, 'not_found_error', `model: ${ANTHROPIC_MODEL}`, X('MODEL_NOT_FOUND', false), {
    src: 'issue',
    why: 'the entire message is "model: <name>"',
  }),
  'request-timeout-408': ant(408, 'timeout_error', 'Request timed out', X('TIMEOUT', true), {
    src: 'recall',
  }),
  conflict: ant(409, 'conflict_error', 'The resource was modified by another request.', X('CONFLICT', true), {
    src: 'recall',
    why: 'official SDKs retry it',
  }),
  'too-large-413': ant(
    413,
    'request_too_large',
    'Request exceeds the maximum size',
    X('VALIDATION_ERROR', false, { accept: ['CONTEXT_LENGTH_EXCEEDED', 'REQUEST_TOO_LARGE'] }),
    { why: '32 MB byte limit' },
  ),
  'too-large-413-cf-html': {
    ...ant(
      413,
      '',
      '',
      X('VALIDATION_ERROR', false, { accept: ['CONTEXT_LENGTH_EXCEEDED', 'REQUEST_TOO_LARGE'] }),
      { why: 'docs: returned by Cloudflare before the API: HTML, no request-id' },
    ),
    body: '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>cloudflare</center>\r\n</body>\r\n</html>\r\n',
    headers: { 'content-type': 'text/html', server: 'cloudflare' },
    requestId: null,
  },
  unprocessable: ant(422, 'invalid_request_error', 'Unprocessable request', X('VALIDATION_ERROR', false), {
    src: 'recall',
  }),
  'rate-limit-sec': ant(429, 'rate_limit_error', antRate, X('RATE_LIMITED', true, { retryAfterMs: 7000 }), {
    headers: {
      'retry-after': '7',
      'anthropic-ratelimit-input-tokens-limit': '40000',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-01-01T00:00:00Z',
    },
    src: 'issue',
    why: 'text also says "reduce the prompt length": context-length bait',
  }),
  'rate-limit-ms': ant(429, 'rate_limit_error', antRate, X('RATE_LIMITED', true, { retryAfterMs: 1500 }), {
    headers: { 'retry-after-ms': '1500' },
    src: 'recall',
  }),
  'rate-limit-date': {
    ...ant(
      429,
      'rate_limit_error',
      'Number of request tokens has exceeded your per-minute rate limit',
      X('RATE_LIMITED', true, { retryAfterMs: 11000, retryAfterTolMs: 2500 }),
    ),
    headers: () => clean(antH({ 'retry-after': httpDate(11000), date: httpDate(0) })),
  },
  'rate-limit-terse': ant(429, 'rate_limit_error', 'Error', X('RATE_LIMITED', true, { retryAfterMs: 7000 }), {
    headers: { 'retry-after': '7' },
    src: 'issue',
    why: 'message carries no information',
  }),
  'server-error': ant(500, 'api_error', 'Internal server error', X('SERVER_ERROR', true)),
  'timeout-504': ant(
    504,
    'timeout_error',
    'Request timed out',
    X('TIMEOUT', true, { accept: ['SERVER_ERROR'] }),
  ),
  'overloaded-529': ant(529, 'overloaded_error', 'Overloaded', X('PROVIDER_OVERLOADED', true), {
    headers: { 'x-should-retry': 'true' },
  }),
};
const antEv = (event, data) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const antStart = [
  antEv('message_start', {
    type: 'message_start',
    message: {
      id: 'msg_01CANARY',
      type: 'message',
      role: 'assistant',
      model: ANTHROPIC_MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  }),
  antEv('content_block_start', {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'text', text: '' },
  }),
  antEv('content_block_delta', {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Hel' },
  }),
];
export const anthropicStream = {
  'sse-overloaded': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: [
      ...antStart,
      antEv('error', {
        type: 'error',
        error: { details: null, type: 'overloaded_error', message: 'Overloaded' },
        request_id: ANT_RID,
      }),
    ],
    exp: X('PROVIDER_OVERLOADED', true),
    requestId: ANT_RID,
    why: 'mid-stream: status is undefined/200',
    src: 'doc',
  },
  'sse-rate-limit': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: [
      ...antStart,
      antEv('error', {
        type: 'error',
        error: {
          details: null,
          type: 'rate_limit_error',
          message: "This request would exceed your account's rate limit. Please try again later.",
        },
        request_id: ANT_RID,
      }),
    ],
    exp: X('RATE_LIMITED', true),
    requestId: ANT_RID,
    src: 'issue',
  },
  'sse-api-error': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: [
      ...antStart,
      antEv('error', {
        type: 'error',
        error: { details: null, type: 'api_error', message: 'Internal server error' },
        request_id: ANT_RID,
      }),
    ],
    exp: X('SERVER_ERROR', true),
    requestId: ANT_RID,
    src: 'doc',
  },
  'sse-malformed-chunk': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: [
      ...antStart,
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"de\n\n',
    ],
    exp: X('INVALID_RESPONSE', true),
    src: 'recall',
  },
  'destroy-mid-stream': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: antStart,
    end: 'destroy',
    exp: X('NETWORK_ERROR', true),
    transport: true,
  },
  'truncated-stream': {
    kind: 'stream',
    headers: { 'request-id': ANT_RID },
    chunks: antStart,
    end: 'end',
    exp: X('INVALID_RESPONSE', true),
    transport: true,
    mayReturn: true,
    why: 'clean end without message_stop',
  },
};
export const anthropicOk = {
  'empty-choices': {
    id: 'msg_01CANARY',
    type: 'message',
    role: 'assistant',
    model: ANTHROPIC_MODEL,
    content: [],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
  'content-filter-200': {
    id: 'msg_01CANARY',
    type: 'message',
    role: 'assistant',
    model: ANTHROPIC_MODEL,
    content: [],
    stop_reason: 'refusal',
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
};

// =====================================================================  Google
export const GOOGLE_MODEL = 'gemini-canary-flash';
const gg = (code, status, message, details, exp, o = {}) => ({
  status: o.http ?? code,
  body: o.array
    ? [{ error: { code, message, status, ...(details ? { details } : {}) } }]
    : { error: { code, message, status, ...(details ? { details } : {}) } },
  headers: {
    'content-type': 'application/json; charset=UTF-8',
    server: 'scaffolding on HTTPServer2',
    'server-timing': 'gfet4t7; dur=98',
    ...(o.headers || {}),
  },
  exp,
  requestId: null,
  why: o.why,
  src: o.src || 'issue',
});
const T = 'type.googleapis.com/google.rpc.';
const gQuota = (metric, limit) =>
  `You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. To monitor your current usage, head to: https://ai.dev/rate-limit. \n* Quota exceeded for metric: generativelanguage.googleapis.com/${metric}, limit: ${limit}, model: ${GOOGLE_MODEL}\nPlease retry in 23.429760048s.`;
const gDetails = (metric, quotaId, quotaValue, delay = '23s') => [
  {
    '@type': `${T}Help`,
    links: [
      {
        description: 'Learn more about Gemini API quotas',
        url: 'https://ai.google.dev/gemini-api/docs/rate-limits',
      },
    ],
  },
  {
    '@type': `${T}QuotaFailure`,
    violations: [
      {
        quotaMetric: `generativelanguage.googleapis.com/${metric}`,
        quotaId,
        quotaDimensions: { location: 'global', model: GOOGLE_MODEL },
        quotaValue,
      },
    ],
  },
  ...(delay ? [{ '@type': `${T}RetryInfo`, retryDelay: delay }] : []),
];
const keyInvalid = (m, reason) => [
  {
    '@type': `${T}ErrorInfo`,
    reason,
    domain: 'googleapis.com',
    metadata: { service: 'generativelanguage.googleapis.com' },
  },
  { '@type': `${T}LocalizedMessage`, locale: 'en-US', message: m },
];
export const google = {
  'bad-request': gg(
    400,
    'INVALID_ARGUMENT',
    '* GenerateContentRequest.contents: contents is not specified\n',
    null,
    X('VALIDATION_ERROR', false),
  ),
  'bad-request-unknown-field': gg(
    400,
    'INVALID_ARGUMENT',
    'Invalid JSON payload received. Unknown name "additionalProperties" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
    [
      {
        '@type': `${T}BadRequest`,
        fieldViolations: [
          {
            field: 'tools[0].function_declarations[0].parameters',
            description: 'Invalid JSON payload received. Unknown name "additionalProperties"',
          },
        ],
      },
    ],
    X('VALIDATION_ERROR', false),
    { why: '"Invalid JSON" bait: the request, not the response, is bad' },
  ),
  'context-length': gg(
    400,
    'INVALID_ARGUMENT',
    'The input token count (1200345) exceeds the maximum number of tokens allowed (1048576).',
    null,
    X('CONTEXT_LENGTH_EXCEEDED', false),
  ),
  'bad-key': gg(
    400,
    'INVALID_ARGUMENT',
    'API key not valid. Please pass a valid API key.',
    keyInvalid('API key not valid. Please pass a valid API key.', 'API_KEY_INVALID'),
    X('AUTHENTICATION_ERROR', false),
    { why: 'bad key is HTTP 400, not 401' },
  ),
  'key-expired': gg(
    400,
    'INVALID_ARGUMENT',
    'API key expired. Please renew the API key.',
    keyInvalid('API key expired. Please renew the API key.', 'API_KEY_INVALID'),
    X('AUTHENTICATION_ERROR', false),
  ),
  'no-key-403': gg(
    403,
    'PERMISSION_DENIED',
    "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
    null,
    X('AUTHENTICATION_ERROR', false, { accept: ['PROVIDER_NOT_CONFIGURED', 'PERMISSION_DENIED'] }),
    { why: '403 PERMISSION_DENIED that means "no credentials"' },
  ),
  'key-leaked-403': gg(
    403,
    'PERMISSION_DENIED',
    'Your API key was reported as leaked. Please use another API key.',
    null,
    X('AUTHENTICATION_ERROR', false, { accept: ['PERMISSION_DENIED'] }),
  ),
  'service-disabled-403': gg(
    403,
    'PERMISSION_DENIED',
    'Generative Language API has not been used in project 123456789012 before or it is disabled. Enable it by visiting https://console.developers.google.com/apis/api/generativelanguage.googleapis.com/overview?project=123456789012 then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.',
    [
      {
        '@type': `${T}ErrorInfo`,
        reason: 'SERVICE_DISABLED',
        domain: 'googleapis.com',
        metadata: { consumer: 'projects/123456789012', service: 'generativelanguage.googleapis.com' },
      },
    ],
    X('PERMISSION_DENIED', false, { accept: ['PROVIDER_NOT_CONFIGURED'] }),
  ),
  'oauth-401': gg(
    401,
    'UNAUTHENTICATED',
    'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
    [
      {
        '@type': `${T}ErrorInfo`,
        reason: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
        metadata: { service: 'generativelanguage.googleapis.com' },
      },
    ],
    X('AUTHENTICATION_ERROR', false),
  ),
  'region-400': gg(
    400,
    'FAILED_PRECONDITION',
    'User location is not supported for the API use.',
    null,
    X('PERMISSION_DENIED', false, { accept: ['PROVIDER_NOT_SUPPORTED'] }),
    { why: 'region block as 400' },
  ),
  'model-not-found': gg(
    404,
    'NOT_FOUND',
    `models/${GOOGLE_MODEL} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
    null,
    X('MODEL_NOT_FOUND', false),
  ),
  'resource-not-found': gg(
    404,
    'NOT_FOUND',
    'Requested entity was not found.',
    null,
    X('NOT_FOUND', false, { accept: ['MODEL_NOT_FOUND'] }),
  ),
  'payload-too-large': gg(
    400,
    'INVALID_ARGUMENT',
    'Request payload size exceeds the limit: 20971520 bytes.',
    null,
    X('VALIDATION_ERROR', false, { accept: ['CONTEXT_LENGTH_EXCEEDED', 'REQUEST_TOO_LARGE'] }),
    { why: 'too large is HTTP 400, not 413' },
  ),
  'rate-limit-retryinfo': gg(
    429,
    'RESOURCE_EXHAUSTED',
    gQuota('generate_content_free_tier_requests', 10),
    gDetails(
      'generate_content_free_tier_requests',
      'GenerateRequestsPerMinutePerProjectPerModel-FreeTier',
      '10',
    ),
    X('RATE_LIMITED', true, { retryAfterMs: 23000, retryAfterTolMs: 500 }),
    {
      why: 'text is word-for-word OpenAI insufficient_quota, but quotaId says PerMinute; delay only in body details / prose',
    },
  ),
  'quota-per-day': gg(
    429,
    'RESOURCE_EXHAUSTED',
    gQuota('generate_content_free_tier_requests', 20),
    gDetails(
      'generate_content_free_tier_requests',
      'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
      '20',
    ),
    X('QUOTA_EXCEEDED', false, { retryAfterMs: 23000, retryAfterTolMs: 500, accept: ['RATE_LIMITED'] }),
    {
      why: 'quotaId PerDay: RetryInfo of 23 s is misleading (upstream reports say both that per-day failures recover within the minute and that they last until reset)',
    },
  ),
  'quota-limit-zero': gg(
    429,
    'RESOURCE_EXHAUSTED',
    gQuota('generate_content_free_tier_requests', 0),
    gDetails(
      'generate_content_free_tier_requests',
      'GenerateRequestsPerDayPerProjectPerModel-FreeTier',
      undefined,
    ),
    X('QUOTA_EXCEEDED', false, { retryAfterMs: 23000, retryAfterTolMs: 500 }),
    { why: '"limit: 0": the plan has no access at all, yet a RetryInfo is sent' },
  ),
  'vertex-exhausted': gg(
    429,
    'RESOURCE_EXHAUSTED',
    'Resource exhausted. Please try again later. Please refer to https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.',
    null,
    X('RATE_LIMITED', true, { accept: ['PROVIDER_OVERLOADED'] }),
    { why: 'dynamic shared quota' },
  ),
  'model-capacity-429': gg(
    429,
    'RESOURCE_EXHAUSTED',
    `No capacity available for model ${GOOGLE_MODEL} on the server`,
    [
      {
        '@type': `${T}ErrorInfo`,
        reason: 'MODEL_CAPACITY_EXHAUSTED',
        domain: 'cloudcode-pa.googleapis.com',
        metadata: { model: GOOGLE_MODEL },
      },
    ],
    X('PROVIDER_OVERLOADED', true, { accept: ['RATE_LIMITED'] }),
  ),
  'rate-limit-header': gg(
    429,
    'RESOURCE_EXHAUSTED',
    'Resource has been exhausted (e.g. check quota).',
    null,
    X('RATE_LIMITED', true, { retryAfterMs: 7000 }),
    { headers: { 'retry-after': '7' }, why: 'header-only hint' },
  ),
  'server-error': gg(
    500,
    'INTERNAL',
    'An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting',
    null,
    X('SERVER_ERROR', true),
  ),
  'overloaded-503': gg(
    503,
    'UNAVAILABLE',
    'The model is overloaded. Please try again later.',
    null,
    X('PROVIDER_OVERLOADED', true, { accept: ['SERVER_ERROR'] }),
  ),
  'deadline-504': gg(
    504,
    'DEADLINE_EXCEEDED',
    'The request timed out. Please try again.',
    null,
    X('TIMEOUT', true, { accept: ['SERVER_ERROR'] }),
  ),
  'cancelled-499': gg(
    499,
    'CANCELLED',
    'The operation was cancelled.',
    null,
    X('CANCELLED', false, { accept: ['SERVER_ERROR', 'NETWORK_ERROR'] }),
    { why: 'status 499', src: 'recall' },
  ),
};
const gChunk = `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Hel' }], role: 'model' }, index: 0 }], usageMetadata: { promptTokenCount: 4 }, modelVersion: GOOGLE_MODEL, responseId: 'CANARYresp' })}\r\n\r\n`;
const gErr503 = {
  error: { code: 503, message: 'The model is overloaded. Please try again later.', status: 'UNAVAILABLE' },
};
export const googleStream = {
  'sse-error-data': {
    kind: 'stream',
    chunks: [gChunk, `data: ${JSON.stringify(gErr503)}\r\n\r\n`],
    exp: X('PROVIDER_OVERLOADED', true, { accept: ['SERVER_ERROR'] }),
    src: 'sdk',
  },
  'sse-error-raw': {
    kind: 'stream',
    chunks: [gChunk, JSON.stringify(gErr503)],
    exp: X('PROVIDER_OVERLOADED', true, { accept: ['SERVER_ERROR'] }),
    src: 'sdk',
    why: 'raw JSON without data: prefix',
  },
  'sse-malformed-chunk': {
    kind: 'stream',
    chunks: [gChunk, 'data: {"candidates":[{"content":{"par\r\n\r\n'],
    exp: X('INVALID_RESPONSE', true),
    src: 'recall',
  },
  'destroy-mid-stream': {
    kind: 'stream',
    chunks: [gChunk],
    end: 'destroy',
    exp: X('NETWORK_ERROR', true),
    transport: true,
  },
  'truncated-stream': {
    kind: 'stream',
    chunks: [gChunk, 'data: {"candidates":[{"content":'],
    end: 'end',
    exp: X('INVALID_RESPONSE', true),
    transport: true,
    mayReturn: true,
  },
};
export const googleOk = {
  'empty-choices': {
    candidates: [],
    usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    modelVersion: GOOGLE_MODEL,
  },
  'content-filter-200': {
    promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
    usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
    modelVersion: GOOGLE_MODEL,
  },
};

// =====================================================================  proxies / transport (provider-neutral)
const html = (t, s) =>
  `<html>\r\n<head><title>${t}</title></head>\r\n<body>\r\n<center><h1>${t}</h1></center>\r\n<hr><center>${s}</center>\r\n</body>\r\n</html>\r\n`;
export const proxy = {
  'proxy-502-html': {
    status: 502,
    body: html('502 Bad Gateway', 'nginx/1.25.3'),
    headers: { 'content-type': 'text/html' },
    exp: X('SERVER_ERROR', true, { accept: ['NETWORK_ERROR'] }),
    requestId: null,
    src: 'recall',
  },
  'proxy-503-html': {
    status: 503,
    body: html('503 Service Temporarily Unavailable', 'nginx'),
    headers: { 'content-type': 'text/html', 'retry-after': '7' },
    exp: X('SERVER_ERROR', true, { retryAfterMs: 7000, accept: ['PROVIDER_OVERLOADED', 'NETWORK_ERROR'] }),
    requestId: null,
    src: 'recall',
  },
  'proxy-504-html': {
    status: 504,
    body: html('504 Gateway Time-out', 'cloudflare'),
    headers: { 'content-type': 'text/html', server: 'cloudflare' },
    exp: X('TIMEOUT', true, { accept: ['SERVER_ERROR'] }),
    requestId: null,
    src: 'recall',
    why: '"Time-out" with a hyphen',
  },
  'proxy-407': {
    status: 407,
    body: html('407 Proxy Authentication Required', 'squid'),
    headers: { 'content-type': 'text/html', 'proxy-authenticate': 'Basic realm="corp"' },
    exp: X('NETWORK_ERROR', false, { accept: ['AUTHENTICATION_ERROR', 'CONFIG_ERROR'] }),
    requestId: null,
    src: 'recall',
    why: 'the corporate proxy, not the provider, wants credentials',
  },
  'empty-500': {
    status: 500,
    body: '',
    headers: {},
    exp: X('SERVER_ERROR', true),
    requestId: null,
    src: 'recall',
    why: 'no body at all',
  },
};
