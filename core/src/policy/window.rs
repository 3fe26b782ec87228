//! Windows over results: the last calls, or a span of time.
//!
//! The time window keeps a hundred buckets whatever its length, so that an event costs the same time and memory
//! in a window of a second and of a day. It ages by the clock, also while nothing happens.

use crate::time::{Millis, Timestamp};

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

    /// The newest result that did not fail did; false when there is none.
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

/// The last `size` results.
///
/// ```
/// use halfopen::policy::{CountWindow, Sample};
/// let mut window = CountWindow::new(2);
/// for failed in [true, false, false] {
///     window.record(Sample { failed, slow: false });
/// }
/// assert_eq!((window.tally().total, window.tally().failures), (2, 0));
/// ```
#[derive(Clone, Debug)]
pub struct CountWindow {
    ring: Vec<u8>,
    size: usize,
    oldest: usize,
    tally: Tally,
}

impl CountWindow {
    /// Larger windows are cut to this: a byte is kept for each result.
    pub const MAX_SIZE: u32 = 1 << 20;

    /// A window over the last `size` results, 1 at least.
    #[must_use]
    pub fn new(size: u32) -> Self {
        let size = size.clamp(1, Self::MAX_SIZE) as usize;
        Self { ring: Vec::new(), size, oldest: 0, tally: Tally::default() }
    }

    /// Adds a result; the oldest leaves when the window is full.
    pub fn record(&mut self, sample: Sample) {
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

    /// The newest result that did not fail did; false when there is none. Looks through the window: for what happens
    /// rarely.
    pub(crate) fn fail_newest(&mut self) -> bool {
        let (newer, older) = self.ring.split_at_mut_checked(self.oldest).unwrap_or_default();
        let newest_first = newer.iter_mut().rev().chain(older.iter_mut().rev());
        let Some(slot) = newest_first.into_iter().find(|bits| **bits & 1 == 0) else { return false };
        *slot |= 1;
        self.tally.failures = self.tally.failures.saturating_add(1);
        true
    }

    /// What the window holds.
    #[must_use]
    pub const fn tally(&self) -> Tally {
        self.tally
    }

    /// Oldest first.
    pub fn iter(&self) -> impl Iterator<Item = Sample> {
        let (newer, older) = self.ring.split_at_checked(self.oldest).unwrap_or((&[], &self.ring));
        older.iter().chain(newer).map(|&bits| Sample::from_bits(bits))
    }
}

/// How many parts a time window is kept in: what is counted leaves between 99 and 100 % of its length later.
pub const BUCKETS: u64 = 100;
const SLOTS: u64 = BUCKETS + 1;

/// K counters over a span of time that moves with the clock.
///
/// Buckets are laid out from the first event after an empty spell, so that what happens in a burst leaves when
/// its length is over, exactly.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<const K: usize> {
    length: Millis,
    origin: Timestamp,
    head: u64,
    sums: [u32; K],
    slots: Vec<[u32; K]>,
}

/// Which bucket an event between two borders falls into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The one that has begun: it leaves up to a hundredth of the length early.
    Early,
    /// The next one: it leaves up to a hundredth of the length late.
    Late,
}

impl<const K: usize> Buckets<K> {
    pub(crate) fn new(length: Millis) -> Self {
        Self { length: length.max(Millis(1)), origin: Timestamp(0), head: 0, sums: [0; K], slots: Vec::new() }
    }

    pub(crate) fn length(&self) -> Millis {
        self.length
    }

    /// What is in the window at `now`.
    pub(crate) fn sums(&mut self, now: Timestamp) -> [u32; K] {
        self.age(shifted(now, Millis::ZERO));
        self.sums
    }

    /// Adds `counts` at `now`.
    pub(crate) fn add(&mut self, now: Timestamp, side: Side, counts: [u32; K]) {
        self.add_aged(now, Millis::ZERO, side, counts);
    }

    /// Adds `counts` of what happened `age` before `now`, which may be before the clock began. Oldest first.
    pub(crate) fn add_aged(&mut self, now: Timestamp, age: Millis, side: Side, counts: [u32; K]) {
        let now = shifted(now, age);
        self.age(now);
        if self.sums == [0; K] {
            // Nothing is in it: lay the buckets out from here.
            self.origin = now;
            self.head = 0;
            if self.slots.is_empty() {
                self.slots.resize(SLOTS as usize, [0; K]);
            }
        }
        let elapsed = u128::from(now.since(self.origin).0) * u128::from(BUCKETS);
        let on_border = elapsed.is_multiple_of(u128::from(self.length.0));
        let index = if side == Side::Late && !on_border { self.head + 1 } else { self.head };
        if let Some(slot) = self.slots.get_mut((index % SLOTS) as usize) {
            for ((sum, kept), &count) in self.sums.iter_mut().zip(slot.iter_mut()).zip(&counts) {
                // What the slot does not take, the sum must not take either.
                let fits = count.min(u32::MAX - *sum);
                *sum += fits;
                *kept += fits;
            }
        }
    }

    /// Adds `counts` to the bucket that holds what happened `age` before `now`, where that is still in the window.
    fn amend(&mut self, now: Timestamp, age: Millis, counts: [u32; K]) -> bool {
        self.age(shifted(now, Millis::ZERO));
        let then = shifted(now, age);
        if then < self.origin || self.sums == [0; K] {
            return false;
        }
        let index = u128::from(then.since(self.origin).0) * u128::from(BUCKETS) / u128::from(self.length.0);
        let Ok(index) = u64::try_from(index) else { return false };
        if index + BUCKETS <= self.head {
            return false;
        }
        let Some(slot) = self.slots.get_mut((index % SLOTS) as usize) else { return false };
        for ((sum, kept), &count) in self.sums.iter_mut().zip(slot.iter_mut()).zip(&counts) {
            let fits = count.min(u32::MAX - *sum);
            *sum += fits;
            *kept += fits;
        }
        true
    }

    /// The buckets that hold something: how long before `now` each began, and its counts; oldest first.
    pub(crate) fn aged(&mut self, now: Timestamp) -> Vec<(Millis, [u32; K])> {
        let now = shifted(now, Millis::ZERO);
        self.age(now);
        let first = self.head.saturating_sub(BUCKETS - 1);
        (first..=self.head + 1)
            .filter_map(|index| {
                let counts = *self.slots.get((index % SLOTS) as usize)?;
                let begins = u128::from(index) * u128::from(self.length.0) / u128::from(BUCKETS);
                let begins = self.origin + Millis(u64::try_from(begins).unwrap_or(u64::MAX));
                (counts != [0; K]).then_some((now.since(begins), counts))
            })
            .collect()
    }

    /// Moves the head to `now`, dropping what has become too old: at most one pass over the slots.
    fn age(&mut self, now: Timestamp) {
        let elapsed = now.since(self.origin).0;
        let head = match elapsed.checked_mul(BUCKETS) {
            Some(scaled) => scaled / self.length.0,
            None => u64::try_from(u128::from(elapsed) * u128::from(BUCKETS) / u128::from(self.length.0))
                .unwrap_or(u64::MAX - 1),
        };
        if head <= self.head {
            return;
        }
        if head - self.head > BUCKETS {
            self.slots.fill([0; K]);
            self.sums = [0; K];
        } else {
            for index in self.head + 1..=head {
                // The slot of the bucket that becomes "next" is that of the one that is now too old.
                if let Some(slot) = self.slots.get_mut(((index + 1) % SLOTS) as usize) {
                    for (sum, old) in self.sums.iter_mut().zip(std::mem::replace(slot, [0; K])) {
                        *sum = sum.saturating_sub(old);
                    }
                }
            }
        }
        self.head = head;
    }
}

/// `age` before `now`, on a scale that has room before the clock's zero.
fn shifted(now: Timestamp, age: Millis) -> Timestamp {
    Timestamp((now.0.saturating_add(1 << 62)).saturating_sub(age.0))
}

/// The results of the last span of time.
///
/// ```
/// use halfopen::policy::{Sample, TimeWindow};
/// use halfopen::time::{Millis, Timestamp};
/// let mut window = TimeWindow::new(Millis(10_000));
/// window.record(Timestamp(500), Sample { failed: true, slow: false });
/// assert_eq!(window.tally(Timestamp(10_499)).failures, 1);
/// assert_eq!(window.tally(Timestamp(10_500)).failures, 0);
/// ```
#[derive(Clone, Debug)]
pub struct TimeWindow(Buckets<3>);

impl TimeWindow {
    /// A window over the last `length`, 1 ms at least.
    #[must_use]
    pub fn new(length: Millis) -> Self {
        Self(Buckets::new(length))
    }

    /// Adds a result.
    pub fn record(&mut self, now: Timestamp, sample: Sample) {
        self.0.add(now, Side::Early, [1, u32::from(sample.failed), u32::from(sample.slow)]);
    }

    /// A success of `age` ago was a failure; false when it has left the window.
    pub(crate) fn fail(&mut self, now: Timestamp, age: Millis) -> bool {
        self.0.amend(now, age, [0, 1, 0])
    }

    /// What happened within the window's length before `now`. Ages the window.
    pub fn tally(&mut self, now: Timestamp) -> Tally {
        let [total, failures, slow] = self.0.sums(now);
        Tally { total, failures, slow }
    }

    /// The window's length.
    #[must_use]
    pub fn length(&self) -> Millis {
        self.0.length()
    }

    pub(crate) fn aged(&mut self, now: Timestamp) -> Vec<(Millis, Tally)> {
        let aged = self.0.aged(now).into_iter();
        aged.map(|(age, [total, failures, slow])| (age, Tally { total, failures, slow })).collect()
    }

    pub(crate) fn add_aged(&mut self, now: Timestamp, age: Millis, tally: Tally) {
        self.0.add_aged(now, age, Side::Early, [tally.total, tally.failures, tally.slow]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FAILED: Sample = Sample { failed: true, slow: false };

    #[test]
    fn an_idle_time_window_ages_by_the_clock() {
        let mut window = TimeWindow::new(Millis(1000));
        for at in [0, 400, 999] {
            window.record(Timestamp(at), FAILED);
        }
        assert_eq!(window.tally(Timestamp(999)).total, 3);
        assert_eq!(window.tally(Timestamp(1000)).total, 2);
        assert_eq!(window.tally(Timestamp(5000)).total, 0);
    }

    #[test]
    fn a_window_of_years_costs_no_more_than_one_of_a_second() {
        let mut window = TimeWindow::new(Millis(1 << 60));
        for at in [0, 1, 1 << 59, (1 << 60) - 1, 1 << 60] {
            window.record(Timestamp(at), FAILED);
        }
        assert_eq!(window.tally(Timestamp(1 << 60)).total, 3);
        assert_eq!(window.0.slots.len() as u64, SLOTS);
    }

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

        /// Against the plain list: nothing as old as the length is counted, nothing younger than 99 % of it is missing.
        #[test]
        fn the_time_window_is_the_list_of_the_young(
            length in 1_u64..100_000, steps in prop::collection::vec((0_u64..3000, any::<bool>(), 0_u8..4), 1..200),
        ) {
            let mut window = TimeWindow::new(Millis(length));
            let mut list: Vec<(u64, u8)> = Vec::new();
            let mut now = 0;
            for (step, records, bits) in steps {
                now += step;
                if records {
                    window.record(Timestamp(now), Sample::from_bits(bits));
                    list.push((now, bits));
                }
                let younger_than = |age: u64| {
                    let mut tally = Tally::default();
                    list.iter().filter(|(at, _)| now - at < age).for_each(|&(_, b)| tally.add(Sample::from_bits(b)));
                    tally
                };
                let counted = window.tally(Timestamp(now));
                let (least, most) = (younger_than(length - length / BUCKETS), younger_than(length));
                prop_assert!(least.total <= counted.total && counted.total <= most.total, "{least:?} {counted:?} {most:?}");
                prop_assert!(least.failures <= counted.failures && counted.failures <= most.failures);
                prop_assert!(least.slow <= counted.slow && counted.slow <= most.slow);
            }
        }
    }
}
