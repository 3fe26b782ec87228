//! A call that retries, within a call that retries: the attempts multiply, and a provider in trouble gets all of them.

use super::setting::{Options, Wish};
use super::{Evidence, Found, Look, called, row};
use crate::format::number_of;
use halfopen_store::call::Call;
use halfopen_store::numbers::CallNumber;
use halfopen_store::order;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

#[derive(Default)]
struct Within {
    retried: u64,
    attempts: u64,
    inner: PolicyId,
}

/// Attempts within a call, and that call's number.
type Attempts = Vec<(u64, CallNumber)>;

/// By the outer call: what the calls directly within it made of it.
#[derive(Default)]
struct Nested(Vec<(CallNumber, Within)>);

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Box::new(Nested::default())
}

impl Look for Nested {
    fn call(&mut self, log: &Log, _number: CallNumber, call: &Call) {
        let outer = &mut self.0;
        let Some(parent) = call.parent else { return };
        let many = log.call(parent).is_some_and(|parent| parent.attempts.len() > 1);
        if many {
            // Calls within one call are close together, so the search ends at once.
            let at = outer.iter().rposition(|row| row.0 == parent).unwrap_or(outer.len());
            if at == outer.len() {
                outer.push((parent, Within::default()));
            }
            if let Some((_, within)) = outer.get_mut(at) {
                within.attempts += call.attempts.len() as u64;
                within.retried += u64::from(call.attempts.len() > 1);
                within.inner = call.policy_id();
            }
        }
    }

    fn found(&mut self, log: &Log) -> Vec<Found> {
        let mut outer = std::mem::take(&mut self.0);
        // One inner call that retried may be chance; two or more are multiplied by the outer call's attempts.
        outer.retain(|(_, within)| within.retried > 1);
        let mut by_policy: Vec<((PolicyId, PolicyId), Attempts)> = Vec::new();
        for (number, within) in &outer {
            if let Some(call) = log.call(*number) {
                row(&mut by_policy, (call.policy_id(), within.inner)).push((within.attempts, *number));
            }
        }
        by_policy
        .into_iter()
        .map(|((policy, inner), mut calls)| {
            order::sort_by(&mut calls, |a, b| b.cmp(a));
            let most = calls.first().map_or(0, |call| call.0);
            let (name, within) = (called(log, policy.name), called(log, inner.name));
            let options = Options::of(log, policy);
            let wish = if options.has("retry.retryNested") {
                Wish("retry.retryNested", "false", "false".into())
            } else {
                Wish("retry", "on", "false".into())
            };
            Found {
                policy,
                title: format!("'{name}' retried what '{within}' had retried already: up to {most} attempts for one task"),
                what: format!("In {} of '{name}' the retries multiplied, and a struggling provider received all of \
                    them.", number_of(calls.len() as u64, "call")),
                fix: format!("Retry in one layer only: the inner one, which knows the provider. '{name}' then ends when '{within}' gives up."),
                advice: options.advise(log, policy, vec![wish], ""),
                hurt: calls.len() as u64,
                grade: None,
                evidence: calls.into_iter().map(|call| Evidence::Call(call.1)).collect(),
            }
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;
    use halfopen_store::numbers::CallNumber;

    fn task(outer_retries: bool) -> Stage {
        let mut stage = Stage::new();
        let task = stage.call("agent");
        for round in 0..2 {
            let call = stage.call_within("openai", Some(task));
            stage.fail(call, "SERVER_ERROR", "http.5xx").wait(call, 100.0, "backoff");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            if round == 0 && outer_retries {
                stage.fail(task, "SERVER_ERROR", "agent-error").wait(task, 100.0, "backoff");
            }
        }
        stage
    }

    #[test]
    fn attempts_that_multiply_are_found_at_the_outer_call() {
        let found = task(true).found("nested-retries");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].evidence, [Evidence::Call(CallNumber(0))]);
        assert_eq!(
            found[0].title,
            "'agent' retried what 'openai' had retried already: up to 4 attempts for one task"
        );
        assert!(found[0].what.starts_with("In 1 call of 'agent'"), "{}", found[0].what);
    }

    #[test]
    fn steps_of_a_task_that_retry_each_for_itself_are_no_finding() {
        assert_eq!(task(false).found("nested-retries"), []);
    }
}
