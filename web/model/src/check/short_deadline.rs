//! A total deadline that ends before the first retry could begin: the retries are there, and can never happen.

use super::look::Faults;
use super::setting::{Options, Wish, literal};
use super::{Found, Look, called, ended_by, newest};
use crate::format::{number_of, span};
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The default delay of a policy before its first retry, in milliseconds.
const BASE_DELAY: f64 = 1_000.0;

/// The limit of a call and the delay before its first retry, in milliseconds.
type Limits = (f64, f64);

pub(super) fn begin(log: &Log) -> Box<dyn Look> {
    Faults::begin(log, limits, |log, call| ended_by(log, call, "deadline"), say)
}

fn limits(options: &Options<'_>) -> Option<Limits> {
    let total = options.number("timeout.totalMs")?;
    let base = options.number("retry.baseDelayMs").unwrap_or(BASE_DELAY);
    let retries = options.number("retry.maxRetries").unwrap_or(3.0);
    let off = options.is_off("retry") || options.is_off("retry.enabled");
    (!off && retries >= 1.0 && total <= base).then_some((total, base))
}

fn say(log: &Log, policy: PolicyId, &(total, base): &Limits, calls: Vec<CallNumber>) -> Option<Found> {
    let needed = base * 4.0;
    let note = format!("// or: retry: {{ baseDelayMs: {} }},", literal((total / 4.0).round().max(1.0)));
    Some(Found {
        policy,
        title: format!(
            "A call of '{}' may take {} in all, and waits {} before its first retry",
            called(log, policy.name),
            span(total),
            span(base)
        ),
        what: format!("So no retry can begin. {} ended that way.", number_of(calls.len() as u64, "call")),
        fix: "Give the call time for its first wait and another attempt, shorten the wait, or set retry: false.".into(),
        advice: Options::of(log, policy).advise(log, policy, vec![Wish("timeout.totalMs", "", literal(needed))], &note),
        hurt: calls.len() as u64,
        evidence: newest(calls),
        grade: None,
    })
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
        assert_eq!(found.len(), 1);
        assert!(found[0].what.contains("1 call ended that way"), "{}", found[0].what);
        assert!(found[0].code.contains("totalMs: 4_000"), "{}", found[0].code);
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
