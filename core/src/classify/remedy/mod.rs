//! The change that makes a request acceptable, or its answer usable, read from the provider's code, parameter or words.
//!
//! Read only of errors whose code can have one: all others pay nothing. `rows` is the table, codes before words; `words`
//! reads a text with what it quotes; `make` turns what a row found into a remedy. Names, ids and patterns are the provider's
//! own: bounded, of few characters, and never like a key.

mod kind;
mod make;
mod rows;
mod words;

use super::signals::{Flag, Signals};
use super::token::{Role, hash};
use crate::Code;
use crate::message::Circumstance;
use crate::text::joined;
pub use kind::{Answer, KINDS, Media, Never, Problem, Remedy, Value};
use rows::{Make, ROWS};
use words::Said;

/// A remedy, and the row that gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The necessary change.
    pub remedy: Remedy,
    /// The row of the table.
    pub row: usize,
}

impl Found {
    /// The code of its error, where the rule gave that one.
    pub(crate) fn code(&self, ruled: Code) -> Code {
        let row = ROWS.get(self.row).map(|row| row.make);
        // The conversation is long, which leaves little room for an answer.
        if matches!(row, Some(Make::Set(rows::Set::Room, _))) && ruled == Code::ContextLengthExceeded {
            return ruled;
        }
        self.remedy.code(ruled)
    }

    /// The row's id.
    pub(crate) fn id(&self) -> &'static str {
        rows::IDS.get(self.row).copied().unwrap_or_default()
    }
}

/// Returns the code whose sentence a user reads of an error with a remedy of that kind, and how the sentence changes.
///
/// The provider refuses the conversation as the agent wrote it, and nothing that the user entered or named: neither
/// "describe in another way" nor "check the name" helps. `spoken` of `pkg/src/classify/decision.ts` says the same.
///
/// ```
/// use halfopen::{Code, classify::remedy::spoken, message::Circumstance};
/// assert_eq!(spoken(Code::NotFound, "resend-history"), (Code::ValidationError, Circumstance::Conversation));
/// assert_eq!(spoken(Code::ContextLengthExceeded, "shorten"), (Code::ContextLengthExceeded, Circumstance::None));
/// ```
#[must_use]
pub fn spoken(code: Code, kind: &str) -> (Code, Circumstance) {
    if kind.is_empty() || !matches!(code, Code::ValidationError | Code::NotFound) {
        return (code, Circumstance::None);
    }
    let attached = kind == "drop-media";
    (Code::ValidationError, if attached { Circumstance::Attachment } else { Circumstance::Conversation })
}

/// The rows as a Markdown table.
pub(super) fn page(link: impl Fn(&str) -> String) -> String {
    let mut page = String::from(
        "\n## Remedies\n\nThe rows behind `remedy`, in `core/src/classify/remedy/rows.rs`: the first row that holds and finds the data for its remedy decides. They are tried only if the code of the rule that decided can have a remedy.\n\n| row | remedy | decided by | source |\n|---|---|---|---|\n",
    );
    for ((row, id), source) in ROWS.iter().zip(rows::IDS).zip(rows::SOURCES) {
        let source = &link(source);
        let by = match (row.codes.is_empty(), row.says.is_empty()) {
            (false, false) => "code, wording",
            (false, true) => "code",
            _ => "wording",
        };
        page.push_str(&joined(&["| `", id, "` | ", row.make.kind(), " | ", by, " | ", source, " |\n"]));
    }
    page
}

/// Codes whose errors may ask for a change of the request.
const REPAIRABLE: [Code; 12] = [
    Code::AlreadyExists,
    Code::ValidationError,
    Code::ContextLengthExceeded,
    Code::ContentFiltered,
    Code::InvalidResponse,
    Code::ModelNotFound,
    Code::NotFound,
    Code::ProviderNotSupported,
    Code::ToolExecutionError,
    Code::ServerError,
    Code::Conflict,
    Code::Unknown,
];

/// Beginnings of the classes of clients that are no model's: their words are about other requests.
const FOREIGN: [&str; 12] = [
    "Stripe",
    "Prisma",
    "Gaxios",
    "Octokit",
    "Sequelize",
    "Mongo",
    "Twilio",
    "Slack",
    "Notion",
    "Discord",
    "S3",
    "Postgres",
];

/// Classes of clients of tools. An MCP server that refuses arguments is a tool that failed: its result goes back to the model,
/// and no request is sent again.
const OF_TOOLS: [&str; 2] = ["McpError", "MCPClientError"];

/// Classes and types of errors that providers of models and their clients have.
const OF_MODELS: &[u32] = &[
    hash("BadRequestError"),
    hash("BadRequestResponseError"),
    hash("UnprocessableEntityError"),
    hash("UnprocessableEntityResponseError"),
    hash("NotFoundError"),
    hash("InternalServerError"),
    hash("APIError"),
    hash("APICallError"),
    hash("APIStatusError"),
    hash("SDKError"),
    hash("HTTPValidationError"),
    hash("ResponseError"),
    hash("ValidationException"),
    hash("GoogleGenerativeAIFetchError"),
    hash("ModelErrorException"),
    hash("StreamProviderError"),
    hash("ResponsesError"),
    hash("invalid_request_error"),
    hash("INVALID_ARGUMENT"),
    hash("invalid_value"),
    hash("unsupported_parameter"),
    hash("unsupported_value"),
    hash("unknown_parameter"),
];

/// Returns `true` if the error itself shows that a provider of models sent it.
fn names_a_model(signals: &Signals<'_>) -> bool {
    signals.provider.is_some()
        || signals.model.is_some()
        || signals.param.is_some()
        || signals.tokens.iter().any(|token| OF_MODELS.contains(&token.hash))
}

/// The remedy that the error asks for, if its rule gave that code. `of_model`, `of_tool`: which layer failed, as far as the
/// caller knows.
pub(super) fn find(signals: &Signals<'_>, code: Code, of_model: bool, of_tool: bool) -> Option<Found> {
    if !REPAIRABLE.contains(&code) || signals.has(Flag::Child) || signals.has(Flag::FileCall) {
        return None;
    }
    let has_name = |beginnings: &[&str]| {
        let mut names = signals.tokens.iter().filter(|token| token.role == Role::Name);
        names.any(|token| beginnings.iter().any(|beginning| token.text.starts_with(beginning)))
    };
    if has_name(&FOREIGN) {
        return None;
    }
    let of_tool = of_tool || has_name(&OF_TOOLS);
    // Spam filters and the like: their lists name what was filtered, and no model did it.
    if signals.has(Flag::Program) || code == Code::ContentFiltered && signals.listed.is_structure {
        return None;
    }
    let of_model = of_model || names_a_model(signals);
    let mut said: Option<Vec<Said<'_>>> = None;
    for (row, one) in ROWS.iter().enumerate() {
        let of_session = matches!(one.make, Make::Session);
        if of_tool && !of_session || !one.may_have(code) || one.make.is_of_request() && !of_model {
            continue;
        }
        if !one.codes.is_empty() && !signals.tokens.iter().any(|token| one.codes.contains(&token.hash)) {
            continue;
        }
        // A parser quotes what it was given.
        if one.codes.is_empty() && (signals.has(Flag::BadJson) || signals.has(Flag::CutJson)) {
            continue;
        }
        let texts = said.get_or_insert_with(|| signals.texts().map(Said::of).collect());
        if one.says.is_empty() {
            if let Some(remedy) = one.make.remedy(signals, texts, None) {
                return Some(Found { remedy, row });
            }
            if matches!(one.make, Make::Nothing) {
                return None;
            }
            continue;
        }
        for at in 0..texts.len() {
            let Some(caught) = texts.get(at).and_then(|text| text.find(one.says)) else { continue };
            if matches!(one.make, Make::Nothing) {
                return None;
            }
            if let Some(remedy) = one.make.remedy(signals, texts, Some((at, caught))) {
                return Some(Found { remedy, row });
            }
        }
    }
    None
}
