//! Retries after one code of which not one helped: time and money spent, and the person waits for the same error.

use super::{Found, Look, MOST_EVIDENCE, called, create, newest, row};
use crate::session::call::{Call, Outcome};
use crate::session::names::Name;
use crate::session::store::Log;

/// So many retries in a row, in so many calls, before it is more than bad luck.
const LEAST_RETRIES: u64 = 6;
const LEAST_CALLS: usize = 3;

/// Retries in a row, and the calls that made them.
#[derive(Default)]
struct Row {
    retries: u64,
    in_calls: usize,
    calls: Vec<u32>,
}

#[derive(Default)]
struct Tried {
    now: Row,
    longest: Row,
}

/// By policy and code.
#[derive(Default)]
struct Futile(Vec<((Name, Name), Tried)>);

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Futile::default())
}

impl Look for Futile {
    fn call(&mut self, _log: &Log, number: u32, call: &Call) {
        for pair in call.attempts.windows(2) {
            let [before, after] = pair else { continue };
            if before.outcome != Outcome::Failed || after.outcome == Outcome::Running {
                continue;
            }
            let Tried { now, longest } = row(&mut self.0, (call.policy, before.code));
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
            let (name, code) = (called(log, policy), called(log, code));
            found.push(Found {
            count: longest.retries,
            what: format!(
                "'{name}' retried {code} {} times in a row, in {} calls, and not one retry succeeded.",
                longest.retries,
                longest.in_calls
            ),
            fix: "Let the breaker count attempts, so that it opens within two calls instead of after five, and let a budget cap the retries of all calls.".into(),
            code: create(log, policy, "breakerScope: 'attempt',\n  retry: { maxRetries: 2, budget: { ratio: 0.1 } },"),
            evidence: newest(longest.calls),
        });
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

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
        let found = calls(9, 5).found("futile-retries");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].count, found[0].evidence.len()), (9, 5));
    }

    #[test]
    fn retries_that_help_now_and_then_are_what_retries_are_for() {
        assert_eq!(calls(20, 3).found("futile-retries"), []);
        assert_eq!(calls(2, 5).found("futile-retries"), []);
    }
}
