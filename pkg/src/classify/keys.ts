/** The names that are ever read of a thrown value. */
// Written from core/src/classify/key.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

/** The names by their numbers, from 1 on; 0 is what has no name. Those of headers come last. */
export const KEYS =
  'constructor name message kind code type status statusCode status_code httpStatusCode statusText ' +
  'errno syscall reason errorCode error_code lc_error_code finish_reason blockReason requestID ' +
  'request_id requestId model modelId modelType provider providerId url requestBodyValues cause error ' +
  'errors lastError response data body responseBody headers responseHeaders $metadata $response ' +
  'rawResponse details errorDetails innererror metadata raw detail violations quotaDimensions issues ' +
  'promptFeedback msg description error_description title retryDelay retryAfterMs retryAfter ' +
  'retry_after quotaId quotaValue cmd killed signal exitCode timedOut retry-after retry-after-ms ' +
  'x-ms-retry-after-ms x-should-retry date x-request-id request-id apim-request-id x-ms-request-id ' +
  'x-amzn-requestid x-amz-request-id mistral-correlation-id x-debug-trace-id openai-version ' +
  'openai-organization anthropic-organization-id x-ms-region x-groq-region x-amzn-errortype server ' +
  'cf-mitigated x-litellm-version x-ratelimit-reset x-ratelimit-reset-requests ' +
  'x-ratelimit-reset-tokens x-ratelimit-remaining x-ratelimit-remaining-requests ' +
  'x-ratelimit-remaining-tokens ratelimit-reset ratelimit-remaining anthropic-ratelimit-requests-reset ' +
  'anthropic-ratelimit-requests-remaining anthropic-ratelimit-tokens-reset ' +
  'anthropic-ratelimit-tokens-remaining anthropic-ratelimit-input-tokens-reset ' +
  'anthropic-ratelimit-input-tokens-remaining anthropic-ratelimit-output-tokens-reset ' +
  'anthropic-ratelimit-output-tokens-remaining x-ratelimit-limit x-ratelimit-limit-requests ' +
  'x-ratelimit-limit-tokens ratelimit-limit anthropic-ratelimit-requests-limit ' +
  'anthropic-ratelimit-tokens-limit anthropic-ratelimit-input-tokens-limit ' +
  'anthropic-ratelimit-output-tokens-limit';

/** The first number of a header. */
export const FIRST_HEADER = 68;
