//! Failures grouped by what was made of them: the code, and the rule that decided.

use crate::hash::Quick;
use crate::names::Name;
use std::collections::{HashMap, VecDeque};

/// How many of a group's last failures are kept to look at.
const SAMPLES: usize = 50;
/// Width of a trend's step, in milliseconds.
pub const STEP: f64 = 10_000.0;
/// How many steps of a trend are kept.
pub const STEPS: usize = 30;

/// One failed attempt of a group.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub call: u32,
    pub event: u64,
}

/// The failures of one code by one rule.
#[derive(Clone, Debug)]
pub struct Group {
    pub code: Name,
    pub rule: Name,
    pub count: u64,
    pub last: f64,
    pub samples: VecDeque<Sample>,
    /// Counts by step of time, and the number of the first.
    trend: VecDeque<u32>,
    trend_ends: f64,
}

impl Group {
    /// Counts for the last [`STEPS`] steps until `now`, oldest first.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, bounded by `min`"
    )]
    pub fn trend(&self, now: f64) -> Vec<u32> {
        let idle = (((now / STEP).floor() - self.trend_ends).max(0.0) as usize).min(STEPS);
        let mut counts: Vec<u32> = self.trend.iter().copied().skip(idle).collect();
        counts.resize(STEPS, 0);
        counts
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, bounded by `min`"
    )]
    fn count(&mut self, at: f64) {
        let step = (at / STEP).floor();
        let moved = ((step - self.trend_ends).max(0.0) as usize).min(STEPS);
        self.trend.drain(..moved.min(self.trend.len()));
        self.trend.resize(STEPS, 0);
        self.trend_ends = self.trend_ends.max(step);
        let back = (self.trend_ends - step) as usize;
        if let Some(count) = (STEPS - 1).checked_sub(back).and_then(|index| self.trend.get_mut(index)) {
            *count += 1;
        }
    }
}

/// All groups.
#[derive(Default)]
pub struct Groups {
    all: Vec<Group>,
    by_kind: HashMap<(Name, Name), usize, Quick>,
}

impl Groups {
    pub fn add(&mut self, code: Name, rule: Name, at: f64, call: u32, event: u64) {
        let index = *self.by_kind.entry((code, rule)).or_insert(self.all.len());
        if index == self.all.len() {
            let (samples, trend) = (VecDeque::new(), VecDeque::new());
            let trend_ends = (at / STEP).floor();
            self.all.push(Group { code, rule, count: 0, last: at, samples, trend, trend_ends });
        }
        let Some(group) = self.all.get_mut(index) else { return };
        group.count += 1;
        group.last = group.last.max(at);
        group.count(at);
        group.samples.push_back(Sample { call, event });
        if group.samples.len() > SAMPLES {
            group.samples.pop_front();
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Group> {
        self.all.iter()
    }
}
