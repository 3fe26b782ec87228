//! Operations that returned a stream instead of streaming it: the policy saw a success before the first chunk.

use super::setting::Advice;
use super::{Found, Look, called, newest, row};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The fix, as code: the policy streams, and the SDK neither retries nor outlives the call.
const CODE: &str =
    "policy.stream(\n  ({ signal }) => streamText({ …, abortSignal: signal, maxRetries: 0 }).fullStream,\n)";

#[derive(Default)]
struct Unread(Vec<(PolicyId, Vec<CallNumber>)>);

pub(super) fn begin(_: &Log) -> Box<dyn Look> {
    Box::new(Unread::default())
}

impl Look for Unread {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        if call.attempts.iter().any(|attempt| attempt.unread_stream) {
            row(&mut self.0, call.policy_id()).push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let found = std::mem::take(&mut self.0).into_iter().map(|(policy, calls)| Found {
            policy,
            title: format!(
                "{} of '{}' returned a stream that no policy guards",
                number_of(calls.len() as u64, "call"),
                called(log, policy.name)
            ),
            what: "Each attempt counted as a success before the first chunk. If the stream fails, the policy does \
                not retry, the breaker does not count it, and no timeout ends it.".into(),
            fix: "Stream it under the policy.".into(),
            advice: Advice { settings: Vec::new(), code: CODE.to_owned() },
            hurt: calls.len() as u64,
            evidence: newest(calls),
            grade: None,
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn a_stream_that_was_returned_unread_is_found_with_its_fix() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.succeed(call);
        assert_eq!(stage.found("unread-stream"), []);
        for _ in 0..2 {
            let call = stage.call("chat");
            stage.succeed_with(call, r#","unreadStream":true"#);
        }
        let found = stage.found("unread-stream");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "2 calls of 'chat' returned a stream that no policy guards");
        assert!(found[0].code.contains("policy.stream("), "{}", found[0].code);
        assert_eq!(found[0].evidence.len(), 2);
    }
}
