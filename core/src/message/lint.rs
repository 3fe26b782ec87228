//! The faults of a bad message: jargon, length, left-over placeholders, secrets. Used by tests and by the dashboard.

use super::redact;

/// A fault of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A word that only engineers know.
    Jargon(String),
    /// A code such as `RATE_LIMITED` or `ECONNRESET`.
    Code(String),
    /// A number of the protocol, such as 429.
    Status(String),
    /// A line of more characters than a person reads in one go.
    LongLine(usize),
    /// More characters altogether than a person reads at all.
    Long(usize),
    /// A placeholder that was not filled in, or a section that was not closed.
    Placeholder,
    /// Two spaces in a row, a space before a full stop, a space at an end.
    Spacing,
    /// Something that [`redact`] would take out.
    Secret,
    /// Nothing at all.
    Empty,
}

/// The most characters of one line, and of all.
const LONGEST_LINE: usize = 240;
const LONGEST: usize = 1000;

/// Words that users need not know, in any of the languages. They match as whole words, in any case.
const JARGON: &[&str] = &[
    "http",
    "https",
    "json",
    "api",
    "url",
    "dns",
    "tls",
    "ssl",
    "tcp",
    "sdk",
    "llm",
    "null",
    "undefined",
    "nan",
    "exception",
    "stack",
    "trace",
    "timeout",
    "endpoint",
    "payload",
    "parse",
    "parser",
    "parsing",
    "schema",
    "socket",
    "backoff",
    "breaker",
    "rate limit",
    "status code",
    "token",
    "tokens",
    "header",
    "headers",
    "stream",
    "bulkhead",
    "jitter",
    "regex",
    "boolean",
    "string",
    "array",
    "localhost",
    "host",
];

/// "API key" is the term in users' account settings, and there is no better one.
const ACCEPTED: &[&str] = &[
    "API key",
    "API-Schlüssel",
    "clave de API",
    "clé API",
    "clé d’API",
    "APIキー",
    "API キー",
    "API密钥",
    "API 密钥",
];

/// Returns the faults of a message for a user; empty if it is good.
///
/// ```
/// use halfopen::message::lint::{Finding, lint};
/// assert_eq!(lint("OpenAI is very busy right now. Please try again in a moment."), []);
/// assert_eq!(lint("HTTP error"), [Finding::Jargon("http".into())]);
/// assert_eq!(lint("Failed with 429"), [Finding::Status("429".into())]);
/// ```
#[must_use]
pub fn lint(message: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    if message.trim().is_empty() {
        found.push(Finding::Empty);
    }
    let plain = ACCEPTED.iter().fold(message.to_owned(), |text, word| text.replace(word, "…"));
    let lower = plain.to_lowercase();
    found.extend(
        JARGON.iter().filter(|word| has_word(&lower, word)).map(|word| Finding::Jargon((*word).into())),
    );
    for word in plain.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
        let letters = word.bytes().filter(u8::is_ascii_uppercase).count();
        if word.contains('_') && letters > 1 || letters >= 6 && letters == word.len() {
            found.push(Finding::Code(word.into()));
        }
        if word.len() == 3 && word.starts_with(['4', '5']) && word.bytes().all(|b| b.is_ascii_digit()) {
            found.push(Finding::Status(word.into()));
        }
    }
    found.extend(
        message.lines().map(|line| line.chars().count()).filter(|&n| n > LONGEST_LINE).map(Finding::LongLine),
    );
    let length = message.chars().count();
    if length > LONGEST {
        found.push(Finding::Long(length));
    }
    if message.contains(['{', '}', '[', ']', '|']) {
        found.push(Finding::Placeholder);
    }
    if message.trim() != message
        || message.contains("  ")
        || message.contains(" .")
        || message.contains(" ,")
        || message.contains(" \n")
    {
        found.push(Finding::Spacing);
    }
    if redact(message) != message {
        found.push(Finding::Secret);
    }
    found
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let after = text.get(at + word.len()..).and_then(|tail| tail.chars().next());
        let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_' || c == 'é');
        !joins(before) && !joins(after)
    })
}
