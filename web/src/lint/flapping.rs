//! A breaker that closes and opens again and again: what it lets through is too much for what has only begun to recover.

use super::{Evidence, Found, called, create};
use crate::session::breaker::State;
use crate::session::store::Log;
use crate::ui::format::span;

/// Closing and opening again within this, in milliseconds, is no new outage.
const SOON: f64 = 120_000.0;
/// So often before it is a pattern.
const LEAST: u64 = 3;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut found = Vec::new();
    for (index, breaker) in log.breakers.iter().enumerate() {
        let mut closed = f64::NAN;
        let (mut times, mut shortest) = (0_u64, f64::INFINITY);
        for change in &breaker.changes {
            match change.to {
                State::Closed => closed = change.at,
                State::Open if change.from == State::Closed && change.at - closed <= SOON => {
                    times += 1;
                    shortest = shortest.min(change.at - closed);
                }
                _ => {}
            }
        }
        if times >= LEAST {
            found.push(Found {
                count: times,
                what: format!(
                    "Breaker '{}' opened again {times} times soon after it had closed, once after {}.",
                    called(log, breaker.name),
                    span(shortest)
                ),
                fix: "Ask for more than one good probe before it closes, and wait longer after each that fails.".into(),
                code: create(log, breaker.policy, "breaker: { successThreshold: 3, resetBackoffFactor: 2 },"),
                evidence: vec![Evidence::Breaker(index)],
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::Evidence;
    use super::super::stage::Stage;

    fn openings(times: usize, between: f64) -> Stage {
        let mut stage = Stage::new();
        for _ in 0..times {
            stage.breaker(
                "openai",
                "closed",
                "open",
                r#"{"total":5,"failures":5,"slow":0,"last":[1,1,1,1,1]}"#,
            );
            stage.pass(1_000.0).breaker("openai", "open", "half_open", "null");
            stage.breaker("openai", "half_open", "closed", "null").pass(between);
        }
        stage
    }

    #[test]
    fn opening_again_soon_after_closing_is_flapping() {
        let found = openings(4, 5_000.0).found("flapping");
        assert_eq!((found.len(), found[0].count), (1, 3));
        assert_eq!(found[0].evidence, [Evidence::Breaker(0)]);
    }

    #[test]
    fn outages_hours_apart_are_not() {
        assert_eq!(openings(4, 3_600_000.0).found("flapping"), []);
    }
}
