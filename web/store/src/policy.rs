//! What the log knows of each policy: its options, the limits they set, and its breaker.

use crate::names::Name;
use halfopen::log::{Event, Json, Kind};
use std::collections::BTreeMap;

/// Most policies that are known at once: a process that makes one for each request must not fill the page. The policy
/// without news for longest is forgotten.
const MOST: usize = 2_000;

/// Which policy: each process has policies of its own, and two processes may give theirs one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    pub source: Name,
    pub name: Name,
}

/// How long a policy gives a call, in milliseconds; nothing where its options do not say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    pub attempt: Option<f64>,
    pub total: Option<f64>,
}

impl Limits {
    /// The limits that options set, which stand at a path of `json`.
    fn at(json: &Json<'_>, path: &[&str]) -> Self {
        let limit = |name: &str| {
            let limit = json.at(&[path, &["timeout", name]].concat())?;
            // JSON has no number for it.
            if limit.is_text("Infinity") { Some(f64::INFINITY) } else { limit.as_f64() }
        };
        Self { attempt: limit("attemptMs"), total: limit("totalMs") }
    }

    /// The limits of one call alone, by the line of its first event.
    pub(crate) fn of_call(line: &str) -> Self {
        // Few calls have any.
        if !line.contains(r#""options""#) {
            return Self::default();
        }
        Self::at(&Json::from(line), &["options"])
    }

    /// These where they are set, else the others.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { attempt: self.attempt.or(other.attempt), total: self.total.or(other.total) }
    }
}

/// One policy.
#[derive(Default)]
struct Policy {
    /// When it was last heard of: the number of an event.
    event: u64,
    /// Its `policy.configured` event, as it came. Kept here, for a process sends it once.
    line: Option<(u64, Box<str>)>,
    limits: Limits,
    /// Its breaker's place among the log's.
    breaker: Option<usize>,
}

/// All policies.
#[derive(Default)]
pub(crate) struct Policies {
    known: BTreeMap<PolicyId, Policy>,
}

impl Policies {
    /// Keeps a policy's options, by the line of the event that has them.
    pub(crate) fn configure(&mut self, id: PolicyId, event: u64, line: &str, options: &Json<'_>) {
        let policy = self.policy(id, event);
        policy.line = Some((event, line.into()));
        policy.limits = Limits::at(options, &[]);
    }

    /// Notes a policy's breaker.
    pub(crate) fn guard(&mut self, id: PolicyId, event: u64, breaker: usize) {
        self.policy(id, event).breaker = Some(breaker);
    }

    fn policy(&mut self, id: PolicyId, event: u64) -> &mut Policy {
        if self.known.len() >= MOST
            && !self.known.contains_key(&id)
            && let Some(oldest) = self.known.iter().min_by_key(|(_, policy)| policy.event).map(|(&id, _)| id)
        {
            self.known.remove(&oldest);
        }
        let policy = self.known.entry(id).or_default();
        policy.event = event;
        policy
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = PolicyId> {
        self.known.keys().copied()
    }

    pub(crate) fn limits(&self, id: PolicyId) -> Limits {
        self.known.get(&id).map_or_else(Limits::default, |policy| policy.limits)
    }

    pub(crate) fn breaker(&self, id: PolicyId) -> Option<usize> {
        self.known.get(&id)?.breaker
    }

    /// The event that has its options, as it came.
    pub(crate) fn line(&self, id: PolicyId) -> Option<&str> {
        Some(&self.known.get(&id)?.line.as_ref()?.1)
    }

    pub(crate) fn options(&self, id: PolicyId) -> Option<Json<'_>> {
        match Event::parse(self.line(id)?).ok()?.kind {
            Kind::PolicyConfigured(configured) => Some(configured.options),
            _ => None,
        }
    }

    /// The kept events that are older than one, oldest first.
    pub(crate) fn lines_before(&self, event: u64) -> impl Iterator<Item = &str> {
        let lines = self.known.values().filter_map(|policy| policy.line.as_ref());
        let mut lines: Vec<_> = lines.filter(|line| line.0 < event).collect();
        lines.sort_unstable_by_key(|line| line.0);
        lines.into_iter().map(|line| &*line.1)
    }
}
