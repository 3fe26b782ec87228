//! A window of the last `length` results.

use super::{Sample, Tally};
use crate::invariant::Always;

/// The last `size` results.
#[derive(Clone, Debug)]
pub(crate) struct CountWindow {
    ring: Vec<u8>,
    size: usize,
    oldest: usize,
    tally: Tally,
}

impl CountWindow {
    /// The largest window, because it keeps a byte for each result.
    pub(crate) const MAX_SIZE: u32 = 1 << 20;

    /// A window over the last `size` results, 1 at least.
    #[must_use]
    pub(crate) fn new(size: u32) -> Self {
        let size = size.clamp(1, Self::MAX_SIZE) as usize;
        Self { ring: Vec::new(), size, oldest: 0, tally: Tally::default() }
    }

    /// Adds a result. If the window is full, the oldest one leaves.
    pub(crate) fn record(&mut self, sample: Sample) {
        self.tally.add(sample);
        let full = self.ring.len() >= self.size;
        match self.ring.get_mut(self.oldest) {
            Some(slot) if full => {
                let leaving = std::mem::replace(slot, sample.bits());
                self.tally.remove(Sample::from_bits(leaving).into());
                self.oldest = (self.oldest + 1) % self.size;
            }
            _ => self.ring.push(sample.bits()),
        }
    }

    /// Turns the newest result that did not fail into a failure. Returns `false` without one. It searches the whole
    /// window, so use it only for rare events.
    pub(crate) fn fail_newest(&mut self) -> bool {
        let (newer, older) = self.ring.split_at_mut_checked(self.oldest).always();
        let newest_first = newer.iter_mut().rev().chain(older.iter_mut().rev());
        let Some(slot) = newest_first.into_iter().find(|bits| **bits & 1 == 0) else { return false };
        *slot |= 1;
        self.tally.failures = self.tally.failures.saturating_add(1);
        true
    }

    /// Returns the sums of the window.
    #[must_use]
    pub(crate) const fn tally(&self) -> Tally {
        self.tally
    }

    /// Oldest first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Sample> {
        let (newer, older) = self.ring.split_at_checked(self.oldest).unwrap_or((&[], &self.ring));
        older.iter().chain(newer).map(|&bits| Sample::from_bits(bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn the_count_window_is_the_end_of_the_list(size in 1_u32..20, bits in prop::collection::vec(0_u8..4, 0..100)) {
            let mut window = CountWindow::new(size);
            for &b in &bits {
                window.record(Sample::from_bits(b));
            }
            let tail = &bits[bits.len().saturating_sub(size as usize)..];
            let mut expected = Tally::default();
            tail.iter().for_each(|&b| expected.add(Sample::from_bits(b)));
            prop_assert_eq!(window.tally(), expected);
            prop_assert_eq!(window.iter().map(Sample::bits).collect::<Vec<_>>(), tail);
        }
    }
}
