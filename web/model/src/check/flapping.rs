//! A breaker that closes and opens again and again: what it lets through is too much for what has only begun to recover.

use super::look::{Breakers, grade_of, refused, refusing, trips};
use super::setting::{Options, Wish, literal};
use super::{Found, Look, called, hair_trigger};
use crate::format::{span, times};
use halfopen_store::breaker::{Breaker, BreakerId, Change, State};
use halfopen_store::store::Log;

/// Closing and opening again within this, in milliseconds, is no new outage.
const SOON: f64 = 120_000.0;
/// So often before it is a pattern.
const LEAST: usize = 3;

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Breakers::begin(look, trips)
}

/// The changes that opened a breaker soon after it had closed, each with that time in milliseconds.
fn again(breaker: &Breaker) -> Vec<(&Change, f64)> {
    let mut closed = None;
    let mut again = Vec::new();
    for change in &breaker.changes {
        if change.to == State::Closed {
            closed = Some(change.at);
        } else if trips(change) {
            let after = closed.map(|closed| change.at - closed).filter(|&ms| ms <= SOON);
            again.extend(after.map(|ms| (change, ms)));
        }
    }
    again
}

/// Returns `true` if most of these openings came after a single result.
pub(super) fn is_hasty(breaker: &Breaker) -> bool {
    let again = again(breaker);
    again.iter().filter(|(change, _)| hair_trigger::is_hasty(change)).count() * 2 > again.len()
}

fn look(log: &Log) -> Vec<(BreakerId, Found)> {
    let mut found = Vec::new();
    for breaker in &log.breakers {
        let again = again(breaker);
        if again.len() >= LEAST {
            let shortest = again.iter().map(|(_, ms)| *ms).fold(SOON, f64::min);
            let policy = log.policy_of(breaker.id);
            let refused = refused(log, breaker);
            let options = Options::of(log, policy);
            let wishes = vec![
                more(&options, "breaker.successThreshold", "1", 2.0),
                more(&options, "breaker.resetBackoffFactor", "1", 1.0),
            ];
            found.push((breaker.id, Found {
                policy,
                title: format!("Breaker '{}' opened again {} soon after it had closed{}", called(log, breaker.id.name), times(again.len() as u64), refusing(refused)),
                what: format!("Once it opened {} after it had closed: a provider that had begun to recover got all calls at once.", span(shortest)),
                fix: "Require more successful probes before it closes, and wait longer after each failed one.".into(),
                advice: options.advise(log, policy, wishes, ""),
                // With the calls that show it: see [`Breakers`].
                evidence: Vec::new(),
                hurt: refused.0,
                grade: grade_of(refused),
            }));
        }
    }
    found
}

/// More than now, or than by default.
fn more(options: &Options<'_>, path: &'static str, default: &'static str, by: f64) -> Wish {
    Wish(path, default, literal(options.number(path).unwrap_or(1.0) + by))
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
        let stage = openings(4, 5_000.0);
        let (found, log) = (stage.found("flapping"), stage.log());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "Breaker 'openai' opened again 3 times soon after it had closed");
        assert!(
            found[0].code.contains("{ successThreshold: 3, resetBackoffFactor: 2 }"),
            "{}",
            found[0].code
        );
        let breaker = log.breakers.iter().next().unwrap();
        assert_eq!(found[0].evidence, [Evidence::Breaker(breaker.id)]);
    }

    #[test]
    fn outages_hours_apart_are_not() {
        assert_eq!(openings(4, 3_600_000.0).found("flapping"), []);
    }
}
