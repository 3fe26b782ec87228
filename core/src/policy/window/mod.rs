//! Results as windows count them, and the two windows: [the last calls](CountWindow), [a span of time](TimeWindow).

mod count;
mod demand;
mod time;

pub(super) use count::CountWindow;
pub(super) use demand::{Demand, DemandWindow};
#[doc(hidden)]
pub use time::BUCKETS;
pub(super) use time::{Buckets, Side, TimeWindow};

/// One result, as windows count it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// It counts against the dependency.
    pub failed: bool,
    /// It took as long as a slow call, or longer.
    pub slow: bool,
}

impl Sample {
    /// Two bits: 1 failed, 2 slow.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.failed as u8 | (self.slow as u8) << 1
    }

    /// The sample of those two bits.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self { failed: bits & 1 != 0, slow: bits & 2 != 0 }
    }
}

/// Results added up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub total: u32,
    /// Those that failed.
    pub failures: u32,
    /// Those that were slow.
    pub slow: u32,
}

impl Tally {
    fn add(&mut self, sample: Sample) {
        self.total = self.total.saturating_add(1);
        self.failures = self.failures.saturating_add(u32::from(sample.failed));
        self.slow = self.slow.saturating_add(u32::from(sample.slow));
    }

    fn remove(&mut self, other: Self) {
        self.total = self.total.saturating_sub(other.total);
        self.failures = self.failures.saturating_sub(other.failures);
        self.slow = self.slow.saturating_sub(other.slow);
    }
}

impl From<Sample> for Tally {
    fn from(sample: Sample) -> Self {
        let mut tally = Self::default();
        tally.add(sample);
        tally
    }
}

/// The last 32 results, two bits each: what an event shows of a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recent {
    bits: u64,
    len: u8,
}

impl Recent {
    /// Adds the newest.
    pub fn push(&mut self, sample: Sample) {
        self.bits = self.bits << 2 | u64::from(sample.bits());
        self.len = (self.len + 1).min(32);
    }

    /// Turns the newest result that did not fail into a failure. Returns `false` without one.
    pub(crate) fn fail_newest(&mut self) -> bool {
        let held = if self.len >= 32 { u64::MAX } else { (1 << (2 * self.len)) - 1 };
        let succeeded = !self.bits & 0x5555_5555_5555_5555 & held;
        self.bits |= succeeded & succeeded.wrapping_neg();
        succeeded != 0
    }

    /// Oldest first.
    pub fn iter(self) -> impl Iterator<Item = Sample> {
        (0..u32::from(self.len)).rev().map(move |back| {
            let bits = (self.bits >> (2 * back)) & 3;
            Sample { failed: bits & 1 != 0, slow: bits & 2 != 0 }
        })
    }

    /// The packed bits (newest lowest) and how many results they hold.
    #[must_use]
    pub const fn packed(self) -> (u64, u8) {
        (self.bits, self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_results_come_oldest_first() {
        let mut recent = Recent::default();
        for failed in [true, false, true, true] {
            recent.push(Sample { failed, slow: false });
        }
        let seen: Vec<bool> = recent.iter().map(|sample| sample.failed).collect();
        assert_eq!(seen, [true, false, true, true]);
        for _ in 0..100 {
            recent.push(Sample::default());
        }
        assert_eq!(recent.iter().count(), 32);
    }
}
