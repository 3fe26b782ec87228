/** The names that are ever read of a thrown value. */
// Written from core/src/classify/{key,read}.rs: `UPDATE=1 cargo test -p halfopen --test generated_errors`.

/** The names in the order of their numbers, from 1 on; 0 is what has no name. Those of headers come last. */
export const KEYS =
  'constructor name message kind code type status statusCode status_code httpStatusCode httpStatus ' +
  'http_code statusText errno syscall reason errorCode error_code lc_error_code finish_reason ' +
  'finishReason blockReason requestID request_id requestId model modelId modelType provider providerId ' +
  'url requestBodyValues cause error errors lastError response data body responseBody headers ' +
  'responseHeaders $metadata $response rawResponse details errorDetails innererror metadata raw detail ' +
  'violations quotaDimensions issues promptFeedback Code __type statusMessage extensions http ' +
  'httpResponse res result info meta parameters parsedBody innerError inner original originalError ' +
  'parent driverError nativeError sourceError networkError graphQLErrors exception config context ' +
  'value msg description error_description title sqlState sqlstate errcode codeName errorLabels number ' +
  'responseCode err_code classId wasClean serverResponseCode textCode api_error payload originalCode ' +
  'error_summary param loc retryDelay retryAfterMs retryAfter retry_after quotaId quotaValue ' +
  'retryAfterSeconds retry_after_ms retryable retriable isRetryable $retryable cmd killed signal ' +
  'exitCode timedOut retry-after retry-after-ms x-ms-retry-after-ms x-should-retry stripe-should-retry ' +
  'grpc-retry-pushback-ms date mistral-correlation-id x-request-id request-id apim-request-id ' +
  'x-ms-request-id x-amzn-requestid x-amz-request-id x-debug-trace-id x-github-request-id ' +
  'x-slack-req-id x-correlation-id x-trace-id cf-ray openai-version openai-organization ' +
  'anthropic-organization-id x-ms-region x-groq-region x-amzn-errortype server cf-mitigated ' +
  'x-litellm-version x-ratelimit-reset x-ratelimit-reset-requests x-ratelimit-reset-tokens ' +
  'x-ratelimit-remaining x-ratelimit-remaining-requests x-ratelimit-remaining-tokens ratelimit-reset ' +
  'ratelimit-remaining ratelimit anthropic-ratelimit-requests-reset ' +
  'anthropic-ratelimit-requests-remaining anthropic-ratelimit-tokens-reset ' +
  'anthropic-ratelimit-tokens-remaining anthropic-ratelimit-input-tokens-reset ' +
  'anthropic-ratelimit-input-tokens-remaining anthropic-ratelimit-output-tokens-reset ' +
  'anthropic-ratelimit-output-tokens-remaining x-ratelimit-limit x-ratelimit-limit-requests ' +
  'x-ratelimit-limit-tokens ratelimit-limit anthropic-ratelimit-requests-limit ' +
  'anthropic-ratelimit-tokens-limit anthropic-ratelimit-input-tokens-limit ' +
  'anthropic-ratelimit-output-tokens-limit';

/** The number that no name has: that of an opening brace, by which a copy is searched for JSON. */
export const NO_KEY = 123;

/** The first number of a header. */
export const FIRST_HEADER = 121;

/** The properties read of an error, of a thrown object and of a cause; then, of other objects. */
export const OF_ERROR =
  'status statusCode status_code httpStatus http_code name message code Code type param errno syscall ' +
  'reason errorCode error_code lc_error_code finish_reason finishReason requestID request_id requestId ' +
  'statusText statusMessage model modelId modelType provider providerId url retryAfterMs retryAfter ' +
  'retry_after retryAfterSeconds retryable retriable isRetryable $retryable cmd killed signal exitCode ' +
  'timedOut msg title description detail sqlState sqlstate errcode codeName errorLabels number ' +
  'responseCode classId wasClean serverResponseCode textCode originalCode headers responseHeaders ' +
  'error errorDetails issues details extensions metadata $metadata $response response httpResponse res ' +
  'context rawResponse data body responseBody parsedBody result info meta parameters requestBodyValues ' +
  'config api_error lastError originalError innerError inner original parent driverError nativeError ' +
  'sourceError networkError graphQLErrors exception cause errors value';

export const OF_BODY =
  'status statusCode code type param loc message reason msg detail description title error_description ' +
  'errorCode error_code Code __type request_id requestId finish_reason blockReason model retryDelay ' +
  'retryAfterMs retryAfter retry_after retry_after_ms retryAfterSeconds retryable isRetryable quotaId ' +
  'quotaValue raw payload res err_code sqlState sqlstate headers error innererror extensions http ' +
  'metadata parameters details errors violations quotaDimensions error_summary exception ' +
  'promptFeedback';

export const OF_RESPONSE = 'status statusCode httpStatusCode statusText requestId headers data body errors';

export const OF_MODEL = 'model';

export const OF_RETRYABLE = 'retryable';

export const OF_CONFIG = 'signal';

export const OF_SIGNAL = 'reason';

/** How an object under a key is read, unless it is read as a body. */
export const READ_AS =
  'reason:error requestBodyValues:model cause:error errors:causes lastError:error response:response ' +
  'headers:headers responseHeaders:headers $metadata:response $response:response rawResponse:response ' +
  'quotaDimensions:model issues:presence httpResponse:response res:response graphQLErrors:causes ' +
  'config:config context:response $retryable:retryable signal:signal';
