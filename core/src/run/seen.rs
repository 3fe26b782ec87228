//! The last outcomes of a run: what is not among them is new to it.

/// How many outcomes a run remembers.
const MOST: usize = 2000;

/// One outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) outcome: u64,
    /// Of its call.
    pub(super) key: u32,
    /// Of its tool and code where it failed, else 0.
    pub(super) failure: u32,
}

/// How many counts say at once that most outcomes are new. A search through 2,000 takes a microsecond.
const COUNTS: usize = 8192;

/// A ring in three columns: each is searched alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// How many outcomes have these lowest bits.
    counts: Vec<u16>,
    outcomes: Vec<u64>,
    keys: Vec<u32>,
    failures: Vec<u32>,
    /// Where the next one goes once the ring is full.
    next: usize,
}

impl Seen {
    pub(super) fn has(&self, outcome: u64) -> bool {
        let count = self.counts.get(outcome as usize % COUNTS);
        count.is_some_and(|count| *count > 0) && any(&self.outcomes, outcome)
    }

    pub(super) fn has_failure(&self, failure: u32) -> bool {
        any(&self.failures, failure)
    }

    pub(super) fn push(&mut self, Entry { outcome, key, failure }: Entry) {
        self.counts.resize(COUNTS, 0);
        if let Some(count) = self.counts.get_mut(outcome as usize % COUNTS) {
            *count += 1;
        }
        if self.outcomes.len() < MOST {
            self.outcomes.push(outcome);
            self.keys.push(key);
            self.failures.push(failure);
            return;
        }
        let at = self.next;
        if let Some(place) = self.outcomes.get_mut(at) {
            if let Some(count) = self.counts.get_mut(*place as usize % COUNTS) {
                *count -= 1;
            }
            *place = outcome;
        }
        if let Some(place) = self.keys.get_mut(at) {
            *place = key;
        }
        if let Some(place) = self.failures.get_mut(at) {
            *place = failure;
        }
        self.next = (at + 1) % MOST;
    }

    /// The last ones, the newest first.
    pub(super) fn latest(&self) -> impl Iterator<Item = Entry> {
        let length = self.outcomes.len();
        (0..length).filter_map(move |back| {
            let at = (self.next + length - 1 - back) % length;
            Some(Entry {
                outcome: *self.outcomes.get(at)?,
                key: *self.keys.get(at)?,
                failure: *self.failures.get(at)?,
            })
        })
    }
}

/// Returns `true` if a number is in a column. Without an early exit within a chunk, the compiler compares several at
/// once.
fn any<T: Copy + PartialEq>(column: &[T], number: T) -> bool {
    column.chunks(64).any(|chunk| chunk.iter().fold(false, |is_found, one| is_found | (*one == number)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_outcome_is_forgotten_when_two_thousand_newer_ones_are_there() {
        let mut seen = Seen::default();
        for outcome in 1..=2000 {
            seen.push(Entry { outcome, key: outcome as u32, failure: outcome as u32 });
        }
        assert!(seen.has(1) && seen.has_failure(1) && seen.has(2000));
        seen.push(Entry { outcome: 2001, key: 0, failure: 0 });
        assert!(!seen.has(1) && !seen.has_failure(1) && seen.has(2) && seen.has(2001));
        let newest: Vec<_> = seen.latest().take(2).map(|entry| entry.outcome).collect();
        assert_eq!((newest, seen.latest().count()), (vec![2001, 2000], 2000));
    }
}
