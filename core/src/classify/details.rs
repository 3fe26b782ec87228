//! What a log may show of an error, made of allow-listed names, codes and numbers: never a message's text.

use std::fmt::Write as _;

use super::Provider;
use super::explain::source_url;
use super::rules::{RULES, When};
use super::signals::{Role, Signals};

/// One line: `HTTP 429 · rate_limit_exceeded · RateLimitError · openai gpt-4o · request req_… · http.429`.
pub(crate) fn technical(signals: &Signals<'_>, provider: &Provider, rule: &str) -> String {
    let mut line = String::with_capacity(96);
    let mut part = |words: &[&str]| {
        if !line.is_empty() {
            line.push_str(" · ");
        }
        words.iter().for_each(|word| line.push_str(word));
    };
    if let Some(status) = provider.status_code {
        part(&["HTTP ", itoa(status, &mut [0; 5])]);
    }
    for code in signals.shown(Role::Code).take(4) {
        part(&[code]);
    }
    for name in signals.shown(Role::Name).take(3) {
        part(&[name]);
    }
    match (&provider.provider, &provider.model) {
        (Some(provider), Some(model)) => part(&[provider, " ", model]),
        (Some(one), None) | (None, Some(one)) => part(&[one]),
        (None, None) => {}
    }
    if let Some(id) = &provider.request_id {
        part(&["request ", id]);
    }
    part(&["rule ", rule]);
    line
}

/// The number's digits; `format!` would take a microsecond of the eight that a classification may.
fn itoa(number: u16, buffer: &mut [u8; 5]) -> &str {
    let mut rest = number;
    let mut start = buffer.len();
    for slot in buffer.iter_mut().rev() {
        *slot = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    buffer.get(start..).and_then(|digits| std::str::from_utf8(digits).ok()).unwrap_or_default()
}

/// The table as Markdown.
pub(crate) fn rules_page() -> String {
    let mut page = String::from(
        "# Rules of classification\n\nMade from `core/src/classify/rules.rs` by `UPDATE_DOCS=1 cargo test -p halfopen --test rules_page`. The first row whose conditions all hold decides; `rule` of a classification names it.\n\n| rule | code | retry | decided by | source |\n|---|---|---|---|---|\n",
    );
    for rule in RULES {
        let by: Vec<&str> = rule.when.iter().map(|condition| kind(*condition)).collect();
        let by = if by.is_empty() { "—".to_owned() } else { by.join(", ") };
        let retry = if rule.retryable { "yes" } else { "no" };
        let _ = writeln!(
            page,
            "| `{}` | {} | {retry} | {by} | {} |",
            rule.id,
            rule.code.as_str(),
            link(rule.source)
        );
    }
    page
}

/// A source that is no address in itself leads to one.
fn link(source: &str) -> String {
    match source_url(source).filter(|url| url != source) {
        Some(url) => format!("[{source}]({url})"),
        None => source.to_owned(),
    }
}

const fn kind(condition: When) -> &'static str {
    match condition {
        When::Status(_) | When::Between(..) => "status",
        When::NoStatus => "no status",
        When::Any(..) => "code",
        When::Named(..) => "class",
        When::Says(_) | When::Opens(_) | When::Begins(_) => "wording",
        When::Is(_) => "shape",
        When::Not(_) => "absence",
        When::Rpc(_) => "JSON-RPC number",
    }
}
