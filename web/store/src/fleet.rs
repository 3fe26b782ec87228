//! The fleets, as their processes report them: access to the store, differing options, waits that providers requested.

use crate::hash::Seeded;
use crate::names::Name;
use crate::policy::PolicyId;
use crate::time::Moment;
use std::collections::HashMap;

/// Most processes that are kept for all fleets together, and most policies whose waits are kept.
const MOST: usize = 5_000;
/// Longest reason that is kept, in characters.
const LONGEST: usize = 300;

/// The state of a process's access to its fleet's store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It cannot reach the store, or does not trust its answers.
    Degraded,
    Joined,
    Left,
}

impl Standing {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "joined" => Some(Self::Joined),
            "degraded" => Some(Self::Degraded),
            "left" => Some(Self::Left),
            _ => None,
        }
    }
}

/// One process in one fleet.
#[derive(Clone, Debug)]
pub struct Member {
    pub source: Name,
    pub fleet: Name,
    /// The time of its first event about the fleet.
    pub first: Moment,
    pub standing: Standing,
    pub since: Moment,
    /// Why it is degraded.
    pub reason: Box<str>,
    /// How often it lost the store after it had joined.
    pub losses: u32,
    /// The resources whose options differ between this process and others.
    pub mismatches: Vec<Name>,
}

impl Member {
    /// Returns `true` if it was in the fleet at a moment, as far as the log knows: of its states, the log keeps the last one.
    pub fn is_in_fleet_at(&self, at: Moment) -> bool {
        self.first <= at && !self.is_since(Standing::Left, at)
    }

    /// Returns `true` if it has this standing now and had it at a moment.
    pub fn is_since(&self, standing: Standing, at: Moment) -> bool {
        self.standing == standing && self.since <= at
    }
}

/// A wait that a provider requested from a policy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hint {
    pub until: Moment,
    pub code: Name,
}

/// The fleets of a log.
#[derive(Default)]
pub struct Fleets {
    members: Vec<Member>,
    places: HashMap<(Name, Name), usize, Seeded>,
    hints: HashMap<PolicyId, Hint, Seeded>,
}

impl Fleets {
    /// The processes of all fleets, in the order of their first events.
    pub fn members(&self) -> impl Iterator<Item = &Member> {
        self.members.iter()
    }

    /// A process in a fleet.
    pub fn member(&self, source: Name, fleet: Name) -> Option<&Member> {
        self.members.get(*self.places.get(&(source, fleet))?)
    }

    /// The latest end of the waits that a provider requested from a policy.
    pub fn hint(&self, policy: PolicyId) -> Option<Hint> {
        self.hints.get(&policy).copied()
    }

    #[inline(never)]
    pub(crate) fn changed(
        &mut self,
        (source, fleet): (Name, Name),
        at: Moment,
        status: &str,
        reason: Option<&str>,
    ) {
        let Some(standing) = Standing::from_word(status) else { return };
        let Some(member) = self.member_mut(source, fleet, at) else { return };
        member.losses += u32::from(standing == Standing::Degraded && member.standing == Standing::Joined);
        (member.standing, member.since) = (standing, at);
        member.reason = reason.unwrap_or_default().chars().take(LONGEST).collect();
    }

    #[inline(never)]
    pub(crate) fn mismatched(&mut self, source: Name, fleet: Name, at: Moment, resource: Name) {
        let Some(member) = self.member_mut(source, fleet, at) else { return };
        if member.mismatches.len() < 100 && !member.mismatches.contains(&resource) {
            member.mismatches.push(resource);
        }
    }

    #[inline(never)]
    pub(crate) fn hinted(&mut self, policy: PolicyId, hint: Hint) {
        if self.hints.len() >= MOST && !self.hints.contains_key(&policy) {
            return;
        }
        let known = self.hints.entry(policy).or_insert(hint);
        if known.until < hint.until {
            *known = hint;
        }
    }

    fn member_mut(&mut self, source: Name, fleet: Name, at: Moment) -> Option<&mut Member> {
        let place = match self.places.get(&(source, fleet)) {
            Some(&place) => place,
            None if self.members.len() >= MOST => return None,
            None => {
                // A process that reports a mismatch has reached the store.
                let (reason, standing) = (Box::default(), Standing::Joined);
                let (losses, mismatches) = (0, Vec::new());
                self.members.push(Member {
                    source,
                    fleet,
                    first: at,
                    standing,
                    since: at,
                    reason,
                    losses,
                    mismatches,
                });
                self.places.insert((source, fleet), self.members.len() - 1);
                self.members.len() - 1
            }
        };
        self.members.get_mut(place)
    }

    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for member in &self.members {
            [member.source, member.fleet]
                .into_iter()
                .chain(member.mismatches.iter().copied())
                .for_each(&mut *show);
        }
        self.hints
            .iter()
            .for_each(|(id, hint)| [id.source, id.name, hint.code].into_iter().for_each(&mut *show));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Stage;

    fn standings(stage: &Stage) -> Vec<(&str, Standing, &str, u32)> {
        let log = &stage.log;
        let row = |one: &'_ Member| (one.source, one.standing, one.losses);
        let rows: Vec<_> = log.fleets.members().map(row).collect();
        let reasons = log.fleets.members().map(|one| &*one.reason);
        rows.into_iter()
            .zip(reasons)
            .map(|((name, is, losses), why)| (log.names.text(name), is, why, losses))
            .collect()
    }

    #[test]
    fn a_process_stands_as_its_last_event_says() {
        let mut stage = Stage::new();
        stage.event("a", "fleet.changed", r#""fleet":"workers","status":"joined""#);
        stage.event("b", "fleet.changed", r#""fleet":"workers","status":"joined""#);
        stage.event("b", "fleet.changed", r#""fleet":"workers","status":"degraded","reason":"ECONNREFUSED""#);
        assert_eq!(
            standings(&stage),
            [("a", Standing::Joined, "", 0), ("b", Standing::Degraded, "ECONNREFUSED", 1)]
        );
        stage.event("b", "fleet.changed", r#""fleet":"workers","status":"joined""#);
        stage.event("a", "fleet.changed", r#""fleet":"workers","status":"left""#);
        assert_eq!(standings(&stage), [("a", Standing::Left, "", 0), ("b", Standing::Joined, "", 1)]);
        assert_eq!(stage.log.losses.unknown, 0);
    }

    #[test]
    fn a_status_that_nobody_knows_changes_nothing() {
        let mut stage = Stage::new();
        stage.event("a", "fleet.changed", r#""fleet":"workers","status":"dancing""#);
        assert!(standings(&stage).is_empty());
    }

    #[test]
    fn a_policy_shares_what_its_options_say() {
        let mut stage = Stage::new();
        stage.policy(
            "a",
            "chat",
            r#"{"fleet":{"name":"workers","quotaScope":"org-1","shared":true},"rateLimit":[{"limit":50,"windowMs":60000},{"limit":9,"windowMs":1000,"unit":"tokens"}],"bulkhead":{"maxConcurrent":4}}"#,
        );
        stage.policy("a", "alone", r#"{"bulkhead":{"maxConcurrent":4}}"#);
        stage.policy("a", "older", r#"{"fleet":"shared","rateLimit":{"limit":5,"windowMs":1000}}"#);
        let log = &stage.log;
        let shared = |name: &str| {
            let id = log.policies().find(|id| log.names.text(id.name) == name)?;
            let shares = log.shares(id)?;
            let limits = shares.limits.iter().map(|one| (one.limit, one.window_ms, one.of_tokens));
            Some((log.names.text(shares.fleet), log.names.text(shares.scope), limits.collect::<Vec<_>>()))
        };
        let limits = vec![(50.0, 60_000.0, false), (9.0, 1_000.0, true), (4.0, 0.0, false)];
        assert_eq!(shared("chat"), Some(("workers", "org-1", limits)));
        assert_eq!((shared("alone"), shared("older")), (None, Some(("", "", vec![(5.0, 1_000.0, false)]))));
    }

    #[test]
    fn the_longest_wait_that_a_provider_requested_is_kept() {
        let mut stage = Stage::new();
        stage.call("a", "c", "");
        let failed = |ms: u32| {
            format!(
                r#""policy":"chat","call":"c","attempt":1,"durationMs":1,"code":"RATE_LIMITED","severity":"s","retryable":true,"rule":"r","retryAfterMs":{ms}"#
            )
        };
        let until = stage.time + 30_000.0;
        stage.event("a", "attempt.failed", &failed(30_000)).event("a", "attempt.failed", &failed(2_000));
        let id = stage.log.calls().next().map(|(_, call)| call.policy_id()).unwrap();
        let hint = stage.log.fleets.hint(id).unwrap();
        assert_eq!((hint.until, stage.log.names.text(hint.code)), (until, "RATE_LIMITED"));
    }

    #[test]
    fn a_process_is_known_by_what_it_says_of_itself() {
        let mut stage = Stage::new();
        stage.event(
            "a",
            "process.started",
            r#""host":"worker-7","pid":4711,"version":"1.4.0","deployment":"eu""#,
        );
        stage.event("b", "process.started", r#""pid":12"#);
        let log = &stage.log;
        let about = |name: &str| {
            let (_, about) = log.each_process().find(|(source, _)| log.names.text(*source) == name).unwrap();
            let text = |name| log.names.text(name);
            (text(about.host), about.pid, text(about.version), text(about.deployment))
        };
        assert_eq!(about("a"), ("worker-7", Some(4711), "1.4.0", "eu"));
        assert_eq!(about("b"), ("", Some(12), "", ""));
    }
}
