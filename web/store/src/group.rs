//! Failed attempts grouped by their code and the rule that decided, and refused calls grouped by their code and the part of the
//! policy that refused them. Separately, each group counts the calls that ended so: most failed attempts are retried, and a
//! fallback may answer a refused call.

use crate::hash::Seeded;
use crate::names::Name;
use crate::numbers::{CallNumber, EventNumber};
use crate::policy::PolicyId;
use crate::strip::Strip;
use crate::time::{Moment, Place};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// How many of a group's latest failures are kept as samples.
const SAMPLES: usize = 50;

/// Most policies of processes that a group counts separately.
const SOURCES: usize = 1_000;

/// The property that the failures of a group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Attempts failed with a code, by a rule.
    Failed { code: Name, rule: Name },
    /// Calls were refused with a code, by a part of the policy: `breaker`, `bulkhead`.
    Refused { code: Name, by: Name },
}

impl Key {
    /// The code, and the rule or the part of the policy.
    pub const fn parts(self) -> (Name, Name) {
        match self {
            Self::Failed { code, rule: by } | Self::Refused { code, by } => (code, by),
        }
    }

    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::Refused { .. })
    }
}

/// One failed attempt, or one refused call, of a group.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub call: CallNumber,
    /// The end of the attempt; `None` of a refused call.
    pub ended_by: Option<EventNumber>,
}

/// The calls that ended with the failure, or the refusal, of a group: no retry and no fallback answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// How many, evicted calls too.
    pub count: u64,
    /// How many of them were evicted.
    pub evicted: u64,
    /// The latest ones, with those that a fallback answered afterwards.
    pub calls: VecDeque<CallNumber>,
}

/// The failed attempts, or the refused calls, of one key.
#[derive(Clone, Debug)]
pub struct Group {
    pub key: Key,
    pub count: u64,
    pub last: Moment,
    pub samples: VecDeque<Sample>,
    /// When they were, on the time axis.
    pub trend: Strip,
    /// How many each policy of a process had.
    pub sources: BTreeMap<PolicyId, u64>,
    pub ended: Ended,
}

/// All groups.
#[derive(Default)]
pub struct Groups {
    all: Vec<Group>,
    by_key: HashMap<Key, usize, Seeded>,
}

impl Groups {
    /// Adds a failed attempt or a refused call; `place` is where its moment is on the time axis.
    pub fn add(
        &mut self,
        key: Key,
        source: PolicyId,
        at: Moment,
        place: Place,
        call: CallNumber,
        ended_by: Option<EventNumber>,
    ) {
        let group = self.group(key);
        group.count += 1;
        group.last = group.last.max(at);
        group.trend.failed(place);
        if group.sources.len() < SOURCES || group.sources.contains_key(&source) {
            *group.sources.entry(source).or_default() += 1;
        }
        group.samples.push_back(Sample { call, ended_by });
        if group.samples.len() > SAMPLES {
            group.samples.pop_front();
        }
    }

    /// The group of a key. It may be new, without a failure.
    #[inline(never)]
    fn group(&mut self, key: Key) -> &mut Group {
        let index = *self.by_key.entry(key).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push(Group {
                key,
                count: 0,
                last: Moment::FIRST,
                samples: VecDeque::new(),
                trend: Strip::default(),
                sources: BTreeMap::new(),
                ended: Ended::default(),
            });
        }
        #[expect(clippy::indexing_slicing, reason = "known or pushed just above")]
        &mut self.all[index]
    }

    /// A call ended with the failure, or the refusal, of a group.
    pub(crate) fn end(&mut self, key: Key, call: CallNumber) {
        let ended = &mut self.group(key).ended;
        ended.count += 1;
        ended.calls.push_back(call);
        if ended.calls.len() > SAMPLES {
            ended.calls.pop_front();
        }
    }

    /// A fallback answered a call after its end.
    pub(crate) fn recover(&mut self, key: Key) {
        self.group(key).ended.count -= 1;
    }

    /// A call that ended with the failure, or the refusal, of a group was evicted.
    pub(crate) fn evict(&mut self, key: Key) {
        self.group(key).ended.evicted += 1;
    }

    /// The groups with a failed attempt or a refused call. A group without one has calls that ended with the error of a call
    /// within them, whose attempts are counted there.
    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.all.iter().filter(|group| group.count > 0)
    }

    /// The groups with a failed attempt.
    pub fn failed(&self) -> impl Iterator<Item = &Group> {
        self.iter().filter(|group| !group.key.is_refusal())
    }

    /// Shows every name that they have.
    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for group in &self.all {
            let (code, by) = group.key.parts();
            [code, by].into_iter().for_each(&mut *show);
            group
                .sources
                .keys()
                .for_each(|policy| [policy.source, policy.name].into_iter().for_each(&mut *show));
        }
    }
}
