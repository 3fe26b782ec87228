//! An attempt that may take as long as the whole call: its timeout can never end it, so a silent provider is never retried.

use super::{Found, called, create, newest, number, policies};
use crate::session::store::Log;
use crate::ui::format::span;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut found = Vec::new();
    for (policy, options) in policies(log) {
        let times = number(&options, "timeout", "attemptMs").zip(number(&options, "timeout", "totalMs"));
        let Some((attempt, total)) = times.filter(|(attempt, total)| attempt >= total) else { continue };
        let late = log.calls().filter(|(_, call)| {
            call.policy == policy && log.names.text(call.code) == "TIMEOUT" && call.attempts.len() == 1
        });
        let calls: Vec<u32> = late.map(|(number, _)| number).collect();
        found.push(Found {
            count: calls.len() as u64,
            what: format!(
                "'{}' allows an attempt {}, but the call {}: the deadline always comes first. {} calls timed out in their only attempt.",
                called(log, policy),
                span(attempt),
                span(total),
                calls.len()
            ),
            fix: "Let an attempt take a part of the call's time, so that another fits in.".into(),
            code: create(log, policy, &format!("timeout: {{ attemptMs: {:.0}, totalMs: {total:.0} }},", (total / 3.0).max(1.0))),
            evidence: newest(calls),
        });
    }
    found
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
        assert_eq!((found.len(), found[0].count), (1, 1));
        assert!(found[0].code.contains("attemptMs: 10000, totalMs: 30000"), "{}", found[0].code);
    }

    #[test]
    fn one_that_leaves_room_is_not() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"timeout":{"attemptMs":9000,"totalMs":30000}}"#);
        assert_eq!(stage.found("long-timeout"), []);
    }
}
