//! Traps of an agent's WebAssembly module: a fault of Halfopen, which the agent survives by a new instance.

use super::setting::Advice;
use super::{Evidence, Found};
use crate::format::times;
use halfopen_store::policy::PolicyId;
use halfopen_store::store::Log;

pub(super) fn look(log: &Log) -> Vec<Found> {
    let found = log.restarts.iter().map(|restarts| Found {
        policy: PolicyId::default(),
        title: format!("The module '{}' trapped {} during '{}'", restarts.module, times(restarts.count), restarts.during),
        what: "The agent continued with a new instance: breakers, budgets and limits may have been reset."
            .into(),
        fix: "This is a bug in Halfopen. Update it; if it happens again, report it with the events of a call below.".into(),
        advice: Advice::default(),
        hurt: restarts.calls.len() as u64,
        grade: None,
        evidence: restarts.calls.iter().rev().map(|&call| Evidence::Call(call)).collect(),
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::super::stage::Stage;

    #[test]
    fn a_restart_is_found_and_names_the_function() {
        let mut stage = Stage::new();
        assert_eq!(stage.found("core-restarted"), []);
        stage.restarted("classify").restarted("classify");
        let found = stage.found("core-restarted");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title, "The module 'core' trapped twice during 'classify'");
    }
}
