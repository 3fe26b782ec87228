//! Runs without any limit: only the model decides when such a run ends, and what it costs.

use super::loops::evidence;
use super::setting::{Advice, literal, rounded_up};
use super::{Found, called, row};
use crate::format::number_of;
use halfopen_store::names::Name;
use halfopen_store::numbers::RunNumber;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

/// The proposed limit of steps as a multiple of the longest run's, and the least one.
const ROOM: f64 = 2.0;
const LEAST: f64 = 20.0;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let mut all: Vec<(Name, (Vec<RunNumber>, u32))> = Vec::new();
    // A sub-agent spends what its parent may.
    for run in log.runs.iter().filter(|run| run.limited == Some(false) && run.parent.is_none()) {
        let (runs, most) = row(&mut all, run.name);
        runs.push(run.number);
        *most = run.steps.max(*most);
    }
    let say = |(name, (runs, most)): (Name, (Vec<RunNumber>, u32))| {
        let name = called(log, name);
        let steps = literal(rounded_up((f64::from(most) * ROOM).max(LEAST)));
        Found {
            policy: PolicyId::default(),
            title: format!("{} of '{name}' had no limit", number_of(runs.len() as u64, "run")),
            what: format!(
                "Only the model ends such a run. The longest so far took {}; one that never ends costs until somebody notices.",
                number_of(most.into(), "step")
            ),
            fix: "Limit its steps, and its tokens or its cost.".into(),
            advice: Advice {
                settings: Vec::new(),
                code: format!("createRun({{ name: '{name}', limits: {{ steps: {steps} }} }})"),
            },
            // No run has gone on for ever yet.
            hurt: 0,
            evidence: evidence(runs),
            grade: None,
        }
    };
    all.into_iter().map(say).collect()
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn a_run_without_a_limit_is_found_with_one_to_set() {
        let mut stage = Stage::new();
        stage.run("a", r#","limits":{}"#).step("a", 30).run("b", r#","limits":{}"#);
        let found = stage.found("run-without-limit");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "2 runs of 'run' had no limit");
        assert_eq!(found[0].code, "createRun({ name: 'run', limits: { steps: 75 } })");
        assert_eq!(found[0].evidence.len(), 2);
    }

    #[test]
    fn any_limit_is_one_and_a_sub_agent_has_its_parents() {
        let mut stage = Stage::new();
        stage.run("a", r#","limits":{"cost":2}"#).run("b", r#","parentRun":"a","limits":{}"#);
        // The log does not have the beginning of this one.
        stage.step("c", 3);
        assert_eq!(stage.found("run-without-limit"), []);
    }
}
