//! Failures grouped by their classification: the code, and the rule that decided. Failed attempts are counted, and separately
//! the calls that ended with one: most failed attempts are retried.

use crate::hash::Seeded;
use crate::names::Name;
use crate::numbers::{CallNumber, EventNumber};
use crate::strip::Strip;
use crate::time::{Moment, Place};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// How many of a group's latest failures are kept as samples.
const SAMPLES: usize = 50;

/// Most processes that a group counts separately.
const SOURCES: usize = 1_000;

/// One failed attempt of a group.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub call: CallNumber,
    pub event: EventNumber,
}

/// The calls that ended with the failure of a group: no retry and no fallback answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// How many, evicted calls too.
    pub count: u64,
    /// How many of them were evicted.
    pub evicted: u64,
    /// The latest ones, with those that a fallback answered afterwards.
    pub calls: VecDeque<CallNumber>,
}

/// The failures of one code by one rule.
#[derive(Clone, Debug)]
pub struct Group {
    pub code: Name,
    pub rule: Name,
    pub count: u64,
    pub last: Moment,
    pub samples: VecDeque<Sample>,
    /// When they were, on the time axis.
    pub trend: Strip,
    /// How many came from each process.
    pub sources: BTreeMap<Name, u64>,
    pub ended: Ended,
}

/// All groups.
#[derive(Default)]
pub struct Groups {
    all: Vec<Group>,
    by_kind: HashMap<(Name, Name), usize, Seeded>,
}

impl Groups {
    /// Adds a failure; `place` is where its moment is on the time axis.
    pub fn add(
        &mut self,
        (code, rule): (Name, Name),
        source: Name,
        at: Moment,
        place: Place,
        call: CallNumber,
        event: EventNumber,
    ) {
        let group = self.group((code, rule));
        group.count += 1;
        group.last = group.last.max(at);
        group.trend.failed(place);
        if group.sources.len() < SOURCES || group.sources.contains_key(&source) {
            *group.sources.entry(source).or_default() += 1;
        }
        group.samples.push_back(Sample { call, event });
        if group.samples.len() > SAMPLES {
            group.samples.pop_front();
        }
    }

    /// The group of a code and a rule. It may be new, without a failure.
    #[inline(never)]
    fn group(&mut self, key: (Name, Name)) -> &mut Group {
        let index = *self.by_kind.entry(key).or_insert(self.all.len());
        if index == self.all.len() {
            self.all.push(Group {
                code: key.0,
                rule: key.1,
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

    /// A call ended with the failure of a group.
    pub(crate) fn end(&mut self, key: (Name, Name), call: CallNumber) {
        let ended = &mut self.group(key).ended;
        ended.count += 1;
        ended.calls.push_back(call);
        if ended.calls.len() > SAMPLES {
            ended.calls.pop_front();
        }
    }

    /// A fallback answered a call after its end.
    pub(crate) fn recover(&mut self, key: (Name, Name)) {
        self.group(key).ended.count -= 1;
    }

    /// A call that ended with the failure of a group was evicted.
    pub(crate) fn evict(&mut self, key: (Name, Name)) {
        self.group(key).ended.evicted += 1;
    }

    /// The groups with a failed attempt. A group without one has calls that ended with the error of a call within them, whose
    /// attempts are counted there.
    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.all.iter().filter(|group| group.count > 0)
    }

    /// Shows every name that they have.
    pub(crate) fn names(&self, show: &mut dyn FnMut(Name)) {
        for group in &self.all {
            [group.code, group.rule].into_iter().chain(group.sources.keys().copied()).for_each(&mut *show);
        }
    }
}
