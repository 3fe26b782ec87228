//! Classification: a thrown value of any kind becomes one [`Classification`].
//!
//! OpenAI answers 429 for two failures: too many requests, which pass, and an empty account, which does not. The status alone
//! would retry both. The code in the body tells them apart:
//!
//! ```
//! use halfopen::Code;
//! use halfopen::classify::{Context, Thrown, explain};
//!
//! let thrown = r#"{"name":"RateLimitError","status":429,"error":{"code":"insufficient_quota"},"message":"Try again later"}"#;
//! let explanation = explain(&Thrown::from_json(thrown), &Context::default());
//!
//! assert_eq!(explanation.classification.code, Code::QuotaExceeded);
//! assert!(!explanation.classification.retryable);
//! // Each rule before it was tried and did not hold, and none after it was.
//! let (last, others) = explanation.tried.split_last().unwrap();
//! assert!(last.decided && others.iter().all(|rule| !rule.decided));
//! ```
//!
//! # The way of a value
//!
//! 1. [`thrown`] is a bounded copy with allow-listed keys. `gather` reads it into `signals`: statuses, codes, names, headers,
//!    flags, texts. `listed` looks up names and numbers in the `vocabulary`.
//! 2. `packed` finds the first row of `rules` whose conditions all hold. It gives the code, and says whether a retry can help.
//! 3. `decide` narrows the code to those of the layer, and applies the response's own statement on retrying.
//!
//! # Rules
//!
//! - Structure decides before wording: status, provider code and type, headers, error names, errno, causes. Texts come last, and
//!   their conditions are narrow.
//! - The first rule that holds decides, so the most specific rules come first.
//! - An error with nothing but a text is retried only if a library or a runtime sends that text, word for word
//!   ([`Classification::words_alone`]).
//! - Request bodies, authorization headers and cookies are never read.
//!
//! # Reasons
//!
//! - A message can quote anything: a user's prompt, a document, another error. "try again" in it proves nothing, and a wrong
//!   retry can repeat work that was carried out.
//! - One ordered table, and not a score, because a user can follow it: [`explain`] lists each rule that was tried and the
//!   condition that did not hold.
//! - The copy has bounds because a thrown value is foreign data: it can be large, cyclic, or made by an attacker.

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

/// Classifies a thrown value, and returns the signals that were read too, for events and for the dashboard.
#[must_use]
pub fn classify_with_signals(thrown: &Thrown, context: &Context) -> (Classification, serde_json::Value) {
    let (decision, signals) = examine(thrown, context, |signals| signals.to_json());
    (decision.named(), signals)
}

/// Returns the texts of an error, redacted, on one line, for applications that read their provider's message. They may
/// quote the prompt. At most 500 characters, and 300 of a server's own text.
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

/// Returns the parts of an error's message, for its developer.
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

/// Returns the wait that a server requested, read from headers as JSON (`{"retry-after":"7"}`). `now`: epoch
/// milliseconds.
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

/// Every rule's id, in the order in which the rules are tried. A rule's index is the number that crosses into
/// JavaScript.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    rules::RULES.iter().map(|rule| rule.id).collect()
}

/// Returns the rules as a Markdown page, for `docs/rules.md`.
#[must_use]
pub fn rules_page() -> String {
    details::rules_page()
}
