//! What went wrong: a thrown value of any kind becomes one [`Classification`].
//!
//! Structure decides (status, provider code and type, headers, error names, errno, causes), wording comes last and
//! is narrow. The way of a value: [`thrown`] (a bounded copy of what may be read) → `signals` (what it says) →
//! `rules` (the first row that holds) → the classification.

mod classification;
mod copy;
mod decide;
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
mod source;
mod span;
mod text;
pub mod thrown;
mod token;
mod vocabulary;

pub use classification::{Classification, Context, Layer, Provider};
pub use decide::{narrow, severity};
pub use details::Spoken;
pub use explain::{Check, Explanation, RuleCard, Tried, explain, rule};
pub use key::{Key, NO_KEY};
pub use limits::limits;
pub use read::Read;
pub use remedy::Remedy;
pub use signals::{Flag, Signals};
pub use source::source_url;
pub use thrown::{Node, Thrown};

#[doc(hidden)]
pub use {
    classification::Decision,
    decide::examine,
    explain::afterwards,
    packed::{Held, trace},
    token::Role,
};

use crate::time::Millis;

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
