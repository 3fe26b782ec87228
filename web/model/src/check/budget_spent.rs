//! Retries that the budget refused, often: it is too small for an ordinary day, or the day is an outage.

use super::setting::{Options, Wish};
use super::{Found, Look, called, ended_by, newest, row};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The least number of calls that the budget ended.
const LEAST: usize = 5;

/// The calls that it ended, by policy.
#[derive(Default)]
struct Spent(Vec<(PolicyId, Vec<CallNumber>)>);

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Spent::default())
}

impl Look for Spent {
    fn call(&mut self, log: &Log, number: CallNumber, call: &Call) {
        if ended_by(log, call, "budget") {
            row(&mut self.0, call.policy_id()).push(number);
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        // A quota is spent only where retries had not helped: there is nothing to raise.
        let has_numbers = |policy| !Options::of(log, policy).is_text("retry.budget", "default");
        let spent = std::mem::take(&mut self.0)
            .into_iter()
            .filter(|(policy, calls)| calls.len() >= LEAST && has_numbers(*policy));
        spent
            .map(|(policy, calls)| {
                let options = Options::of(log, policy);
                let ratio = options.number("retry.budget.ratio").unwrap_or(0.1);
                let rate = options.number("retry.budget.minPerSecond").unwrap_or(1.0);
                let more = format!("{{ ratio: {}, minPerSecond: {} }}", (ratio * 2.0).min(1.0), rate * 2.0);
                Found {
                    policy,
                    title: format!(
                        "The retry budget of '{}' ended {}",
                        called(log, policy.name),
                        number_of(calls.len() as u64, "call")
                    ),
                    what: "They would have been tried again, but the retry budget was empty.".into(),
                    fix: "In an outage this is right. Otherwise raise ratio and minPerSecond.".into(),
                    advice: options.advise(log, policy, vec![Wish("retry.budget", "", more)], ""),
                    hurt: calls.len() as u64,
                    evidence: newest(calls),
                    grade: None,
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::LEAST;

    #[test]
    fn calls_that_the_budget_ended_are_counted() {
        let mut stage = Stage::new();
        for number in 0..7 {
            let call = stage.call("openai");
            let why = if number < 5 { "budget" } else { "exhausted" };
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", why);
            let found = stage.found("budget-spent");
            assert_eq!(found.len(), usize::from(number >= 4), "{number}");
        }
        let found = &stage.found("budget-spent")[0];
        assert_eq!(found.title, "The retry budget of 'openai' ended 5 calls");
        assert_eq!(found.settings[0].to, "{ ratio: 0.2, minPerSecond: 2 }");
    }

    #[test]
    fn a_quota_that_is_spent_is_no_finding() {
        let mut stage = Stage::new();
        stage.policy("openai", r#"{"retry":{"budget":"default"}}"#);
        for _ in 0..LEAST {
            let call = stage.call("openai");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "budget");
        }
        assert!(stage.found("budget-spent").is_empty());
    }
}
