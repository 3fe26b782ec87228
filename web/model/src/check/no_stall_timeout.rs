//! Streams without any bound on a silence: a provider that stops in the middle holds its user for as long as the connection lasts.

use super::setting::Advice;
use super::{Found, Look, called, newest, row};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The fix, as code.
const CODE: &str = "policy.stream(operation, { stallTimeoutMs: 30_000 })";

/// The streams without a bound, by policy.
#[derive(Default)]
struct Unbounded(Vec<(PolicyId, Vec<CallNumber>)>);

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Unbounded::default())
}

impl Look for Unbounded {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        let streamed = call.attempts.iter().any(|attempt| attempt.chunks > 0);
        if streamed && !call.stall_limited && call.deadline.is_none() {
            row(&mut self.0, call.policy_id()).push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let found = std::mem::take(&mut self.0).into_iter().map(|(policy, calls)| Found {
            policy,
            title: format!(
                "{} of '{}' had no limit for a silence",
                number_of(calls.len() as u64, "stream"),
                called(log, policy.name)
            ),
            what: "attemptMs ends with the first chunk. A provider that then stops sending holds the call and its user \
                for as long as the connection lasts."
                .into(),
            fix: "Give the stream a stallTimeoutMs, which bounds each silence, or the policy a timeout.totalMs.".into(),
            advice: Advice { settings: Vec::new(), code: CODE.to_owned() },
            // The log has no call that still waits.
            hurt: 0,
            evidence: newest(calls),
            grade: None,
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn streamed(policy: &str, started: &str) -> Stage {
        let mut stage = Stage::new();
        stage.policy("chat", policy);
        let call = stage.call_with("chat", started);
        stage.chunks(call, 9).succeed(call);
        stage
    }

    #[test]
    fn a_stream_that_nothing_bounds_is_found_with_its_call() {
        for (policy, started) in
            [(r#"{"timeout":{"attemptMs":2000}}"#, ""), ("{}", r#","options":{"stallTimeoutMs":"Infinity"}"#)]
        {
            let found = streamed(policy, started).found("no-stall-timeout");
            assert_eq!(found.len(), 1, "{policy} {started}");
            assert_eq!(found[0].title, "1 stream of 'chat' had no limit for a silence");
            assert_eq!(found[0].evidence.len(), 1);
        }
    }

    #[test]
    fn a_stall_timeout_a_deadline_and_an_answer_in_one_piece_are_no_fault() {
        for (policy, started) in [
            ("{}", r#","options":{"stallTimeoutMs":30000}"#),
            (r#"{"timeout":{"totalMs":30000}}"#, ""),
            ("{}", r#","options":{"timeout":{"totalMs":9000}}"#),
        ] {
            assert_eq!(streamed(policy, started).found("no-stall-timeout"), [], "{policy} {started}");
        }
        let mut stage = Stage::new();
        let call = stage.call("chat");
        assert_eq!(stage.succeed(call).found("no-stall-timeout"), []);
    }
}
