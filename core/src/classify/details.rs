//! What a log may show of an error, made of allow-listed names, codes and numbers. A message's text, redacted and cut,
//! stands there only where nothing else is known: of an error that no rule recognises.

use std::fmt::Write as _;

use super::Provider;
use super::explain::source_url;
use super::rules::{RULES, When};
use super::signals::Signals;
use super::token::Role;
use crate::message::redact;
use crate::number::digits;
use crate::text::{cut_at, on_one_line};

/// One line: `HTTP 429 · rate_limit_exceeded · RateLimitError · openai gpt-4o · request req_…`, or `TypeError · x is not a
/// function` for what no rule recognises. The name of a rule that does follows as `rule http.429`.
pub(crate) fn technical(signals: &Signals<'_>, provider: &Provider, recognised: bool) -> String {
    let mut line = String::with_capacity(96);
    if let Some(status) = provider.status_code {
        add_part(&mut line, &["HTTP ", &digits(u64::from(status))]);
    }
    for code in signals.shown(Role::Code).take(4) {
        add_part(&mut line, &[code]);
    }
    if let Some(number) = signals.vendor_number {
        add_part(&mut line, &["code ", &digits(u64::from(number))]);
    }
    if let Some(parameter) = signals.parameter {
        add_part(&mut line, &["param ", parameter]);
    }
    for name in signals.shown(Role::Name).take(3) {
        add_part(&mut line, &[name]);
    }
    match (&provider.provider, &provider.model) {
        (Some(provider), Some(model)) => add_part(&mut line, &[provider, " ", model]),
        (Some(one), None) | (None, Some(one)) => add_part(&mut line, &[one]),
        (None, None) => {}
    }
    if let Some(id) = &provider.request_id {
        add_part(&mut line, &["request ", id]);
    }
    if recognised {
        return line;
    }
    // What a provider answers may quote the prompt.
    let answered = provider.status_code.is_some() || provider.request_id.is_some();
    if let Some(text) = signals.texts().next().filter(|_| !answered) {
        add_part(&mut line, &[&quoted(text, LONGEST_QUOTE)]);
    }
    if line.is_empty() {
        line.push_str("thrown without a message");
    }
    line
}

/// Adds a part to a line of technical details.
pub(super) fn add_part(line: &mut String, words: &[&str]) {
    if !line.is_empty() {
        line.push_str(" · ");
    }
    words.iter().for_each(|word| line.push_str(word));
}

/// Characters of an unrecognised error's message that are shown.
const LONGEST_QUOTE: usize = 200;
/// Characters that are shown of what a provider said, where the application wants it.
const LONGEST_SAID: usize = 500;

/// What the error's texts say, each once: what a provider answered, mostly. Redacted, and cut to 500 characters.
pub(crate) fn said(signals: &Signals<'_>) -> String {
    let mut texts = String::new();
    signals.texts().for_each(|text| add_part(&mut texts, &[text.trim()]));
    quoted(&texts, LONGEST_SAID)
}

/// A text on one line, redacted before it is cut, so that a cut cannot make half a key unrecognisable.
fn quoted(text: &str, longest: usize) -> String {
    cut_at(on_one_line(&redact(text), |c| c.is_whitespace() || c.is_control()), longest)
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
    let _ = writeln!(
        page,
        "\n## Vocabularies\n\nThe lists behind the rules `listed.…` and `said.…`: each name has an outcome, which is the rule. A number counts only beside what shows whose it is (`errno` of 1000 and above is MySQL's, `code` of an error that is named after MongoDB is MongoDB's). They stand in `core/src/classify/vocabulary/`.\n\n| list | names | source |\n|---|---|---|"
    );
    for family in super::vocabulary::FAMILIES.iter().flat_map(|families| families.iter()) {
        let names: usize = family.rows.iter().map(|(_, names)| names.split(',').count()).sum();
        let _ = writeln!(page, "| {} | {names} | {} |", family.about, link(family.source));
    }
    let _ = writeln!(
        page,
        "\n## Messages, word for word\n\nAn error that has nothing but words is retried only if its whole message is one of these. They stand in `core/src/classify/vocabulary/sent.rs`.\n\n| source | messages |\n|---|---|"
    );
    for (source, messages) in super::vocabulary::sent_rows() {
        let _ = writeln!(page, "| {} | {messages} |", link(source));
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
        When::Spells(_) => "code in words",
        When::Named(..) => "class",
        When::Says(_) | When::Opens(_) | When::Begins(_) => "wording",
        When::Is(_) => "shape",
        When::Not(_) => "absence",
        When::Rpc(_) => "JSON-RPC number",
        When::Listed(_) => "vocabulary",
        When::Said(_) => "sentence",
        When::Hinted(_) => "word",
    }
}

#[cfg(test)]
mod tests {
    use crate::classify::{Context, Thrown, classify, said};

    fn details(json: &str) -> String {
        classify(&Thrown::from_json(json), &Context::default()).technical_details
    }

    #[test]
    fn what_no_rule_recognises_says_its_class_and_its_redacted_message() {
        let fault = r#"{"name":"TypeError","message":"jane@example.com is not\n a function"}"#;
        assert_eq!(details(fault), "TypeError · [redacted] is not a function");
        assert_eq!(details(r#"{"name":"OutOfCheese","message":"none"}"#), "OutOfCheese · none");
        assert_eq!(details(r#"{"name":"OutOfCheese"}"#), "OutOfCheese");
        assert_eq!(details("{}"), "thrown without a message");
        assert_eq!(details("null"), "thrown without a message");
        let long = details(&format!(r#"{{"message":"{}"}}"#, "very ".repeat(100)));
        assert!(long.chars().count() <= 201 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn a_vendors_code_is_always_there() {
        let state = r#"{"name":"error","code":"42601","message":"syntax error at or near \"SELEC\""}"#;
        assert_eq!(details(state), "42601 · rule listed.invalid");
        assert_eq!(details(r#"{"code":"23505","message":"x"}"#), "23505 · rule listed.exists");
        assert_eq!(details(r#"{"sqlState":"57014","message":"x"}"#), "57014 · rule listed.timeout");
        assert_eq!(
            details(r#"{"name":"MongoServerError","code":11000,"message":"x"}"#),
            "code 11000 · MongoServerError · rule listed.exists"
        );
        let refused = r#"{"status":400,"error":{"code":"invalid_value","param":"tools[0].type"}}"#;
        assert_eq!(details(refused), "HTTP 400 · invalid_value · param tools[0].type · rule http.400");
        for hidden in ["what is the weather in Bern?", "sk-abcdef0123456789"] {
            let quoting = format!(r#"{{"status":400,"error":{{"param":"{hidden}"}}}}"#);
            assert_eq!(details(&quoting), "HTTP 400 · rule http.400");
        }
    }

    #[test]
    fn what_a_provider_said_is_no_detail() {
        let refused = r#"{"status":400,"message":"400 about elephants","requestId":"req_0123"}"#;
        assert_eq!(details(refused), "HTTP 400 · request req_0123 · rule http.400");
        assert_eq!(said(&Thrown::from_json(refused)), "400 about elephants");
        // The number of a request is enough to know that a provider said it.
        assert_eq!(details(r#"{"message":"about elephants","requestId":"req_0123"}"#), "request req_0123");
    }
}
