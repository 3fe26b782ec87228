//! From a code and what is known about the failure to the words for a person.

use super::locale::{ALL, ANSWERS};
use super::redact;
use super::table::{self, ROW_END, Row, Table};
use super::template::{Facts, render};
use super::{About, Audience, Circumstance, reached_over_internet};
use crate::Code;
use crate::invariant::Always;
use crate::text::{cut_at, joined, on_one_line};
use crate::time::Millis;
use std::sync::OnceLock;

/// The languages of the messages, as language subtags. The first is the default.
pub const LOCALES: &[&str] = &["en", "de", "es", "fr", "ja", "zh"];

/// Returns the language of [`LOCALES`] for a locale's name. The language subtag decides: `de-AT` and `de_AT.UTF-8` are
/// German and `zh-Hans-CN` is Chinese; everything else is English.
///
/// ```
/// use halfopen::message::resolve_locale;
/// assert_eq!(resolve_locale("en-GB"), "en");
/// assert_eq!(resolve_locale("tlh"), "en");
/// ```
#[must_use]
pub fn resolve_locale(name: &str) -> &'static str {
    LOCALES.get(place(name)).copied().always()
}

/// Returns the index of a locale's language in [`LOCALES`].
fn place(name: &str) -> usize {
    let language = name.trim().split(['-', '_', '.', '@']).next().unwrap_or_default();
    LOCALES.iter().position(|tag| tag.eq_ignore_ascii_case(language)).unwrap_or(0)
}

/// Returns the templates of the language for a locale's name, as rows. JavaScript passes them with each message.
///
/// ```
/// use halfopen::message::{LOCALES, templates};
/// assert_eq!(templates("de-AT")[0], "de");
/// ```
#[must_use]
pub fn templates(locale_name: &str) -> Vec<String> {
    ALL.get(place(locale_name)).map(|locale| table::rows(locale)).always()
}

/// Like [`templates`], but made once.
pub(super) fn table(locale_name: &str) -> Table<'static> {
    static TEXTS: [OnceLock<String>; LOCALES.len()] = [const { OnceLock::new() }; LOCALES.len()];
    let text = TEXTS
        .get(place(locale_name))
        .map(|text| text.get_or_init(|| templates(locale_name).join(ROW_END.encode_utf8(&mut [0; 4]))));
    Table(text.map_or("", String::as_str))
}

/// The messages for users: what happened and what to do next, in their language.
///
/// One line; for `INVALID_RESPONSE` an owner gets several, with causes and steps. No codes, no numbers of the protocol, no
/// secrets; names in `about` that do not look like names are left out.
///
/// ```
/// use halfopen::{Code, message::{About, user_message}, time::Millis};
/// let about = About { provider: Some("openai"), retry_after: Some(Millis(432_000)), ..About::default() };
/// assert_eq!(
///     user_message(Code::RateLimited, &about, "en"),
///     "Too many requests were sent to OpenAI in a short time. Please try again in about 7 minutes."
/// );
/// ```
#[must_use]
pub fn user_message(code: Code, about: &About<'_>, locale_name: &str) -> String {
    user_message_of(table(locale_name), code, about)
}

/// Like [`user_message`], in the language of that table.
#[must_use]
pub fn user_message_of(table: Table<'_>, code: Code, about: &About<'_>) -> String {
    // With NOT_FOUND, `tool` is set only if the tool itself is missing.
    let unknown_tool = code == Code::NotFound && about.tool.is_some();
    let circumstance = if unknown_tool { Circumstance::NoSuchTool } else { about.circumstance };
    let template = if circumstance.code() == Some(code) {
        table.of_circumstance(circumstance, about.audience)
    } else {
        table.of_code(code, about.audience)
    };
    render(template, &facts(about, table))
}

/// Returns the message about an answer without content. An owner reads `reason` in a last line.
///
/// ```
/// use halfopen::message::{About, empty_response};
/// let message = empty_response("no candidates in response", &About::default(), "en");
/// assert!(message.starts_with("The AI service sent back an empty answer. This can happen if:\n• "));
/// assert!(message.ends_with("\n\nTechnical details: no candidates in response"));
/// ```
#[must_use]
pub fn empty_response(reason: &str, about: &About<'_>, locale_name: &str) -> String {
    empty_response_of(table(locale_name), reason, about)
}

/// Like [`empty_response`], in the language of that table.
#[must_use]
pub fn empty_response_of(table: Table<'_>, reason: &str, about: &About<'_>) -> String {
    let visits = about.audience == Audience::Visitor;
    let row = if visits { Row::EmptyForVisitor } else { Row::Empty };
    let text = render(table.row(row), &facts(about, table));
    if visits { text } else { joined(&[&text, &technical_details_of(table, reason)]) }
}

/// Returns the message about an answer of the wrong shape. An owner reads the expected and the actual form in the last
/// lines.
#[must_use]
pub fn invalid_response(expected: &str, got: &str, about: &About<'_>, locale_name: &str) -> String {
    invalid_response_of(table(locale_name), expected, got, about)
}

/// Like [`invalid_response`], in the language of that table.
#[must_use]
pub fn invalid_response_of(table: Table<'_>, expected: &str, got: &str, about: &About<'_>) -> String {
    let mut facts = facts(about, table);
    let text = render(table.of_code(Code::InvalidResponse, about.audience), &facts);
    if about.audience == Audience::Visitor {
        return text;
    }
    facts.expected = Some(one_line(expected));
    facts.got = Some(one_line(got));
    joined(&[&text, "\n\n", &render(table.row(Row::ExpectedGot), &facts)])
}

/// Returns a paragraph for the operators of the agent, which follows a message; redacted. Empty without details.
#[must_use]
pub fn technical_details(details: &str, locale_name: &str) -> String {
    technical_details_of(table(locale_name), details)
}

/// Like [`technical_details`], in the language of that table.
#[must_use]
pub fn technical_details_of(table: Table<'_>, details: &str) -> String {
    let details = one_line(details);
    if details.is_empty() {
        return String::new();
    }
    let facts = Facts { detail: Some(details), ..Facts::default() };
    joined(&["\n\n", &render(table.row(Row::Details), &facts)])
}

/// Returns a wait in the locale's words, rounded as in speech; `None` for no wait, and for one of more than a year.
///
/// ```
/// use halfopen::{message::human_duration, time::Millis};
/// assert_eq!(human_duration(Millis(432_000), "en").as_deref(), Some("7 minutes"));
/// assert_eq!(human_duration(Millis(60_000), "de-AT").as_deref(), Some("1 Minute"));
/// ```
#[must_use]
pub fn human_duration(wait: Millis, locale: &str) -> Option<String> {
    table(locale).duration(wait)
}

/// The progress of an answer that a user sees, and the text in place of an answer that only called tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// The request goes out.
    Sending,
    /// The call of that tool begins.
    Using(&'a str),
    /// The exchange failed with that message.
    Failed(&'a str),
    /// A stream only called tools. The last tool's name, if known.
    Executed(Option<&'a str>),
    /// A whole response only called tools.
    Completed,
}

/// Returns the sentence for that progress, in that language. It contains names and messages unchanged.
///
/// ```
/// use halfopen::message::{Progress, progress};
/// assert_eq!(progress(Progress::Using("search"), "en"), "Using search...");
/// assert_eq!(progress(Progress::Completed, "en"), "Task completed using available tools.");
/// ```
#[must_use]
pub fn progress(of: Progress<'_>, locale_name: &str) -> String {
    let Some(words) = ANSWERS.get(place(locale_name)) else { return String::new() };
    let with_tool =
        |template, tool: &str| render(template, &Facts { tool: Some(tool.to_owned()), ..Facts::default() });
    match of {
        Progress::Sending => words.sending.to_owned(),
        Progress::Using(tool) => with_tool(words.using, tool),
        Progress::Failed(message) => {
            render(words.error, &Facts { detail: Some(message.to_owned()), ..Facts::default() })
        }
        Progress::Executed(Some(tool)) => with_tool(words.executed, tool),
        Progress::Executed(None) => words.analysed.to_owned(),
        Progress::Completed => words.completed.to_owned(),
    }
}

/// The longest details. Longer ones are cut, because a message is no log.
const LONGEST_DETAIL: usize = 500;

/// Returns the text on one line, redacted before it is cut, because half a key would not be recognised.
///
/// A first cut bounds the work. It is made before a word begins: blanks and long secrets in front shrink to little, and
/// would leave the half of a key at its end in what is shown.
fn one_line(text: &str) -> String {
    let head = match text.char_indices().nth(8 * LONGEST_DETAIL) {
        Some((end, _)) => {
            let head = text.get(..end).always();
            head.rsplit_once(char::is_whitespace).map_or(head, |(words, _)| words)
        }
        None => text,
    };
    cut_at(on_one_line(&redact::redact(head), char::is_whitespace), LONGEST_DETAIL)
}

fn facts(about: &About<'_>, table: Table<'_>) -> Facts {
    let mut facts = Facts {
        provider: about.provider_name(),
        internet: about.provider.filter(|id| reached_over_internet(id)).map(|_| String::new()),
        model: about.model_name(),
        tool: about.tool_name(),
        wait: about.retry_after.and_then(|wait| table.duration(wait)),
        ..Facts::default()
    };
    let again = if facts.wait.is_some() { Row::AgainIn } else { Row::AgainSoon };
    facts.again = Some(render(table.row(again), &facts));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_cut_leaves_no_half_of_a_key() {
        let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
        for shown in 1..key.len() {
            let blanks = " ".repeat(8 * LONGEST_DETAIL - "failed".len() - shown);
            let line = one_line(&format!("failed{blanks}{key}"));
            assert!(!line.contains(&key[..shown.min(4)]), "{line}");
        }
    }

    #[test]
    fn the_list_of_locales_is_the_list_of_tables() {
        assert!(ALL.iter().map(|locale| locale.tag).eq(LOCALES.iter().copied()));
    }
}
