//! A breaker that one failure opens: the next calls are refused for what may have been chance.

use super::{Evidence, Found, called, create};
use crate::session::breaker::State;
use crate::session::store::Log;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut found = Vec::new();
    for (index, breaker) in log.breakers.iter().enumerate() {
        let hasty = breaker.changes.iter().filter(|change| {
            let one = change.window.as_ref().is_some_and(|window| window.total == 1);
            (change.from, change.to) == (State::Closed, State::Open) && one
        });
        let count = hasty.count() as u64;
        if count > 0 {
            found.push(Found {
                count,
                what: format!("Breaker '{}' opened {count} times on a single result.", called(log, breaker.name)),
                fix: "Let several failures, or a share of several calls, open it.".into(),
                code: create(
                    log,
                    breaker.policy,
                    "breaker: { failureThreshold: 5 },\n  // or: breaker: { window: { kind: 'count', size: 20, failureRate: 0.5, minimumCalls: 10 } }",
                ),
                evidence: vec![Evidence::Breaker(index)],
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn one_result_that_opened_it_is_found_and_five_are_not() {
        let mut stage = Stage::new();
        stage.breaker("openai", "closed", "open", r#"{"total":5,"failures":5,"slow":0,"last":[1,1,1,1,1]}"#);
        assert_eq!(stage.found("hair-trigger"), []);
        stage.breaker("claude", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        assert_eq!(stage.found("hair-trigger").len(), 1);
    }
}
