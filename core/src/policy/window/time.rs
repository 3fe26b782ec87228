//! Counts events over the last span of time.
//!
//! A window has a hundred buckets, whatever its length, so an event costs the same time and memory in a window of a
//! second and of a day. It ages by the clock, even while nothing happens.

use super::{Sample, Tally};
use crate::time::{Millis, Timestamp};

/// The number of parts of a time window. A counted event leaves after 99 to 100 % of its length.
pub const BUCKETS: u64 = 100;
const SLOTS: u64 = BUCKETS + 1;

/// K counters over a span of time that moves with the clock.
///
/// The buckets begin at the first event after an empty spell, so that a burst leaves exactly when the length is over.
#[derive(Clone, Debug)]
pub(crate) struct Buckets<const K: usize> {
    length: Millis,
    origin: Timestamp,
    head: u64,
    sums: [u32; K],
    slots: Vec<[u32; K]>,
}

/// Decides which bucket an event between two borders falls into.
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

    /// Returns the sums of the window at `now`.
    pub(crate) fn sums(&mut self, now: Timestamp) -> [u32; K] {
        self.age(shifted(now, Millis::ZERO));
        self.sums
    }

    /// Adds `counts` at `now`.
    pub(crate) fn add(&mut self, now: Timestamp, side: Side, counts: [u32; K]) {
        self.add_aged(now, Millis::ZERO, side, counts);
    }

    /// Adds `counts` from `age` before `now`, which may be before the clock began. Oldest first.
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
        let index = match side {
            Side::Early => self.head,
            Side::Late => {
                let begun =
                    (now.since(self.origin).0 % self.length.0).saturating_mul(BUCKETS) % self.length.0;
                self.head + u64::from(begun != 0)
            }
        };
        if let Some(slot) = self.slots.get_mut((index % SLOTS) as usize) {
            for ((sum, kept), &count) in self.sums.iter_mut().zip(slot.iter_mut()).zip(&counts) {
                // Slot and sum saturate together: the slot is subtracted from the sum when it leaves the window.
                let fits = count.min(u32::MAX - *sum);
                *sum += fits;
                *kept += fits;
            }
        }
    }

    /// Adds `counts` to the bucket of `age` before `now`, if that is still in the window.
    pub(crate) fn amend(&mut self, now: Timestamp, age: Millis, counts: [u32; K]) -> bool {
        self.age(shifted(now, Millis::ZERO));
        let then = shifted(now, age);
        if then < self.origin || self.sums == [0; K] {
            return false;
        }
        let index = scaled(then.since(self.origin).0, BUCKETS, self.length.0);
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

    /// Returns the buckets with contents: how long before `now` each began, and its counts; oldest first.
    pub(crate) fn aged(&mut self, now: Timestamp) -> Vec<(Millis, [u32; K])> {
        let now = shifted(now, Millis::ZERO);
        self.age(now);
        let first = self.head.saturating_sub(BUCKETS - 1);
        (first..=self.head + 1)
            .filter_map(|index| {
                let counts = *self.slots.get((index % SLOTS) as usize)?;
                let begins = self.origin + Millis(scaled(index, self.length.0, BUCKETS));
                (counts != [0; K]).then_some((now.since(begins), counts))
            })
            .collect()
    }

    /// Moves the head to `now`, and drops expired buckets: at most one pass over the slots.
    fn age(&mut self, now: Timestamp) {
        let elapsed = now.since(self.origin).0;
        let head = scaled(elapsed, BUCKETS, self.length.0).min(u64::MAX - 1);
        if head <= self.head {
            return;
        }
        if head - self.head > BUCKETS {
            self.slots.fill([0; K]);
            self.sums = [0; K];
        } else {
            for index in self.head + 1..=head {
                // The "next" bucket takes the slot of the one that has just expired.
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

/// Returns `value * by / of`, rounded down, without 128-bit numbers, whose division would be a kilobyte of the package.
/// Exact as long as `by * of` fits into 64 bits.
fn scaled(value: u64, by: u64, of: u64) -> u64 {
    match value.checked_mul(by) {
        Some(product) => product / of,
        None => (value / of).saturating_mul(by).saturating_add((value % of).saturating_mul(by) / of),
    }
}

/// Returns `age` before `now`, on a scale with room before the clock's zero.
fn shifted(now: Timestamp, age: Millis) -> Timestamp {
    Timestamp((now.0.saturating_add(1 << 62)).saturating_sub(age.0))
}

/// The results of the last span of time.
#[derive(Clone, Debug)]
pub(crate) struct TimeWindow(Buckets<3>);

impl TimeWindow {
    /// A window over the last `length`, 1 ms at least.
    #[must_use]
    pub(crate) fn new(length: Millis) -> Self {
        Self(Buckets::new(length))
    }

    /// Adds a result.
    pub(crate) fn record(&mut self, now: Timestamp, sample: Sample) {
        self.0.add(now, Side::Early, [1, u32::from(sample.failed), u32::from(sample.slow)]);
    }

    /// A success of `age` ago was a failure; false when it has left the window.
    pub(crate) fn fail(&mut self, now: Timestamp, age: Millis) -> bool {
        self.0.amend(now, age, [0, 1, 0])
    }

    /// Returns the results within the window's length before `now`. Ages the window.
    pub(crate) fn tally(&mut self, now: Timestamp) -> Tally {
        let [total, failures, slow] = self.0.sums(now);
        Tally { total, failures, slow }
    }

    /// The window's length.
    #[must_use]
    pub(crate) fn length(&self) -> Millis {
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

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
