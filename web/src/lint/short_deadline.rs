//! A total deadline that ends before the first retry could begin: the retries are there, and can never happen.

use super::{Found, called, create, ended_by, newest, number, policies};
use crate::session::store::Log;
use crate::ui::format::span;

/// What the policy waits before its first retry, unless told otherwise, in milliseconds.
const BASE_DELAY: f64 = 1_000.0;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut found = Vec::new();
    for (policy, options) in policies(log) {
        let Some(total) = number(&options, "timeout", "totalMs") else { continue };
        let base = number(&options, "retry", "baseDelayMs").unwrap_or(BASE_DELAY);
        let retries = number(&options, "retry", "maxRetries").unwrap_or(3.0);
        let off = options.get("retry").is_some_and(|retry| {
            retry.as_bool() == Some(false)
                || retry.get("enabled").and_then(serde_json::Value::as_bool) == Some(false)
        });
        if off || retries < 1.0 || total > base {
            continue;
        }
        let cut = log.calls().filter(|(_, call)| call.policy == policy && ended_by(log, call, "deadline"));
        let calls: Vec<u32> = cut.map(|(number, _)| number).collect();
        let needed = base * 4.0;
        found.push(Found {
            count: calls.len() as u64,
            what: format!(
                "'{}' gives a call {} in all, and waits {} before its first retry: none can begin. {} calls ended that way.",
                called(log, policy),
                span(total),
                span(base),
                calls.len()
            ),
            fix: "Give the call time for its first wait and another attempt, shorten the wait, or say that it does not retry.".into(),
            code: create(log, policy, &format!("timeout: {{ totalMs: {needed:.0} }},\n  // or: retry: {{ baseDelayMs: {:.0} }}", (total / 4.0).max(1.0))),
            evidence: newest(calls),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn day(options: &str) -> Stage {
        let mut stage = Stage::new();
        stage.policy("openai", options);
        let call = stage.call("openai");
        stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "deadline");
        stage
    }

    #[test]
    fn a_deadline_below_the_first_backoff_is_found_with_the_calls_that_it_ended() {
        let found = day(r#"{"timeout":{"totalMs":800}}"#).found("short-deadline");
        assert_eq!((found.len(), found[0].count), (1, 1));
        assert!(found[0].code.contains("totalMs: 4000"), "{}", found[0].code);
    }

    #[test]
    fn it_is_none_with_room_or_without_retries() {
        for options in [
            r#"{"timeout":{"totalMs":8000}}"#,
            r#"{"timeout":{"totalMs":800},"retry":false}"#,
            r#"{"timeout":{"totalMs":800},"retry":{"maxRetries":0}}"#,
            r#"{"timeout":{"totalMs":800},"retry":{"baseDelayMs":100}}"#,
            r#"{"timeout":{"totalMs":"Infinity"}}"#,
        ] {
            assert_eq!(day(options).found("short-deadline"), [], "{options}");
        }
    }
}
