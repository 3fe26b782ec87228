//! The allow-list of properties and headers that may be read of a thrown value.
//!
//! Names that are not in this table (request bodies, authorization headers, cookies, stacks) cannot leak, because the
//! code never looks at them. `pkg/src/classify/keys.ts` is generated from this table. The index in it, with [`NO_KEY`]
//! left out, is the number that crosses.

use crate::invariant::Always;
use std::cmp::Ordering;

macro_rules! keys {
    ($($variant:ident = $name:literal,)+) => {
        /// A property or header that may be read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each is named by its text in `Key::name`")]
        pub enum Key { $($variant,)+ }

        impl Key {
            /// All keys, in numbering order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The names, in the same order.
            const NAMES: &'static [&'static str] = &[$($name),+];
        }
    };
}

/// The number of no key. It is that of `{`, for which a copy is searched to find JSON.
pub const NO_KEY: u8 = b'{';

/// The length of the longest name. A longer one need not be looked up.
const LONGEST: usize = 43;

keys! {
    // An item of an array, and a value that has no name.
    Item = "",
    // The kind of failure.
    Class = "constructor", Name = "name", Message = "message", Kind = "kind",
    Code = "code", Type = "type", Status = "status", StatusCode = "statusCode", StatusCodeSnake = "status_code",
    HttpStatusCode = "httpStatusCode", HttpStatus = "httpStatus", HttpCode = "http_code", StatusText = "statusText",
    Errno = "errno", Syscall = "syscall", Reason = "reason", ErrorCode = "errorCode", ErrorCodeSnake = "error_code",
    LcErrorCode = "lc_error_code", FinishReason = "finish_reason", FinishReasonCamel = "finishReason",
    BlockReason = "blockReason",
    // The provider, and the id of its response.
    RequestIdUpper = "requestID", RequestIdSnake = "request_id", RequestId = "requestId",
    Model = "model", ModelId = "modelId", ModelType = "modelType",
    Provider = "provider", ProviderId = "providerId", Url = "url", RequestBodyValues = "requestBodyValues",
    // The errors and responses inside.
    Cause = "cause", Error = "error", Errors = "errors", LastError = "lastError", Response = "response",
    Data = "data", Body = "body", ResponseBody = "responseBody", Headers = "headers",
    ResponseHeaders = "responseHeaders", AwsMetadata = "$metadata", AwsResponse = "$response",
    RawResponse = "rawResponse", Details = "details", ErrorDetails = "errorDetails", InnerError = "innererror",
    Metadata = "metadata", Raw = "raw", Detail = "detail", Violations = "violations",
    QuotaDimensions = "quotaDimensions", Issues = "issues", PromptFeedback = "promptFeedback",
    // Further names for a code, and for inner errors.
    CodeUpper = "Code", AwsType = "__type", StatusMessage = "statusMessage",
    Extensions = "extensions", Http = "http", HttpResponse = "httpResponse", Res = "res", Result = "result",
    Info = "info", Meta = "meta", Parameters = "parameters", ParsedBody = "parsedBody",
    InnerErrorCamel = "innerError", Inner = "inner", Original = "original", OriginalError = "originalError",
    Parent = "parent", DriverError = "driverError", NativeError = "nativeError", SourceError = "sourceError",
    NetworkErrorProperty = "networkError", GraphqlErrors = "graphQLErrors", Exception = "exception",
    Config = "config", Context = "context", Value = "value",
    // Further texts.
    Msg = "msg", Description = "description", ErrorDescription = "error_description", Title = "title",
    // Numbers and names of databases, brokers and mail.
    SqlState = "sqlState", SqlStateLower = "sqlstate", Errcode = "errcode", CodeName = "codeName",
    ErrorLabels = "errorLabels", Number = "number", ResponseCode = "responseCode", ErrCode = "err_code",
    ClassId = "classId", WasClean = "wasClean", ServerResponseCode = "serverResponseCode", TextCode = "textCode",
    ApiError = "api_error", Payload = "payload", OriginalCode = "originalCode", ErrorSummary = "error_summary",
    // The path of the wrong part of the request, as OpenAI and compatible providers name it.
    Param = "param", Loc = "loc",
    // Waits.
    RetryDelay = "retryDelay", RetryAfterMsProperty = "retryAfterMs", RetryAfterProperty = "retryAfter",
    RetryAfterSnake = "retry_after", QuotaId = "quotaId", QuotaValue = "quotaValue",
    RetryAfterSeconds = "retryAfterSeconds", RetryAfterMsSnake = "retry_after_ms",
    // The library's own statement that a retry can help, or cannot.
    Retryable = "retryable", Retriable = "retriable", IsRetryable = "isRetryable", AwsRetryable = "$retryable",
    // Child processes.
    Cmd = "cmd", Killed = "killed", Signal = "signal", ExitCode = "exitCode", TimedOut = "timedOut",
    // Headers.
    RetryAfter = "retry-after", RetryAfterMs = "retry-after-ms", MsRetryAfterMs = "x-ms-retry-after-ms",
    ShouldRetry = "x-should-retry", StripeShouldRetry = "stripe-should-retry",
    GrpcPushback = "grpc-retry-pushback-ms", Date = "date",
    MistralCorrelationId = "mistral-correlation-id", XRequestId = "x-request-id",
    RequestIdHeader = "request-id", ApimRequestId = "apim-request-id",
    MsRequestId = "x-ms-request-id", AmznRequestId = "x-amzn-requestid", AmzRequestId = "x-amz-request-id",
    DebugTraceId = "x-debug-trace-id",
    GithubRequestId = "x-github-request-id", SlackRequestId = "x-slack-req-id", CorrelationId = "x-correlation-id",
    TraceId = "x-trace-id", CfRay = "cf-ray",
    OpenaiVersion = "openai-version", OpenaiOrganization = "openai-organization",
    AnthropicOrganization = "anthropic-organization-id", MsRegion = "x-ms-region", GroqRegion = "x-groq-region",
    AmznErrorType = "x-amzn-errortype", Server = "server",
    CfMitigated = "cf-mitigated", LitellmVersion = "x-litellm-version",
    LimitReset = "x-ratelimit-reset", LimitResetRequests = "x-ratelimit-reset-requests",
    LimitResetTokens = "x-ratelimit-reset-tokens", LimitRemaining = "x-ratelimit-remaining",
    LimitRemainingRequests = "x-ratelimit-remaining-requests",
    LimitRemainingTokens = "x-ratelimit-remaining-tokens", DraftReset = "ratelimit-reset",
    DraftRemaining = "ratelimit-remaining", DraftLimits = "ratelimit",
    AnthropicRequestsReset = "anthropic-ratelimit-requests-reset",
    AnthropicRequestsRemaining = "anthropic-ratelimit-requests-remaining",
    AnthropicTokensReset = "anthropic-ratelimit-tokens-reset",
    AnthropicTokensRemaining = "anthropic-ratelimit-tokens-remaining",
    AnthropicInputReset = "anthropic-ratelimit-input-tokens-reset",
    AnthropicInputRemaining = "anthropic-ratelimit-input-tokens-remaining",
    AnthropicOutputReset = "anthropic-ratelimit-output-tokens-reset",
    AnthropicOutputRemaining = "anthropic-ratelimit-output-tokens-remaining",
    LimitLimit = "x-ratelimit-limit", LimitLimitRequests = "x-ratelimit-limit-requests",
    LimitLimitTokens = "x-ratelimit-limit-tokens", DraftLimit = "ratelimit-limit",
    AnthropicRequestsLimit = "anthropic-ratelimit-requests-limit",
    AnthropicTokensLimit = "anthropic-ratelimit-tokens-limit",
    AnthropicInputLimit = "anthropic-ratelimit-input-tokens-limit",
    AnthropicOutputLimit = "anthropic-ratelimit-output-tokens-limit",
}

impl Key {
    /// The first header; all after it are headers.
    pub const FIRST_HEADER: Self = Self::RetryAfter;

    /// The number that crosses.
    #[must_use]
    pub const fn number(self) -> u8 {
        let place = self as u8;
        if place < NO_KEY { place } else { place + 1 }
    }

    /// Returns `true` for a header's name.
    #[must_use]
    pub const fn is_header(self) -> bool {
        self as u8 >= Self::FIRST_HEADER as u8
    }

    /// Returns the property's or header's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.get(self as usize).copied().always()
    }

    /// Returns the key of that name. Headers match in any case.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        if name.len() > LONGEST {
            return None;
        }
        let place = Self::NAMES.iter().position(|known| *known == name);
        place.and_then(|place| Self::ALL.get(place).copied()).or_else(|| Self::header(name))
    }

    /// Returns the key of that number.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        let place = match number.cmp(&NO_KEY) {
            Ordering::Less => number,
            Ordering::Equal => return None,
            Ordering::Greater => number - 1,
        };
        Self::ALL.get(usize::from(place)).copied()
    }

    fn header(name: &str) -> Option<Self> {
        let bare = ["date", "server", "ratelimit"];
        if !name.contains('-') && !bare.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return None;
        }
        Self::ALL.iter().copied().find(|key| key.is_header() && key.name().eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_keys() {
        for &key in Key::ALL {
            assert_eq!(Key::from_name(key.name()), Some(key));
            assert_eq!(Key::from_number(key.number()), Some(key));
        }
        assert_eq!(Key::from_name("Retry-After"), Some(Key::RetryAfter));
        assert_eq!(Key::from_name("authorization"), None);
    }

    #[test]
    fn no_key_has_the_number_of_a_brace() {
        assert_eq!(Key::from_number(b'{'), None);
        assert!(Key::ALL.iter().all(|key| key.number() != b'{'));
        assert!(Key::ALL.iter().any(|key| key.number() > b'{'));
    }

    #[test]
    fn the_bound_is_the_longest_name() {
        assert_eq!(Key::ALL.iter().map(|key| key.name().len()).max(), Some(LONGEST));
    }
}
