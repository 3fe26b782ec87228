//! An attempt that may take as long as the whole call: its timeout can never end it, so a silent provider is never retried.

use super::look::Faults;
use super::setting::{Options, Wish, literal};
use super::{Found, Look, called, newest};
use crate::format::{number_of, span};
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The limits of an attempt and of the call, in milliseconds.
type Limits = (f64, f64);

pub(super) fn begin(log: &Log) -> Box<dyn Look> {
    Faults::begin(log, limits, timed_out_at_once, say)
}

fn limits(options: &Options<'_>) -> Option<Limits> {
    let (attempt, total) = options.number("timeout.attemptMs").zip(options.number("timeout.totalMs"))?;
    (attempt >= total).then_some((attempt, total))
}

fn timed_out_at_once(log: &Log, call: &Call) -> bool {
    log.names.text(call.code) == "TIMEOUT" && call.attempts.len() == 1
}

fn say(log: &Log, policy: PolicyId, &(attempt, total): &Limits, calls: Vec<CallNumber>) -> Option<Found> {
    Some(Found {
        policy,
        title: format!(
            "An attempt of '{}' may take {}, its whole call {}",
            called(log, policy.name),
            span(attempt),
            span(total)
        ),
        what: format!(
            "The deadline always comes first, so a provider that does not answer is never tried again. {} timed out in the only attempt.",
            number_of(calls.len() as u64, "call")
        ),
        fix: "Give an attempt a part of the call's time, so that another one fits.".into(),
        advice: Options::of(log, policy).advise(
            log,
            policy,
            vec![Wish("timeout.attemptMs", "", literal((total / 3.0).round().max(1.0)))],
            "",
        ),
        hurt: calls.len() as u64,
        evidence: newest(calls),
        grade: None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn an_attempt_as_long_as_its_call_is_found() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"timeout":{"attemptMs":30000,"totalMs":30000}}"#);
        let call = stage.call("openai");
        stage.fail(call, "TIMEOUT", "timeout.abort").give_up(call, "TIMEOUT", "deadline");
        let found = stage.found("long-timeout");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "An attempt of 'openai' may take 30.0 s, its whole call 30.0 s");
        assert!(found[0].what.contains("1 call timed out"), "{}", found[0].what);
        assert!(found[0].code.contains("timeout: { attemptMs: 10_000 }"), "{}", found[0].code);
    }

    #[test]
    fn one_that_leaves_room_is_not() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"timeout":{"attemptMs":9000,"totalMs":30000}}"#);
        assert_eq!(stage.found("long-timeout"), []);
    }
}
