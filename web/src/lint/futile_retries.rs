//! Retries after one code that never helped: time and money spent, and the person waits for the same error.

use super::{Found, called, create, newest, row};
use crate::session::call::Outcome;
use crate::session::names::Name;
use crate::session::store::Log;

/// So many retries, in so many calls, before it is more than bad luck.
const LEAST_RETRIES: u64 = 6;
const LEAST_CALLS: usize = 3;

#[derive(Default)]
struct Tried {
    retries: u64,
    helped: u64,
    calls: Vec<u32>,
}

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut rows: Vec<((Name, Name), Tried)> = Vec::new();
    for (number, call) in log.calls() {
        for pair in call.attempts.windows(2) {
            let [before, after] = pair else { continue };
            if before.outcome != Outcome::Failed || after.outcome == Outcome::Running {
                continue;
            }
            let tried = row(&mut rows, (call.policy, before.code));
            tried.retries += 1;
            tried.helped += u64::from(after.outcome == Outcome::Succeeded);
            if tried.calls.last() != Some(&number) {
                tried.calls.push(number);
            }
        }
    }
    let futile = rows.into_iter().filter(|(_, tried)| {
        tried.helped == 0 && tried.retries >= LEAST_RETRIES && tried.calls.len() >= LEAST_CALLS
    });
    futile
        .map(|((policy, code), tried)| {
            let (name, code) = (called(log, policy), called(log, code));
            Found {
                count: tried.retries,
                what: format!(
                    "'{name}' retried {code} {} times in {} calls, and not one retry succeeded.",
                    tried.retries,
                    tried.calls.len()
                ),
                fix: "Let the breaker count attempts, so that it opens within one call instead of after five, and let a budget cap the retries of all calls.".into(),
                code: create(log, policy, "breakerScope: 'attempt',\n  retry: { maxRetries: 2, budget: { ratio: 0.1 } },"),
                evidence: newest(tried.calls),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    fn outage(saved: bool) -> Stage {
        let mut stage = Stage::new();
        for number in 0..4 {
            let call = stage.call("openai");
            stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 100.0, "backoff");
            stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 100.0, "backoff");
            if saved && number == 3 {
                stage.succeed(call);
            } else {
                stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            }
        }
        stage
    }

    #[test]
    fn retries_that_never_helped_are_found_by_policy_and_code() {
        let found = outage(false).found("futile-retries");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].count, found[0].evidence.len()), (8, 4));
    }

    #[test]
    fn one_that_helped_is_what_retries_are_for() {
        assert_eq!(outage(true).found("futile-retries"), []);
    }
}
