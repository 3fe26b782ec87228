//! A policy without any timeout: a provider that is silent holds its calls for as long as its connection lasts.

use super::setting::{Options, Wish};
use super::{Found, Look, called, newest, policies};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// A policy whose options have no timeout, and its calls that have none of their own.
struct Endless {
    policy: PolicyId,
    calls: Vec<CallNumber>,
}

struct Policies(Vec<Endless>);

pub(super) fn begin(log: &Log) -> Box<dyn Look> {
    let endless = policies(log).filter(|(_, options)| {
        // Neither is a number where it is not set, nor where it is `Infinity`.
        options.number("timeout.attemptMs").or(options.number("timeout.totalMs")).is_none()
    });
    Box::new(Policies(endless.map(|(policy, _)| Endless { policy, calls: Vec::new() }).collect()))
}

impl Look for Policies {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        for endless in self.0.iter_mut().filter(|endless| endless.policy == call.policy_id()) {
            if call.deadline.is_none() {
                endless.calls.push(number);
            }
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let endless = std::mem::take(&mut self.0).into_iter().filter(|endless| !endless.calls.is_empty());
        let found = endless.map(|Endless { policy, calls }| Found {
            policy,
            title: format!("'{}' has no timeout", called(log, policy.name)),
            what: format!(
                "{} had no limit: while a provider does not answer, a call and its user wait for as long as the connection lasts.",
                number_of(calls.len() as u64, "call")
            ),
            fix: "Limit each attempt, and the call with all its retries.".into(),
            advice: Options::of(log, policy).advise(
                log,
                policy,
                vec![
                    Wish("timeout.attemptMs", "", "30_000".into()),
                    Wish("timeout.totalMs", "", "120_000".into()),
                ],
                "",
            ),
            evidence: newest(calls),
        });
        found.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn a_policy_without_a_timeout_is_found_once_it_is_called() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"retry":{"maxRetries":3},"timeout":{"totalMs":"Infinity"}}"#);
        assert_eq!(stage.found("no-timeout"), []);
        let call = stage.call("openai");
        stage.succeed(call);
        let found = stage.found("no-timeout");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "'openai' has no timeout");
        assert!(found[0].what.starts_with("1 call had no limit"), "{}", found[0].what);
        assert!(
            found[0].code.contains("timeout: { attemptMs: 30_000, totalMs: 120_000 }"),
            "{}",
            found[0].code
        );
    }

    #[test]
    fn either_timeout_is_one_and_unknown_options_are_no_finding() {
        for timeout in [r#"{"attemptMs":2000}"#, r#"{"totalMs":2000}"#] {
            let mut stage = Stage::new();
            stage.policy("openai", &format!(r#"{{"timeout":{timeout}}}"#));
            let call = stage.call("openai");
            stage.succeed(call);
            assert_eq!(stage.found("no-timeout"), []);
        }
        let mut stage = Stage::new();
        let call = stage.call("openai");
        stage.succeed(call);
        assert_eq!(stage.found("no-timeout"), []);
    }
}
