//! The Classify view: its examples, and the explanation of an error.

use super::failure::remedy;
use crate::format::span;
use halfopen_answers::{Explained, MOST, Tried};
use halfopen_log::Json;

/// Errors to try, as they come.
pub const EXAMPLES: &[(&str, &str)] = &[
    (
        "Rate limit with a hint",
        "{\n  \"name\": \"RateLimitError\",\n  \"status\": 429,\n  \"headers\": { \"retry-after\": \"12\", \
            \"x-request-id\": \"req_81f2\" },\n  \"error\": { \"type\": \"requests\", \"code\": \
            \"rate_limit_exceeded\" }\n}",
    ),
    (
        "Quota used up",
        "{ \"status\": 429, \"error\": { \"code\": \"insufficient_quota\", \"message\": \"You exceeded your current quota\" } }",
    ),
    (
        "Anthropic overloaded",
        "{ \"status\": 529, \"error\": { \"type\": \"error\", \"error\": { \"type\": \"overloaded_error\", \"message\": \"Overloaded\" } } }",
    ),
    (
        "A stack trace",
        "TypeError: fetch failed\n    at async ask (/app/agent.js:12:9) {\n  [cause]: Error: read \
            ECONNRESET\n      at TLSWrap.onStreamRead (node:internal/stream_base_commons:216:20) {\n    code: \
            'ECONNRESET',\n    syscall: 'read'\n  }\n}",
    ),
    ("Too long", "{ \"status\": 400, \"error\": { \"code\": \"context_length_exceeded\" } }"),
    ("A line of a log", "2026-11-22T09:14:03Z ERROR agent: InternalServerError: 503 Service Unavailable"),
];

/// The reading of a text of that number of bytes, in words; empty before there is one.
pub fn reading(found: Option<&Explained>, bytes: usize) -> String {
    let kind = found.map(|found| format!("Read as {}: {}.", found.kind, found.code)).unwrap_or_default();
    format!("{kind}{}", if bytes >= MOST { " Only the first 256 KiB are read." } else { "" })
}

/// The classification, as names and values.
pub fn facts(found: &Explained) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Rule", found.rule.clone()),
        ("Severity", found.severity.clone()),
        ("Type", found.error_type.clone()),
        ("Retryable", if found.retryable { "yes" } else { "no" }.to_owned()),
        ("Retry-After", found.hint.map_or_else(|| "none".to_owned(), span)),
    ];
    facts.extend(remedy(&Json::from(found.remedy.as_str())).map(|remedy| ("Remedy", remedy)));
    facts.extend(found.provider.clone().map(|provider| ("Provider", provider)));
    facts.extend(found.status.map(|status| ("HTTP status", status.to_string())));
    facts.extend(found.request.clone().map(|id| ("Request id", id)));
    facts
}

/// The rules to list: all that were tried, or only those that came close and the one that decided.
pub fn rules(tried: &[Tried], all: bool) -> impl Iterator<Item = &Tried> {
    tried.iter().filter(move |rule| all || rule.close || rule.decided)
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen_answers::{Explain, Question};

    fn explained(text: &str) -> Explained {
        Explain { text: text.to_owned(), ..Explain::default() }.answer()
    }

    #[test]
    fn every_example_is_recognised() {
        let codes: Vec<_> = EXAMPLES
            .iter()
            .map(|(_, text)| Explain { text: (*text).to_owned(), ..Explain::default() }.answer().code)
            .collect();
        assert_eq!(
            codes,
            [
                "RATE_LIMITED",
                "QUOTA_EXCEEDED",
                "PROVIDER_OVERLOADED",
                "NETWORK_ERROR",
                "CONTEXT_LENGTH_EXCEEDED",
                "SERVER_ERROR"
            ]
        );
    }

    #[test]
    fn what_was_read_is_said_and_that_a_long_text_was_cut() {
        let found = explained(r#"{ "status": 429 }"#);
        assert!(reading(Some(&found), 17).ends_with(": RATE_LIMITED."), "{}", reading(Some(&found), 17));
        assert_eq!(reading(None, 17), "");
        assert!(reading(Some(&found), MOST).ends_with("Only the first 256 KiB are read."));
    }

    #[test]
    fn facts_have_the_hint_the_status_and_the_request() {
        let facts = facts(&explained(EXAMPLES[0].1));
        let of = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| fact.1.as_str());
        assert_eq!(
            [of("Retry-After"), of("Retryable"), of("HTTP status"), of("Request id")],
            [Some("12.0 s"), Some("yes"), Some("429"), Some("req_81f2")]
        );
        assert_eq!(of("Provider"), None);
    }

    #[test]
    fn a_remedy_is_named_with_its_details_and_the_user_reads_of_the_conversation() {
        let thrown = r#"{ "status": 400, "error": { "type": "invalid_request_error", "code": "unsupported_parameter", "param": "max_tokens", "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead." } }"#;
        let found = explained(thrown);
        let facts = facts(&found);
        assert!(
            facts.contains(&(
                "Remedy",
                "rename-parameter (from: max_tokens, to: max_completion_tokens)".into()
            )),
            "{facts:?}"
        );
        let english = &found.messages.iter().find(|said| said.0 == "en").unwrap().1;
        assert!(english.contains("cannot continue this conversation"), "{english}");
    }

    #[test]
    fn words_alone_are_said_to_decide_nothing_about_another_try() {
        let found = explained("Error: Charge succeeded, but the connection was closed before confirmation");
        let says = format!("{} by words alone; name the code in retryOn to retry it.", found.code);
        assert_eq!((&found.afterwards[..], found.retryable), (&[says][..], false));
        assert_eq!(explained(EXAMPLES[0].1).afterwards, [""; 0]);
    }

    #[test]
    fn of_the_rules_those_that_came_close_are_listed_first() {
        let found = explained(EXAMPLES[0].1);
        let close: Vec<_> = rules(&found.tried, false).collect();
        assert!(close.iter().any(|rule| rule.decided) && close.len() < found.tried.len());
        assert_eq!(rules(&found.tried, true).count(), found.tried.len());
    }
}
