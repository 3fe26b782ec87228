//! Events that are not due soon, in buckets by the highest digit in which their time differs from the base.
//!
//! A radix heap (Ahuja, Mehlhorn, Orlin, Tarjan: "Faster algorithms for the shortest path problem", 1990,
//! <https://doi.org/10.1145/77600.77615>): it requires that no event is scheduled before the base, which holds because time never runs back. An
//! event is written to the end of a bucket. When its bucket comes first and has too many events to sort, each is written
//! again. That happens a few times to each event, in the order of memory, while a heap of a million entries jumps through
//! all of it.

use super::entry::Entry;
use halfopen::invariant::Always;

/// The number of bits in a digit of a time in nanoseconds. With one bit more, buckets have too few events to be worth a
/// sort; with two bits less, events are written too often.
const BITS: u32 = 5;
const LEVELS: usize = u64::BITS.div_ceil(BITS) as usize;
const SLOTS: usize = 1 << BITS;

/// A bucket with no more entries than this is sorted at once.
const FEW: usize = 64;
/// The memory of larger buckets is freed.
const KEPT: usize = 1024;
/// The most empty buckets whose memory is kept for reuse.
const SPARE: usize = 64;

#[derive(Debug)]
pub(super) struct Buckets {
    /// The earliest time in the queue. An entry that differs from it first in the lowest digit has level 0.
    base: u64,
    /// By level, and then by the digit in which the time differs.
    buckets: Vec<Vec<Entry>>,
    /// The non-empty buckets of each level, one bit each.
    filled: [u64; LEVELS],
    /// Empty buckets that have memory.
    spare: Vec<Vec<Entry>>,
}

impl Buckets {
    pub(super) fn new() -> Self {
        let buckets = (0..LEVELS * SLOTS).map(|_| Vec::new()).collect();
        Self { base: 0, buckets, filled: [0; LEVELS], spare: Vec::new() }
    }

    /// Returns `true` if it is empty.
    pub(super) fn is_empty(&self) -> bool {
        self.filled.iter().all(|&level| level == 0)
    }

    /// Makes an earlier or later time the base. Every entry must differ from the old base and the new one in the same digit.
    pub(super) const fn set_base(&mut self, base: u64) {
        self.base = base;
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Entry) {
        let (level, digit) = place_of(entry.at, self.base);
        let Some(bucket) = self.buckets.get_mut(level * SLOTS + digit) else { return };
        if bucket.capacity() == 0
            && let Some(spare) = self.spare.pop()
        {
            *bucket = spare;
        }
        bucket.push(entry);
        if let Some(filled) = self.filled.get_mut(level) {
            *filled |= 1 << digit;
        }
    }

    /// Takes out all that is due before some time, and puts it into `sorted`, which is empty, the latest first. Returns that
    /// time.
    pub(super) fn take_first(&mut self, sorted: &mut Vec<Entry>) -> Option<u64> {
        loop {
            let level = self.filled.iter().position(|&level| level != 0)?;
            let filled = self.filled.get_mut(level)?;
            let digit = filled.trailing_zeros() as usize;
            *filled &= *filled - 1;
            let mut bucket = std::mem::take(self.buckets.get_mut(level * SLOTS + digit)?);
            // The leading bits that all times of this bucket share, with zeros behind them.
            let below = BITS * u32::try_from(level).always();
            let start = (self.base >> below & !(SLOTS as u64 - 1) | digit as u64) << below;
            self.base = start;
            if level == 0 || bucket.len() <= FEW {
                std::mem::swap(sorted, &mut bucket);
                sorted.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.key()));
            } else {
                bucket.drain(..).for_each(|entry| self.push(entry));
            }
            if bucket.capacity() <= KEPT && self.spare.len() < SPARE {
                self.spare.push(bucket);
            }
            if !sorted.is_empty() {
                return Some(start.saturating_add(1 << below));
            }
        }
    }
}

/// The highest digit in which a time differs from the base, and its value.
#[inline]
const fn place_of(at: u64, base: u64) -> (usize, usize) {
    let differs = at ^ base | 1;
    let level = (u64::BITS - 1 - differs.leading_zeros()) / BITS;
    (level as usize, (at >> (level * BITS)) as usize & (SLOTS - 1))
}
