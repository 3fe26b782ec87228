//! A policy without any timeout: a provider that is silent holds its calls for as long as its connection lasts.

use super::look::Faults;
use super::setting::{Options, Wish};
use super::{Found, Look, called, newest};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

pub(super) fn begin(log: &Log) -> Box<dyn Look> {
    Faults::begin(log, no_timeout, has_none_of_its_own, say)
}

fn no_timeout(options: &Options<'_>) -> Option<()> {
    // Neither is a number where it is not set, nor where it is `Infinity`; without options nothing is known.
    let timeout = options.number("timeout.attemptMs").or(options.number("timeout.totalMs"));
    timeout.is_none().then_some(())
}

fn has_none_of_its_own(_: &Log, call: &Call) -> bool {
    call.deadline.is_none()
}

fn say(log: &Log, policy: PolicyId, (): &(), calls: Vec<CallNumber>) -> Option<Found> {
    (!calls.is_empty()).then(|| Found {
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
    })
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
