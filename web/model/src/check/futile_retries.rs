//! Retries after one code of which not one helped: time and money spent, and the person waits for the same error.

use super::setting::{Options, Wish, literal};
use super::short_timeout::Timeouts;
use super::{Found, Look, MOST_EVIDENCE, called, newest, row};
use crate::format::number_of;
use halfopen_store::call::{Call, Outcome, Status};
use halfopen_store::names::Name;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// From this number of retries in a row, in this number of calls, it is more than bad luck.
const LEAST_RETRIES: u64 = 6;
const LEAST_CALLS: usize = 3;

/// Retries in a row, and the calls that made them.
#[derive(Default)]
struct Row {
    retries: u64,
    in_calls: usize,
    calls: Vec<CallNumber>,
}

#[derive(Default)]
struct Tried {
    now: Row,
    longest: Row,
}

/// By policy and code; and the timeouts that cut off good answers, of which another check has something to say.
#[derive(Default)]
struct Futile(Vec<((PolicyId, Name), Tried)>, Timeouts);

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Futile::default())
}

impl Look for Futile {
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        self.1.add(log, number, call);
        for pair in call.attempts.windows(2) {
            let [before, after] = pair else { continue };
            if before.outcome != Outcome::Failed || after.outcome == Outcome::Running {
                continue;
            }
            let Tried { now, longest } = row(&mut self.0, (call.policy_id(), before.code));
            if after.outcome == Outcome::Succeeded {
                *now = Row::default();
                continue;
            }
            now.retries += 1;
            if now.calls.last() != Some(&number) {
                now.calls.push(number);
            }
            if now.retries > longest.retries {
                longest.retries = now.retries;
                // The newest calls are evidence enough.
                longest.calls.clear();
                longest.calls.extend(now.calls.iter().rev().take(MOST_EVIDENCE));
                longest.in_calls = now.calls.len();
            }
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let mut found = Vec::new();
        for ((policy, code), Tried { longest, .. }) in std::mem::take(&mut self.0) {
            if longest.retries < LEAST_RETRIES || longest.in_calls < LEAST_CALLS {
                continue;
            }
            if log.names.text(code) == "TIMEOUT" && self.1.is_too_short(policy) {
                continue;
            }
            let answered =
                |&call: &CallNumber| log.call(call).is_some_and(|call| call.status == Status::Succeeded);
            let (name, code) = (called(log, policy.name), called(log, code));
            let options = Options::of(log, policy);
            let (fix, wishes) = fewer(&options);
            found.push(Found {
                policy,
                title: format!("{} retries of {code} in a row, and none succeeded", longest.retries),
                what: format!(
                    "They belong to {} of '{name}': each cost money and time, and the user waited for the same error.",
                    number_of(longest.in_calls as u64, "call")
                ),
                fix,
                advice: options.advise(log, policy, wishes, ""),
                hurt: longest.in_calls as u64,
                grade: None,
                // The last of them may have been answered after the row.
                evidence: newest(longest.calls.into_iter().filter(|call| !answered(call)).collect()),
            });
        }
        found
    }
}

/// The settings that make fewer of them, except those that the policy already has.
fn fewer(options: &Options<'_>) -> (String, Vec<Wish>) {
    let retries = options.number("retry.maxRetries").unwrap_or(3.0);
    let counts_attempts = options.is_text("breakerScope", "attempt");
    let guarded = !options.is_off("breaker");
    if guarded && counts_attempts && options.has_budget() {
        let fix =
            "Breaker and budget are set already: lower maxRetries, or let fewer failures open the breaker.";
        return (fix.into(), vec![Wish("retry.maxRetries", "3", literal((retries - 1.0).max(0.0)))]);
    }
    let mut wishes = Vec::new();
    let mut fix = if !guarded {
        wishes.push(Wish("breaker", "", "{ failureThreshold: 5 }".into()));
        "Add a breaker: after several failures it refuses calls for a while".to_owned()
    } else {
        "Let the breaker count attempts".to_owned()
    };
    if !counts_attempts {
        wishes.push(Wish("breakerScope", "'call'", "'attempt'".into()));
    }
    if guarded && !counts_attempts && !options.has("breaker.window") {
        // If each attempt counts, fewer calls make the same number of failures.
        let calls = options.number("breaker.failureThreshold").unwrap_or(5.0);
        let sooner = (calls / (retries + 1.0)).ceil();
        fix += &format!(", so that it opens within {} instead of {calls} failed calls", sooner.max(1.0));
    }
    if !options.has_budget() {
        fix += "; and let a budget cap the retries of all calls";
        wishes.push(Wish("retry.budget", "", "{ ratio: 0.1 }".into()));
    }
    (fix + ".", wishes)
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;
    use super::*;

    /// Calls of three attempts, of which every so manieth is mended by its last.
    fn calls(count: usize, mended: usize) -> Stage {
        let mut stage = Stage::new();
        for number in 1..=count {
            let call = stage.call("openai");
            stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 100.0, "backoff");
            stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 100.0, "backoff");
            if number % mended == 0 {
                stage.succeed(call);
            } else {
                stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            }
        }
        stage
    }

    #[test]
    fn a_row_of_retries_that_did_not_help_is_found_whatever_helped_before() {
        let stage = calls(9, 5);
        let found = stage.found("futile-retries");
        assert_eq!((found.len(), found[0].evidence.len()), (1, 4));
        let log = stage.log();
        for evidence in &found[0].evidence {
            let Evidence::Call(number) = *evidence else { panic!("{evidence:?}") };
            assert_ne!(log.call(number).unwrap().status, Status::Succeeded);
        }
        assert_eq!(found[0].title, "9 retries of SERVER_ERROR in a row, and none succeeded");
    }

    #[test]
    fn what_is_advised_is_what_the_policy_does_not_do_yet() {
        for (options, advised) in [
            ("{}", "breakerScope retry.budget"),
            (r#"{"breaker":false}"#, "breaker breakerScope retry.budget"),
            (r#"{"breakerScope":"attempt"}"#, "retry.budget"),
            (r#"{"breakerScope":"attempt","retry":{"budget":{}}}"#, "retry.maxRetries"),
            (r#"{"retry":{"budget":{}}}"#, "breakerScope"),
        ] {
            let mut stage = calls(9, 50);
            stage.policy("openai", options);
            let found = stage.found("futile-retries");
            let paths: Vec<_> = found[0].settings.iter().map(|one| one.path).collect();
            assert_eq!(paths.join(" "), advised, "{options}");
        }
        let found = calls(9, 50).policy("openai", r#"{"retry":{"maxRetries":2}}"#).found("futile-retries");
        assert!(found[0].fix.contains("within 2 instead of 5 failed calls"), "{}", found[0].fix);
    }

    #[test]
    fn retries_that_help_now_and_then_are_what_retries_are_for() {
        assert_eq!(calls(20, 3).found("futile-retries"), []);
        assert_eq!(calls(2, 5).found("futile-retries"), []);
    }
}
