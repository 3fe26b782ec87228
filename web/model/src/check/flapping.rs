//! A breaker that closes and opens again and again: what it lets through is too much for what has only begun to recover.

use super::look::{Breakers, grade_of, refused, refusing, trips, trips_at_once};
use super::setting::{Options, Wish, literal};
use super::{Found, Look, called};
use crate::format::{span, times};
use halfopen_store::breaker::{Breaker, BreakerId, State};
use halfopen_store::store::Log;

/// Closing and opening again within this, in milliseconds, is no new outage.
const SOON: f64 = 120_000.0;
/// So often before it is a pattern.
const LEAST: u64 = 3;

/// The end of what it says if a single result opens the breaker.
const FOLLOWS: &str = " It follows from 'hair-trigger': mend that first, and look again.";

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Breakers::begin(look, trips)
}

/// The openings of a breaker soon after it had closed.
struct Again {
    times: u64,
    /// How many of them came after a single result.
    hasty: u64,
    /// The shortest time after it had closed, in milliseconds.
    shortest: f64,
}

impl Again {
    /// `None` if they are no pattern.
    fn of(breaker: &Breaker) -> Option<Self> {
        let mut again = Self { times: 0, hasty: 0, shortest: SOON };
        let mut closed = None;
        for change in &breaker.changes {
            if change.to == State::Closed {
                closed = Some(change.at);
            } else if trips(change)
                && let Some(soon) = closed.map(|closed| change.at - closed).filter(|&ms| ms <= SOON)
            {
                again.times += 1;
                again.hasty += u64::from(trips_at_once(change));
                again.shortest = again.shortest.min(soon);
            }
        }
        (again.times >= LEAST).then_some(again)
    }

    /// Returns `true` if it follows from `hair-trigger`: most of them came after a single result.
    const fn is_hasty(&self) -> bool {
        self.hasty * 2 > self.times
    }
}

/// Returns `true` if a breaker flaps because a single result opens it.
pub(super) fn is_hasty(breaker: &Breaker) -> bool {
    Again::of(breaker).is_some_and(|again| again.is_hasty())
}

fn look(log: &Log) -> Vec<(BreakerId, Found)> {
    let mut found = Vec::new();
    for breaker in &log.breakers {
        if let Some(again) = Again::of(breaker) {
            let policy = log.policy_of(breaker.id);
            let refused = refused(log, breaker);
            let options = Options::of(log, policy);
            let wishes = vec![
                more(&options, "breaker.successThreshold", "1", 2.0),
                more(&options, "breaker.resetBackoffFactor", "1", 1.0),
            ];
            found.push((breaker.id, Found {
                policy,
                title: format!("Breaker '{}' opened again {} soon after it had closed{}", called(log, breaker.id.name), times(again.times), refusing(refused)),
                what: format!("Once it opened {} after it had closed: a provider that had begun to recover got all calls at once.{}", span(again.shortest), if again.is_hasty() { FOLLOWS } else { "" }),
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
