//! What will happen, in order of time.
//!
//! Events in any order are in a heap with four children to a node: 16 bytes each, a node's children in one or two cache
//! lines. Timers that all have the same length (an attempt's timeout, a deadline, a user's patience) end in the order in
//! which they began: each such kind is a [`Row`], of which only the first is in the heap. Most timeouts never fire, and
//! leave a row without ever having been in the heap.

use std::collections::VecDeque;

/// The number of one event: what is due at the same time happens in the order in which it was scheduled. Who waits for an
/// event keeps its token; an event that comes with another one is too late. 0 is none.
pub(super) type Token = u32;

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Kind {
    /// A client begins a call. Index: the client.
    Arrival = 0,
    /// A server has served a request. Index: the attempt.
    Served = 1,
    /// An error that takes its time arrives. Index: the attempt.
    Answered = 2,
    /// The wait before a retry is over. Index: the frame.
    Resume = 3,
    /// The policy's own rate limit lets the next call go. Index: the turn, see `fleet`.
    Turn = 4,
    /// Faults begin, change or end.
    Fault = 5,
    /// An interval of the series is over.
    Interval = 6,
    /// The first timer of a row fires. Index: the row.
    Row = 7,
}

const KINDS: [Kind; 8] = [
    Kind::Arrival,
    Kind::Served,
    Kind::Answered,
    Kind::Resume,
    Kind::Turn,
    Kind::Fault,
    Kind::Interval,
    Kind::Row,
];

/// One event, as it is taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// When, in nanoseconds.
    pub(super) at: u64,
    pub(super) kind: Kind,
    pub(super) index: u32,
    pub(super) token: Token,
}

/// How many bits of an entry are the index. The largest scenarios have fewer clients and calls.
const INDEX_BITS: u32 = 28;

/// The time, and then token, kind and index in 64 bits: compared as one number, earlier first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: u64,
    rest: u64,
}

impl Entry {
    #[inline]
    const fn key(self) -> u128 {
        (self.at as u128) << 64 | self.rest as u128
    }
}

/// Timers of one length.
#[derive(Debug, Default)]
pub(super) struct Row {
    timers: VecDeque<(u64, u32, Token)>,
}

/// All events that are scheduled.
#[derive(Debug, Default)]
pub(super) struct Events {
    heap: Vec<Entry>,
    rows: Vec<Row>,
    last: Token,
}

impl Events {
    pub(super) fn new(rows: usize) -> Self {
        Self { heap: Vec::new(), rows: (0..rows).map(|_| Row::default()).collect(), last: 0 }
    }

    /// Whether nothing will happen any more.
    pub(super) fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    #[inline]
    fn token(&mut self) -> Token {
        self.last = self.last.wrapping_add(1).max(1);
        self.last
    }

    /// Schedules an event.
    #[inline]
    pub(super) fn push(&mut self, at: u64, kind: Kind, index: u32) -> Token {
        let token = self.token();
        self.push_as(at, kind, index, token);
        token
    }

    /// Begins a timer of a row. `at` must not be before that of the timer before.
    #[inline]
    pub(super) fn push_timer(&mut self, row: usize, at: u64, index: u32) -> Token {
        let token = self.token();
        if let Some(found) = self.rows.get_mut(row) {
            let is_first = found.timers.is_empty();
            found.timers.push_back((at, index, token));
            if is_first {
                self.push_as(at, Kind::Row, u32::try_from(row).unwrap_or_default(), token);
            }
        }
        token
    }

    /// Takes the first timer of a row, and drops those behind it that `is_stale` names, until one is left that may fire.
    #[inline]
    pub(super) fn pop_timer(
        &mut self,
        row: usize,
        is_stale: impl Fn(u32, Token) -> bool,
    ) -> Option<(u32, Token)> {
        let found = self.rows.get_mut(row)?;
        let (_, index, token) = found.timers.pop_front()?;
        while let Some(&(at, index, token)) = found.timers.front() {
            if !is_stale(index, token) {
                self.push_as(at, Kind::Row, u32::try_from(row).unwrap_or_default(), token);
                break;
            }
            found.timers.pop_front();
        }
        Some((index, token))
    }

    #[inline]
    fn push_as(&mut self, at: u64, kind: Kind, index: u32, token: Token) {
        let rest = u64::from(token) << 32
            | u64::from(kind as u8) << INDEX_BITS
            | u64::from(index & ((1 << INDEX_BITS) - 1));
        self.heap.push(Entry { at, rest });
        self.rise(self.heap.len() - 1);
    }

    /// Takes the next event.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event> {
        let last = self.heap.pop()?;
        let next = match self.heap.first_mut() {
            Some(first) => {
                let next = std::mem::replace(first, last);
                self.sink();
                next
            }
            None => last,
        };
        let kind = (next.rest >> INDEX_BITS & 0xF) as usize;
        Some(Event {
            at: next.at,
            kind: KINDS.get(kind).copied().unwrap_or(Kind::Interval),
            index: u32::try_from(next.rest & ((1 << INDEX_BITS) - 1)).unwrap_or_default(),
            token: u32::try_from(next.rest >> 32).unwrap_or_default(),
        })
    }

    #[inline]
    fn rise(&mut self, mut place: usize) {
        while place > 0 {
            let parent = (place - 1) / 4;
            match (self.heap.get(parent), self.heap.get(place)) {
                (Some(above), Some(below)) if below.key() < above.key() => self.heap.swap(parent, place),
                _ => return,
            }
            place = parent;
        }
    }

    #[inline]
    fn sink(&mut self) {
        let Some(&sinking) = self.heap.first() else { return };
        let mut place = 0;
        loop {
            let first = place * 4 + 1;
            let end = (first + 4).min(self.heap.len());
            let Some(children) = self.heap.get(first..end) else { break };
            let Some((offset, &least)) = children.iter().enumerate().min_by_key(|(_, child)| child.key())
            else {
                break;
            };
            if sinking.key() <= least.key() {
                break;
            }
            if let Some(slot) = self.heap.get_mut(place) {
                *slot = least;
            }
            place = first + offset;
        }
        if let Some(slot) = self.heap.get_mut(place) {
            *slot = sinking;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::SplitMix64;

    #[test]
    fn events_come_in_order_of_time_and_then_as_they_were_scheduled() {
        let mut events = Events::new(0);
        let mut rng = SplitMix64::new(7);
        let mut expected = Vec::new();
        for index in 0..2000 {
            let at = rng.between(0, 300);
            let token = events.push(at, Kind::Served, index);
            expected.push((at, token, index));
        }
        expected.sort_unstable();
        let mut taken = Vec::new();
        while let Some(event) = events.pop() {
            taken.push((event.at, event.token, event.index));
        }
        assert_eq!(taken, expected);
    }

    #[test]
    fn a_row_fires_in_turn_and_passes_over_what_is_stale() {
        let mut events = Events::new(1);
        let tokens: Vec<Token> =
            (0..4).map(|index| events.push_timer(0, 10 + u64::from(index), index)).collect();
        events.push(11, Kind::Resume, 9);
        let mut fired = Vec::new();
        while let Some(event) = events.pop() {
            match event.kind {
                Kind::Row => {
                    let timer = events.pop_timer(0, |index, token| index == 2 && token == tokens[2]);
                    fired.push((event.at, timer.unwrap().0));
                }
                _ => fired.push((event.at, event.index)),
            }
        }
        assert_eq!(fired, [(10, 0), (11, 1), (11, 9), (13, 3)]);
    }
}
