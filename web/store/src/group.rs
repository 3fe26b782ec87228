//! Failures grouped by their classification: the code, and the rule that decided.

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
        let index = *self.by_kind.entry((code, rule)).or_insert(self.all.len());
        if index == self.all.len() {
            let (samples, trend, sources) = (VecDeque::new(), Strip::default(), BTreeMap::new());
            self.all.push(Group { code, rule, count: 0, last: at, samples, trend, sources });
        }
        let Some(group) = self.all.get_mut(index) else { return };
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

    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.all.iter()
    }
}
