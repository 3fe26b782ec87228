//! A policy without any timeout: a provider that is silent holds its calls for as long as its connection lasts.

use super::setting::{Options, Wish, literal, rounded_up};
use super::{Found, Look, called, newest};
use crate::format::{number_of, span};
use halfopen_store::call::{Call, Outcome};
use halfopen_store::durations::Durations;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The proposed limit if the log has too few durations of answers, in milliseconds.
const DEFAULT: f64 = 30_000.0;
/// The number of answers from which their durations are known well enough.
const LEAST: usize = 20;
/// The timeout as a multiple of what 99 % of the answers take, and the least one, in milliseconds: a limit is for what
/// hangs, not for a slow day or a pause of the garbage collector.
const ROOM: f64 = 5.0;
const SHORTEST: f64 = 1_000.0;
/// The call's limit as a multiple of an attempt's: room for three retries.
const ATTEMPTS: f64 = 4.0;

/// A log does not say which operations change something.
const EFFECTS: &str = " If the operation changes something (sends a mail, takes money): a timeout does not say whether it \
    happened, and a retry may do it again. Guard it with `once`, and let its `verify` look first.";

/// The calls of a policy without a limit, and how long its answers took.
struct Unlimited {
    policy: PolicyId,
    calls: Vec<CallNumber>,
    answers: usize,
    took: Durations,
}

struct NoTimeout(Vec<Unlimited>);

pub(super) fn begin(log: &Log) -> Box<dyn Look> {
    let unlimited = log.policies().filter(|&policy| has_none(&Options::of(log, policy)));
    let begun = |policy| Unlimited { policy, calls: Vec::new(), answers: 0, took: Durations::default() };
    Box::new(NoTimeout(unlimited.map(begun).collect()))
}

fn has_none(options: &Options<'_>) -> bool {
    // Neither is a number if it is not set or is `Infinity`. Without options nothing is known.
    options.number("timeout.attemptMs").or(options.number("timeout.totalMs")).is_none()
}

impl Look for NoTimeout {
    fn call(&mut self, _: &Log, number: CallNumber, call: &Call) {
        let Some(of) = self.0.iter_mut().find(|of| of.policy == call.policy_id()) else { return };
        if call.deadline.is_none() {
            of.calls.push(number);
        }
        for attempt in call.attempts.iter().filter(|attempt| attempt.outcome == Outcome::Succeeded) {
            of.answers += 1;
            of.took.add(attempt.duration_ms.unwrap_or_default());
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let called = std::mem::take(&mut self.0).into_iter().filter(|of| !of.calls.is_empty());
        called.map(|of| say(log, of)).collect()
    }
}

fn say(log: &Log, Unlimited { policy, calls, answers, took }: Unlimited) -> Found {
    let p99 = took.quantile(0.99).filter(|_| answers >= LEAST);
    let attempt = p99.map_or(DEFAULT, |p99| rounded_up((p99 * ROOM).max(SHORTEST)));
    let fix = p99.map_or_else(String::new, |p99| {
        format!(
            " 99 % of {answers} answers took up to {}: what takes much longer than that hangs.",
            span(p99)
        )
    });
    Found {
        policy,
        title: format!("'{}' has no timeout", called(log, policy.name)),
        what: format!(
            "{} had no limit: while a provider does not answer, a call and its user wait for as long as the connection lasts.",
            number_of(calls.len() as u64, "call")
        ),
        fix: format!("Limit each attempt, and the call with all its retries.{fix}{EFFECTS}"),
        advice: Options::of(log, policy).advise(
            log,
            policy,
            vec![
                Wish("timeout.attemptMs", "", literal(attempt)),
                Wish("timeout.totalMs", "", literal(attempt * ATTEMPTS)),
            ],
            "",
        ),
        evidence: newest(calls),
        // No call has waited for ever yet.
        hurt: 0,
        grade: None,
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
        assert!(found[0].fix.contains("a retry may do it again. Guard it with `once`"), "{}", found[0].fix);
        assert!(
            found[0].code.contains("timeout: { attemptMs: 30_000, totalMs: 120_000 }"),
            "{}",
            found[0].code
        );
    }

    #[test]
    fn what_is_proposed_follows_from_how_long_answers_take() {
        for (ms, expected) in
            [(1.0, "attemptMs: 1_000, totalMs: 4_000"), (4_000.0, "attemptMs: 20_000, totalMs: 80_000")]
        {
            let mut stage = Stage::new();
            stage.policy("db", "{}");
            for _ in 0..30 {
                let call = stage.call("db");
                stage.succeed_after(call, ms);
            }
            let found = stage.found("no-timeout");
            assert!(found[0].code.contains(expected), "{ms}: {}", found[0].code);
            assert!(found[0].fix.contains("99 % of 30 answers"), "{}", found[0].fix);
        }
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
