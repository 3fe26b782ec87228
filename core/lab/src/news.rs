//! Late news between the processes of a fleet.
//!
//! Each process has its own breaker, budget and rate limits. It sees its own changes at once (a counted result, a first
//! attempt, a retry, a start). Every other process sees them a fixed time later, as if they had happened there then. A
//! process reads its news before each decision and at the end of each interval, so unread news never grows old.

use halfopen::invariant::Always;
use halfopen::policy::Outcome;
use halfopen::time::Millis;
use std::collections::VecDeque;

/// One thing that a process has done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// Its breaker has counted the result of an attempt or a call, with its duration.
    Result(Outcome, Option<Millis>),
    /// An attempt has begun. The first attempt of a call adds to the budget.
    Began { is_first: bool },
    /// A retry was taken out of the budget.
    Retried,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    /// The time at which the others learn of it.
    due: u64,
    process: u32,
    news: News,
}

/// The news of all processes, in order of time.
#[derive(Debug)]
pub(super) struct Board {
    staleness: u64,
    items: VecDeque<Item>,
    /// The number of items dropped before the first.
    dropped: u64,
    /// The number of items that each process has read.
    read: Vec<u64>,
}

impl Board {
    pub(super) fn new(staleness: u64, processes: u32) -> Self {
        Self { staleness, items: VecDeque::new(), dropped: 0, read: vec![0; processes as usize] }
    }

    pub(super) fn write(&mut self, now: u64, process: u32, news: News) {
        self.items.push_back(Item { due: now.saturating_add(self.staleness), process, news });
    }

    /// Returns the next item of another process that a process has not read, and when it was due.
    pub(super) fn next(&mut self, process: u32, now: u64) -> Option<(u64, News)> {
        let read = self.read.get_mut(process as usize)?;
        loop {
            let index = usize::try_from(*read - self.dropped).unwrap_or(usize::MAX);
            let item = self.items.get(index).filter(|item| item.due <= now)?;
            *read += 1;
            if item.process != process {
                return Some((item.due, item.news));
            }
        }
    }

    /// Drops the items that every process has read.
    pub(super) fn drop_read(&mut self) {
        let all_have = self.read.iter().min().copied().unwrap_or_default();
        let count = usize::try_from(all_have - self.dropped).always();
        self.items.drain(..count.min(self.items.len()));
        self.dropped = all_have;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_read_what_is_due_in_order_and_nobody_their_own() {
        let mut board = Board::new(100, 2);
        let began = |is_first| News::Began { is_first };
        board.write(0, 0, began(true));
        board.write(10, 1, began(false));
        board.write(20, 0, News::Retried);
        assert_eq!(board.next(1, 99), None);
        assert_eq!(board.next(1, 100), Some((100, began(true))));
        assert_eq!(board.next(1, 119), None);
        board.drop_read();
        assert_eq!((board.next(0, 200), board.next(0, 200)), (Some((110, began(false))), None));
        assert_eq!((board.next(1, 200), board.next(1, 200)), (Some((120, News::Retried)), None));
        board.drop_read();
        assert!(board.items.is_empty());
    }
}
