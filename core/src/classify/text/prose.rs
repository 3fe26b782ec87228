//! Reads a thrown value's texts into [`Signals`]: a status, a parser's complaint, HTML, or words that are kept for the rules.

use super::json;
use super::status_text::status_in_text;
use crate::classify::signals::{Flag, Signals};
use crate::classify::thrown::cut;
use crate::classify::token::Origin;
use crate::text::{contains, split_at};

/// No more texts are kept.
const TEXT_COUNT: usize = 10;

impl<'a> Signals<'a> {
    /// Reads a text according to its kind.
    pub(in crate::classify) fn add_text(&mut self, text: &'a str) {
        let text = unwrapped(text.trim());
        // "OK" is the text of a status, and reveals nothing about the error behind it.
        if text.is_empty()
            || matches!(text, "OK" | "No Content")
            || self.texts.len() >= TEXT_COUNT
            || self.quotes(text)
        {
            return;
        }
        if starts_like_html(text) {
            return self.add_html(text);
        }
        let failed = self.http_status.is_some_and(|status| status >= 400);
        if !failed {
            self.read_json_complaint(text);
        }
        let json = json::find(text);
        if json == Some(0) {
            // A waiter of the AWS SDK throws an error without a class of its own, with the last response, which succeeded.
            if text.starts_with("{\"state\":\"FAILURE\"") {
                self.flag(Flag::FailedState);
            }
            return;
        }
        if !failed && self.text_status.is_none() {
            self.text_status = status_in_text(text);
        }
        // The text before embedded JSON or HTML is prose; the JSON or HTML has been read by its own parser.
        let html = find_html(text);
        if let Some(page) = html.and_then(|at| text.get(at..)) {
            self.add_html(page);
        }
        self.read_paths(text);
        let prose = text.get(..json.or(html).unwrap_or(text.len())).unwrap_or(text);
        if let Some(name) = grpc_name(prose) {
            // Only gRPC writes the number and the name, or the path of a method: `14 UNAVAILABLE: …`, `/shop.Shop/Get
            // ABORTED: …`.
            let head = prose.split(' ').next().unwrap_or_default();
            let is_call = !head.starts_with('/') || contains(head, ".") && head.matches('/').count() == 2;
            self.add_stated(name, if is_call { Origin::Field } else { Origin::Prose });
        } else if let Some(name) = connect_name(prose)
            .or_else(|| dotted_error_name(prose))
            .or_else(|| leading_code(prose))
            .or_else(|| trailing_code(prose))
        {
            self.add_stated(name, if name == text { Origin::Message } else { Origin::Prose });
        }
        if !prose.trim().is_empty() {
            self.listed.text(prose);
            self.whole_texts |= u16::from(prose.len() == text.len()) << self.texts.len();
            self.texts.push(prose);
        }
    }

    /// Reads a page. Proxies put the status line into the title, `<title>502 Bad Gateway</title>`.
    fn add_html(&mut self, page: &'a str) {
        self.flag(Flag::Html);
        if self.http_status.is_none() && self.text_status.is_none() {
            let title = split_at(cut(page, 256), "<title>").map(|(_, title)| title);
            self.text_status = title.and_then(status_in_text);
        }
    }

    /// Reads the path of a file for a hint at the failure: a lock file, or a parser that read a file instead of a
    /// response.
    fn read_paths(&mut self, text: &str) {
        let head = cut(text, 256);
        if contains(head, ".lock'") && (contains(head, "EEXIST") || contains(head, "File exists")) {
            self.flag(Flag::LockFile);
        }
        let names_settings = contains(head, ".json:")
            || contains(head, "ml:")
                && [".yaml:", ".yml:", ".toml:"].iter().any(|ending| contains(head, ending));
        if names_settings && !contains(head, "://") {
            self.flag(Flag::FileOfSettings);
        }
    }

    /// Returns `true` if a known text contains this one: SDKs put a body's message into their own, at most after a
    /// status.
    fn quotes(&self, text: &str) -> bool {
        let head = cut(text, 64).as_bytes();
        self.texts.iter().any(|known| {
            known.len() >= text.len().min(1000)
                && (0..=24).any(|offset| known.as_bytes().get(offset..offset + head.len()) == Some(head))
        })
    }

    /// Reads the messages of the JSON parsers of V8, SpiderMonkey, JavaScriptCore and node-fetch.
    fn read_json_complaint(&mut self, text: &str) {
        let head = cut(text, 512);
        if !(contains(head, "JSON") || contains(head, "json")) {
            return;
        }
        const CUT: [&str; 9] = [
            "Unexpected end of JSON input",
            "Unterminated string in JSON",
            "Unexpected EOF",
            "unexpected end of data",
            "Unterminated string",
            "end of input",
            "unterminated string",
            "Incomplete JSON",
            "Expected double-quoted property name in JSON",
        ];
        const BAD: [&str; 10] = [
            "is not valid JSON",
            "JSON5:",
            "in JSON at position",
            "JSON.parse:",
            "JSON Parse error",
            "JSON parsing failed",
            "invalid json response body",
            "Invalid JSON response",
            "Bad control character in string literal in JSON",
            "Unexpected non-whitespace character after JSON",
        ];
        if CUT.iter().any(|phrase| contains(head, phrase)) {
            self.flag(Flag::CutJson);
            self.flag(Flag::BadJson);
        } else if BAD.iter().any(|phrase| contains(head, phrase)) {
            self.flag(Flag::BadJson);
        }
        if contains(head, "token '<'")
            || contains(head, "token <")
            || contains(head, "\"<!DOCTYPE")
            || contains(head, "\"<html")
        {
            self.flag(Flag::Html);
        }
        // A body that only repeats a status line: `"Too Many Requests" is not valid JSON`.
        if contains(head, "\"Too Many Requests\" is not valid JSON") {
            self.text_status = self.text_status.or(Some(429));
        }
    }
}

/// Removes the marks of a text that is one quotation as a whole, as SDKs make from a body that is a JSON string.
fn unwrapped(text: &str) -> &str {
    // OpenAI's SDK puts the status in front: `400 "Incorrect API key …"`.
    let bare = text
        .get(3..)
        .filter(|_| text.bytes().take(3).all(|b| b.is_ascii_digit()))
        .map_or(text, str::trim_start);
    // GitLab responds with a list of one message, and Rust prints an error after its name: `["…"]`, `Failed("…")`.
    let named = bare.split_once('(').filter(|(name, _)| name.bytes().all(|b| b.is_ascii_alphanumeric()));
    let bare = named.map(|(_, rest)| rest).and_then(|rest| rest.strip_suffix(')')).unwrap_or(bare);
    let bare = bare.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(bare);
    let inner = bare.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

fn starts_like_html(text: &str) -> bool {
    let head = cut(text, 15);
    head.starts_with('<')
        && ["<!doctype html", "<html", "<head", "<body"]
            .iter()
            .any(|tag| head.get(..tag.len()).is_some_and(|h| h.eq_ignore_ascii_case(tag)))
}

fn find_html(text: &str) -> Option<usize> {
    let head = cut(text, 256);
    head.match_indices('<').map(|(at, _)| at).find(|&at| starts_like_html(head.get(at..).unwrap_or_default()))
}

/// Reads the status name of gRPC for JavaScript, which opens a message after the number (`14 UNAVAILABLE: No
/// connection`), or after the method's path (`/shop.Shop/Get NOT_FOUND: Document june`).
fn grpc_name(text: &str) -> Option<&str> {
    let (head, rest) = text.split_once(' ')?;
    let is_number = head.len() <= 2 && head.bytes().all(|b| b.is_ascii_digit());
    if !is_number && !head.starts_with('/') {
        return None;
    }
    let (name, _) = rest.split_once(':')?;
    (name.len() > 3 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')).then_some(name)
}

/// Reads a code in capitals that opens a message, or is all of it: `NOT_FOUND - no queue 'orders'`, `QUOTA_EXCEEDED:
/// …`, `access_refused`.
fn leading_code(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let (code, rest) = text.split_at_checked(length)?;
    let in_capitals =
        !code.bytes().any(|b| b.is_ascii_lowercase()) && (rest.starts_with(':') || rest.starts_with(" - "));
    (code.contains('_') && (in_capitals || rest.is_empty())).then_some(code)
}

/// Returns the code at the end of a message, as Slack and others write it: `An API error occurred: channel_not_found`.
/// The text before it must mention a failure: `Unknown option: rate_limit` has no code.
fn trailing_code(text: &str) -> Option<&str> {
    let (before, code) = text.rsplit_once(' ')?;
    let clause = before.strip_suffix(':')?.rsplit(':').next()?;
    let is_code = code.contains('_') && code.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    (is_code && (contains(clause, "error") || contains(clause, "failed"))).then_some(code)
}

/// Reads the code in brackets with which Connect opens a message: `[not_found] Document june not found`.
fn connect_name(text: &str) -> Option<&str> {
    let (name, _) = split_at(text.strip_prefix('[')?, "] ")?;
    (name.len() > 6 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')).then_some(name)
}

/// Reads a Python class in front of a message, as LiteLLM and vLLM forward it: `litellm.RateLimitError: …`.
fn dotted_error_name(text: &str) -> Option<&str> {
    let (head, _) = cut(text, 120).split_once(':')?;
    let name = head.rsplit([' ', '.']).next()?;
    (head.contains('.')
        && name.len() > 8
        && name.bytes().all(|b| b.is_ascii_alphanumeric())
        && (name.ends_with("Error") || name.ends_with("Exception")))
    .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Context, Thrown, examine};

    fn of<T>(json: &str, look: impl FnOnce(&Signals<'_>) -> T) -> T {
        examine(&Thrown::from_json(json), &Context::default(), look).1
    }

    fn texts(json: &str) -> usize {
        of(json, |signals| signals.texts().count())
    }

    fn has(text: &str, flag: Flag) -> bool {
        of(&serde_json::json!({ "message": text }).to_string(), |signals| signals.has(flag))
    }

    #[test]
    fn empty_or_known_texts_are_not_kept() {
        for (json, count) in [
            (r#"{"message":"late"}"#, 1),
            (r#"{"message":""}"#, 0),
            (r#"{"message":"OK"}"#, 0),
            (r#"{"message":"No Content"}"#, 0),
            (r#"{"message":"429 Slow down","msg":"Slow down"}"#, 1),
            (r#"{"message":"Slow down","msg":"429 Slow down"}"#, 2),
        ] {
            assert_eq!(texts(json), count, "{json}");
        }
        let head = "x".repeat(64);
        assert_eq!(texts(&format!(r#"{{"message":"{head}","msg":"{head} and more"}}"#)), 2);
        assert_eq!(texts(&format!(r#"{{"message":"{head} and more","msg":"{head}"}}"#)), 1);
        let list: Vec<_> = (0..8).map(|number| format!("late {number}")).collect();
        assert_eq!(texts(&serde_json::json!({ "data": list, "body": list, "errors": list }).to_string()), 8);
        let others: Vec<_> = (0..8).map(|number| format!("later {number}")).collect();
        assert_eq!(texts(&serde_json::json!({ "data": list, "body": others }).to_string()), TEXT_COUNT);
    }

    #[test]
    fn settings_are_in_files_of_their_kinds() {
        for text in ["app.json: late", "/etc/app.json:12", "app.yaml: late", "app.yml:1", "app.toml: late"] {
            assert_eq!(has(text, Flag::FileOfSettings), text.contains(':'), "{text}");
        }
        for text in ["app.xml: late", "html: late", "https://a.b/app.yaml: late", "app.json"] {
            assert!(!has(text, Flag::FileOfSettings), "{text}");
        }
    }

    #[test]
    fn a_page_is_what_a_parser_of_json_complains_of() {
        for text in [
            "Unexpected token '<', it is not valid JSON",
            "Unexpected token < in JSON at position 0",
            "Unexpected \"<!DOCTYPE \" is not valid JSON",
            "Unexpected \"<html> \" is not valid JSON",
        ] {
            assert!(has(text, Flag::Html) && has(text, Flag::BadJson), "{text}");
        }
        assert!(!has("Unexpected token 'a', it is not valid JSON", Flag::Html));
    }

    #[test]
    fn messages_open_with_names() {
        assert_eq!(grpc_name("14 UNAVAILABLE: late"), Some("UNAVAILABLE"));
        assert_eq!(grpc_name("/a.A/Get NOT_FOUND: late"), Some("NOT_FOUND"));
        assert_eq!(grpc_name("5 LATE: x"), Some("LATE"));
        for text in [
            "no NOT_FOUND: x",
            "abc NOT_FOUND: x",
            "123 NOT_FOUND: x",
            "5 ABC: x",
            "5 Late: x",
            "5 NOT_FOUND",
        ] {
            assert_eq!(grpc_name(text), None, "{text}");
        }
        assert_eq!(leading_code("NOT_FOUND - late"), Some("NOT_FOUND"));
        assert_eq!(leading_code("NOT_FOUND: late"), Some("NOT_FOUND"));
        assert_eq!(leading_code("access_refused"), Some("access_refused"));
        for text in ["not_found: late", "NOT_FOUND late", "LATE: x", "late"] {
            assert_eq!(leading_code(text), None, "{text}");
        }
        assert_eq!(trailing_code("an error occurred: not_found"), Some("not_found"));
        assert_eq!(trailing_code("late: the call failed: not_found"), Some("not_found"));
        for text in [
            "an error occurred: late",
            "an error occurred: Not_found",
            "an error occurred: not_found here",
            "an error occurred: not_found_2",
            "an error: unknown option: rate_limit",
            "an error not_found",
        ] {
            assert_eq!(trailing_code(text), None, "{text}");
        }
        assert_eq!(connect_name("[not_found] late"), Some("not_found"));
        assert_eq!(connect_name("[aborted] late"), Some("aborted"));
        for text in ["[aborte] late", "[Not_found] late", "[not found] late", "not_found] late"] {
            assert_eq!(connect_name(text), None, "{text}");
        }
        assert_eq!(dotted_error_name("litellm.RateLimitError: late"), Some("RateLimitError"));
        assert_eq!(dotted_error_name("it says a.LateException: late"), Some("LateException"));
        assert_eq!(dotted_error_name("a.LateError: late"), Some("LateError"));
        for text in [
            "RateLimitError: late",
            "a.AbcError: x",
            "a.Rate_LimitError: x",
            "a.RateLimited: x",
            "a.RateLimitError",
        ] {
            assert_eq!(dotted_error_name(text), None, "{text}");
        }
    }
}
