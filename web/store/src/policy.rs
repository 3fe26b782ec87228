//! The policies of the log: the options of each, the limits that they set, and its breaker.

use crate::adaptive::{AdaptiveLimit, Change};
use crate::breaker::BreakerId;
use crate::hash::Seeded;
use crate::names::{Name, Names};
use crate::numbers::EventNumber;
use crate::time::Moment;
use halfopen_log::{Event, Json, Kind, Shallow};
use std::collections::{HashMap, VecDeque};

/// Most policies that are kept: a process that makes one for each request must not exhaust the page's memory. The policy
/// that was configured longest ago is dropped.
const MOST: usize = 2_000;

/// The identity of a policy: each process has its own policies, and two processes may use one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PolicyId {
    pub source: Name,
    pub name: Name,
}

/// The timeouts of a policy, in milliseconds; `None` if its options have none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    pub attempt: Option<f64>,
    pub total: Option<f64>,
}

impl Limits {
    /// Reads the limits that options set, at a path of `json`.
    #[inline(never)]
    fn at(json: &Json<'_>, path: &[&str]) -> Self {
        let limit = |name: &str| {
            let limit = json.at(&[path, &["timeout", name]].concat())?;
            // JSON has no infinity.
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

    /// Returns these limits if they are set, else the others.
    pub(crate) fn or(self, other: Self) -> Self {
        Self { attempt: self.attempt.or(other.attempt), total: self.total.or(other.total) }
    }
}

/// One limit that processes share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedLimit {
    pub limit: f64,
    /// 0 for a limit on concurrent calls.
    pub window_ms: f64,
    pub of_tokens: bool,
}

/// The parts that a policy shares with the policies of its name in other processes.
#[derive(Clone, Debug, PartialEq)]
pub struct Shares {
    /// The fleet; `NONE` if its process did not name it.
    pub fleet: Name,
    /// The scope of its quota, if the fleet has one.
    pub scope: Name,
    pub limits: Vec<SharedLimit>,
}

impl Shares {
    /// Reads options; `None` for a policy without a fleet.
    #[inline(never)]
    pub(crate) fn of(options: &Json<'_>, names: &mut Names) -> Option<Self> {
        options.at(&["fleet"])?;
        let mut name = |of: &str| {
            let text = options.at(&["fleet", of]);
            text.as_ref().and_then(Shallow::as_str).map_or(Name::NONE, |text| names.number(text))
        };
        let (fleet, scope) = (name("name"), name("quotaScope"));
        let limit = |of: &Json<'_>| {
            let number = |name: &str| of.at(&[name]).and_then(|value| value.as_f64());
            let of_tokens = of.at(&["unit"]).is_some_and(|unit| unit.is_text("tokens"));
            Some(SharedLimit { limit: number("limit")?, window_ms: number("windowMs")?, of_tokens })
        };
        let mut limits = Vec::new();
        if let Some(Shallow::Nested(rates)) = options.at(&["rateLimit"]) {
            limits.extend(limit(&rates));
            limits.extend(rates.items().iter().filter_map(|rate| match rate {
                Shallow::Nested(rate) => limit(rate),
                _ => None,
            }));
        }
        let slots = options.at(&["bulkhead", "maxConcurrent"]).and_then(|slots| slots.as_f64());
        limits.extend(slots.map(|limit| SharedLimit { limit, window_ms: 0.0, of_tokens: false }));
        Some(Self { fleet, scope, limits })
    }
}

/// One policy.
struct Policy {
    id: PolicyId,
    /// Its `policy.configured` event, as it arrived, and its number. It is kept here because a process sends it only once.
    line: Option<(EventNumber, Box<str>)>,
    limits: Limits,
    breaker: Option<BreakerId>,
    adaptive: AdaptiveLimit,
    shares: Option<Shares>,
    /// How often its process has made a policy of this name with these options.
    made: u32,
}

impl Policy {
    fn options(&self) -> Option<Json<'_>> {
        match Event::parse(&self.line.as_ref()?.1).ok()?.kind {
            Kind::PolicyConfigured(configured) => Some(configured.options),
            _ => None,
        }
    }
}

/// All policies.
#[derive(Default)]
pub(crate) struct Policies {
    known: HashMap<PolicyId, Policy, Seeded>,
    /// By the time of configuration, the latest at the end.
    order: VecDeque<PolicyId>,
}

impl Policies {
    /// Keeps a policy's options, by the line of the event that has them.
    #[inline(never)]
    pub(crate) fn configure(
        &mut self,
        id: PolicyId,
        (event, at): (EventNumber, Moment),
        line: &str,
        options: &Json<'_>,
        shares: Option<Shares>,
    ) {
        let before = self.known.remove(&id);
        if before.is_some() {
            self.order.retain(|&other| other != id);
        }
        let (line, limits) = (Some((event, line.into())), Limits::at(options, &[]));
        // Policies that share a name have options of their own.
        let same =
            before.as_ref().and_then(Policy::options).is_some_and(|other| other.as_str() == options.as_str());
        let made = before.as_ref().filter(|_| same).map_or(0, |before| before.made) + 1;
        let (breaker, mut adaptive) =
            before.map_or_else(Default::default, |before| (before.breaker, before.adaptive));
        adaptive.configure(at, options);
        self.push(Policy { id, line, limits, breaker, adaptive, shares, made });
    }

    /// Notes a policy's breaker.
    #[inline(never)]
    pub(crate) fn guard(&mut self, id: PolicyId, breaker: BreakerId) {
        self.get_or_add(id, |policy| policy.breaker = Some(breaker));
    }

    /// Notes a change of a policy's adaptive limit.
    #[inline(never)]
    pub(crate) fn limit(&mut self, id: PolicyId, change: Change) {
        self.get_or_add(id, |policy| policy.adaptive.push(change));
    }

    /// The policy, added at its first event if the log has not seen its options.
    fn get_or_add(&mut self, id: PolicyId, note: impl FnOnce(&mut Policy)) {
        match self.known.get_mut(&id) {
            Some(policy) => note(policy),
            None => {
                let mut policy = Policy {
                    id,
                    line: None,
                    limits: Limits::default(),
                    breaker: None,
                    adaptive: AdaptiveLimit::default(),
                    shares: None,
                    made: 0,
                };
                note(&mut policy);
                self.push(policy);
            }
        }
    }

    fn push(&mut self, policy: Policy) {
        if self.order.len() >= MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(policy.id);
        self.known.insert(policy.id, policy);
    }

    fn get(&self, id: PolicyId) -> Option<&Policy> {
        self.known.get(&id)
    }

    fn iter(&self) -> impl Iterator<Item = &Policy> {
        self.order.iter().filter_map(|&id| self.get(id))
    }

    /// How often a process has made that policy, with the same options.
    pub(crate) fn made(&self, id: PolicyId) -> u32 {
        self.get(id).map_or(0, |policy| policy.made)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = PolicyId> {
        self.order.iter().copied()
    }

    pub(crate) fn limits(&self, id: PolicyId) -> Limits {
        self.get(id).map_or_else(Limits::default, |policy| policy.limits)
    }

    pub(crate) fn breaker(&self, id: PolicyId) -> Option<BreakerId> {
        self.get(id)?.breaker
    }

    pub(crate) fn adaptive(&self, id: PolicyId) -> Option<&AdaptiveLimit> {
        self.get(id).map(|policy| &policy.adaptive).filter(|limit| !limit.changes.is_empty())
    }

    pub(crate) fn shares(&self, id: PolicyId) -> Option<&Shares> {
        self.get(id)?.shares.as_ref()
    }

    pub(crate) fn sharing(&self) -> impl Iterator<Item = (PolicyId, &Shares)> {
        self.iter().filter_map(|policy| Some((policy.id, policy.shares.as_ref()?)))
    }

    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for policy in self.iter() {
            let shares = policy.shares.iter().flat_map(|shares| [shares.fleet, shares.scope]);
            let own = [policy.id.source, policy.id.name].into_iter().chain(policy.adaptive.names());
            own.chain(shares).for_each(&mut *show);
        }
    }

    /// The event that has its options, as it came.
    pub(crate) fn line(&self, id: PolicyId) -> Option<&str> {
        Some(&self.get(id)?.line.as_ref()?.1)
    }

    pub(crate) fn options(&self, id: PolicyId) -> Option<Json<'_>> {
        self.get(id)?.options()
    }

    /// The kept events that are older than one, oldest first.
    pub(crate) fn lines_before(&self, event: EventNumber) -> impl Iterator<Item = &str> {
        let lines = self.iter().filter_map(|policy| policy.line.as_ref());
        lines.filter(move |line| line.0 < event).map(|line| &*line.1)
    }
}
