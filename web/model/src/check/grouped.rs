//! The findings by check: one fault in twenty policies is one thing to learn, in twenty places.

use super::{Finding, Grade, called};
use crate::format::number_of;
use halfopen_store::store::Log;

/// Most policies that a title names.
const NAMED: usize = 3;

/// The findings of one check, the worst first.
#[derive(Debug)]
pub struct Group<'a> {
    pub check: &'static str,
    /// The grade of the worst.
    pub grade: Grade,
    pub findings: Vec<&'a Finding>,
}

/// The findings by their checks, in the order of the worst of each.
pub fn grouped(findings: &[Finding]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for finding in findings {
        match groups.iter_mut().find(|group| group.check == finding.key.check) {
            Some(group) => group.findings.push(finding),
            None => {
                let (check, grade) = (finding.key.check, finding.grade);
                groups.push(Group { check, grade, findings: vec![finding] });
            }
        }
    }
    groups
}

impl Group<'_> {
    /// The title of its finding; of several, their number and policies.
    pub fn title(&self, log: &Log) -> String {
        if let [finding] = self.findings[..] {
            return finding.title.clone();
        }
        let mut names: Vec<String> = Vec::new();
        for policy in self.findings.iter().map(|finding| finding.key.policy).filter(|name| !name.is_none()) {
            let name = called(log, policy);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let number = number_of(self.findings.len() as u64, "finding");
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        match (names.join(", "), more) {
            (names, _) if names.is_empty() => number,
            (names, 0) => format!("{number}: {names}"),
            (names, more) => format!("{number}: {names} and {more} more"),
        }
    }

    /// The advice, if several findings share it.
    pub fn fix(&self) -> Option<&str> {
        let (first, others) = self.findings.split_first()?;
        let is_shared = !others.is_empty() && others.iter().all(|other| other.fix == first.fix);
        is_shared.then_some(first.fix.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{find, stage::Stage};
    use super::*;

    #[test]
    fn one_fault_in_five_policies_is_one_group_and_a_check_with_one_finding_has_its_title() {
        let mut stage = Stage::new();
        for policy in ["a", "b", "c", "d", "e"] {
            stage.policy(policy, r#"{"breaker":{"failureThreshold":1}}"#);
            stage.breaker(policy, "closed", "open", r#"{"total":1,"failures":1,"slow":0,"last":[1]}"#);
        }
        for _ in 0..6 {
            let call = stage.call("chat");
            stage.fail(call, "TIMEOUT", "r").give_up(call, "TIMEOUT", "exhausted").fallback(call, "TIMEOUT");
        }
        let log = stage.log();
        let found = find(&log);
        let groups = grouped(&found);
        assert_eq!(groups.iter().map(|group| group.findings.len()).sum::<usize>(), found.len());
        let of = |check: &str| groups.iter().find(|group| group.check == check).unwrap();
        let triggers = of("hair-trigger");
        assert_eq!(triggers.title(&log), "5 findings: a, b, c and 2 more");
        assert_eq!(triggers.fix(), Some("Require several failures, or a failure rate over several calls."));
        let outage = of("hidden-outage");
        assert_eq!((outage.title(&log), outage.fix()), (outage.findings[0].title.clone(), None));
        // The worst first.
        assert!(groups.is_sorted_by_key(|group| group.grade), "{groups:?}");
    }
}
