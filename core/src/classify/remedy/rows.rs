//! The rows: codes and classes first, then words, the most specific first. The first row that holds and finds what its remedy
//! needs decides; a row that makes `Nothing` ends the search.
//!
//! `|` separates phrases. `Said::find` documents their syntax.

use super::super::token::hash;
use super::kind::{Answer, Media, Never, Problem};
use crate::Code;

/// Where the value of a parameter comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Set {
    /// The number `{n}`.
    Limit,
    /// `{n}` to `{m}`, with `{s}` sent.
    Range,
    /// The value `{v}`.
    Only,
    /// One of those behind the phrase, with `{v}` sent.
    OneOf,
    /// The rest that `{m}` leaves of `{n}`; `{s}` was requested.
    Room,
}

/// The remedy that a row makes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Make {
    /// None: no change of the request that a program could make helps.
    Nothing,
    Pair,
    Reasoning,
    Messages(Problem),
    EndWithUser,
    /// The parameter of that name, or the one that is found.
    Drop(&'static str),
    Rename,
    /// Uses this parameter name if the text has none.
    Set(Set, &'static str),
    Shorten,
    Media(Media),
    RenameCalls,
    RenameTools,
    Resend,
    Session,
    Resample(Answer),
    Raise,
    Other(Never),
}

/// One row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// One of these codes, types, reasons or classes is there; none: whatever they are.
    pub(super) codes: &'static [u32],
    /// A text says one of these; empty: whatever it says.
    pub(super) says: &'static str,
    pub(super) make: Make,
}

impl Row {
    /// Returns `true` if an error of that code can have the row's remedy.
    pub(super) const fn may_have(&self, code: Code) -> bool {
        // The rule has found these already, in whichever words.
        if self.codes.is_empty() && self.says.is_empty() {
            return match code {
                Code::ContextLengthExceeded => matches!(self.make, Make::Shorten),
                Code::ContentFiltered => matches!(self.make, Make::Other(Never::Filtered)),
                _ => false,
            };
        }
        match code {
            Code::ToolExecutionError => matches!(self.make, Make::Resample(_) | Make::Session),
            Code::Conflict => matches!(self.make, Make::Pair | Make::Messages(_)),
            Code::NotFound => {
                matches!(
                    self.make,
                    Make::Nothing
                        | Make::Resend
                        | Make::Reasoning
                        | Make::Session
                        | Make::Other(Never::Retired | Never::LacksFeature)
                        | Make::Pair
                )
            }
            Code::ModelNotFound => {
                matches!(self.make, Make::Nothing | Make::Other(Never::Retired | Never::LacksFeature))
            }
            Code::AlreadyExists => matches!(self.make, Make::Pair),
            Code::ContentFiltered => {
                matches!(self.make, Make::Nothing | Make::Other(Never::Refused | Never::Filtered))
            }
            Code::ServerError => {
                !matches!(self.make, Make::Other(Never::Retired | Never::Refused | Never::Filtered))
            }
            Code::Unknown => !self.make.is_of_request() && !matches!(self.make, Make::Other(Never::Filtered)),
            Code::ContextLengthExceeded => !matches!(self.make, Make::Other(_)),
            _ => !(self.codes.is_empty() && matches!(self.make, Make::Other(Never::Filtered))),
        }
    }
}

impl Make {
    /// Returns `true` if it changes a part that requests to any service may have, such as a tool's. The error must then
    /// show that a model's provider sent it.
    pub(super) const fn is_of_request(self) -> bool {
        matches!(
            self,
            Self::Drop(_)
                | Self::Rename
                | Self::Set(..)
                | Self::Media(_)
                | Self::RenameTools
                | Self::RenameCalls
        )
    }
}

macro_rules! rows {
    ($($id:literal [$($code:literal),* $(,)?] $says:literal => $make:expr, $source:expr;)+) => {
        pub(crate) const ROWS: &[Row] =
            &[$(Row { codes: const { &[$(hash($code)),*] }, says: $says, make: $make }),+];
        /// Their ids, in their order.
        pub(crate) const IDS: &[&str] = &[$($id),+];
        /// Their sources, in their order.
        pub(crate) const SOURCES: &[&str] = &[$($source),+];
    };
}

use super::kind::Answer::{Empty as NoAnswer, InvalidArguments, InvalidJson, InvalidOutput, UnknownTool};
use super::kind::Media::{TooLarge, TooMany, Unreadable, Unsupported};
use super::kind::Never::{Filtered, LacksFeature, Refused, Retired};
use super::kind::Problem::{Empty, Order, TrailingSpace};
use Make::{
    Drop, EndWithUser, Messages, Nothing, Other, Pair, Raise, Reasoning, Rename, RenameCalls, RenameTools,
    Resample, Resend, Session, Shorten,
};

const OPENAI: &str = "https://platform.openai.com/docs/guides/error-codes";
const RESPONSES: &str = "https://platform.openai.com/docs/api-reference/responses";
const ANTHROPIC: &str = "https://docs.claude.com/en/api/errors";
const THINKING: &str = "https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
const GOOGLE: &str = "https://ai.google.dev/gemini-api/docs/troubleshooting";
const SIGNATURES: &str = "https://ai.google.dev/gemini-api/docs/thought-signatures";
const BEDROCK: &str = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html";
const MISTRAL: &str = "https://docs.mistral.ai/api";
const DEEPSEEK: &str = "https://api-docs.deepseek.com/guides/thinking_mode";
const GROQ: &str = "https://console.groq.com/docs/errors";
const XAI: &str = "https://docs.x.ai/docs/models";
const VLLM: &str = "https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/openai/serving_engine.py";
const OLLAMA: &str = "https://github.com/ollama/ollama/blob/main/server/routes.go";
const AI_SDK: &str = "https://ai-sdk.dev/docs/reference/ai-sdk-errors";
const LANGCHAIN: &str = "https://docs.langchain.com/oss/javascript/langchain/errors";
const AGENTS: &str = "https://openai.github.io/openai-agents-js/guides/running-agents/#exceptions";
const MCP: &str =
    "https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management";
const LITELLM: &str = "https://docs.litellm.ai/docs/exception_mapping";

rows! {
    // ── what no program can change: the developer's schema, a request that is incomplete, other limits ──────────
    "none.schema" ["invalid_function_parameters", "invalid_json_schema", "missing_required_parameter", "array_above_max_length", "invalid_api_key", "GuardrailExecutionError", "guardrail_intervened", "InputGuardrailTripwireTriggered", "OutputGuardrailTripwireTriggered"] "" => Nothing, OPENAI;
    "none.schema.text" [] "invalid schema for|invalid json schema|missing required parameter|could not parse the json body|json schema is invalid|input_schema~ does not|input_schema: json schema|input_schema.type: field required|properties * missing field|items: missing field|on-demand throughput isn't supported|guardrail intervened|invalid json payload received. unexpected|invalid function parameters|tool names must be unique|duplicate function declaration" => Nothing, OPENAI;

    // ── classes and codes ────────────────────────────────────────────────────────────────────────────────────
    "class.output_cut" ["LengthFinishReasonError", "OutputTruncatedError", "MaxTokensReachedError"] "" => Raise, AI_SDK;
    "class.object_cut" ["length", "max_tokens", "MAX_TOKENS", "max_output_tokens"] "no object generated|no output generated|could not be parsed|could not parse|failed to parse" => Raise, AI_SDK;
    "class.refusal" ["ModelRefusalError", "refusal", "RefusalError"] "" => Other(Refused), AGENTS;
    "class.filter" ["ContentFilterFinishReasonError", "content_filter", "content_policy_violation", "ContentPolicyViolationError", "ResponsibleAIPolicyViolation", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "SAFETY", "RECITATION", "IMAGE_SAFETY", "data_inspection_failed", "invalid_prompt", "moderation_blocked", "content_blocked", "safety_violation", "flagged_input", "content_filtered", "sensitive_content", "ContentFilteredException"] "" => Other(Filtered), OPENAI;
    "class.unknown_tool" ["NoSuchToolError", "UNEXPECTED_TOOL_CALL"] "" => Resample(UnknownTool), AI_SDK;
    "class.tool_input" ["InvalidToolInputError", "InvalidToolArgumentsError", "ToolCallRepairError", "ToolInputParsingException", "MALFORMED_FUNCTION_CALL", "tool_use_failed"] "" => Resample(InvalidArguments), AI_SDK;
    "class.object_json" ["NoObjectGeneratedError"] "could not parse|json parsing failed|not valid json" => Resample(InvalidJson), AI_SDK;
    "class.object" ["NoObjectGeneratedError"] "" => Resample(InvalidOutput), AI_SDK;
    "class.no_output" ["NoOutputGeneratedError", "NoContentGeneratedError", "EmptyResponseBodyError", "NoCandidatesError", "NoTextError", "EmptyResponseError"] "" => Resample(NoAnswer), AI_SDK;
    "code.json" ["json_validate_failed"] "" => Resample(InvalidJson), GROQ;
    "agents.unknown_tool" ["ModelBehaviorError"] "tool * not found" => Resample(UnknownTool), AGENTS;
    "agents.json" ["ModelBehaviorError"] "invalid json" => Resample(InvalidJson), AGENTS;
    "class.output" ["ModelBehaviorError", "OutputParserException", "OUTPUT_PARSING_FAILURE", "StructuredOutputParsingError", "MultipleStructuredOutputsError", "output_parse_failed"] "" => Resample(InvalidOutput), LANGCHAIN;
    "class.tool_results" ["MissingToolResultsError", "INVALID_TOOL_RESULTS"] "" => Pair, AI_SDK;
    "code.previous_response" ["previous_response_not_found"] "" => Resend, RESPONSES;
    "code.encrypted" ["invalid_encrypted_content"] "" => Reasoning, RESPONSES;
    "code.retired" ["model_decommissioned", "model_deprecated", "model_retired", "DeploymentDeprecated"] "" => Other(Retired), GROQ;
    "class.feature" ["UnsupportedFunctionalityError"] "" => Other(LacksFeature), AI_SDK;
    "code.image_type" ["invalid_image_format", "unsupported_image", "unsupported_file", "unsupported_file_mimetype", "unsupported_image_media_type"] "" => Make::Media(Unsupported), OPENAI;
    "code.image_size" ["image_too_large", "file_too_large", "max_image_size_exceeded"] "" => Make::Media(TooLarge), OPENAI;
    "code.image" ["invalid_image", "image_parse_error", "invalid_base64", "invalid_base64_image", "invalid_image_url", "image_content_parse_error", "empty_image_file", "failed_to_download_image"] "" => Make::Media(Unreadable), OPENAI;

    // ── MCP ──────────────────────────────────────────────────────────────────────────────────────────────────
    "mcp.session" ["McpError", "StreamableHTTPError", "SseError", "SdkHttpError", "ProtocolError", "SdkError"] "session not found|no valid session|invalid session|unknown session|session * expired|session terminated|session * not found|session * does not exist|server not initialized|session id required|mcp-session-id|session closed" => Session, MCP;
    "mcp.session.text" [] "streamable http error * session|error posting to endpoint * session|mcp error * session not found|no valid session id provided|bad request: server not initialized|mcp-session-id header|mcp session * not found|mcp session * expired" => Session, MCP;

    // ── ids and names ────────────────────────────────────────────────────────────────────────────────────────
    "calls.id" [] "~.id string too long * maximum length {n}|~call_id string too long * maximum length {n}|tool_call_id * must be * length of {n}|~tool_use.id string should|~tool_use_id string should|~.id string does not match|~call_id string does not match|tool call id was * must be|~tooluseid failed to satisfy|~tooluseid * member must|tooluse * member must satisfy regular|expected an id that begins with fc|expected an id that begins with call|invalid tool_call_id|invalid tool call id|tool_call_id * invalid format|tool call id * invalid format|tool_call_id must match|tool call id~ must" => RenameCalls, OPENAI;
    "tools.name" [] "~function.name string too long * maximum length {n}|tools~ string should have at most {n} character~|tools~ string too long * maximum length {n}|functions~ string too long * maximum length {n}|tool names must match|tool name * must match|tool name is invalid|invalid tool name|function name is invalid|invalid function name|function name was * must be|function name * must match|function name must be|tool name must|~toolspec.name failed to satisfy|~tooluse.name failed to satisfy|~toolspec.name * member must|~function.name string does not match|~function.name does not match|tools~ string does not match|tools~ string should match|functions~ string does not match|input~ string does not match pattern|~tool_use.name string should|~custom.name string should|name * does not match the pattern|function * name should be * a-z|must be alphameric" => RenameTools, OPENAI;

    // ── reasoning ────────────────────────────────────────────────────────────────────────────────────────────
    "reasoning.item" [] "item rs_~ of type reasoning|without its required reasoning item|without its required following item|item with id rs_~|item rs_~ not found|expected an id that begins with rs|encrypted content * could not be|encrypted_content * could not be|encrypted content could not|encrypted_content * invalid|encrypted_content * decrypt~" => Reasoning, RESPONSES;
    "reasoning.signature" [] "invalid signature in thinking|signature in thinking block|~thinking.signature|signature: field required|signature * invalid * thinking|invalid * redacted_thinking|invalid data in redacted_thinking|thinking block~ must contain thinking|~thinking.thinking|thinking block~ * cannot be modified|thinking block~ * must remain|redacted_thinking block~ * cannot be modified|cannot be modified. these blocks must remain|expected thinking or redacted_thinking|must start with a thinking block|thinking block~ * must * first|thinking block~ * missing|thinking block~ * invalid|thinking * signature * not valid|signature verification failed|signature field * thinking" => Reasoning, THINKING;
    "reasoning.thought" [] "missing a thought_signature|missing thought_signature|thought_signature * missing|thought signature is not valid|corrupted thought signature|thought_signature * invalid|invalid thought signature|thought signature * invalid|thought_signature * not valid|thoughtsignature * invalid|missing * thoughtsignature|decoding failed * thought_signature|~thought_signature * decod~|~thought_signature type_bytes|~thoughtsignature * decod~|thought_signature * decod~|thought signature * missing|missing * thought signature" => Reasoning, SIGNATURES;
    "reasoning.content" [] "reasoning_content * must be passed back|missing reasoning_content|reasoning_content is missing|reasoning_content * missing|reasoning_content field is required|reasoning_content is not allowed|reasoning_content * not supported|property reasoning~ is unsupported|reasoning_content: property|reasoning_content: extra inputs|reasoning_details: extra inputs|reasoning_content is required|reasoning content * must be|reasoningcontent * not support~|reasoningtext * signature|reasoning * cannot be modified|reasoningcontent * signature|thinking: extra inputs are not permitted messages|reasoning blocks * must|thinking is enabled but reasoning_content" => Reasoning, DEEPSEEK;

    // ── tool calls and their results ─────────────────────────────────────────────────────────────────────────
    "calls.orphan" [] "did not have response messages|tool use blocks cannot be provided in the same turn|must be followed by tool messages|messages with role tool must|role tool must be a response|role tool must be * preceding|no tool output found for|no tool call found for|no tool result found for|ids were found without tool_result|found without tool_result|unexpected tool_use_id found|must have a corresponding tool_use|must have a corresponding tool_result|must have a single result|found multiple tool_result|tool_use ids must be unique|expected toolresult blocks|number of toolresult blocks|number of tooluse blocks|toolresult * without * tooluse|tooluse * without * toolresult|number of function response parts|function response turn comes immediately after|function response * must * function call|same number of function calls and responses|unexpected tool call id|tool call id * not found|tool_call_id * not found|tool_call_id * is not found|tool_call_id * does not exist|tool_call_id of * not found|duplicate value for tool_call_id|duplicate tool_call_id|tool result is missing|tool results are missing|missing tool result~|missing tool response~|missing corresponding tool|tool call result does not follow|tool result~ * does not match|tool call~ * without * result~|tool result~ * without * tool call~|tool call~ * must be followed by|tool message~ must follow|tool message~ * must * tool_calls|tool_calls must be followed|tool_use * must be followed|no corresponding tool|no matching tool call|tool results * must * tool calls|tool_result~ * not found in * tool_use|insufficient tool messages|tool_call_id~ * no response|tool response * without|function_call_output * no~ matching|each tool_use block must|each tool_result block must|toolresult blocks * exceed~|tool_use without tool_result|tool call * has no~ tool result|missing response for tool call|unanswered tool call~|orphan~ tool|tool calls and tool results must|number of tool messages|number of tool results" => Pair, OPENAI;

    // ── history ──────────────────────────────────────────────────────────────────────────────────────────────
    "history.previous" [] "previous response with id * not found|previous_response_id * not found|previous response * not found|previous response * cannot be|previous_response_id * cannot|previous_response_id * expired|previous response * expired|previous_response_id * invalid|response with id resp_~ not found|previous_response_id * does not exist|response resp_~ not found|no response found with id|previous_interaction_id * not found" => Resend, RESPONSES;
    "history.item" [] "items are not persisted|item with id * not found|item * not found * input|conversation with id * not found|item_reference * not found|no item found with id|expected an id that begins with msg" => Resend, RESPONSES;

    // ── a prefill ────────────────────────────────────────────────────────────────────────────────────────────
    "prefill" [] "assistant message prefill|assistant prefill|assistant response prefill|prefilling assistant|pre-filling assistant|prefill~ * not support~|not support prefill~|conversation must end with a user|must end with a user|must end with user|end with a user role|expected last role user|last message must be a user|last message of ? must be a user|last message must be from * user|last message must have role user|last message must be user|last message role must be user|last role must be user|last message * role * must be user|last turn * must be a user|last message * should be * user|final message must be * user|requires last turn * user|last message cannot be * assistant|last message is from the assistant|last message must not be * assistant|add_generation_prompt to true when|last message is not from * user|conversation ends with an assistant|last message must be * user or tool|prefix mode * not support~" => EndWithUser, ANTHROPIC;

    // ── empty messages, order of roles, white space ──────────────────────────────────────────────────────────
    "messages.space" [] "cannot end with trailing whitespace|trailing whitespace|end with trailing white space|trailing white space" => Messages(TrailingSpace), ANTHROPIC;
    "messages.empty" [] "content blocks must be non-empty|blocks must contain non-whitespace|must have non-empty content|content must be non-empty|must be non-empty|cannot be set for empty text|textfield * blank|object at messages~ is blank|contentblock object * blank|content field * is empty|contentblock * empty|parts must not be empty|must not be empty|cannot be empty|must have either content or tool_calls|content or tool_calls must be set|must contain content or tool_calls|expected a string got null|must have at least one content|must have at least one parts|must include at least one parts|at least one parts field|must have a text parameter|message content is empty|content is empty|empty content|messages~ content * is required * empty|message must be at least 1 token|empty text parameter|unable to submit request because it * empty|text content is empty|content should not be empty|content can not be empty|empty message~ * not allowed|messages~ must have a message|required oneof field data must have one initialized|contents.parts must not be|message * has empty content|null content|content cannot be null|content: none is not an allowed value|blank text|whitespace-only|message must have content" => Messages(Empty), ANTHROPIC;
    "messages.order" [] "roles must alternate|must alternate|should alternate|should be alternating|alternate between user|alternating user|multiturn requests alternate|must start with a user|must start with user|first message must use the user|first message must be * user|first message * must be * user|must begin with a user|must begin with user|should start with * user|function call turn comes immediately after|function call turn * come|unexpected role|expected role|invalid role order|invalid message order|message order|roles must be|only user and assistant roles|system message must be at the beginning|system message must be first|system messages must be|system message * first message|system message * at the beginning|only the first message can be * system|only one system message|multiple system messages|no user query found|consecutive * messages|same role * in a row|valid role: user model|use a valid role|role * not supported * system|system role not supported|system role is not supported|after the optional system message|conversation must start|a conversation must start|a user message must|messages parameter * order|multiple user roles in a row|messages * not alternating|role must be in|cannot be consecutive" => Messages(Order), ANTHROPIC;
    "messages.order.code" ["invalid_request_message_order"] "" => Messages(Order), MISTRAL;

    // ── images, files ────────────────────────────────────────────────────────────────────────────────────────
    "feature.image" [] "does not support image~|not support image~|support image input|doesn't support image~|images are not supported|image input is not supported|image input~ * not support~|image_url is only supported|not a multimodal model|is not a vision model|not a vision model|image input modality is not enabled|modality is not enabled|not support vision|no vision support|not support multimodal|not support audio|not support video|audio input is not supported|does not support file~|does not support pdf~|does not support document~|support file input|multimodal * not supported|missing data required for image input|model does not support multimodal|image_url is not supported|image_url * not support~|unknown variant image_url|cannot read images|text-only model|only text~ * supported|text content only|image content * not supported|vision is not enabled" => Other(LacksFeature), OPENAI;
    "media.many" [] "too many documents * {n}|images~ * + * > {n}|at most {n} image~|maximum of {n} pdf pages|maximum of {n} pages|at most {n} pages|up to {n} images|maximum of {n} images|maximum number of images * {n}|number of images * exceeds * {n}|more than {n} images|no more than {n} images|maximum {n} images|limit of {n} images|at most {n} videos|at most {n} audio~|{n} images are allowed|only {n} image~ * allowed|exceeds the limit of {n} image~|limits to {n} image~|too many images~|too many image~|too many files|number of images|maximum number of image~|image count|exceeds * number of images|only one image" => Make::Media(TooMany), ANTHROPIC;
    "media.large" [] "bytes > {n} bytes|image exceeds {n} ?|image dimensions exceed * {n} pixels|dimensions exceed max * {n} pixels|payload size exceeds the limit: {n} bytes|image exceeds ? mb maximum|image exceeds|image * exceeds * maximum|image * too large|image dimensions|image size * exceed~|image size|file size * exceed~|file is too large|file too large|pdf * too large|document * too large|document size|media * too large|image * larger than|image * exceeds * limit|request exceeds the maximum size|request_too_large|request payload size exceeds|image file is too large|image must be * less than|image must be under|maximum allowed size * image|audio * too long|audio file * too large|audio * too large|video * too large|video * too long|pdf * exceed~|too many pixels|total pixels|image resolution|exceeds the maximum image|base64 * too large|image data exceeds|larger than the maximum * image|max image size|file exceeds" => Make::Media(TooLarge), ANTHROPIC;
    "media.type" [] "unsupported image|unsupported mime type|unsupported file~ type|unsupported file format|unsupported media type|unsupported image format|unsupported format * image|image format * not supported|unsupported * image|invalid mime type|mime type * not supported|mimetype * not supported|mime_type * not supported|media type * not supported|media_type * not supported|not support mime type|not supported image type|image type * not supported|media_type: input should be|source.media_type|file type * not supported|file format * not supported|format is not supported * image|supported image formats|image was specified using * media type|unsupported audio|unsupported video|unsupported document|invalid file type|invalid image type|unrecognized image format|unknown image format|only images of types|expected * image mime type|only image types are supported|not a supported image|following formats * png|does not match the provided media type|using the image/~ media type|invalid content type. only" => Make::Media(Unsupported), OPENAI;
    "media.broken" [] "could not process image|could not process pdf|could not process document|could not process file|unable to process input image|unable to process * image|not represent a valid image|image is not valid|invalid image|invalid base64|image data * invalid|image * corrupt~|image * could not be|cannot identify image|failed to download|failed to load image|failed to decode image|failed to process image|failed to fetch image|failed to open image|error while downloading|error downloading|timeout while downloading|unable to download|unable to fetch|cannot fetch content|url * could not be fetched|not a valid image|not a valid pdf|pdf * not valid|pdf * corrupt~|pdf * password|document has no pages|document * could not be|image cannot be|unable to read image|could not load image|unable to decode image|image decode|cannot decode image|image * not readable|image_url * invalid|could not be decoded|expected a base64-encoded|expected a valid base64|incorrect padding|illegal base64|base64 * not valid|decoding failed|provided image|invalid pdf|cannot process the image|unable to parse image|image url * not accessible|robots.txt|could not download|unable to access * url|invalid file data|unable to process the file" => Make::Media(Unreadable), ANTHROPIC;

    // ── parameters: another name, another value, none ────────────────────────────────────────────────────────
    "parameter.renamed" [] "{p} is not supported with this model. use {q} instead|{p} is not supported with this model use {q} instead|{p} is not supported with this model * use {q} instead|{p} * not supported * use {q} instead|{p} is deprecated * use {q} instead|{p} is deprecated * in favor of {q}|{p} is no longer supported * use {q}|{p} has moved to {q}|{p} has been renamed to {q}|{p} was renamed to {q}|unsupported parameter: {p} * moved to {q}|did you mean to use {q} instead of {p}|use {q} instead of {p}|please use {q} instead of {p}|{p} has been replaced by {q}|{p} is not supported * please use {q}|replace {p} with {q}" => Rename, OPENAI;
    "value.default" [] "{p} does not support * only the default {v} value|{p} * only the default {v} value|only the default {v} value is supported|{p} may only be set to {v}|{p} must be set to {v}|{p} can only be {v}|{p} can only be set to {v}|{p} is fixed to {v}|{p} must be {v} when|{p} only supports {v}|{p} only support {v}|only {v} is allowed for * {p}|{p} * only {v} is allowed|{p} * must be equal to {v}|{p} must be exactly {v}|invalid {p}: only {v} is allowed|{p} must be {v} for this model|only {p} {v} is supported|only {p}={v} is supported|only support~ {p} {v}" => Make::Set(Set::Only, ""), OPENAI;
    "value.streaming" [] "only support~ stream~ mode|only support~ stream true|please enable the stream|stream must be set to true|non-streaming * not supported|enable_thinking must be set to false" => Make::Set(Set::Only, ""), OPENAI;
    "value.named" [] "unsupported value: {p} does not support {v} with this model. supported values are|{p} does not support {v} * supported values are|invalid value: {v} supported values are|invalid value: {v} * supported values are|{p} * supported values are|{p} must be one of|{p}: input should be|{p} should be one of|invalid {p} {v} * must be one of|{p} value * must be one of|{p} * allowed values are|{p} * valid values are|{p}: invalid value * expected one of|{p} * expected one of|{p} * supported values:|level {v} is not supported * supported levels|supported values are" => Make::Set(Set::OneOf, ""), OPENAI;
    "value.room" [] "input length and max_tokens exceed context limit: {m} + {s} > {n}|input length and {p} exceed context limit: {m} + {s} > {n}|{p} * too large: {s} * maximum context length is {n} tokens and your request has {m} input|maximum context length is {n} tokens * requested * {s} output tokens * prompt contains * {m} input|maximum context length is {n} tokens and your request has {m} input tokens|maximum context length is {n} tokens * however you requested {s} output tokens and your prompt contains at least {m}|maximum context length is {n} tokens * you requested ? tokens {m} in the messages {s} in the completion|maximum context length is {n} tokens * requested about ? tokens {m} of text input ? of tool input {s} in the output|endpoint's maximum context length is {n} tokens * requested about ? tokens {m} of text input {s} in the output|maximum context length of {n} tokens * requested ? tokens {m} * messages {s} * completion|maximum context length is {n} tokens * requested a total of ? tokens: {m} tokens from the input messages and {s}|input tokens {m} + max_new_tokens {s} * {n}|inputs tokens + max_new_tokens must be <= {n}. given: {m} inputs tokens and {s}|prompt tokens {m} * max_tokens {s} * context * {n}|{m} input tokens * {s} output tokens * context * {n}" => Make::Set(Set::Room, "max_tokens"), ANTHROPIC;
    "value.output" [] "{p} is too large: ? this model supports at most {n} completion|{p} * supports at most {n} completion tokens|supports at most {n} completion tokens|{p}: ? > {n} which is the maximum allowed number of output|{p}: ? > {n}|max_tokens * exceeds the model limit of {n}|maximum tokens you requested exceeds the model limit of {n}|requested exceeds the model limit of {n}|max_tokens * must be less than or equal to {n}|{p} must be less than or equal to {n}|{p} must be <= {n}|{p} * must be <= {n}|{p}: must be less than or equal to {n}|{p} * less than or equal to {n}|{p}: input should be less than or equal to {n}|{p} * should be less than or equal to {n}|{p} cannot exceed {n}|{p} can not exceed {n}|{p} * cannot exceed {n}|{p} exceeds the maximum * of {n}|{p} * maximum value * is {n}|{p} * maximum value of {n}|the maximum value for {p} is less than or equal to {n}|maximum value for {p} * {n}|{p} * expected a value <= {n}|{p} must be at most {n}|{p} * at most {n}|{p} must not exceed {n}|{p} should not exceed {n}|{p} exceeds * limit * {n}|{p} exceeds * maximum * {n}|{p} * too large * maximum * {n}|maximum output tokens * is {n}|maximum * output tokens * {n}|output tokens * limit of {n}|max {p} is {n}|max tokens must be less than or equal to {n}|too many tokens: max tokens must be less than or equal to {n}|{p} is greater than the maximum * {n}|{p} is larger than * {n}" => Make::Set(Set::Limit, "max_tokens"), OPENAI;
    "value.least" [] "{p} * expected a value >= {n}|{p} must be greater than or equal to {n}|{p} * must be greater than or equal to {n}|{p}: input should be greater than or equal to {n}|{p} * should be greater than or equal to {n}|{p} must be at least {n}|{p} * must be at least {n}|{p} must be >= {n}|{p} * minimum value * {n}|{p} is below the minimum * {n}|{p} should be at least {n}|{p} * below minimum value * {n}" => Make::Set(Set::Limit, ""), OPENAI;
    "value.range" [] "{p} value of {s} but the supported range is from {n} inclusive to {m}|{p} * supported range is from {n} inclusive to {m}|{p} * range * from {n} to {m}|budget {s} is invalid. please choose a value between {n} and {m}|{p} * must be between {n} and {m}|{p} must be between {n} and {m}|{p} * should be between {n} and {m}|{p} * between {n} and {m}|{p}: range: {n}..{m}|valid range of {p} is {n} {m}|range of {p} should be [{n} {m}]|range of {p} * {n} {m}|{p} must be in the range {n} {m}|{p} * in the range {n} {m}|{p} * in range {n} {m}|{p} must be in [{n} {m}" => Make::Set(Set::Range, ""), GOOGLE;
    "value.budget" [] "budget {s} is invalid. please choose a value between {n} and {m}|thinking budget {s} is invalid * between {n} and {m}|budget * between {n} and {m}" => Make::Set(Set::Range, "thinkingBudget"), GOOGLE;
    "value.temperature" [] "temperature: range: 0..1|temperature * 0..1" => Make::Set(Set::Limit, ""), ANTHROPIC;
    "drop.both" [] "temperature and top_p cannot both|temperature and {p} cannot both|cannot both be specified * {p}|cannot specify both * and {p}|can not use both * and {p}|alter temperature or {p} but not both" => Drop("top_p"), ANTHROPIC;
    "drop.thinking_only" [] "model only works in thinking mode|thinking budget is not supported|does not support thinking budget|does not support setting thinking_budget|thinking_budget is not supported" => Drop("thinkingBudget"), GOOGLE;
    "drop.level" [] "thinking level is not supported|thinking level * not supported" => Drop("thinkingLevel"), GOOGLE;
    "drop.thinking" [] "thinking is not supported|does not support thinking|adaptive thinking is not supported|not support extended thinking|thinking is not enabled|doesn't support thinking|thinking * not supported * this model" => Drop("thinking"), ANTHROPIC;
    "drop.effort" [] "does not support the effort parameter|effort parameter is not supported|does not support reasoning effort|doesn't support reasoning effort|reasoning effort is not supported|does not support parameter reasoningeffort" => Drop("reasoning_effort"), XAI;
    "drop.penalty" [] "penalty is not enabled|frequency penalty is not|does not support penalt~" => Drop("frequencyPenalty"), GOOGLE;
    "drop.mime" [] "response mime type * unsupported|response mime type: * unsupported" => Drop("responseMimeType"), GOOGLE;
    "drop.choice" [] "thinking may not be enabled when tool_choice|does not support this tool_choice|not support tool_choice|not support tool choice|tool_choice * not supported|toolchoice * not supported|tool choice * not supported|tool_choice is only allowed when|tool_choice * when using tool_choice tools must be set|tool_choice is set but no tools" => Drop("tool_choice"), ANTHROPIC;
    "drop.json_choice" [] "parallel_tool_calls is only allowed when" => Drop("parallel_tool_calls"), OPENAI;

    // ── what a model lacks, before parameters that it does not support ───────────────────────────────────────
    "feature.tools" [] "does not support tool~|doesn't support tool~|not support tool~|support tool use|tools is not supported|tools are not supported|tool use is not supported|tool calling * not supported|tool calling is not|function calling is not|function calling * not supported|functions are not supported|does not support function~|doesn't support function~|not support function~|tool choice requires --enable|auto tool choice requires|requires --enable-auto-tool-choice|tool use with function calling is unsupported|tools param requires|does not support tool_use|developer instruction is not enabled|system instruction is not enabled|does not support system|doesn't support system|not support streaming|doesn't support the stream|does not support streaming|doesn't support streaming|streaming is not supported|no endpoints found that support|no endpoints found that can handle|does not support response format|not support response_format|does not support structured|structured outputs~ * not supported|structured output * not supported|json_schema is not supported|json_schema * not supported|json_schema response~ * not support~|response_format * not supported|response_format type is unavailable|json mode is not enabled|json mode is not supported|json mode * not supported|does not support json|doesn't support json|not support generate|does not support chat|is not a chat model|not support chat completions|does not support the chat|operation * unsupported * model|does not work with the specified model|only supported in v1/responses|does not support embeddings|does not support fim|does not support assistant|does not support web~|does not support computer~|does not support caching|unsupported * by this model|the requested operation * not supported * model|does not support the responses|does not support batch" => Other(LacksFeature), OLLAMA;

    "drop.unknown" [] "unrecognized request argument supplied: {p}|unrecognized request arguments supplied: {p}|unrecognized request argument * {p}|unknown parameter: {p}|unknown parameter {p}|unrecognized parameter: {p}|unrecognized parameter {p}|unrecognized field {p}|unknown field: {p}|unknown field {p}|unrecognized key~ * {p}|unknown name {p}|unknown argument: {p}|unknown argument {p}|unexpected keyword argument {p}|unexpected parameter {p}|unexpected field {p}|unexpected property {p}|{p}: extra inputs are not permitted|{p}: extra fields not permitted|{p}: extra inputs|extra inputs are not permitted * {p}|extra_forbidden * {p}|extraneous key {p} is not permitted|extraneous key {p}|property {p} is unsupported|{p}: property * is unsupported|property {p} is not supported|additional properties are not allowed {p}|additional property {p} is not allowed|parameter {p} is not allowed|invalid parameter: {p} is not|json: unknown field {p}|no such parameter * {p}|argument not supported on this model: {p}|argument not supported: {p}|cannot find field: {p}|unsupported parameter~: {p}|unsupported parameter {p}|unsupported parameter~ * {p}|unsupported field {p}|unsupported argument {p}|unsupported key~ * {p}|not support parameters: {p}|not support parameter {p}|not support parameters {p}|does not support parameters: {p}|does not support the following parameters: {p}|does not support the {p} parameter|does not support the {p} field|doesn't support the {p} field|parameter {p} is not a valid field|doesn't support the {p} parameter|does not support the parameter {p}|not support the parameter {p}|parameter {p} is not supported|parameter {p} is unsupported|parameter {p} not supported|the parameter {p} * is not supported|parameter: {p} is not supported|the following parameters are not supported: {p}|parameters are not supported * {p}|parameters are unsupported: {p}|invalid parameter {p}|invalid parameter: {p}" => Drop(""), OPENAI;
    "drop.unsupported" [] "{p} is deprecated for this model|{p} is not supported with this model|{p} is not supported by this model|{p} is not supported for this model|{p} is not supported by * model|{p} is not supported on this model|{p} is not supported in this model|{p} is not supported when|{p} is not supported with|{p} is not supported for|{p} is not supported|{p} are not supported|{p} not supported|{p} is unsupported|{p} is currently not supported|{p} is not permitted|{p} is not allowed|{p} is not available for this model|{p} is not enabled for|{p} cannot be used with|{p} can not be used with|{p} must be unset when|{p} must not be set|{p} cannot be set|{p} should not be set|{p} is only supported|{p} is only available|{p} is only allowed|{p} does not exist|{p} is no longer supported|{p} has been removed|{p} is deprecated|does not support setting {p}|does not support {p}|doesn't support {p}|not support {p}|cannot set {p}|not supported with this model: {p}|{p} parameter is not supported|{p} parameter is unsupported|{p} parameter * not supported|setting {p} * not supported|{p} isn't supported|remove the {p} parameter|{p} is not a valid parameter|{p} may only be|{p} is incompatible with|{p} is not compatible with" => Drop(""), OPENAI;
    "drop.code" ["unsupported_parameter", "unknown_parameter", "extra_forbidden"] "" => Drop(""), OPENAI;

    // ── too long ─────────────────────────────────────────────────────────────────────────────────────────────
    "context.both" [] "keep the first {m} tokens * context length of only {n}|contains {m} tokens * with {n} maximum context|maximum context length is {n} tokens * resulted in {m} tokens|maximum context length is {n} tokens * requested {m} tokens|maximum context length is {n} tokens * requested about {m} tokens|maximum context length is {n} tokens * contains at least {m}|maximum context length is {n} tokens * contains {m}|maximum context length is {n} * {m} tokens|maximum context length is {n} * {m} input|maximum context length {n} * {m} tokens|maximum context length of {n} tokens * {m} tokens|prompt is too long: {m} tokens > {n}|prompt is too long: {m} > {n}|prompt is too long * {m} * maximum * {n}|input token count {m} exceeds * tokens allowed {n}|input token count is {m} but * up to {n}|input token count of {m} exceeds * {n}|input token count {m} exceeds * {n}|cannot exceed {n} * received {m}|maximum prompt length is {n} but the request contains {m}|maximum prompt length is {n} * contains {m}|prompt length is {m} * exceeds * {n}|prompt length {m} exceeds * {n}|prompt length of {m} exceeds * {n}|prompt contains {m} tokens * {n} tokens|prompt contains {m} tokens * maximum context length of {n}|prompt contains {m} tokens * context length * {n}|prompt {m} tokens * context * {n}|input is too long * {m} tokens * {n}|input length {m} exceeds * {n}|input length {m} * larger than * {n}|input {m} tokens is longer than * context length {n}|input is longer than * {m} * {n}|request {m} tokens exceeds the available context size {n}|request {m} tokens exceeds * {n}|requested tokens {m} exceed context window of {n}|number of input tokens {m} * exceeded * {n}|number of tokens {m} * exceed~ * {n}|you sent {m} tokens * limit * {n}|{m} tokens * exceeds * limit of {n}|{m} tokens * exceed~ * maximum * {n}|{m} tokens exceeds * context * {n}|{m} tokens * maximum * {n} tokens|context length * {m} * maximum * {n}|context window of {n} tokens * {m}|context window of {n} * {m} tokens|context window is {n} * {m} tokens|context limit: {m} > {n}|must be less than {n} * got {m}|tokens: {m} > {n}|input tokens {m} * limit * {n}|inputs must have less than {n} tokens. given: {m}|max length * {n} * got {m}|total number of tokens {m} exceeds * {n}|token limit exceeded: {m} > {n}|token count {m} exceeds * {n}|token count of {m} exceeds * {n}|prompt token count of {m} exceeds the limit of {n}" => Shorten, VLLM;
    "context.limit" [] "maximum context length is {n}|maximum context length of {n}|exceeds the maximum number of tokens allowed {n}|exceed the maximum context length of {n}|context window of {n}|context length of {n}|exceeds the maximum context length * {n}|maximum prompt length is {n}|context length is only {n}|context limit of {n}|token limit of {n}|range of input length should be ? {n}|context length of only {n}|maximum input length * {n}|maximum number of tokens * {n}|maximum input tokens * {n}|max input tokens * {n}|maximum of {n} tokens|input limit of {n} tokens" => Shorten, OPENAI;
    "context.code" ["context_length_exceeded", "exceed_context_size_error", "ContextWindowExceededError", "ContextOverflowError", "context_window_exceeded", "model_context_window_exceeded", "prompt_too_long", "input_too_long", "context_overflow", "max_context_length_exceeded", "tokens_limit_exceeded"] "" => Shorten, LITELLM;
    "context.text" [] "exceeded model token limit: {n}|expected maxlength: {n}|prompt is too long|prompt too long|input is too long|input too long|inputs are too long|too many input tokens|too many tokens|maximum context length|context length exceeded|exceeds the context window|exceeds context window|exceed the context window|exceeds the context|exceed context limit|exceeds context limit|exceeds the available context|exceeds * context window|exceeds * context length|exceed * context length|exceeded * context length|context_length_exceeded|context window exceeded|context window * exceeded|larger than the context|longer than the context|longer than * context length|reduce the length of the messages|reduce the length of the input|reduce the length of the prompt|reduce your prompt|reduce the prompt|input length exceeds|input exceeds|prompt exceeds|input tokens exceed~|exceeds the maximum number of tokens|exceeds the maximum number of input tokens|exceeds max length|exceeds * token limit|exceeded max~ context|exceeds model token limit|context size * exceeded|context overflow|context length * too long|conversation is too long|request is too large for the model|too large for model|total message size|messages too long|input length is too long|prompt token count|token count exceeds|too long for requested model|too long for the model|model token limit|context is too long|content * string too long" => Shorten, BEDROCK;

    // ── answers ──────────────────────────────────────────────────────────────────────────────────────────────
    "answer.call" [] "failed to call a function|failed to parse tool call|error parsing tool call|invalid sequence as part of tooluse|malformed function call|malformed_function_call|tool call validation failed|model produced invalid * tool|invalid tool call arguments|invalid arguments for tool|failed to parse function call|could not parse tool call|invalid function arguments json|model generated * invalid tool|tool call arguments * not valid json|failed to parse tool input|parsing tool call" => Resample(InvalidArguments), GROQ;
    "answer.json" [] "failed to generate json|failed to validate json|generated json does not match|model output * not valid json|model did not return valid json" => Resample(InvalidJson), GROQ;
    "answer.cut" [] "could not parse response content as the length limit|max_tokens or model output limit was reached|output limit was reached|output was truncated|response was truncated|length limit was reached|could not finish the message because max_tokens" => Raise, OPENAI;
    "answer.empty" [] "model returned an empty response|model output must contain either output text or tool calls|empty response from model|model returned no content|model output is empty|response was empty" => Resample(NoAnswer), GOOGLE;

    // ── this model never will ────────────────────────────────────────────────────────────────────────────────
    "retired" [] "model * has been decommissioned|model * decommissioned|model * has been deprecated|model * is deprecated|model * was deprecated|model * deprecated * no longer|model * has been retired|model * was retired|model * is retired|model * no longer available|model * no longer supported|model * no longer accessible|model * no longer served|model * been discontinued|model * discontinued|model * end of * life|model * has been removed|model * was removed|model * has been shut down|model * sunset|model is marked by provider as legacy|marked by provider as legacy|models~ * no longer available|has been deprecated learn more|deprecated * model * migrate|has been sunset|has been retired|deployment * deprecated|reached its end of life|reached the end of its life|end-of-life" => Other(Retired), OPENAI;
    "context" [] "" => Shorten, OPENAI;
    "filtered" [] "" => Other(Filtered), OPENAI;
}
