//! The technical details of an error, which a log may show: allow-listed names, codes and numbers. A message's text,
//! redacted and cut, is included only if no rule matches the error, because nothing else is known then.

use std::fmt::Write as _;

use super::classification::Provider;
use super::rules::{RULES, When};
use super::signals::Signals;
use super::source::source_url;
use super::token::Role;
use crate::Code;
use crate::message::redact;
use crate::text::digits;
use crate::text::{cut_at, on_one_line};

/// Returns one line: `HTTP 429 · rate_limit_exceeded · RateLimitError · openai gpt-4o · request req_…`, or `TypeError ·
/// x is not a function` if no rule matches. If nothing known may be shown, it is the code. The deciding rule is a
/// separate field of the classification.
pub(crate) fn technical(signals: &Signals<'_>, provider: &Provider, recognised: bool, code: Code) -> String {
    let mut line = head(signals, provider.status_code);
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
        if line.is_empty() {
            line.push_str(code.as_str());
        }
        return line;
    }
    // A provider's answer may quote the prompt.
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

/// Returns status, codes and the wrong part of the request: `HTTP 400 · invalid_request_error · tools[0].name`.
fn head(signals: &Signals<'_>, status: Option<u16>) -> String {
    let mut line = String::with_capacity(96);
    if let Some(status) = status {
        add_part(&mut line, &["HTTP ", &digits(u64::from(status))]);
    }
    let codes = || signals.shown(Role::Code).take(4);
    if let Some(state) = signals.sql_state.filter(|state| !codes().any(|code| code == *state)) {
        add_part(&mut line, &[state]);
    }
    codes().for_each(|code| add_part(&mut line, &[code]));
    if let Some(number) = signals.vendor_number {
        add_part(&mut line, &["code ", &digits(u64::from(number))]);
    }
    if let Some(param) = signals.param {
        add_part(&mut line, &[param]);
    }
    line
}

/// The parts of an error's message, for its developer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// `true` if a server sent the text, which may then quote the prompt. An application's own text does not.
    pub answered: bool,
    /// Status, codes and parameter, between ` · `; for an error that no server sent, a database's SQLSTATE alone. Often
    /// empty.
    pub head: String,
    /// Its words, redacted and on one line: at most 500 characters, and 300 of a server's text.
    pub words: String,
}

/// Returns the parts of an error's message.
pub(crate) fn spoken(signals: &Signals<'_>) -> Spoken {
    let answered = signals.is_answer();
    let head = if answered {
        head(signals, signals.http_status)
    } else {
        signals.sql_state.unwrap_or_default().to_owned()
    };
    let longest = if answered { LONGEST_ANSWER } else { LONGEST_SAID };
    let mut texts: Vec<&str> =
        signals.texts().map(|text| without_status(text.trim(), signals.http_status)).collect();
    // The server's text replaces an HTTP client's own sentence.
    if texts.iter().any(|text| !is_a_clients(text)) {
        texts.retain(|text| !is_a_clients(text));
    }
    let mut words = String::new();
    texts.iter().filter(|text| !text.is_empty()).for_each(|text| add_part(&mut words, &[text]));
    Spoken { answered, head, words: quoted(&words, longest) }
}

/// Removes the status that the SDKs of OpenAI and Anthropic put in front: `400 Invalid schema`.
fn without_status(text: &str, status: Option<u16>) -> &str {
    let number = status.map(|status| digits(u64::from(status))).unwrap_or_default();
    let rest = text.strip_prefix(number.as_str()).filter(|rest| rest.starts_with(' '));
    rest.map_or(text, str::trim_start)
}

/// Recognises axios' own sentence, and the status without a body of OpenAI's SDK.
fn is_a_clients(text: &str) -> bool {
    text.is_empty() || text.starts_with("Request failed with status code ") || text == "status code (no body)"
}

/// The most characters shown of an unrecognised error's message.
const LONGEST_QUOTE: usize = 200;
/// The most characters shown of an error's text.
const LONGEST_SAID: usize = 500;
/// The most characters shown of a provider's text.
const LONGEST_ANSWER: usize = 300;

/// Returns a text on one line. It is redacted before it is cut, because half a key would not be recognised.
fn quoted(text: &str, longest: usize) -> String {
    cut_at(on_one_line(&redact(text), |c| c.is_whitespace() || c.is_control()), longest)
}

/// The table as Markdown.
pub(crate) fn rules_page() -> String {
    let mut page = String::from(
        "# Rules of classification\n\nMade from `core/src/classify/rules.rs`, `vocabulary/` and `remedy/rows.rs` by `UPDATE_DOCS=1 cargo test -p \
            halfopen --test rules_page`. The first row whose conditions all hold decides; `rule` of a classification \
            names it.\n\nThe column \"decided by\" names the conditions: the status of a response; a code, also one that is \
            spelled in words; the class of the error; a wording, sentence or word of its message; a vocabulary, which is \
            a vendor's list of names; the shape of the value; the absence of something. A row by wording alone says \
            whether the kind of failure can be retried: a retry also needs [a known message](#messages-word-for-word).\n\n| rule | code | retry | decided by | source |\n|---|---|---|---|---|\n",
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
        "\n## Vocabularies\n\nThe lists behind the rules `listed.…` and `said.…`: each name has an outcome, and \
            the outcome selects the rule. A number counts only if something beside it identifies its vendor (`errno` of 1000 and above is \
            MySQL's, `code` of an error that is named after MongoDB is MongoDB's). The lists are in \
            `core/src/classify/vocabulary/`.\n\n| list | names | source |\n|---|---|---|"
    );
    for family in super::vocabulary::FAMILIES.iter().flat_map(|families| families.iter()) {
        let names: usize = family.rows.iter().map(|(_, names)| names.split(',').count()).sum();
        let _ = writeln!(page, "| {} | {names} | {} |", family.about, link(family.source));
    }
    let _ = writeln!(
        page,
        "\n## Messages, word for word\n\nAn error with nothing but a text is retried only if its whole message is \
            one of these. The list is in `core/src/classify/vocabulary/sent.rs`.\n\n| source | messages |\n|---|---|"
    );
    for (source, messages) in super::vocabulary::sent_rows() {
        let _ = writeln!(page, "| {} | {messages} |", link(source));
    }
    page.push_str(&super::remedy::page(link));
    page
}

/// Turns a source that is no address into a link.
pub(super) fn link(source: &str) -> String {
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
    use super::{Spoken, spoken};
    use crate::classify::signals::Signals;
    use crate::classify::text::embedded::embedded;
    use crate::classify::{Context, Thrown, classify, said};

    fn details(json: &str) -> String {
        classify(&Thrown::from_json(json), &Context::default()).technical_details
    }

    #[test]
    fn an_unrecognised_error_shows_its_class_and_its_redacted_message() {
        let fault = r#"{"name":"TypeError","message":"jane@example.com is not\n a function"}"#;
        assert_eq!(details(fault), "TypeError · [redacted] is not a function");
        assert_eq!(details(r#"{"name":"OutOfCheese","message":"none"}"#), "OutOfCheese · none");
        assert_eq!(details(r#"{"name":"OutOfCheese"}"#), "OutOfCheese");
        assert_eq!(details("{}"), "thrown without a message");
        assert_eq!(details("null"), "thrown without a message");
        let long = details(&format!(r#"{{"message":"{}"}}"#, "very ".repeat(100)));
        assert!(long.chars().count() <= 201 && long.ends_with('…'), "{long}");
    }

    fn spoken_by(json: &str) -> String {
        let thrown = Thrown::from_json(json);
        let embedded = embedded(&thrown);
        let Spoken { answered, head, words } = spoken(&Signals::gather(&thrown, &embedded));
        format!("{}|{head}|{words}", if answered { "answered" } else { "own" })
    }

    #[test]
    fn an_answer_has_status_code_and_parameter_before_its_words() {
        let refused = r#"{"status":400,"headers":{"x-request-id":"req_0123"},"message":"400 Invalid schema for function 'weather'",
            "error":{"message":"Invalid schema for function 'weather'","type":"invalid_request_error",
                     "code":"invalid_function_parameters","param":"tools[0].function.parameters"}}"#;
        assert_eq!(
            spoken_by(refused),
            "answered|HTTP 400 · invalid_function_parameters · invalid_request_error · tools[0].function.parameters|Invalid schema for function 'weather'"
        );
        let axios = r#"{"message":"Request failed with status code 400","status":400,
            "response":{"status":400,"data":{"error":{"message":"temperature must be at most 2"}}}}"#;
        assert_eq!(spoken_by(axios), "answered|HTTP 400|temperature must be at most 2");
        let long = spoken_by(&format!(
            r#"{{"status":400,"requestID":"req_0123","message":"{}"}}"#,
            "very ".repeat(200)
        ));
        assert!(long.chars().count() < 330 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn the_words_of_an_application_stand_alone() {
        let own = r#"{"status":404,"message":"no city is named Bren; did you mean Bern?"}"#;
        assert_eq!(spoken_by(own), "own||no city is named Bren; did you mean Bern?");
    }

    #[test]
    fn the_code_of_a_database_is_never_lost() {
        for (state, said) in [("42601", "syntax error"), ("23505", "duplicate key"), ("57P01", "terminating")]
        {
            let thrown =
                format!(r#"{{"name":"error","code":"{state}","severity":"ERROR","message":"{said}"}}"#);
            assert_eq!(spoken_by(&thrown), format!("own|{state}|{said}"));
            assert!(details(&thrown).starts_with(state), "{}", details(&thrown));
        }
        let mysql =
            r#"{"code":"ER_PARSE_ERROR","errno":1064,"sqlState":"42000","message":"You have an error"}"#;
        assert!(details(mysql).contains("ER_PARSE_ERROR · 42000"), "{}", details(mysql));
        assert!(details(r#"{"name":"MongoServerError","code":11000,"message":"x"}"#).contains("11000"));
    }

    #[test]
    fn a_vendors_code_is_always_there() {
        let state = r#"{"name":"error","code":"42601","message":"syntax error at or near \"SELEC\""}"#;
        assert_eq!(details(state), "42601");
        assert_eq!(details(r#"{"code":"23505","message":"x"}"#), "23505");
        assert_eq!(details(r#"{"sqlState":"57014","message":"x"}"#), "57014");
        assert_eq!(
            details(r#"{"name":"MongoServerError","code":11000,"message":"x"}"#),
            "code 11000 · MongoServerError"
        );
        let refused = r#"{"status":400,"error":{"code":"invalid_value","param":"tools[0].type"}}"#;
        assert_eq!(details(refused), "HTTP 400 · invalid_value · tools[0].type");
        for hidden in ["what is the weather in Bern?", "sk-abcdef0123456789"] {
            let quoting = format!(r#"{{"status":400,"error":{{"param":"{hidden}"}}}}"#);
            assert_eq!(details(&quoting), "HTTP 400");
        }
    }

    #[test]
    fn a_providers_words_are_no_detail() {
        let refused = r#"{"status":400,"message":"400 about elephants","requestId":"req_0123"}"#;
        assert_eq!(details(refused), "HTTP 400 · request req_0123");
        assert_eq!(said(&Thrown::from_json(refused)), "about elephants");
        // A recognised error without any details.
        assert_eq!(details(r#"{"message":"socket hang up"}"#), "NETWORK_ERROR");
        // A request's id suffices to show that a provider sent the text.
        assert_eq!(details(r#"{"message":"about elephants","requestId":"req_0123"}"#), "request req_0123");
    }
}
