//! The findings of a scope: the checks look at its calls alone, and of the breakers, runs and groups of failures that they
//! find in the log's tables, those of its calls stay.

use super::look::{Evidence, Found};
use halfopen_store::breaker::Breaker;
use halfopen_store::names::Name;
use halfopen_store::policy::PolicyId;
use halfopen_store::run::Run;
use halfopen_store::scope::{Policies, Scope};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Returns a function for the findings of a log: it returns `true` for those that are in the scope.
pub(super) type Keeps = for<'a> fn(&'a Log, &'a Scope) -> Box<dyn Fn(&mut Found) -> bool + 'a>;

pub(super) fn keeps<'a>(log: &'a Log, scope: &'a Scope) -> Box<dyn Fn(&mut Found) -> bool + 'a> {
    let within = Within::of(log, scope);
    Box::new(move |found| within.keep(found))
}

/// The things of a scope that a finding can be about.
struct Within<'a> {
    scope: &'a Scope,
    policies: Policies,
    breakers: Vec<(&'a Breaker, u64)>,
    runs: Vec<&'a Run>,
    groups: Vec<(Name, Name)>,
}

impl<'a> Within<'a> {
    fn of(log: &'a Log, scope: &'a Scope) -> Self {
        let now = log.bounds().map_or(Moment::LAST, |bounds| bounds.1);
        Self {
            scope,
            policies: scope.calls.policies(log),
            breakers: scope.breakers(log),
            runs: scope.runs(log, now),
            groups: scope
                .calls
                .with_groups(log, |groups| groups.failed().map(|group| group.key.parts()).collect()),
        }
    }

    /// Keeps the evidence that is in the scope. Returns `true` if the finding is in it: by its evidence, or, without any, by
    /// its policy. One about neither is about something that has no calls, and stays.
    fn keep(&self, found: &mut Found) -> bool {
        if found.evidence.is_empty() {
            return found.policy == PolicyId::default() || self.policies.contains(found.policy);
        }
        found.evidence.retain(|evidence| match evidence {
            Evidence::Call(number) => self.scope.calls.contains(*number),
            Evidence::Breaker(id) => self.breakers.iter().any(|row| row.0.id == *id),
            Evidence::Run(number) => self.runs.binary_search_by_key(number, |run| run.number).is_ok(),
            Evidence::Group(code, rule) => self.groups.contains(&(*code, *rule)),
        });
        !found.evidence.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;
    use super::super::{Evidence, Pass};
    use halfopen_store::scope::{Calls, Scope, Span};
    use halfopen_store::store::Log;
    use std::sync::Arc;

    fn found(log: &Log, scope: &Scope, check: &str) -> Vec<(String, Vec<Evidence>)> {
        let mut pass = Pass::of(log, scope.clone());
        while pass.step(log, 3) {}
        let of_check = pass.findings(log).into_iter().filter(|finding| finding.key.check == check);
        of_check.map(|finding| (finding.title, finding.evidence)).collect()
    }

    fn of_policy(log: &Log, policy: &str) -> Scope {
        let calls = log.calls().filter(|(_, call)| log.names.text(call.policy) == policy);
        Scope {
            calls: Calls::Only(Arc::new(calls.map(|(number, _)| number).collect())),
            span: None,
            filtered: true,
        }
    }

    #[test]
    fn a_check_of_calls_counts_those_of_the_scope() {
        let mut stage = Stage::new();
        for policy in ["chat", "mail"] {
            for _ in 0..6 {
                let call = stage.pass(1_000.0).call(policy);
                stage.fail(call, "SERVER_ERROR", "r").give_up(call, "SERVER_ERROR", "exhausted");
                stage.fallback(call, "SERVER_ERROR");
            }
        }
        let log = stage.log();
        let titles = |scope: &Scope| {
            found(&log, scope, "hidden-outage").into_iter().map(|found| found.0).collect::<Vec<_>>()
        };
        let says = |policy: &str| format!("Only the fallback answered 6 calls of '{policy}' in a row");
        assert_eq!(titles(&Scope::default()), [says("chat"), says("mail")]);
        assert_eq!(titles(&of_policy(&log, "mail")), [says("mail")]);
        // Two calls in a row are too few.
        let (begins, ends) = log.bounds().unwrap();
        let span = Some(Span { from: begins, to: begins + 2_500.0 });
        let first = Scope { calls: Calls::All.within(&log, span, ends), span, filtered: false };
        assert!(titles(&first).is_empty());
    }

    #[test]
    fn the_evidence_about_a_breaker_is_of_the_scope_even_where_newer_openings_are_not() {
        let mut stage = Stage::new();
        for _ in 0..6 {
            let call = stage.pass(1_000.0).call("db");
            stage.fail(call, "SERVER_ERROR", "r").opens(call, 1).give_up(call, "SERVER_ERROR", "exhausted");
        }
        let log = stage.log();
        let (breaker, first) = (log.breakers.iter().next().unwrap().id, log.calls().next().unwrap().0);
        let of_first = Scope { calls: Calls::Only(Arc::new(vec![first])), span: None, filtered: true };
        let found = found(&log, &of_first, "hair-trigger");
        let evidence: Vec<_> = found.iter().map(|found| &found.1[..]).collect();
        assert_eq!(evidence, [[Evidence::Breaker(breaker), Evidence::Call(first)]]);
    }

    #[test]
    fn a_check_of_tables_keeps_what_is_of_the_scope_even_where_newer_evidence_is_not() {
        let mut stage = Stage::new();
        for policy in ["chat", "mail"] {
            stage.policy(policy, "{}");
            stage.breaker(policy, "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
            stage.call(policy);
        }
        for run in 0..20 {
            let run = format!("run {run}");
            stage.run(&run, r#","name":"agent""#).step(&run, 1);
            stage.call_with("plan", &format!(r#","run":"{run}""#));
            stage.run_ended(&run, "completed", "").pass(1_000.0);
        }
        let log = stage.log();
        assert_eq!(found(&log, &Scope::default(), "hair-trigger").len(), 2);
        let of_mail = found(&log, &of_policy(&log, "mail"), "hair-trigger");
        assert!(matches!(&of_mail[..], [(title, _)] if title.contains("'mail'")), "{of_mail:?}");
        let (begins, ends) = log.bounds().unwrap();
        let span = Some(Span { from: begins, to: begins + 500.0 });
        let first = Scope { calls: Calls::All.within(&log, span, ends), span, filtered: false };
        let runs = found(&log, &first, "run-without-limit");
        let first_run = log.runs.iter().next().unwrap().number;
        assert_eq!(runs.iter().map(|found| &found.1[..]).collect::<Vec<_>>(), [[Evidence::Run(first_run)]]);
        assert_eq!(found(&log, &of_policy(&log, "mail"), "run-without-limit"), []);
    }
}
