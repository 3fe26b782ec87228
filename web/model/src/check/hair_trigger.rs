//! A breaker that one failure opens: the next calls are refused for what may have been chance.

use super::look::{Breakers, grade_of, refused, refusing, trips_at_once};
use super::setting::{Options, Wish};
use super::{Found, Grade, Look, called, flapping};
use crate::format::times;
use halfopen_store::breaker::BreakerId;
use halfopen_store::store::Log;

pub(super) fn begin(_log: &Log) -> Box<dyn Look> {
    Breakers::begin(look, trips_at_once)
}

fn look(log: &Log) -> Vec<(BreakerId, Found)> {
    let mut found = Vec::new();
    for breaker in &log.breakers {
        let count = breaker.changes.iter().filter(|change| trips_at_once(change)).count() as u64;
        if count > 0 {
            let policy = log.policy_of(breaker.id);
            let refused = refused(log, breaker);
            let options = Options::of(log, policy);
            let (wish, note) = if options.has("breaker.window") {
                (Wish("breaker.window.minimumCalls", "", "10".into()), "")
            } else {
                (
                    Wish("breaker.failureThreshold", "5", "5".into()),
                    "// or: breaker: { window: { kind: 'count', size: 20, failureRate: 0.5, minimumCalls: 10 } },",
                )
            };
            found.push((breaker.id, Found {
                policy,
                title: format!(
                    "A single result opened breaker '{}' {}{}",
                    called(log, breaker.id.name),
                    times(count),
                    refusing(refused)
                ),
                what:
                    "The breaker refused the next calls because of one failure, which may have been chance."
                        .into(),
                fix: "Require several failures, or a failure rate over several calls.".into(),
                advice: options.advise(log, policy, vec![wish], note),
                // With the calls that show it: see [`Breakers`].
                evidence: Vec::new(),
                hurt: refused.0,
                // No less bad than what follows from it.
                grade: grade_of(refused).or(flapping::is_hasty(breaker).then_some(Grade::Risk)),
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::super::{Evidence, Grade, find};

    #[test]
    fn a_breaker_that_refuses_most_calls_is_the_first_finding_with_its_number() {
        let mut stage = Stage::new();
        stage.policy("db", r#"{"breaker":{"failureThreshold":1}}"#);
        for _ in 0..3 {
            let call = stage.call("db");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
        }
        stage.breaker("db", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        for _ in 0..24 {
            stage.refused("db");
        }
        // Another policy of which a tenth of the calls is worse off.
        for number in 0..50 {
            let call = stage.call("chat");
            stage.fail(call, "SERVER_ERROR", "http.5xx").give_up(call, "SERVER_ERROR", "exhausted");
            if number < 5 {
                stage.fallback(call, "SERVER_ERROR");
            }
        }
        let found = find(&stage.log());
        let first: Vec<_> = found.iter().take(2).map(|one| one.key.check).collect();
        assert_eq!(first, ["hair-trigger", "hidden-outage"]);
        assert_eq!(found[0].grade, Grade::Harm);
        assert_eq!(
            found[0].title,
            "A single result opened breaker 'db' once, and refused 24 of 27 calls (89 %)"
        );
    }

    #[test]
    fn its_evidence_has_the_calls_that_opened_it_and_those_that_it_refused() {
        let mut stage = Stage::new();
        stage.policy("db", r#"{"breaker":{"failureThreshold":1}}"#);
        let call = stage.call("db");
        stage.succeed(call);
        let opens = stage.call("db");
        stage.fail(opens, "SERVER_ERROR", "http.5xx").opens(opens, 1);
        stage.give_up(opens, "SERVER_ERROR", "exhausted");
        for _ in 0..30 {
            stage.refused("db");
        }
        let (found, log) = (stage.found("hair-trigger"), stage.log());
        let [Evidence::Breaker(_), Evidence::Call(first), refused @ ..] = &found[0].evidence[..] else {
            panic!("{:?}", found[0].evidence)
        };
        assert!(log.call(*first).unwrap().attempts.len() == 1);
        // Bounded, the newest first.
        assert_eq!(refused.len(), 4);
        let newest = log.calls().last().unwrap().0;
        assert_eq!(refused[0], Evidence::Call(newest));
    }

    #[test]
    fn a_call_that_opened_it_after_other_failures_is_no_evidence() {
        let mut stage = Stage::new();
        let calls = [1, 5].map(|failures| {
            let call = stage.call("db");
            stage.fail(call, "SERVER_ERROR", "http.5xx").opens(call, failures);
            stage.give_up(call, "SERVER_ERROR", "exhausted").breaker("db", "open", "closed", "null");
            call
        });
        let (found, log) = (stage.found("hair-trigger"), stage.log());
        let hasty = log.call_by_id(&format!("c{}", calls[0])).unwrap();
        assert!(
            matches!(&found[0].evidence[..], [Evidence::Breaker(_), Evidence::Call(call)] if *call == hasty)
        );
    }

    #[test]
    fn flapping_of_openings_after_several_failures_does_not_follow_from_one_after_a_single_failure() {
        let mut stage = Stage::new();
        for failures in [1, 5, 5, 5] {
            let window = format!(r#"{{"total":{failures},"failures":{failures},"slow":0,"last":[]}}"#);
            stage.breaker("db", "closed", "open", &window);
            stage.pass(1_000.0).breaker("db", "open", "half_open", "null");
            stage.breaker("db", "half_open", "closed", "null").pass(5_000.0);
        }
        let found = find(&stage.log());
        let checks: Vec<_> = found.iter().map(|one| (one.key.check, one.grade)).collect();
        assert_eq!(checks, [("flapping", Grade::Risk), ("hair-trigger", Grade::Note)]);
        assert!(!found[0].what.contains("follows"), "{}", found[0].what);
    }

    #[test]
    fn a_cause_comes_before_the_flapping_that_follows_from_it() {
        let mut stage = Stage::new();
        stage.policy("db", r#"{"breaker":{"failureThreshold":1}}"#);
        for _ in 0..5 {
            stage.breaker("db", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
            stage.pass(1_000.0).breaker("db", "open", "half_open", "null");
            stage.breaker("db", "half_open", "closed", "null").pass(5_000.0);
        }
        let found = find(&stage.log());
        let checks: Vec<_> = found.iter().map(|one| (one.key.check, one.grade)).collect();
        assert_eq!(checks, [("hair-trigger", Grade::Risk), ("flapping", Grade::Risk)]);
        assert!(found[1].what.ends_with(" It follows from 'hair-trigger': mend that first, and look again."));
    }

    #[test]
    fn one_result_that_opened_it_is_found_and_five_are_not() {
        let mut stage = Stage::new();
        stage.breaker("openai", "closed", "open", r#"{"total":5,"failures":5,"slow":0,"last":[1,1,1,1,1]}"#);
        assert_eq!(stage.found("hair-trigger"), []);
        stage.breaker("claude", "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        stage.policy("claude", r#"{"breaker":{"failureThreshold":1}}"#);
        let found = stage.found("hair-trigger");
        assert_eq!((found.len(), found[0].grade), (1, Grade::Note));
        assert_eq!(found[0].title, "A single result opened breaker 'claude' once");
        assert_eq!(found[0].settings[0].now.as_deref(), Some("1"));
    }
}
