//! What went wrong: a thrown value of any kind becomes one [`Classification`].
//!
//! Structure decides (status, provider code and type, headers, error names, errno, causes), wording comes last and
//! is narrow. The way of a value: [`thrown`] (a bounded copy of what may be read) → `signals` (what it says) →
//! `rules` (the first row that holds) → the classification.

mod copy;
mod details;
mod explain;
mod gather;
pub mod hint;
mod key;
mod limits;
mod listed;
mod packed;
mod provider;
mod read;
pub mod remedy;
mod rules;
mod shown;
mod signals;
mod text;
pub mod thrown;
mod token;
mod vocabulary;

pub use details::Spoken;
pub use explain::{Check, Explanation, RuleCard, Tried, explain, rule, source_url};
pub use key::{Key, NO_KEY};
pub use limits::{Limit, Unit, limits};
pub use read::Read;
pub use remedy::Remedy;
pub use signals::{Flag, Signals};
pub use thrown::{Node, Thrown};

#[cfg(feature = "js-errors")]
pub(crate) use {
    explain::afterwards,
    packed::{Held, trace},
    token::Role,
};

use crate::text::joined;
use crate::time::Millis;
use crate::{Code, Severity};

/// Which layer of an agent an error came from; it narrows the codes that are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// A call of a model or its provider.
    Model,
    /// A tool's execution.
    Tool,
    /// The agent itself: every code is possible.
    Agent,
}

/// What the caller knows about the call that failed.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Context {
    /// The provider that was called: `openai`, `anthropic`, …
    pub provider: Option<String>,
    /// The model that was called.
    pub model: Option<String>,
    /// The layer that failed.
    pub layer: Option<Layer>,
    /// Milliseconds since the Unix epoch, for hints that are dates. Default: dates count from the response's `date` only.
    pub now: Option<u64>,
}

/// What is known of the provider and the response.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// `openai`, `anthropic`, `google`, `azure-openai`, `bedrock`, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The HTTP status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_code: Option<u16>,
    /// The provider's id of the request, for its support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

/// What an error is, and what may be done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Classification {
    /// The code.
    pub code: Code,
    /// What an orchestrator should do about it.
    pub severity: Severity,
    /// Whether sending the same request again can help. Equivalent to severity `retriable`; see [`Classification::words_alone`].
    pub retryable: bool,
    /// How long the provider asked to wait, from any header, body or message.
    pub hint: Option<Millis>,
    /// The id of the rule that decided, for example `http.429.insufficient_quota`.
    pub rule: &'static str,
    /// The rule's place in [`rule_ids`].
    pub rule_index: u16,
    /// Another try would help, but nothing except prose says so, and no message is one that a known library sends word for
    /// word: `retryable` is false and the severity critical. A policy whose list of codes names this one retries it.
    pub words_alone: bool,
    /// Structure shows that the request was refused before it was carried out: repeating it repeats no side effect.
    pub is_refusal: bool,
    /// What is known of the provider.
    pub provider: Provider,
    /// Which change of the request would make it acceptable, where the error says so.
    pub remedy: Option<Remedy>,
    /// What a log may show: allow-listed names, codes and numbers; of an error that no rule recognises its message too,
    /// redacted and cut to 200 characters.
    pub technical_details: String,
}

/// Classifies a thrown value.
///
/// ```
/// use halfopen::Code;
/// use halfopen::classify::{Context, Thrown, classify};
/// let thrown = Thrown::from_json(r#"{"status":429,"error":{"code":"insufficient_quota"}}"#);
/// let classification = classify(&thrown, &Context::default());
/// assert_eq!(classification.code, Code::QuotaExceeded);
/// assert!(!classification.retryable);
/// ```
#[must_use]
pub fn classify(thrown: &Thrown, context: &Context) -> Classification {
    examine(thrown, context, |_| ()).0.named()
}

/// Classifies a thrown value, and returns what was read of it too: for events and for the dashboard.
#[must_use]
pub fn classify_with_signals(thrown: &Thrown, context: &Context) -> (Classification, serde_json::Value) {
    let (decision, signals) = examine(thrown, context, |signals| signals.to_json());
    (decision.named(), signals)
}

/// What an error's texts say, redacted, on one line: for applications that want to read what their provider answered. It
/// may quote the prompt. At most 500 characters, and 300 of what a server answered.
///
/// ```
/// use halfopen::classify::{Thrown, said};
/// let thrown = Thrown::from_json(r#"{"status":400,"error":{"message":"temperature must be at most 2"}}"#);
/// assert_eq!(said(&thrown), "temperature must be at most 2");
/// ```
#[must_use]
pub fn said(thrown: &Thrown) -> String {
    spoken(thrown).words
}

/// The parts of an error's message, for its developer.
///
/// ```
/// use halfopen::classify::{Thrown, spoken};
/// let thrown = Thrown::from_json(
///     r#"{"status":400,"error":{"code":"invalid_value","param":"temperature","message":"must be at most 2"}}"#,
/// );
/// let spoken = spoken(&thrown);
/// assert_eq!((spoken.head.as_str(), spoken.answered), ("HTTP 400 · invalid_value · temperature", true));
/// ```
#[must_use]
pub fn spoken(thrown: &Thrown) -> Spoken {
    let embedded = text::embedded::embedded(thrown);
    details::spoken(&Signals::gather(thrown, &embedded))
}

/// A classification whose rule is a number: what crosses into JavaScript, where the rules' names are data.
pub(crate) struct Decision {
    pub(crate) code: Code,
    pub(crate) severity: Severity,
    pub(crate) retryable: bool,
    pub(crate) hint: Option<Millis>,
    pub(crate) rule: u16,
    pub(crate) words_alone: bool,
    pub(crate) is_refusal: bool,
    pub(crate) provider: Provider,
    /// The remedy, and the row that gave it.
    pub(crate) remedy: Option<remedy::Found>,
    /// The technical details.
    pub(crate) details: String,
}

impl Decision {
    fn named(self) -> Classification {
        let rule = rules::RULES.get(usize::from(self.rule)).map_or("unknown", |rule| rule.id);
        Classification {
            code: self.code,
            severity: self.severity,
            retryable: self.retryable,
            hint: self.hint,
            rule,
            rule_index: self.rule,
            words_alone: self.words_alone,
            is_refusal: self.is_refusal,
            provider: self.provider,
            remedy: self.remedy.map(|found| found.remedy),
            technical_details: self.details,
        }
    }
}

pub(crate) fn examine<T>(
    thrown: &Thrown,
    context: &Context,
    look: impl FnOnce(&Signals<'_>) -> T,
) -> (Decision, T) {
    let embedded = text::embedded::embedded(thrown);
    let mut signals = Signals::gather(thrown, &embedded);
    let mut rule = packed::decide(&signals);
    let is_backed = packed::is_backed(rule, &signals);
    let remedy = remedy::find(&signals, rule.code, context.layer);
    if let Some(found) = &remedy {
        (rule.code, rule.retryable) = (found.code(rule.code), found.remedy.is_retryable());
    }
    let code = match narrow(rule.code, context.layer) {
        // A file that is missing is nothing that a model's provider has.
        Code::NotFound if context.layer == Some(Layer::Model) && signals.has(Flag::FileCall) => Code::Unknown,
        code => code,
    };
    let retryable = match signals.should_retry {
        // The response itself states it; Anthropic's and OpenAI's SDKs obey it too.
        Some(false) => false,
        Some(true) => rule.retryable || REPEATABLE.contains(&rule.code),
        None => match signals.library_retry {
            Some(true) => rule.retryable || REPEATABLE.contains(&rule.code),
            // A client's `false` is as often a default as a judgement: it decides where a rule could only guess.
            Some(false) => rule.retryable && !GUESSED.contains(&rule.code),
            None => rule.retryable,
        },
    };
    // Prose may be about anything, also about what was carried out: it repeats nothing, unless it is a library's, word for word.
    signals.words_alone = retryable
        && !is_backed
        && signals.stated_retry().is_none_or(|(_, retry)| !retry)
        && !signals.whole_texts().any(|text| sent_code(text, &signals) == Some(rule.code));
    let retryable = retryable && !signals.words_alone;
    let limits = matches!(rule.code, Code::RateLimited | Code::ProviderOverloaded);
    let provider = Provider {
        provider: context.provider.clone().or_else(|| signals.provider.map(str::to_owned)),
        model: context.model.clone().or_else(|| signals.model.map(str::to_owned)),
        status_code: signals.http_status,
        request_id: signals.request_id.map(str::to_owned),
    };
    let recognised = rule.code != Code::Unknown;
    let decision = Decision {
        code,
        severity: if signals.words_alone { Severity::Critical } else { severity(code, retryable) },
        retryable,
        words_alone: signals.words_alone,
        is_refusal: is_backed && is_refusal(rule.code, &signals, context.now),
        hint: signals.hint(context.now, limits),
        rule: rule.rule,
        remedy,
        details: details::technical(&signals, &provider, recognised, code),
        provider,
    };
    let seen = look(&signals);
    (decision, seen)
}

/// The code of a message that a library or a runtime sends.
fn sent_code(text: &str, signals: &Signals<'_>) -> Option<Code> {
    vocabulary::sent_code(text).or_else(|| {
        let of_engine = signals.has(Flag::Program).then(|| joined(&["TypeError: ", text]))?;
        vocabulary::sent_code(&of_engine)
    })
}

/// Whether a failure of that code shows that the request was refused, and not carried out: RFC 9110 §9.2.2.
fn is_refusal(code: Code, signals: &Signals<'_>, now: Option<u64>) -> bool {
    match code {
        Code::Timeout | Code::InvalidResponse | Code::Unknown | Code::ToolExecutionError => false,
        Code::NetworkError => signals.was_not_sent(),
        // RFC 9110 §15.6.4: such a server is overloaded or under maintenance, and says so before any work.
        Code::ServerError => signals.status == Some(503) && signals.states_wait(now),
        _ => true,
    }
}

/// Codes that say little, for which a server or a client may ask for another try (`x-should-retry: true`, `retryable`).
const REPEATABLE: [Code; 5] =
    [Code::Unknown, Code::ValidationError, Code::InvalidResponse, Code::IoError, Code::ToolExecutionError];

/// Codes for which a client that says "not again" is believed.
const GUESSED: [Code; 2] = [Code::ServerError, Code::Conflict];

/// `retryable` and severity `retriable` go together, also where a rule knows better than its code.
#[must_use]
pub fn severity(code: Code, retryable: bool) -> Severity {
    match (retryable, code.severity()) {
        (true, _) => Severity::Retriable,
        // One request above a whole limit: a smaller one can work.
        (false, Severity::Retriable) if code == Code::RateLimited => Severity::Replanning,
        (false, Severity::Retriable) => Severity::Critical,
        (false, severity) => severity,
    }
}

/// The code as the layer can have it.
#[must_use]
pub fn narrow(code: Code, layer: Option<Layer>) -> Code {
    match layer {
        Some(Layer::Model) if !code.is_model_code() => match code {
            Code::ConfigError | Code::InitializationError => Code::ProviderNotConfigured,
            Code::Conflict => Code::ServerError,
            Code::AlreadyExists => Code::ValidationError,
            _ => Code::Unknown,
        },
        Some(Layer::Tool) if !code.is_tool_code() => match code {
            Code::AuthenticationError | Code::ContentFiltered | Code::QuotaExceeded => Code::PermissionDenied,
            Code::ModelNotFound => Code::NotFound,
            Code::ContextLengthExceeded => Code::ValidationError,
            Code::ProviderNotConfigured | Code::ProviderNotSupported | Code::InitializationError => {
                Code::ConfigError
            }
            Code::ProviderOverloaded => Code::ServerError,
            Code::InvalidResponse => Code::IoError,
            _ => Code::ToolExecutionError,
        },
        Some(Layer::Tool) => code.from_tool(),
        _ => code,
    }
}

/// Milliseconds that a server asked to wait, from headers as JSON (`{"retry-after":"7"}`). `now`: epoch milliseconds.
///
/// ```
/// use halfopen::classify::parse_retry_after;
/// use halfopen::time::Millis;
/// assert_eq!(parse_retry_after(r#"{"Retry-After":"7"}"#, None), Some(Millis(7000)));
/// ```
#[must_use]
pub fn parse_retry_after(headers: &str, now: Option<u64>) -> Option<Millis> {
    hint::from_headers(Thrown::headers_from_json(headers).root()?, now, true)
}

/// Every rule's id, in the order in which the rules are tried: its place is the number that crosses into JavaScript.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    rules::RULES.iter().map(|rule| rule.id).collect()
}

/// The rules as a Markdown page, for `docs/rules.md`.
#[must_use]
pub fn rules_page() -> String {
    details::rules_page()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_keeps_its_own_codes() {
        for &code in Code::ALL {
            if code.is_model_code() {
                assert_eq!(narrow(code, Some(Layer::Model)), code);
            }
            if code.is_tool_code() {
                assert_eq!(narrow(code, Some(Layer::Tool)), code.from_tool());
            }
            assert_eq!(narrow(code, None), code);
        }
    }

    #[test]
    fn a_code_of_another_layer_becomes_the_nearest() {
        for (code, model) in [
            (Code::ConfigError, Code::ProviderNotConfigured),
            (Code::InitializationError, Code::ProviderNotConfigured),
            (Code::Conflict, Code::ServerError),
            (Code::AlreadyExists, Code::ValidationError),
            (Code::CircuitOpen, Code::Unknown),
        ] {
            assert_eq!(narrow(code, Some(Layer::Model)), model, "{code:?}");
        }
        for (code, tool) in [
            (Code::AuthenticationError, Code::PermissionDenied),
            (Code::ContentFiltered, Code::PermissionDenied),
            (Code::QuotaExceeded, Code::PermissionDenied),
            (Code::ModelNotFound, Code::NotFound),
            (Code::ContextLengthExceeded, Code::ValidationError),
            (Code::ProviderNotConfigured, Code::ConfigError),
            (Code::ProviderNotSupported, Code::ConfigError),
            (Code::InitializationError, Code::ConfigError),
            (Code::ProviderOverloaded, Code::ServerError),
            (Code::InvalidResponse, Code::IoError),
            (Code::CircuitOpen, Code::ToolExecutionError),
        ] {
            assert_eq!(narrow(code, Some(Layer::Tool)), tool, "{code:?}");
        }
    }

    #[test]
    fn what_is_not_retried_is_not_retriable() {
        assert_eq!(severity(Code::RateLimited, false), Severity::Replanning);
        assert_eq!(severity(Code::ServerError, false), Severity::Critical);
        assert_eq!(severity(Code::ValidationError, false), Severity::Critical);
        assert_eq!(severity(Code::ValidationError, true), Severity::Retriable);
    }

    #[test]
    fn a_server_that_allows_another_try_forbids_none() {
        let thrown = Thrown::from_json(r#"{"status":500,"message":"x","headers":{"x-should-retry":"true"}}"#);
        assert!(classify(&thrown, &Context::default()).retryable);
    }
}
