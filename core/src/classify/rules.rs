//! The rules: a table, most specific first. The first row whose conditions all hold decides.
//!
//! To add a provider, add rows. A test generates `docs/rules.md` from this table, and [`packed`](super::packed) packs
//! it at compile time into the form that classification reads.

use super::signals::Flag;
use super::token::hash;
use super::vocabulary::{Outcome, WORDING};
use crate::Code;

/// One condition of a rule.
#[derive(Clone, Copy, Debug)]
pub(crate) enum When {
    /// The status is one of these.
    Status(&'static [u16]),
    /// The status is in this range, both ends included.
    Between(u16, u16),
    /// No response with a failing status is behind it.
    NoStatus,
    /// A code, type, reason or name is one of these, whatever their case and separators.
    Any(&'static [u32]),
    /// The name of an error's class is one of these.
    Named(&'static [u32]),
    /// A text says one of these.
    Says(&'static [&'static str]),
    /// The first letters of a text contain one of these literally. This is for texts that must not cost a microsecond.
    Begins(&'static [&'static str]),
    /// A text opens with one of these: for sentences that come without any structure.
    Opens(&'static [&'static str]),
    /// A code or name has one of these, spelled as words: words that codes share, whoever writes them.
    Spells(&'static [&'static str]),
    /// It was observed.
    Is(Flag),
    /// It was not observed.
    Not(Flag),
    /// The JSON-RPC number is one of these.
    Rpc(&'static [i32]),
    /// A name or number of a [`vocabulary`](super::vocabulary) means this.
    Listed(Outcome),
    /// The texts say this in a sentence of the vocabulary.
    Said(Outcome),
    /// A code or name, spelled as words, or else a text has a word or sentence that hints at this.
    Hinted(Outcome),
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) when: &'static [When],
    pub(crate) code: Code,
    /// `true` if sending the same request again can help. Mostly the same as for the code.
    pub(crate) retryable: bool,
    pub(crate) source: &'static str,
}

macro_rules! any {
    ($($name:literal),+ $(,)?) => {{ const H: &[u32] = &[$(hash($name)),+]; When::Any(H) }};
}
macro_rules! named {
    ($($name:literal),+ $(,)?) => {{ const H: &[u32] = &[$(hash($name)),+]; When::Named(H) }};
}

macro_rules! rules {
    ($($id:literal [$($when:expr),* $(,)?] => $code:ident $retry:ident, $source:expr;)+) => {
        pub(crate) const RULES: &[Rule] = &[$(Rule {
            id: $id, when: const { &[$($when),*] }, code: Code::$code, retryable: rules!(@$retry), source: $source,
        }),+];
    };
    (@retry) => { true };
    (@stop) => { false };
}

// Sources that several rows share.
const OPENAI: &str = "https://platform.openai.com/docs/guides/error-codes";
const ANTHROPIC: &str = "https://docs.claude.com/en/api/errors";
const GOOGLE: &str = "https://ai.google.dev/gemini-api/docs/troubleshooting";
const GOOGLE_RPC: &str =
    "https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto";
const GRPC: &str = "https://grpc.github.io/grpc/core/md_doc_statuscodes.html";
const AZURE: &str = "https://learn.microsoft.com/azure/ai-foundry/openai/quotas-limits";
const BEDROCK: &str =
    "https://docs.aws.amazon.com/bedrock/latest/userguide/troubleshooting-api-error-codes.html";
const MISTRAL: &str = "https://docs.mistral.ai/api";
const COHERE: &str = "https://docs.cohere.com/reference/errors";
const GROQ: &str = "https://console.groq.com/docs/errors";
const OPENROUTER: &str = "https://openrouter.ai/docs/api-reference/errors";
const DEEPSEEK: &str = "https://api-docs.deepseek.com/quick_start/error_codes";
const LITELLM: &str = "https://docs.litellm.ai/docs/exception_mapping";
const OLLAMA: &str = "https://github.com/ollama/ollama/blob/main/docs/api.md";
const AI_SDK: &str = "https://ai-sdk.dev/docs/reference/ai-sdk-errors";
const LANGCHAIN: &str = "https://docs.langchain.com/oss/javascript/langchain/errors";
const AGENTS: &str = "https://openai.github.io/openai-agents-js/guides/running-agents/#exceptions";
const MCP: &str = "https://modelcontextprotocol.io/specification/2025-06-18/basic";
const XML_RPC: &str = "https://xmlrpc-epi.sourceforge.net/specs/rfc.fault_codes.php";
const JSON_RPC: &str = "https://www.jsonrpc.org/specification#error_object";
const ETHERS: &str = "https://docs.ethers.org/v6/api/utils/errors/#ErrorCode";
const GETH: &str = "https://github.com/ethereum/go-ethereum/blob/master/eth/api_backend.go";
const REDIRECTS: &str = "https://github.com/follow-redirects/follow-redirects#readme";
const NODE: &str = "https://nodejs.org/api/errors.html";
const GIT: &str = "https://git-scm.com/docs/api-lockfile";
const NODE_CHILD: &str = "https://nodejs.org/api/child_process.html";
const UNDICI: &str = "https://github.com/nodejs/undici/blob/main/docs/docs/api/Errors.md";
const AXIOS: &str = "https://axios-http.com/docs/handling_errors";
const OPENSSL: &str = "https://nodejs.org/api/tls.html#x509-certificate-error-codes";
const DOM: &str = "https://webidl.spec.whatwg.org/#idl-DOMException-error-names";
const FETCH: &str = "https://fetch.spec.whatwg.org/";
const HTTP: &str = "RFC 9110 §15";
const HTTP_429: &str = "RFC 6585 §4";
const IDEMPOTENCY: &str = "https://datatracker.ietf.org/doc/draft-ietf-httpapi-idempotency-key-header/";
const SALESFORCE: &str =
    "https://developer.salesforce.com/docs/atlas.en-us.api_rest.meta/api_rest/errorcodes.htm";
const CLOUDFLARE: &str =
    "https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/";
const NGINX: &str = "https://nginx.org/en/docs/http/ngx_http_core_module.html";
const ECMA: &str = "https://tc39.es/ecma262/#sec-json.parse";
const MDN_INTERNAL_ERROR: &str =
    "https://developer.mozilla.org/en-US/docs/Web/JavaScript/Reference/Global_Objects/InternalError";
const ECMA_ERRORS: &str = "https://tc39.es/ecma262/#sec-native-error-types-used-in-this-standard";
const PYTHON_ERRORS: &str = "https://docs.python.org/3/library/exceptions.html";
const WASM: &str = "https://webassembly.github.io/spec/js-api/";
const CONNECT: &str = "https://connectrpc.com/docs/protocol#error-codes";
const JOSE: &str = "https://github.com/panva/jose/blob/main/docs/util/errors/README.md";
const FAST_JWT: &str = "https://github.com/nearform/fast-jwt/blob/master/src/error.js";
const STRIPE: &str = "https://docs.stripe.com/error-codes";
const DISCORD: &str = "https://discord.com/developers/docs/topics/opcodes-and-status-codes#json";
const CHROMIUM: &str = "https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h";
const LLHTTP: &str = "https://llhttp.org/";
const AWS: &str = "https://docs.aws.amazon.com/awssupport/latest/APIReference/CommonErrors.html";
const AWS_WAITER: &str =
    "https://github.com/smithy-lang/smithy-typescript/blob/main/packages/util-waiter/src/waiter.ts";
const LAMBDA: &str = "https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html#API_Invoke_Errors";
const GITHUB: &str = "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api";
// One of the many lists behind an outcome; docs/rules.md has all of them.
const SQLSTATE: &str = "https://www.postgresql.org/docs/current/errcodes-appendix.html";
const MAIL: &str =
    "https://www.iana.org/assignments/smtp-enhanced-status-codes/smtp-enhanced-status-codes.xhtml";
const KAFKA: &str = "https://kafka.apache.org/protocol.html#protocol_error_codes";
const PRISMA: &str = "https://www.prisma.io/docs/orm/reference/error-reference";
const REDIS: &str = "https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors";
const ERRNO: &str = "https://man7.org/linux/man-pages/man3/errno.3.html";
const OAUTH: &str = "RFC 6749 §5.2, RFC 6750 §3.1";

rules! {
    // ── the caller's own verdict ─────────────────────────────────────────────────────────────────────────────
    "net.http2" [When::NoStatus, When::Says(&["http2 request did not get a response", "http2 session * closed",
        "http2 session * destroyed"])] => NetworkError retry, BEDROCK;
    // The AWS SDK calls a reset connection a TimeoutError, so the code is more precise than the name.
    "net.reset" [named!["TimeoutError"], any!["ECONNRESET", "EPIPE", "ECONNREFUSED", "ENOTFOUND"], When::NoStatus] => NetworkError retry, BEDROCK;
    "timeout.abort" [named!["TimeoutError", "APIConnectionTimeoutError", "RequestTimeoutError",
        "ConnectTimeoutError", "HeadersTimeoutError", "BodyTimeoutError"],
        When::NoStatus, When::Not(Flag::Child)] => Timeout retry, DOM;
    // An abort has no response, so a status beside it is the client's own.
    "timeout.abort.status" [named!["TimeoutError"], When::Status(&[500])] => Timeout retry, DOM;
    "cancelled.rpc" [any!["ABORT_ERR", "ERR_CANCELED", "UND_ERR_ABORTED", "ERR_ABORTED"], When::NoStatus] => Cancelled stop, DOM;
    "cancelled.abort" [named!["AbortError", "APIUserAbortError", "CanceledError", "CancelledError", "CancelError",
        "ResponseAborted", "RequestAbortedError", "UserAbortError", "GoogleGenerativeAIAbortError", "Cancel"],
        When::NoStatus] => Cancelled stop, DOM;
    "cancelled.abort.status" [named!["AbortError"], When::Status(&[500])] => Cancelled stop, DOM;

    // ── child processes: their output can contain any words ──────────────────────────────────────────────────
    "child.spawn_timeout" [When::Is(Flag::SpawnCall), any!["ETIMEDOUT"]] => Timeout retry, NODE_CHILD;
    "child.spawn_arguments" [When::Is(Flag::SpawnCall), any!["E2BIG"]] => ValidationError stop, NODE_CHILD;
    "child.spawn_busy" [When::Is(Flag::SpawnCall), any!["EAGAIN", "ENOMEM", "EMFILE", "ETXTBSY"]] => IoError retry, NODE_CHILD;
    "child.timeout" [When::Is(Flag::KilledChild)] => Timeout retry, NODE_CHILD;
    "child.output" [When::Is(Flag::Child), any!["ERR_CHILD_PROCESS_STDIO_MAXBUFFER"]] => ValidationError stop, NODE_CHILD;
    // A lock file is released later, so an existing one means contention.
    "lock.file" [When::Is(Flag::LockFile), When::NoStatus] => Conflict retry, GIT;
    "child.locked" [When::Is(Flag::Child), When::Says(&["another git process", "could not get lock", "could not lock"])] => Conflict retry, GIT;
    "child.exit" [When::Is(Flag::Child)] => ToolExecutionError stop, NODE_CHILD;
    "child.spawn" [When::Is(Flag::SpawnCall)] => ToolExecutionError stop, NODE_CHILD;

    // ── agents, tools, JSON-RPC ──────────────────────────────────────────────────────────────────────────────
    "agent.max_iterations" [any!["GraphRecursionError", "GRAPH_RECURSION_LIMIT", "MaxTurnsExceededError",
        "MaxIterationsError", "MaxStepsExceededError", "RecursionLimitError"]]
        => MaxIterationsExceeded stop, LANGCHAIN;
    "tool.failed_state" [When::Is(Flag::FailedState)] => ToolExecutionError stop, AWS_WAITER;
    "agent.guardrail" [any!["InputGuardrailTripwireTriggered", "OutputGuardrailTripwireTriggered",
        "guardrail_intervened", "GuardrailExecutionError"]] => ContentFiltered stop, AGENTS;
    "agent.tool_call" [any!["ToolCallError", "ToolExecutionError", "ToolInvocationException", "ToolException"]] => ToolExecutionError stop, AI_SDK;
    "agent.unknown_tool" [any!["NoSuchToolError", "ToolNotFoundError"]] => ToolExecutionError retry, AI_SDK;
    "agent.tool_input" [any!["InvalidToolInputError", "InvalidToolArgumentsError", "ToolCallRepairError",
        "ToolInputParsingException"]] => InvalidResponse retry, AI_SDK;
    "agent.model_behavior" [any!["ModelBehaviorError", "OutputParserException", "OUTPUT_PARSING_FAILURE",
        "StructuredOutputParsingError"]] => InvalidResponse retry, LANGCHAIN;
    "agent.tool_results" [any!["INVALID_TOOL_RESULTS", "MESSAGE_COERCION_FAILURE", "INVALID_PROMPT_INPUT",
        "InvalidUpdateError", "INVALID_CONCURRENT_GRAPH_UPDATE", "MissingToolResultsError"]]
        => ValidationError stop, LANGCHAIN;
    // The messages that the application sent contain an approval that the SDK never requested, or an altered one.
    "agent.tool_approval" [any!["InvalidToolApprovalError", "InvalidToolApprovalSignatureError",
        "ToolCallNotFoundForApprovalError"]] => ValidationError stop, AI_SDK;
    "mcp.unauthorized" [named!["UnauthorizedError", "InvalidTokenError", "InvalidClientError",
        "UnauthorizedClientError", "InvalidGrantError"], When::NoStatus] => AuthenticationError stop, MCP;
    "mcp.timeout" [When::Rpc(&[-32001]), When::Says(&["timed out", "timeout"])] => Timeout retry, MCP;
    // The SDK reports its caller's abort under the timeout's code, with the reason as its text.
    "mcp.cancelled" [When::Rpc(&[-32001]), When::Says(&["aborterror", "aborted", "cancelled", "canceled"])] => Cancelled stop, MCP;
    "mcp.session" [When::Rpc(&[-32001]), When::Says(&["session not found"])] => NotFound stop, MCP;
    "mcp.timeout_unnamed" [When::Rpc(&[-32001]), named!["McpError"]] => Timeout retry, MCP;
    "mcp.connection_closed" [When::Rpc(&[-32000]), When::Says(&["connection closed", "not connected", "transport closed"])] => NetworkError retry, MCP;
    "mcp.resource_not_found" [When::Rpc(&[-32002])] => NotFound stop, MCP;
    // -32000 is called "Server error" for any failure.
    "rpc.reserved" [When::Rpc(&[-32000]), When::Says(&["^server error"])] => ToolExecutionError stop, JSON_RPC;
    "rpc.not_yet" [When::Rpc(&[-32000]), When::Says(&["header not found", "missing trie node"])] => NotFound retry, GETH;
    "rpc.transaction" [any!["NONCE_EXPIRED", "REPLACEMENT_UNDERPRICED", "TRANSACTION_REPLACED"]] => Conflict stop, ETHERS;
    "rpc.not_found" [When::Rpc(&[-32602, -32001, -32000]), When::Says(&["not found"])] => NotFound stop, JSON_RPC;
    // -32700: the server could not parse the request.
    "rpc.invalid_request" [When::Rpc(&[-32700, -32600, -32602])] => ValidationError stop, JSON_RPC;
    "rpc.method_not_found" [When::Rpc(&[-32601])] => ToolExecutionError stop, JSON_RPC;
    "mcp.abort" [When::Rpc(&[-32001]), any!["AbortError", "ABORT_ERR"]] => Cancelled stop, MCP;
    "mcp.url_elicitation" [When::Rpc(&[-32042])] => PermissionDenied stop, MCP;
    "rpc.busy" [When::Is(Flag::Rpc), When::Says(&["busy", "overloaded", "unavailable", "try again later"])] => ProviderOverloaded retry, JSON_RPC;
    "rpc.rate" [When::Is(Flag::Rpc), When::Says(&["rate limit", "too many requests", "throttl"])] => RateLimited retry, JSON_RPC;
    "rpc.transport" [When::Rpc(&[-32300])] => NetworkError retry, XML_RPC;
    "rpc.internal" [When::Rpc(&[-32603, -32400])] => ServerError retry, JSON_RPC;

    // ── a provider's own codes, whatever the status ──────────────────────────────────────────────────────────
    "http.429.insufficient_quota" [When::Status(&[429]), any!["insufficient_quota", "exceeded_current_quota_error",
        "billing_hard_limit_reached", "quota_exceeded", "insufficient_balance", "billing_not_active"]]
        => QuotaExceeded stop, OPENAI;
    "provider.quota" [any!["insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
        "billing_error", "billing_limit_exceeded", "exceeded_current_quota_error",
        "insufficient_balance", "insufficient_credits", "insufficient_funds", "credit_balance_too_low",
        "credits_exhausted", "payment_required", "PaymentRequiredError", "Arrearage",
        "BILLING_DISABLED", "ServiceQuotaExceededException", "BudgetExceededError", "budget_exceeded",
        "spend_limit_reached", "usage_limit_reached", "account_overdue", "AccountOverdueError"]]
        => QuotaExceeded stop, OPENAI;
    "google.limit_zero" [When::Status(&[429]), any!["RESOURCE_EXHAUSTED"], When::Is(Flag::LimitZero)] => QuotaExceeded stop, GOOGLE_RPC;
    "google.limit_zero.text" [When::Status(&[429]), any!["RESOURCE_EXHAUSTED", "GoogleGenerativeAIFetchError"],
        When::Says(&["quota exceeded for * limit 0 ", "limit 0 model"])] => QuotaExceeded stop, GOOGLE;
    "google.long_quota" [When::Status(&[429]), When::Is(Flag::LongQuota)] => QuotaExceeded stop, GOOGLE_RPC;
    "google.capacity" [any!["MODEL_CAPACITY_EXHAUSTED"]] => ProviderOverloaded retry, GOOGLE_RPC;
    "google.api_key" [any!["API_KEY_INVALID", "API_KEY_EXPIRED", "ACCESS_TOKEN_EXPIRED",
        "ACCESS_TOKEN_TYPE_UNSUPPORTED", "ACCOUNT_STATE_INVALID", "CREDENTIALS_MISSING"]]
        => AuthenticationError stop, GOOGLE_RPC;
    "google.no_identity" [When::Status(&[401, 403]), When::Says(&["unregistered callers", "reported as leaked",
        "api key was reported", "without established identity"])] => AuthenticationError stop, GOOGLE;
    "google.location" [When::Between(400, 403), When::Says(&["location is not supported"])] => PermissionDenied stop, GOOGLE;
    "google.service_disabled" [any!["SERVICE_DISABLED", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED",
        "API_KEY_IP_ADDRESS_BLOCKED", "API_KEY_ANDROID_APP_BLOCKED",
        "API_KEY_IOS_APP_BLOCKED", "CONSUMER_SUSPENDED", "CONSUMER_INVALID", "USER_PROJECT_DENIED",
        "LOCATION_POLICY_VIOLATED", "SECURITY_POLICY_VIOLATED", "IAM_PERMISSION_DENIED",
        "ACCESS_TOKEN_SCOPE_INSUFFICIENT"]] => PermissionDenied stop, GOOGLE_RPC;
    "provider.context_length" [any!["context_length_exceeded", "exceed_context_size_error",
        "ContextWindowExceededError", "ContextOverflowError", "ContextLengthExceededError", "context_window_exceeded",
        "model_context_window_exceeded", "max_context_length_exceeded", "prompt_too_long", "input_too_long",
        "context_overflow", "CONTEXT_LENGTH_EXCEEDED", "context_length", "tokens_limit_exceeded"]]
        => ContextLengthExceeded stop, LITELLM;
    "provider.content_filter" [any!["content_filter", "content_policy_violation", "ContentPolicyViolationError",
        "ResponsibleAIPolicyViolation", "ContentFilterFinishReasonError", "moderation_blocked",
        "content_blocked", "content_moderation", "safety_violation", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII",
        "IMAGE_SAFETY", "data_inspection_failed", "invalid_prompt", "flagged_input", "moderation",
        "image_content_policy_violation", "content_filtered", "blocked_by_safety", "sensitive_content",
        "ContentFilteredException", "refusal", "SAFETY", "RECITATION"], When::Not(Flag::Issues)]
        => ContentFiltered stop, OPENAI;
    "provider.region" [any!["unsupported_country_region_territory", "unsupported_region", "region_not_supported",
        "unsupported_country"]] => PermissionDenied stop, OPENAI;
    "provider.model_not_ready" [any!["ModelNotReadyException", "model_loading", "model_not_ready"]] => ProviderOverloaded retry, BEDROCK;
    "provider.model_not_found" [any!["model_not_found", "DeploymentNotFound", "ModelNotFoundError",
        "model_not_available", "model_decommissioned", "model_deprecated", "unknown_model", "no_such_model",
        "invalid_model", "model_not_exist", "ModelNotFound", "model_not_supported", "DeploymentModelNotFound",
        "InvalidModelError", "unsupported_model", "model_unavailable"]] => ModelNotFound stop, OPENAI;

    "provider.model_resource" [any!["ResourceNotFoundException"], When::Says(&["^model", "this model", "the model",
        "foundation model"])] => ModelNotFound stop, BEDROCK;

    // ── SDKs that fail before they send a request ────────────────────────────────────────────────────────────
    "sdk.no_key" [any!["LoadAPIKeyError", "LoadSettingError", "CredentialsProviderError", "MissingApiKeyError",
        "no_api_key", "missing_api_key", "ProviderNotConfiguredError", "TokenProviderError"], When::NoStatus]
        => ProviderNotConfigured stop, AI_SDK;
    "sdk.no_provider" [any!["NoSuchProviderError", "UnsupportedModelVersionError", "UnsupportedFunctionalityError",
        "NoImplementationError", "ProviderNotSupportedError"]] => ProviderNotSupported stop, AI_SDK;
    "sdk.no_model_kind" [any!["NoSuchModelError"], When::Is(Flag::OtherModelKind)] => ProviderNotSupported stop, AI_SDK;
    "sdk.no_model" [any!["NoSuchModelError"]] => ModelNotFound stop, AI_SDK;
    "net.invalid_argument" [any!["UND_ERR_INVALID_ARG"], When::NoStatus] => ConfigError stop, UNDICI;
    "sdk.prompt" [any!["InvalidPromptError", "InvalidArgumentError", "InvalidMessageRoleError",
        "MessageConversionError", "InvalidDataContentError", "TooManyEmbeddingValuesForCallError",
        "UIMessageStreamError", "InvalidStreamPartError"], When::NoStatus] => ValidationError stop, AI_SDK;
    "sdk.finish_length" [named!["LengthFinishReasonError"]] => InvalidResponse stop, OPENAI;
    "sdk.no_key.text" [When::NoStatus, When::Opens(&["missing credentials", "must provide a secret",
        "api token must be", "access token must be", "no access token", "no accesstoken", "api token not provided",
        "access token is required", "api token is required", "missing api token", "missing access token",
        "could not resolve authentication method", "authentication is not set up",
        "could not load the default credentials", "unauthenticated request to ai gateway", "no api key",
        "missing api key", "api key is missing", "api key not set", "api key is not set", "api key not found",
        "api key is required", "api key required", "an api key must be set", "api key must be set when using",
        "api key must be provided", "could not load credentials from any providers", "credential is missing",
        "unable to locate credentials", "no auth credentials", "please set an api key", "please provide an api key",
        "must provide an api key", "_api_key environment variable", "could not find an api key"])]
        => ProviderNotConfigured stop, OPENAI;
    "sdk.no_key.variable" [When::NoStatus, When::Says(&["openai_api_key", "anthropic_api_key", "google_api_key",
        "gemini_api_key", "mistral_api_key", "groq_api_key", "co_api_key", "cohere_api_key", "azure_openai_api_key",
        "api_key environment variable is missing", "environment variable is missing or empty"]),
        When::Says(&["missing", "not set", "not found", "must be", "required", "provide", "undefined", "empty",
        "unset"])] => ProviderNotConfigured stop, OPENAI;
    "sdk.long_request" [When::NoStatus, When::Says(&["^streaming is required for operations",
        "^streaming is strongly recommended"])] => ValidationError stop, ANTHROPIC;
    "sdk.stream_without_end" [When::NoStatus, When::Says(&["^stream ended without producing",
        "^request ended without sending any chunks", "^stream has ended * without",
        "^did not receive done or success", "^incomplete json segment", "^stream ended before",
        "^missing finish_reason", "unexpected end of stream", "^stream closed before", "^stream ended prematurely",
        "^unexpected event order"])] => InvalidResponse retry, ANTHROPIC;

    // The statements of a failed transaction have no effect until it is rolled back.
    "sql.aborted_transaction" [any!["25P02"]] => Conflict stop, SQLSTATE;
    "code.long_limit" [any!["REQUEST_LIMIT_EXCEEDED"], When::Says(&["totalrequests limit"])] => QuotaExceeded stop, SALESFORCE;

    // ── vocabularies: names and numbers that published lists explain ─────────────────────────────────────────
    // A parser that names its file read no response.
    "config.file" [When::NoStatus, When::Is(Flag::FileOfSettings), When::Is(Flag::BadJson)] => ConfigError stop, ECMA;
    "fs.not_empty" [any!["ENOTEMPTY"], When::NoStatus] => Conflict stop, ERRNO;
    "config.file.parsed" [When::NoStatus, When::Is(Flag::FileOfSettings), When::Listed(Outcome::Invalid)] => ConfigError stop, WORDING;
    "listed.authentication" [When::Listed(Outcome::Authentication)] => AuthenticationError stop, SQLSTATE;
    "listed.exists" [When::Listed(Outcome::Exists)] => AlreadyExists stop, SQLSTATE;
    "listed.quota" [When::Listed(Outcome::Quota)] => QuotaExceeded stop, MAIL;
    "listed.filtered" [When::Listed(Outcome::Filtered)] => ContentFiltered stop, MAIL;
    "listed.permission" [When::Listed(Outcome::Permission)] => PermissionDenied stop, SQLSTATE;
    "listed.rate" [When::Listed(Outcome::Rate)] => RateLimited retry, MAIL;
    "listed.conflict" [When::Listed(Outcome::Conflict)] => Conflict retry, SQLSTATE;
    "listed.overloaded" [When::Listed(Outcome::Overloaded)] => ProviderOverloaded retry, SQLSTATE;
    "listed.not_yet" [When::Listed(Outcome::NotYet)] => NotFound retry, KAFKA;
    "listed.missing" [When::Listed(Outcome::Missing)] => NotFound stop, SQLSTATE;
    "listed.invalid" [When::Listed(Outcome::Invalid)] => ValidationError stop, SQLSTATE;
    "listed.unsupported" [When::Listed(Outcome::Unsupported)] => ValidationError stop, SQLSTATE;
    "listed.config" [When::Listed(Outcome::Config)] => ConfigError stop, PRISMA;
    "listed.timeout" [When::Listed(Outcome::Timeout)] => Timeout retry, SQLSTATE;
    "listed.cancelled" [When::Listed(Outcome::Cancelled)] => Cancelled stop, SQLSTATE;
    "listed.server" [When::Listed(Outcome::Server)] => ServerError retry, SQLSTATE;
    "listed.defect" [When::Listed(Outcome::Defect)] => ServerError stop, REDIS;
    "listed.trust" [When::Listed(Outcome::Trust)] => NetworkError stop, CHROMIUM;
    "listed.network" [When::Listed(Outcome::Network)] => NetworkError retry, SQLSTATE;
    "listed.bad_answer" [When::Listed(Outcome::BadAnswer)] => InvalidResponse stop, NODE;
    "listed.cut_answer" [When::Listed(Outcome::CutAnswer)] => InvalidResponse retry, CHROMIUM;
    "listed.io" [When::Listed(Outcome::Io)] => IoError stop, ERRNO;
    "listed.io_busy" [When::Listed(Outcome::IoBusy)] => IoError retry, ERRNO;
    "listed.limit" [When::Listed(Outcome::Limit)] => ProviderOverloaded stop, REDIS;
    "listed.tool" [When::Listed(Outcome::Tool)] => ToolExecutionError stop, NODE;
    "child.message.node" [When::NoStatus, When::Begins(&["Command failed: "])] => ToolExecutionError stop, NODE_CHILD;
    "child.message" [When::NoStatus, When::Says(&["^command failed with", "exited with a non", "exited with code",
        "exited with status", "command * exited with"])] => ToolExecutionError stop, NODE_CHILD;

    // ── TLS: a certificate does not repair itself ────────────────────────────────────────────────────────────
    "net.tls" [any!["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
        "UNABLE_TO_GET_ISSUER_CERT", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID",
        "CERT_REVOKED", "CERT_UNTRUSTED", "CERT_REJECTED", "CERT_SIGNATURE_FAILURE", "HOSTNAME_MISMATCH",
        "INVALID_CA", "INVALID_PURPOSE", "ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER",
        "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
        "ERR_SSL_TLSV1_UNRECOGNIZED_NAME", "ERR_SSL_UNSUPPORTED_PROTOCOL", "ERR_SSL_PACKET_LENGTH_TOO_LONG",
        "ERR_SSL_NO_PROTOCOLS_AVAILABLE", "ERR_SSL_HTTP_REQUEST", "EPROTO"]] => NetworkError stop, OPENSSL;
    "net.tls.text" [When::NoStatus, When::Says(&["self signed certificate", "certificate has expired",
        "unable to verify the first certificate", "unable to get local issuer certificate",
        "certificate verify failed", "does not match certificates altnames",
        "certificate signed by unknown authority", "invalid peer certificate", "err_cert_", "err_ssl_",
        "sec_error_", "ssl_error_"])] => NetworkError stop, CHROMIUM;
    "net.bad_port" [When::NoStatus, When::Says(&["^bad port"])] => ConfigError stop, FETCH;
    "net.bad_redirect" [any!["ERR_FR_REDIRECTION_FAILURE"], When::Says(&["invalid url", "unsupported protocol"])] => InvalidResponse stop, REDIRECTS;
    "net.bad_address" [any!["ERR_INVALID_URL", "ERR_INVALID_PROTOCOL", "ERR_UNSUPPORTED_PROTOCOL",
        "ERR_UNESCAPED_CHARACTERS", "ERR_INVALID_CHAR", "ERR_HTTP_INVALID_HEADER_VALUE", "ERR_INVALID_HTTP_TOKEN"],
        When::NoStatus] => ConfigError stop, NODE;
    "net.bad_address.text" [When::NoStatus, named!["TypeError"], When::Says(&["^failed to parse url",
        "^invalid url", "is an invalid header value", "is not a legal http header value",
        "^cannot convert argument to a bytestring", "^unknown scheme", "^url scheme must be",
        "invalid value for header", "^only absolute urls", "cannot be parsed as a url",
        "^failed to construct invalid url", "is not a valid url", "url is invalid", "string contains non"])]
        => ConfigError stop, FETCH;
    "net.unknown_scheme" [When::NoStatus, When::Says(&["^unknown scheme", "^invalid url protocol"])] => ConfigError stop, FETCH;

    // ── timeouts and connections, by errno ───────────────────────────────────────────────────────────────────
    "net.not_http.class" [named!["HTTPParserError"], When::NoStatus] => InvalidResponse stop, LLHTTP;
    "net.redirects" [When::NoStatus, When::Says(&["redirect count exceeded", "too many redirects",
        "maximum number of redirects exceeded", "err_too_many_redirects", "maximum redirect reached",
        "maximum redirects reached", "maximum redirections reached", "max redirects exceeded",
        "redirected * times"])] => InvalidResponse stop, FETCH;
    "net.wrapped" [When::Status(&[500]), any!["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "EPIPE",
        "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_SOCKET"], When::Not(Flag::Answered)] => NetworkError retry, NODE;
    "net.http2.error" [any!["ERR_HTTP2_ERROR", "ERR_HTTP2_SESSION_ERROR"], When::NoStatus] => NetworkError retry, NODE;
    "timeout.errno" [any!["ETIMEDOUT", "ESOCKETTIMEDOUT", "ETIME", "UND_ERR_HEADERS_TIMEOUT",
        "UND_ERR_BODY_TIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ERR_SOCKET_CONNECTION_TIMEOUT",
        "ERR_HTTP_REQUEST_TIMEOUT", "ERR_TLS_HANDSHAKE_TIMEOUT", "ERR_QUIC_CONNECTION_TIMED_OUT"], When::NoStatus]
        => Timeout retry, UNDICI;
    "timeout.axios" [any!["ECONNABORTED"], When::NoStatus, When::Says(&["timed out", "timeout"])] => Timeout retry, AXIOS;
    "net.errno" [any!["ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ENOTFOUND", "EAI_AGAIN", "EAI_FAIL",
        "EAI_NODATA", "EAI_NONAME", "ENETUNREACH", "ENETDOWN", "ENETRESET", "EHOSTUNREACH", "EHOSTDOWN", "ENOTCONN",
        "ESHUTDOWN", "UND_ERR_SOCKET", "UND_ERR_CLOSED", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH", "UND_ERR_INFO",
        "ERR_NETWORK", "ERR_STREAM_PREMATURE_CLOSE", "ERR_SOCKET_CLOSED", "ERR_SOCKET_CLOSED_BEFORE_CONNECTION",
        "ERR_HTTP2_STREAM_ERROR", "ERR_HTTP2_SESSION_ERROR", "ERR_HTTP2_GOAWAY_SESSION", "ERR_HTTP2_STREAM_CANCEL",
        "ERR_STREAM_DESTROYED", "HPE_INVALID_EOF_STATE", "HPE_CLOSED_CONNECTION", "HPE_INTERNAL", "ConnectionReset",
        "FailedToOpenSocket", "DNSException", "ENONET", "ECONNRESETBYPEER"], When::NoStatus] => NetworkError retry,
        NODE;

    // ── files ────────────────────────────────────────────────────────────────────────────────────────────────
    "fs.call" [When::Is(Flag::FileCall), When::NoStatus] => IoError stop, NODE;
    "net.call" [When::Is(Flag::NetCall), When::NoStatus] => NetworkError retry, NODE;

    // ── starting up ──────────────────────────────────────────────────────────────────────────────────────────
    "init.module" [any!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED",
        "ERR_PACKAGE_IMPORT_NOT_DEFINED", "ERR_UNSUPPORTED_DIR_IMPORT", "ERR_DLOPEN_FAILED", "ERR_REQUIRE_ESM",
        "ERR_UNKNOWN_FILE_EXTENSION", "ERR_UNSUPPORTED_ESM_URL_SCHEME", "ERR_UNKNOWN_BUILTIN_MODULE"]]
        => InitializationError stop, NODE;
    "init.wasm" [named!["CompileError", "LinkError"]] => InitializationError stop, WASM;
    "init.wasm.text" [When::NoStatus, When::Says(&["^webassembly.instantiate", "^webassembly.compile",
        "^webassembly.module", "^webassembly.instance"])] => InitializationError stop, WASM;

    // ── the provider's words, within a status that allows them ───────────────────────────────────────────────
    "http.402.card" [any!["card_error", "StripeCardError"]] => ValidationError stop, STRIPE;
    "http.402" [When::Status(&[402])] => QuotaExceeded stop, OPENROUTER;
    "http.quota.text" [When::Between(400, 422), When::Said(Outcome::Quota)] => QuotaExceeded stop, DEEPSEEK;
    "http.content_filter.text" [When::Between(400, 422), When::Says(&["content exists risk", "content management policy", "content filter",
        "content policy", "our safety system", "usage policy", "usage policies", "potentially violating",
        "flagged by", "was flagged", "content moderation", "blocked by safety", "inappropriate content",
        "moderation policy", "safety reasons", "blocked due to", "blocked by our content", "responsible ai",
        "prohibited content", "violates our", "safety policies", "blocked by guardrail", "requires moderation",
        "automatic moderation", "sensitive content", "has been blocked"]), When::Not(Flag::BotWall),
        When::Not(Flag::Html)] => ContentFiltered stop, AZURE;
    "http.key.text" [When::Between(400, 403), When::Said(Outcome::Authentication), When::Not(Flag::Html)] => AuthenticationError stop, OPENAI;
    "http.output_limit.text" [When::Status(&[400, 422]), When::Says(&["^max_tokens", "^max_completion_tokens",
        "^max_output_tokens", "^400 max_tokens", "maximum allowed number of output tokens",
        "completion tokens whereas you provided", "unable to submit request because it has a max_output_tokens",
        "max_tokens must be"])] => ValidationError stop, ANTHROPIC;
    "http.context_length.text" [When::Status(&[400, 413, 422, 500]), When::Says(&["prompt is too long",
        "context window", "exceed context limit", "exceeds context limit", "exceed the context", "context size",
        "context length", "exceeds the maximum number of tokens", "input token count", "input is too long",
        "input length * exceed", "too many tokens", "too many input tokens", "exceeds the models maximum",
        "maximum prompt length", "prompt tokens * exceed", "prompt contains * tokens",
        "exceeds the limit of * tokens", "number of tokens * exceed", "number of input tokens",
        "reduce the length of the messages", "reduce your prompt", "inputs tokens", "token limit exceeded",
        "exceeds token limit", "larger than * tokens", "context_length_exceeded", "greater than the context",
        "prompt too long", "longer than the models", "longer than the maximum", "maximum input length",
        "tokens in request * exceed", "total tokens * exceed", "exceeds maximum context", "exceed max_seq_len",
        "exceeds max length", "exceeds n_ctx", "context overflow"])] => ContextLengthExceeded stop, ANTHROPIC;
    "http.404.model.text" [When::Status(&[404]), When::Says(&["^model", "^404 model", "^the model",
        "^404 the model", "^models", "model * not found", "model does not exist", "deployment * does not exist",
        "end of its life"]), When::Not(Flag::Html)] => ModelNotFound stop, ANTHROPIC;
    "http.model.text" [When::Between(400, 404), When::Says(&["model * does not exist", "models * is not found",
        "unknown model", "model not exist", "model not found", "model_not_found", "no such model", "invalid model",
        "model identifier is invalid", "model has been decommissioned", "model has been deprecated",
        "model was deprecated", "model is not supported", "model is not available", "the requested model * is not",
        "no endpoints found", "not a valid model", "could not resolve the foundation model",
        "no healthy deployments", "try pulling it first", "failed to load model", "invocation of model id",
        "publisher model", "no allowed providers", "does not have access to model", "dont have access to the model",
        "access to the model with the specified"]),
        When::Not(Flag::Html), When::Not(Flag::Issues)] => ModelNotFound stop, OLLAMA;
    "http.region.text" [When::Between(400, 403), When::Says(&["country region or territory not supported",
        "not available in your region", "not available in your country", "unsupported country",
        "not supported in your region"])] => PermissionDenied stop, OPENAI;

    // ── evidence against a status that is used loosely ───────────────────────────────────────────────────────
    "evidence.timeout" [When::Status(&[400, 403, 409, 422, 440, 500, 503]), When::Spells(&["request timeout", "timed out", "time out"])] => Timeout retry, AWS;
    "evidence.clock" [When::Status(&[400, 403]), When::Spells(&["time too skewed", "request expired"])] => AuthenticationError stop, AWS;
    "evidence.output" [any!["tool_use_failed", "json_validate_failed", "output_parse_failed"]] => InvalidResponse retry, GROQ;
    "http.5xx.overloaded" [When::Between(500, 599), any!["overloaded_error", "overloaded", "UNAVAILABLE",
        "slow_down", "engine_overloaded", "engine_overloaded_error", "ServiceUnavailableException",
        "model_overloaded", "OverloadedError", "OverloadedException"]] => ProviderOverloaded retry, ANTHROPIC;
    "evidence.rate" [When::Status(&[400, 403, 409, 412, 422, 502, 503]), When::Spells(&["throttl", "too many write",
        "too many requests", "rate limit", "ratelimit", "rate exceeded", "request limit", "throughput exceeded",
        "over limit", "slow down"])] => RateLimited retry, AWS;
    "evidence.rate.text" [When::Status(&[403]), When::Says(&["rate limit", "too many requests", "abuse detection"])] => RateLimited retry, GITHUB;
    "evidence.rate.header" [When::Status(&[403]), When::Is(Flag::LimitReached)] => RateLimited retry, GITHUB;
    "evidence.quota" [When::Status(&[400, 403, 409, 412, 422, 502]), When::Spells(&["quota", "insufficient space",
        "storage exceeded", "limit reached", "daily limit", "monthly limit", "insufficient funds",
        "insufficient credit", "billing", "spending limit", "spend limit", "limit exceeded", "usage exceeded"])]
        => QuotaExceeded stop, GOOGLE_RPC;
    "evidence.quota.count" [When::Status(&[400, 403, 422]), When::Says(&["maximum number of * reached", "limit reached"])] => QuotaExceeded stop, DISCORD;
    "evidence.quota.text" [When::Status(&[401, 403]), When::Says(&["quota", "upgrade your plan", "credits exceeded",
        "limits exceeded", "billing account"])] => QuotaExceeded stop, GOOGLE_RPC;
    "evidence.server" [When::Status(&[400]), When::Spells(&["backend error", "job internal error"])]
        => ServerError retry, "https://cloud.google.com/bigquery/docs/error-messages";
    "evidence.precondition" [When::Status(&[400]), When::Spells(&["conditional check", "condition not met", "precondition not met"])] => Conflict stop, AWS;
    "evidence.archived" [When::Status(&[409]), When::Spells(&["archived", "read only", "not empty", "reset "])] => Conflict stop, GRPC;
    "evidence.transaction" [any!["TransactionCanceledException"], When::Says(&["transactionconflict",
        "throttlingerror", "provisionedthroughputexceeded"])] => Conflict retry, AWS;
    "evidence.transaction.final" [any!["TransactionCanceledException"]] => Conflict stop, AWS;
    "evidence.long_limit.code" [When::Status(&[429]), When::Spells(&["daily ", "monthly "])] => QuotaExceeded stop, GOOGLE_RPC;
    "evidence.long_limit" [When::Status(&[429]), When::Says(&["count quota", "current month", "this month",
        "per month", "monthly", "daily * limit", "daily * budget"]), When::Not(Flag::ShortQuota)]
        => QuotaExceeded stop, GOOGLE_RPC;
    "evidence.conflict.text" [When::Status(&[400, 403, 409, 422]), When::Says(&["has changed since",
        "modified since", "not match the current version", "already active", "not in flight",
        "deleted but recoverable"])] => Conflict stop, HTTP;
    "evidence.exists" [When::Status(&[400, 403, 409, 412, 422]), When::Spells(&["already exist", "already own",
        "already taken", "already in use", "name taken", "name exists", "duplicate", "not unique", "uniqueness",
        "conflict file", "conflict folder"])] => AlreadyExists stop, GRPC;
    "evidence.exists.text" [When::Status(&[400, 409, 412, 422]), When::Said(Outcome::Exists), When::Not(Flag::Html)] => AlreadyExists stop, WORDING;
    "evidence.exists.hint" [When::Status(&[409]), When::Says(&["duplicate"])] => AlreadyExists stop, HTTP;
    "evidence.idempotency" [When::Status(&[409, 422]), When::Spells(&["invalid idempoten", "idempotency mismatch",
        "idempotency key reused"])] => ValidationError stop, IDEMPOTENCY;
    "evidence.conflict" [When::Status(&[400, 409, 412, 422]), When::Spells(&["conflict", "in progress", "in use",
        "lock", "busy", "concurrent", "deadlock", "contention", "lease", "try again", "not ready",
        "deleted recently", "being "])] => Conflict retry, GRPC;
    // Only sentences that no faulty request can cause. Other sentences about contention also describe a precondition.
    "evidence.deadlock" [When::Status(&[400, 422]), When::Says(&["deadlock found", "deadlock detected",
        "deadlock victim", "serialization failure", "could not serialize", "write conflict"])] => Conflict retry,
        "https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html";
    "evidence.auth" [When::Status(&[400, 403, 409]), When::Spells(&["unauthenticated", "authentication",
        "auth failed", "invalid auth", "invalid token", "token expired", "expired token", "token revoked",
        "invalid credential", "bad credential", "invalid access key", "signature does not match",
        "invalid signature", "invalid api key", "invalid grant", "invalid client", "login required",
        "session expired", "incomplete signature", "invalid jwt", "unrecognized client", "invalid security"])]
        => AuthenticationError stop, OAUTH;
    "evidence.extra" [any!["extra_forbidden"]] => ValidationError stop, HTTP;
    "evidence.permission" [When::Status(&[400, 409, 422, 502]), When::Spells(&["access denied", "forbidden",
        "restricted", "not confirmed", "not verified", "permission", "not allowed", "not authorized",
        "operation not permitted"])] => PermissionDenied stop, GRPC;
    "evidence.permission.text" [When::Status(&[400, 422]), When::Says(&["unverified", "unsubscribed",
        "not verified", "verify your", "not confirmed", "pending approval"]), When::Not(Flag::Html)]
        => PermissionDenied stop, HTTP;
    "evidence.invalid" [When::Status(&[409, 502]), When::Spells(&["malformed", "disallowed", "too many files",
        "invalid zip", "invalid runtime"])] => ValidationError stop, LAMBDA;
    "evidence.not_found" [When::Status(&[400, 409]), When::Spells(&["not found", "no such", "non existent",
        "not exist", "resource missing"])] => NotFound stop, GRPC;
    "evidence.not_found.text" [When::Status(&[400, 422]), When::Says(&["not found$"]), When::Not(Flag::Html)] => NotFound stop, GRPC;

    // ── statuses ─────────────────────────────────────────────────────────────────────────────────────────────
    "http.407" [When::Status(&[407])] => NetworkError stop, "RFC 9110 §15.5.8";
    "http.401.permission" [When::Status(&[401]), When::Says(&["insufficient permission", "missing scopes",
        "access denied", "denied access", "account disabled", "account is disabled", "not have permission",
        "account locked", "user locked"])] => PermissionDenied stop, OPENAI;
    "http.401.permission.code" [When::Status(&[401]), When::Spells(&["restricted", "insufficient permission",
        "insufficient scope", "missing scope", "suspended"])] => PermissionDenied stop, GRPC;
    "http.401" [When::Status(&[401])] => AuthenticationError stop, "RFC 9110 §15.5.2";
    "http.403" [When::Status(&[403])] => PermissionDenied stop, "RFC 9110 §15.5.4";
    "http.404" [When::Status(&[404, 410])] => NotFound stop, "RFC 9110 §15.5.5";
    "http.408" [When::Status(&[408])] => Timeout retry, "RFC 9110 §15.5.9";
    "http.408.bedrock" [any!["ModelTimeoutException"]] => Timeout retry, BEDROCK;
    "http.409" [When::Status(&[409])] => Conflict retry, HTTP;
    "http.412" [When::Status(&[412])] => Conflict stop, "RFC 9110 §15.5.13";
    "http.413.rate_limit" [When::Status(&[413]), any!["rate_limit_exceeded"]] => RateLimited stop, GROQ;
    "http.413" [When::Status(&[413])] => ValidationError stop, "RFC 9110 §15.5.14";
    "http.424.bedrock" [When::Status(&[424]), any!["ModelErrorException", "ModelStreamErrorException"]] => ServerError retry, BEDROCK;
    "http.449" [When::Status(&[449])] => Conflict retry, "https://learn.microsoft.com/rest/api/cosmos-db/http-status-codes-for-cosmosdb";
    "http.425" [When::Status(&[425])] => ServerError retry, "RFC 8470 §5.2";
    "http.429.request_too_large" [When::Status(&[429]), When::Begins(&["Request too large"])] => RateLimited stop, OPENAI;
    "http.429.capacity" [When::Status(&[429]), any!["NoCapacity", "engine_overloaded", "engine_overloaded_error",
        "overloaded_error", "overloaded", "service_tier_capacity_exceeded", "capacity_exceeded",
        "ModelCapacityExceeded"]] => ProviderOverloaded retry, MISTRAL;
    "http.429.rate_limit" [When::Status(&[429]), any!["rate_limit_exceeded", "rate_limit_error",
        "ThrottlingException", "TooManyRequestsException", "rate_limit_reached_error", "RateLimitReached"]]
        => RateLimited retry, OPENAI;
    "http.429.capacity.text" [When::Status(&[429]), When::Says(&["no capacity available",
        "experiencing high demand", "service tier capacity exceeded", "is overloaded",
        "engine is currently overloaded", "model is currently overloaded", "at capacity", "server is busy",
        "capacity exceeded for this model"])] => ProviderOverloaded retry, AZURE;
    "http.429.resource_exhausted" [When::Status(&[429]), any!["RESOURCE_EXHAUSTED", "GoogleGenerativeAIFetchError"]] => RateLimited retry, GOOGLE_RPC;
    "http.429.short_quota" [When::Status(&[429]), When::Is(Flag::ShortQuota)] => RateLimited retry, GOOGLE_RPC;
    "http.429.billing.text" [When::Status(&[429]), When::Says(&["exceeded your current quota",
        "insufficient balance", "credit balance", "out of credits", "check your plan and billing",
        "monthly usage limit", "monthly spend", "monthly quota", "purchase more credits", "trial key * month",
        "1000 api calls * month", "monthly limit", "weekly limit", "add credits", "usage limit reached",
        "recharge your account", "free models per day", "suspended due to insufficient"])] => QuotaExceeded stop,
        COHERE;
    "http.429" [When::Status(&[429])] => RateLimited retry, HTTP_429;
    "http.419" [When::Status(&[419, 440, 511])] => AuthenticationError stop, "RFC 6585 §6";
    "http.420" [When::Status(&[420])] => RateLimited retry, HTTP_429;
    "http.499" [When::Status(&[499])] => Cancelled stop, NGINX;
    "http.498" [When::Status(&[498])] => ProviderOverloaded retry, GROQ;
    "http.529" [When::Status(&[529])] => ProviderOverloaded retry, ANTHROPIC;
    "http.5xx.overloaded.text" [When::Between(500, 599), When::Says(&["overloaded", "^slow down", "^503 slow down",
        "at capacity", "over capacity", "high demand", "server is busy", "high load", "server busy",
        "queue is full", "maximum pending requests exceeded"]), When::Not(Flag::Html)] => ProviderOverloaded retry,
        OPENAI;
    "http.503.model_loading" [When::Status(&[503]), When::Says(&["is currently loading", "model is loading",
        "loading model"])] => ProviderOverloaded retry, "https://huggingface.co/docs/inference-providers";
    // Memory does not grow on a local runner: https://github.com/ollama/ollama/blob/main/docs/faq.md.
    "http.5xx.memory" [When::Status(&[500]), When::Says(&["requires more system memory", "more memory than",
        "cuda out of memory", "cuda error out of memory"])] => ServerError stop, OLLAMA;
    "http.504" [When::Status(&[504, 522, 524, 598, 599])] => Timeout retry, CLOUDFLARE;
    "http.5xx.timeout" [When::Between(500, 599), any!["DEADLINE_EXCEEDED", "timeout_error", "ModelTimeoutException", "request_timeout"]] => Timeout retry, GRPC;
    "http.5xx.timeout.text" [When::Between(500, 503), When::Says(&["deadline exceeded"]), When::Not(Flag::Html)] => Timeout retry, GRPC;
    "http.501" [When::Status(&[501, 505])] => ProviderNotSupported stop, "RFC 9110 §15.6.2";
    "http.526" [When::Status(&[525, 526])] => NetworkError stop, CLOUDFLARE;
    "http.507" [When::Status(&[507])] => QuotaExceeded stop, "RFC 4918 §11.5";
    "http.5xx" [When::Between(500, 599)] => ServerError retry, HTTP;
    "http.400" [When::Status(&[400, 405, 406, 411, 412, 414, 415, 416, 421, 422, 426, 428, 431])] => ValidationError stop, HTTP;
    "http.423" [When::Status(&[423])] => Conflict retry, "RFC 4918 §11.3";
    "http.451" [When::Status(&[451])] => PermissionDenied stop, "RFC 7725";
    "http.4xx" [When::Between(400, 499)] => ValidationError stop, HTTP;

    // ── codes without a status: errors inside a stream, copies, gRPC ─────────────────────────────────────────
    "code.too_large" [any!["RESOURCE_EXHAUSTED"], When::Says(&["larger than max", "message too large",
        "exceeds maximum size", "message length"])] => ValidationError stop, GRPC;
    "code.data_loss" [any!["DATA_LOSS"]] => ServerError stop, GRPC;
    "code.precondition" [When::NoStatus, any!["FAILED_PRECONDITION", "PRECONDITION_FAILED"], When::Not(Flag::Html)] => Conflict stop, GRPC;
    "code.content_type" [When::NoStatus, When::Says(&["unsupported content type", "unexpected content type",
        "invalid content type"])] => InvalidResponse stop, CONNECT;
    "code.unknown" [named!["ConnectError"], any!["unknown"]] => Unknown stop, CONNECT;
    "code.rate_limit.too_large" [any!["rate_limit_exceeded"], When::Begins(&["Request too large"])] => RateLimited stop, OPENAI;
    "code.long_quota" [When::Is(Flag::LongQuota)] => QuotaExceeded stop, GOOGLE_RPC;
    "code.limit_zero" [any!["RESOURCE_EXHAUSTED"], When::Is(Flag::LimitZero)] => QuotaExceeded stop, GOOGLE_RPC;
    "code.rate_limit" [any!["rate_limit_exceeded", "rate_limit_error", "rate_limited", "rate_limit",
        "too_many_requests", "ThrottlingException", "ThrottledException", "TooManyRequestsException",
        "TooManyRequestsError", "RateLimitError", "RateLimitExceeded", "RESOURCE_EXHAUSTED", "MODEL_RATE_LIMIT",
        "rate_limit_reached_error", "RateLimitExceededError", "requests_limit_reached", "throttling", "Throttling",
        "RequestLimitExceeded", "LimitExceededException", "ERR_RATE_LIMIT"]] => RateLimited retry, OPENAI;
    "code.unreachable" [When::NoStatus, any!["UNAVAILABLE"], When::Says(&["name resolution failed",
        "connection dropped", "connection closed", "connection refused", "connection reset", "connect econn",
        "read econn", "failed to connect", "last error", "socket closed", "protocol error", "goaway",
        "transport is closing", "keepalive", "dns resolution", "no address"])] => NetworkError retry, GRPC;
    "code.overloaded" [any!["overloaded_error", "overloaded", "engine_overloaded", "engine_overloaded_error",
        "OverloadedError", "UNAVAILABLE", "ServiceUnavailableException", "slow_down", "NoCapacity",
        "capacity_exceeded", "model_overloaded"]] => ProviderOverloaded retry, ANTHROPIC;
    "code.authentication" [any!["authentication_error", "invalid_api_key", "UNAUTHENTICATED", "AuthenticationError",
        "MODEL_AUTHENTICATION", "UnrecognizedClientException", "ExpiredTokenException", "InvalidSignatureException",
        "InvalidClientTokenId", "invalid_token", "token_expired", "unauthorized", "invalid_authentication",
        "invalid_grant", "invalid_client", "InvalidAccessKeyId", "SignatureDoesNotMatch"]]
        => AuthenticationError stop, OAUTH;
    "code.permission" [any!["permission_error", "permission_denied", "PERMISSION_DENIED", "PermissionDeniedError",
        "AccessDeniedException", "forbidden", "request_forbidden", "insufficient_permissions", "insufficient_scope",
        "NotAllowedError", "SecurityError"]] => PermissionDenied stop, GRPC;
    "code.timeout" [any!["timeout_error", "DEADLINE_EXCEEDED", "ModelTimeoutException", "request_timeout",
        "body_timeout", "RequestTimeout", "RequestTimeoutException", "gateway_timeout", "timeout", "ReadTimeout",
        "APITimeoutError"]] => Timeout retry, GRPC;
    "code.not_found.model" [any!["not_found_error", "NOT_FOUND"], When::Says(&["^model", "model * not found",
        "models * not found", "models * is not found", "model * does not exist", "foundation model"])]
        => ModelNotFound stop, ANTHROPIC;
    "code.not_found" [any!["not_found_error", "NOT_FOUND", "NotFoundError", "resource_not_found"]] => NotFound stop, GRPC;
    "code.cancelled" [any!["CANCELLED", "canceled", "request_cancelled"]] => Cancelled stop, GRPC;
    // Firefox throws an error of this name, which services use as well, when the stack or a text grows too large.
    "program.internal" [When::NoStatus, named!["InternalError"], When::Says(&["^too much recursion",
        "^allocation size overflow"])] => Unknown stop, MDN_INTERNAL_ERROR;
    "code.server" [any!["server_error", "api_error", "internal_error", "INTERNAL", "internal_server_error",
        "InternalServerError", "InternalServerException", "InternalFailure", "ModelErrorException",
        "ModelStreamErrorException", "upstream_error", "DATA_LOSS"]] => ServerError retry, OPENAI;
    "code.ollama" [When::NoStatus, When::Opens(&["llama runner process has terminated",
        "an error was encountered while running the model", "llama runner process no longer running",
        "^unexpected eof$", "error loading model"])] => ServerError retry, OLLAMA;
    "code.validation.key" [any!["invalid_request_error", "INVALID_ARGUMENT", "FAILED_PRECONDITION"],
        When::Says(&["incorrect api key", "invalid api key", "api key not valid", "api key expired"])]
        => AuthenticationError stop, OPENAI;
    "code.validation.quota" [any!["invalid_request_error"], When::Says(&["credit balance is too low",
        "api usage limits", "billing hard limit"])] => QuotaExceeded stop, ANTHROPIC;
    "code.validation.filter" [any!["invalid_request_error"], When::Says(&["content filtering policy", "our safety system"])] => ContentFiltered stop, ANTHROPIC;
    "code.validation.output" [any!["invalid_request_error", "INVALID_ARGUMENT"], When::Says(&["^max_tokens",
        "maximum allowed number of output tokens"])] => ValidationError stop, ANTHROPIC;
    "code.validation.context" [any!["invalid_request_error", "INVALID_ARGUMENT", "ValidationException"],
        When::Says(&["maximum context length", "prompt is too long", "context window", "exceed context limit",
        "exceeds the maximum number of tokens", "input is too long", "too many input tokens",
        "expected maxlength"])] => ContextLengthExceeded stop, ANTHROPIC;
    "code.validation.model" [any!["ValidationException"], When::Says(&["model identifier is invalid", "inference profile"])] => ModelNotFound stop, BEDROCK;
    "code.validation" [any!["invalid_request_error", "INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE",
        "ValidationException", "BadRequestError", "BadRequestException", "UnprocessableEntityError",
        "invalid_value", "unsupported_parameter", "missing_required_parameter", "invalid_type", "unsupported_value",
        "RequestValidationError", "HTTPValidationError", "SerializationException"],
        When::Not(Flag::Issues)] => ValidationError stop, GRPC;
    "code.unimplemented" [any!["UNIMPLEMENTED"]] => ProviderNotSupported stop, GRPC;

    // ── bad responses ────────────────────────────────────────────────────────────────────────────────────────
    "response.no_object" [any!["NoObjectGeneratedError", "NoOutputGeneratedError", "NoContentGeneratedError",
        "NoImageGeneratedError", "NoTranscriptGeneratedError", "NoSpeechGeneratedError", "NoVideoGeneratedError"]]
        => InvalidResponse retry, AI_SDK;
    "response.empty" [any!["EmptyResponseBodyError", "NoCandidatesError", "NoTextError", "EmptyResponseError"]] => InvalidResponse retry, AI_SDK;
    "response.data" [any!["InvalidResponseDataError"]] => InvalidResponse retry, AI_SDK;
    "response.html" [When::Is(Flag::Html), When::NoStatus] => InvalidResponse stop, ECMA;
    "spelled.jose.option" [When::Spells(&["jwt invalid option", "jwt invalid key"]), When::NoStatus] => ConfigError stop, FAST_JWT;
    "spelled.jose.type" [When::Spells(&["jwt invalid type"]), When::NoStatus] => ValidationError stop, FAST_JWT;
    "spelled.jose" [When::Spells(&["jwt", "jws", "jwe", "json web token", "jwks no matching", "jose alg"])] => AuthenticationError stop, JOSE;
    "response.cut" [When::Is(Flag::CutJson)] => InvalidResponse retry, ECMA;
    "response.shape" [any!["TypeValidationError", "APIResponseValidationError", "ResponseValidationError",
        "SDKValidationError"]] => InvalidResponse stop, AI_SDK;
    "response.json" [When::Is(Flag::BadJson)] => InvalidResponse retry, ECMA;
    "response.json_class" [any!["JSONParseError", "JsonToSseTransformError"]] => InvalidResponse retry, AI_SDK;
    "validation.issues" [When::Is(Flag::Issues)] => ValidationError stop, "https://zod.dev/error-customization";
    "validation.class" [named!["ZodError", "ValidationError", "ValiError", "ArkErrors", "SchemaError",
        "StructError", "ParseError"]] => ValidationError stop, "https://zod.dev/error-customization";
    "validation.node" [any!["ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE", "ERR_OUT_OF_RANGE", "ERR_MISSING_ARGS"]] => ValidationError stop, NODE;


    // These sentences of providers are about models and nothing else, so they need no status.
    "text.context_length" [When::NoStatus, When::Says(&["maximum context length", "context window",
        "prompt is too long", "prompt too long", "context length exceeded", "context_length_exceeded",
        "exceed context limit", "exceeds context limit", "exceeds the available context size",
        "exceeds the maximum number of tokens", "input is too long for requested model",
        "reduce the length of the messages", "maximum prompt length", "too many input tokens",
        "input token count * exceeds", "exceed max_seq_len", "exceeds n_ctx", "longer than the models context"])]
        => ContextLengthExceeded stop, OPENAI;
    "text.model" [When::NoStatus, When::Says(&["model * does not exist or you do not", "^404 the model",
        "^404 model", "^the model * does not exist", "^model * does not exist", "^model not found",
        "model * not found try pulling it first", "models * is not found for api version", "^model_not_found",
        "^unknown model", "^no such model", "does not have access to model", "model identifier is invalid",
        "model has been decommissioned", "model has been deprecated", "could not resolve the foundation model"])]
        => ModelNotFound stop, OPENAI;
    "text.provider" [When::NoStatus, When::Says(&["^unknown provider", "^unsupported provider", "^no such provider",
        "^unknown model provider", "^unsupported model provider", "^provider * is not supported",
        "^provider * not supported", "^llm provider not provided"])] => ProviderNotSupported stop, LITELLM;

    // ── sentences that describe the failure in any library's words ───────────────────────────────────────────
    "said.filtered" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Filtered)] => ContentFiltered stop, WORDING;
    "tool.memory" [When::NoStatus, When::Says(&["cuda out of memory"])] => ServerError stop, OLLAMA;
    // A run that was started elsewhere has failed there, so its words are about its own work.
    "tool.failed_run" [When::NoStatus, When::Says(&["^prediction failed", "^task failed", "^job failed",
        "^run failed", "^workflow failed", "^workflow execution failed", "^build failed", "^script failed",
        "^action failed"])] => ToolExecutionError stop, NODE_CHILD;
    "spelled.response" [When::Spells(&["invalid response", "malformed response", "response invalid"]), When::NoStatus] => InvalidResponse stop, WORDING;
    "said.authentication" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Authentication)] => AuthenticationError stop, WORDING;
    "said.exists" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Exists)] => AlreadyExists stop, WORDING;
    "said.quota" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Quota)] => QuotaExceeded stop, WORDING;
    "said.permission" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Permission)] => PermissionDenied stop, WORDING;
    "said.rate" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Rate)] => RateLimited retry, WORDING;
    "said.conflict" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Conflict)] => Conflict retry, WORDING;
    "said.overloaded" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Overloaded)] => ProviderOverloaded retry, WORDING;
    "said.not_yet" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::NotYet)] => NotFound retry, WORDING;
    "said.missing" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Missing)] => NotFound stop, WORDING;
    "said.invalid" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Invalid)] => ValidationError stop, WORDING;
    "said.unsupported" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Unsupported)] => ValidationError stop, WORDING;
    "said.config" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Config)] => ConfigError stop, WORDING;
    "said.timeout" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Timeout)] => Timeout retry, WORDING;
    "said.cancelled" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Cancelled)] => Cancelled stop, WORDING;
    "said.server" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Server)] => ServerError retry, WORDING;
    "said.trust" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Trust)] => NetworkError stop, WORDING;
    "said.network" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Network)] => NetworkError retry, WORDING;
    "said.bad_answer" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::BadAnswer)] => InvalidResponse stop, WORDING;
    "said.cut_answer" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::CutAnswer)] => InvalidResponse retry, WORDING;
    "said.io" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::Io)] => IoError stop, WORDING;
    "said.io_busy" [When::NoStatus, When::Not(Flag::Program), When::Said(Outcome::IoBusy)] => IoError retry, WORDING;

    // A name or sentence beside the number is more precise, so this rule comes after theirs.
    "rpc.server" [When::Is(Flag::Rpc)] => ToolExecutionError stop, JSON_RPC;

    // ── failed connections in an SDK's own words ─────────────────────────────────────────────────────────────
    "net.timeout.sdk" [When::NoStatus, When::Says(&["^the operation was aborted due to timeout",
        "^connection timed out", "^headers timeout", "^body timeout", "^network timeout", "^connect etimedout",
        "^timeout awaiting", "^timeout$", "^timeout error", "^navigation timeout"])] => Timeout retry, UNDICI;
    // A client that measures time aborts its own request, so its class is more precise than the words of the abort.
    "timeout.class" [When::NoStatus, When::Spells(&["timeout", "timed out"])] => Timeout retry, DOM;
    "net.abort.sdk" [When::NoStatus, When::Says(&["^request was aborted", "^this operation was aborted",
        "^the operation was aborted", "^the user aborted a request", "^operation was aborted", "^signal is aborted",
        "^aborted by user", "^stopped by user", "^user pressed stop", "^canceled$", "^cancelled$", "^aborted$",
        "^user cancelled", "^user canceled", "^user aborted", "^bodystreambuffer was aborted",
        "^fetch is aborted"])] => Cancelled stop, DOM;
    // After the words of a user's abort, because some clients call that ABORTED too.
    "code.aborted" [any!["ABORTED"]] => Conflict retry, GRPC;

    // ── codes and classes that no row has, spelled as words: words that they share, whoever writes them ──────
    "spelled.rate" [When::Spells(&["throttl", "too many requests", "rate limit", "ratelimit", "rate exceeded",
        "request limit", "throughput exceeded", "slow down", "flood wait", "resource exhausted"])]
        => RateLimited retry, GRPC;
    "spelled.quota" [When::Spells(&["quota", "insufficient funds", "insufficient credit", "billing",
        "payment required", "spending limit"])] => QuotaExceeded stop, GOOGLE_RPC;
    "spelled.exists" [When::Spells(&["already exist", "already taken", "already in use", "already own",
        "name taken", "name exists", "duplicate", "not unique", "uniqueness", "unique violation",
        "unique constraint"])] => AlreadyExists stop, GRPC;
    "spelled.constraint" [When::Spells(&["constraint violation"]), When::Says(&["unique", "duplicate", "already exists"])] => AlreadyExists stop, GRPC;
    "spelled.conflict" [When::Spells(&["conflict", "deadlock", "in progress", "lock", "busy", "concurrent",
        "contention", "serialization failure", "optimistic", "aborted"])] => Conflict retry, GRPC;
    "spelled.no_key" [When::NoStatus, When::Spells(&["missing credential", "no credential", "missing api key",
        "missing token", "missing access token"])] => ProviderNotConfigured stop, AI_SDK;
    "spelled.auth" [When::Spells(&["unauthorized", "unauthenticated", "authentication", "auth error", "auth failed",
        "invalid auth", "not authed", "invalid token", "token expired", "expired token", "token revoked",
        "account inactive", "invalid credential", "bad credential", "invalid api key", "invalid access key",
        "invalid jwt", "jwt expired", "jwt invalid", "signature verification", "signature does not match",
        "invalid signature", "invalid session", "session expired", "login required", "wrong password",
        "invalid password", "noauth"])] => AuthenticationError stop, OAUTH;
    "spelled.permission" [When::Spells(&["forbidden", "access denied", "permission", "not allowed",
        "not authorized", "unauthorised", "missing scope", "insufficient scope", "insufficient privilege",
        "restricted", "not permitted", "not in channel"])] => PermissionDenied stop, GRPC;
    "spelled.not_found" [When::Spells(&["not found", "no such", "non existent", "not exist", "unknown resource"])] => NotFound stop, GRPC;
    "spelled.timeout" [When::Spells(&["timeout", "timed out", "time out", "deadline exceeded"])] => Timeout retry, GRPC;
    "spelled.network" [When::Spells(&["connection closed", "connection reset", "connection refused",
        "connection lost", "connection error", "connection failed", "connection terminated", "connection destroyed",
        "connection ended", "socket closed", "disconnected", "network error", "unreachable", "dns"])]
        => NetworkError retry, NODE;
    "spelled.overloaded" [When::Spells(&["overload", "too busy", "at capacity"])] => ProviderOverloaded retry, GRPC;
    "spelled.server" [When::Spells(&["unavailable", "relay error", "internal error", "internal server",
        "internal failure", "backend error", "bad gateway", "upstream", "starting up", "shutting down",
        "shutdown in progress", "temporar", "transient", "fatal error"])] => ServerError retry, GRPC;
    "spelled.unsupported" [When::Spells(&["not implemented", "unimplemented", "not supported", "unsupported"])] => ProviderNotSupported stop, GRPC;
    "spelled.config" [When::NoStatus, When::Spells(&["configur", "config "])] => ConfigError stop, WORDING;
    "spelled.validation" [When::Spells(&["invalid", "archived", "no text", "bad request", "bad user input",
        "validation", "malformed", "too long", "too large", "too big", "missing", "required", "out of range",
        "illegal", "syntax", "parse", "complexity", "unknown argument", "unknown field"])] => ValidationError stop,
        GRPC;

    "net.connection.sdk" [named!["APIConnectionError", "ConnectionError", "FetchError", "NetworkError",
        "SocketError", "ServerUnreachable", "ConnectError"], When::NoStatus] => NetworkError retry, OPENAI;
    "net.connection.text" [When::NoStatus, When::Says(&["^terminated$", "^load failed$", "^end$",
        "^networkerror when attempting", "^network request failed", "^other side closed", "^read econnreset",
        "^connect econnrefused", "^connect enetunreach", "^connect ehostunreach", "^getaddrinfo enotfound",
        "^getaddrinfo eai_again", "^write epipe", "^the internet connection appears to be offline",
        "^client network socket disconnected", "^body is unusable after",
        "^invalid response body while trying to fetch", "^network changed", "^net err_", "^upstream connect error",
        "^request to * failed reason", "^stream has been aborted", "^stream aborted",
        "^stream was aborted by the server", "^unexpected end of file", "^error fetching from",
        "^error sending request", "^error trying to connect", "^error reading a body from connection",
        "^error in input stream", "^error in body stream", "^a server with the specified hostname",
        "^an ssl error has occurred", "^was there a typo in the url"])] => NetworkError retry, FETCH;
    "net.partial.sdk" [named!["APICallError"], When::Status(&[200]), When::Says(&["failed to process successful response"])] => NetworkError retry, AI_SDK;
    "response.apicall" [named!["APICallError"], When::Between(200, 299)] => InvalidResponse stop, AI_SDK;

    // ── a fault of the program itself: what it says is about its own names, whatever words are among them ────────
    // A library that throws these classes says why in whole sentences; another try changes nothing in any case.
    "program.python" [When::NoStatus, named!["AttributeError", "NameError", "UnboundLocalError"]] => Unknown stop, PYTHON_ERRORS;
    "program.error" [When::NoStatus, When::Is(Flag::Program), When::Says(&["is not a function",
        "cannot read propert", "cannot set propert", "is not iterable", "is not defined", "is not a constructor",
        "intermediate value", "maximum call stack", "invalid array length", "assignment to constant",
        "before initialization", "undefined is not an object", "null is not an object", "cannot convert undefined",
        "circular structure", "too much recursion", "cant access property", "cannot destructure", "private field",
        "class constructor"])] => Unknown stop, ECMA_ERRORS;
    // Functions of the engine refuse a value with these words. That is a fault of the program, like the ones above;
    // from a library the same words would be about its input.
    "program.engine" [When::NoStatus, When::Is(Flag::Program), When::Says(&["^tofixed", "^toprecision",
        "^toexponential", "^tostring radix", "^radix must be", "^precision * out of range", "^invalid time value",
        "^invalid time zone specified", "^invalid date$", "^invalid count value", "^invalid string length",
        "^invalid array buffer length", "^invalid typed array length", "cannot be converted to a bigint",
        "^do not know how to serialize a bigint", "^division by zero", "^invalid code point",
        "^incorrect locale information", "^the normalization form", "^cannot convert a symbol",
        "^reduce of empty array", "^invalid value used as weak map key", "^invalid value used in weak set",
        "^right hand side of", "^receiver must be", "^invalid property descriptor", "^repeat count must",
        "^cannot mix bigint", "^cannot assign to read only", "^cannot add property", "^cannot define property",
        "^cannot redefine property", "^cannot delete property", "^cannot convert object to primitive",
        "^cannot perform", "is not extensible", "is not an entry object", "^object prototype may only",
        "is not a symbol", "constructor cannot be invoked", "^cant define property", "^cant assign to property",
        "^cant delete property", "^cant convert", "^attempted to assign to readonly"])] => Unknown stop, ECMA_ERRORS;
    "program.timeout" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Timeout)] => Timeout retry, ECMA_ERRORS;
    "program.network" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Network)] => NetworkError retry, FETCH;
    "program.bad_answer" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::BadAnswer)] => InvalidResponse stop, ECMA_ERRORS;
    "program.missing" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Missing)] => NotFound stop, ECMA_ERRORS;
    "program.invalid" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Invalid)] => ValidationError stop, ECMA_ERRORS;
    "program.unsupported" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Unsupported)] => ValidationError stop, ECMA_ERRORS;
    "program.closed" [When::NoStatus, When::Is(Flag::Program), When::Said(Outcome::Cancelled)] => Cancelled stop, ECMA_ERRORS;
    "program.hinted_permission" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::Permission)] => PermissionDenied stop, ECMA_ERRORS;
    "program.hinted_missing" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::Missing)] => NotFound stop, ECMA_ERRORS;
    "program.hinted_invalid" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::Invalid)] => ValidationError stop, ECMA_ERRORS;
    "program.hinted_bad_answer" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::BadAnswer)] => InvalidResponse stop, ECMA_ERRORS;
    "program.hinted_closed" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::Cancelled)] => Cancelled stop, ECMA_ERRORS;
    "program.misused" [When::NoStatus, When::Is(Flag::Program), When::Hinted(Outcome::Misuse)] => ValidationError stop, ECMA_ERRORS;
    "program.unsaid" [When::NoStatus, When::Is(Flag::Program)] => Unknown stop, ECMA_ERRORS;

    // ── wording alone: whole sentences of providers, without any structure ───────────────────────────────────
    "text.status_words.auth" [When::NoStatus, When::Says(&["failed unauthorized$", "^unauthorized",
        "error unauthorized$", "response unauthorized$"])] => AuthenticationError stop, HTTP;
    "text.status_words.forbidden" [When::NoStatus, When::Says(&["failed forbidden$", "^forbidden", "error forbidden$"])] => PermissionDenied stop, HTTP;
    "text.status_words.unavailable" [When::NoStatus, When::Says(&["failed bad gateway$", "^bad gateway$",
        "error bad gateway$", "^the server had an error"])] => ServerError retry, HTTP;
    "text.status_words.timeout" [When::NoStatus, When::Says(&["failed gateway timeout$", "^gateway timeout$",
        "failed gateway time out$", "error gateway timeout$"])] => Timeout retry, HTTP;
    "text.status_words.bad_request" [When::NoStatus, When::Says(&["failed unprocessable entity$",
        "^unprocessable entity$", "failed unprocessable content$"])] => ValidationError stop, HTTP;
    "text.status_words.not_found" [When::NoStatus, When::Says(&["failed not found$", "^not found$", "error not found$"])] => NotFound stop, HTTP;
    "text.rate_limit.too_large" [When::NoStatus, When::Opens(&["request too large for"])] => RateLimited stop, OPENAI;
    "text.rate_limit" [When::NoStatus, When::Opens(&["rate_limit_exceeded", "this request would exceed your",
        "number of request tokens has exceeded your", "throttled", "resource has been exhausted",
        "requests to the * have exceeded"])] => RateLimited retry, OPENAI;
    "text.overloaded" [When::NoStatus, When::Opens(&["^overloaded$", "^overloaded_error", "the model is overloaded",
        "the system is currently experiencing high demand", "no capacity available for model"])]
        => ProviderOverloaded retry, OPENAI;
    "text.content_filter" [When::NoStatus, When::Opens(&["output blocked by content filtering policy",
        "your request was rejected as a result of our safety system", "the response was filtered due to the prompt",
        "invalid prompt your prompt was flagged", "response was blocked due to",
        "text not available response was blocked", "candidate was blocked due to",
        "could not parse response content as the request was rejected by the content filter", "prompt was blocked",
        "request blocked by content filter"])] => ContentFiltered stop, GOOGLE;
    "text.max_iterations" [When::NoStatus, When::Says(&["^recursion limit of * reached", "^max turns * exceeded",
        "^agent stopped due to max iterations", "^agent stopped due to iteration limit",
        "^maximum iterations reached", "^max iterations reached"])] => MaxIterationsExceeded stop, LANGCHAIN;
    "text.timeout" [When::NoStatus, When::Opens(&["network timeout", "gateway timeout", "etimedout", "api timeout", "^timeout$"])] => Timeout retry, UNDICI;
    "text.network" [When::NoStatus, When::Opens(&["econnrefused", "econnreset", "enotfound", "eai_again",
        "network unreachable", "network unavailable", "network connection"])] => NetworkError retry, NODE;
    "text.server" [When::NoStatus, When::Opens(&["bad gateway", "provider returned error",
        "the server had an error while processing your request"])] => ServerError retry, OPENAI;
    // ── wording alone, of any sender: the sentences that clients share ───────────────────────────────────────
    "words.conflict" [When::NoStatus, When::Opens(&["deadlock", "is locked"])] => Conflict retry, GRPC;
    "words.permission" [When::NoStatus, When::Opens(&["forbidden", "operation not allowed", "insufficient privilege"])] => PermissionDenied stop, GRPC;
    "words.broken" [When::NoStatus, When::Opens(&["failed to parse", "unable to parse", "could not parse", "failed to decode"])] => InvalidResponse retry, ECMA;
    "words.network" [When::NoStatus, When::Opens(&["connection * closed", "disconnected", "error reading from",
        "host unreachable", "connection destroyed", "server closed"])] => NetworkError retry, NODE;
    "words.timeout" [When::NoStatus, When::Opens(&["timeout error", "timeout * exceeded"])] => Timeout retry, NODE;
    "words.server_gone" [When::NoStatus, When::Says(&["server * not available", "host * not available", "node * not available"])] => NetworkError retry, NODE;
    "words.server" [When::NoStatus, When::Opens(&["unavailable"])] => ServerError retry, HTTP;
    "words.too_large" [When::NoStatus, When::Opens(&["size * exceeded", "too large", "too long"])] => ValidationError stop, HTTP;
    "words.not_ok" [When::NoStatus, When::Opens(&["expected 200 ok"])] => ServerError retry, HTTP;
    "words.not_found" [When::NoStatus, When::Says(&["no such", "not found$", "not found for"])] => NotFound stop, GRPC;

    // ── words that hint, if nothing is more specific: an unsure error is retried only if it is mostly transient ──
    "code.says_unknown" [When::NoStatus, any!["UNKNOWN", "UnknownError", "unknown_error"]] => Unknown stop, GRPC;
    "hinted.authentication" [When::NoStatus, When::Hinted(Outcome::Authentication)] => AuthenticationError stop, WORDING;
    "hinted.exists" [When::NoStatus, When::Hinted(Outcome::Exists)] => AlreadyExists stop, WORDING;
    "hinted.quota" [When::NoStatus, When::Hinted(Outcome::Quota)] => QuotaExceeded stop, WORDING;
    "hinted.permission" [When::NoStatus, When::Hinted(Outcome::Permission)] => PermissionDenied stop, WORDING;
    "hinted.rate" [When::NoStatus, When::Hinted(Outcome::Rate)] => RateLimited retry, WORDING;
    "hinted.conflict" [When::NoStatus, When::Hinted(Outcome::Conflict)] => Conflict retry, WORDING;
    "hinted.overloaded" [When::NoStatus, When::Hinted(Outcome::Overloaded)] => ProviderOverloaded retry, WORDING;
    "hinted.missing" [When::NoStatus, When::Hinted(Outcome::Missing)] => NotFound stop, WORDING;
    "hinted.invalid" [When::NoStatus, When::Hinted(Outcome::Invalid)] => ValidationError stop, WORDING;
    "hinted.unsupported" [When::NoStatus, When::Hinted(Outcome::Unsupported)] => ValidationError stop, WORDING;
    "hinted.config" [When::NoStatus, When::Hinted(Outcome::Config)] => ConfigError stop, WORDING;
    "hinted.timeout" [When::NoStatus, When::Hinted(Outcome::Timeout)] => Timeout retry, WORDING;
    "hinted.cancelled" [When::NoStatus, When::Hinted(Outcome::Cancelled)] => Cancelled stop, WORDING;
    "hinted.trust" [When::NoStatus, When::Hinted(Outcome::Trust)] => NetworkError stop, WORDING;
    "hinted.network" [When::NoStatus, When::Hinted(Outcome::Network)] => NetworkError retry, WORDING;
    "hinted.bad_answer" [When::NoStatus, When::Hinted(Outcome::BadAnswer)] => InvalidResponse stop, WORDING;
    "hinted.cut_answer" [When::NoStatus, When::Hinted(Outcome::CutAnswer)] => InvalidResponse retry, WORDING;
    "hinted.io" [When::NoStatus, When::Hinted(Outcome::Io)] => IoError stop, WORDING;
    "hinted.io_busy" [When::NoStatus, When::Hinted(Outcome::IoBusy)] => IoError retry, WORDING;
    // A response that claims success, and an error without details: the body broke off.
    "response.success" [When::Between(200, 299), When::Is(Flag::Silent)] => InvalidResponse retry, HTTP;
    "hinted.misuse" [When::NoStatus, When::Hinted(Outcome::Misuse)] => ValidationError stop, WORDING;
    "unknown" [] => Unknown stop, "nothing is known";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_name_what_they_decide() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(ids.iter().all(|id| {
            id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._".contains(&b))
        }));
    }

    #[test]
    fn every_rule_has_a_source() {
        assert!(RULES.iter().all(|rule| !rule.source.is_empty()));
    }
}
