//! The future events, in order of time.
//!
//! Timers that all have the same length (an attempt's timeout, a deadline, a user's patience) end in the order in which they
//! began: each such kind is a [`Row`], of which only the first is in the queue. Most timeouts never fire, and leave a row
//! without ever having been in the queue. The next open arrival is not in the queue either: there is only one at a time, and
//! every call would otherwise pass through the queue twice.

mod buckets;
mod entry;
mod heap;
mod queue;

pub(super) use entry::{Event, Kind, Token};

use entry::Entry;
use halfopen::invariant::Always;
use queue::Queue;
use std::collections::VecDeque;

/// Timers of one length.
#[derive(Debug, Default)]
pub(super) struct Row {
    timers: VecDeque<(u64, u32, Token)>,
}

/// The next open arrival. It is not packed, so that the compiler knows its kind: every other event is an arrival.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: u64,
    token: Token,
}

impl Arrival {
    #[inline]
    fn entry(self) -> Entry {
        Entry::new(self.at, Kind::Arrival, 0, self.token)
    }

    #[inline]
    const fn event(self) -> Event {
        Event { at: self.at, kind: Kind::Arrival, index: 0, token: self.token }
    }
}

/// All events that are scheduled.
#[derive(Debug)]
pub(super) struct Events {
    queue: Queue,
    /// The next open arrival.
    arrival: Option<Arrival>,
    rows: Vec<Row>,
    last: Token,
}

impl Events {
    pub(super) fn new(rows: usize) -> Self {
        let rows = (0..rows).map(|_| Row::default()).collect();
        Self { queue: Queue::new(), arrival: None, rows, last: 0 }
    }

    /// Returns `true` if there are no more events.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.arrival.is_none()
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

    /// Replaces the next open arrival.
    #[inline]
    pub(super) fn set_arrival(&mut self, at: Option<u64>) {
        self.arrival = at.map(|at| {
            let token = self.token();
            Arrival { at, token }
        });
    }

    /// Begins a timer of a row. `at` must not be before the time of the previous timer.
    #[inline]
    pub(super) fn push_timer(&mut self, row: usize, at: u64, index: u32) -> Token {
        let token = self.token();
        if let Some(found) = self.rows.get_mut(row) {
            let is_first = found.timers.is_empty();
            found.timers.push_back((at, index, token));
            if is_first {
                self.push_as(at, Kind::Row, u32::try_from(row).always(), token);
            }
        }
        token
    }

    /// Takes the first timer of a row, and drops the stale ones behind it (`is_stale`) up to the next one that may fire.
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
                self.push_as(at, Kind::Row, u32::try_from(row).always(), token);
                break;
            }
            found.timers.pop_front();
        }
        Some((index, token))
    }

    #[inline]
    fn push_as(&mut self, at: u64, kind: Kind, index: u32, token: Token) {
        self.queue.push(Entry::new(at, kind, index, token));
    }

    /// Takes the next event.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Event> {
        match self.queue.pop_before(self.arrival.map(Arrival::entry)) {
            Some(entry) => Some(entry.event()),
            None => self.arrival.take().map(Arrival::event),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen::rng::SplitMix64;

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
    fn the_next_arrival_takes_its_turn_and_the_place_of_the_one_before() {
        let mut events = Events::new(0);
        events.set_arrival(Some(5));
        for at in [10, 20, 20] {
            events.push(at, Kind::Served, 0);
        }
        events.set_arrival(Some(20));
        events.push(20, Kind::Resume, 0);
        let mut taken = Vec::new();
        while let Some(event) = events.pop() {
            taken.push((event.at, event.kind));
            if event.at == 10 {
                assert!(!events.is_empty());
            }
        }
        let expected = [
            (10, Kind::Served),
            (20, Kind::Served),
            (20, Kind::Served),
            (20, Kind::Arrival),
            (20, Kind::Resume),
        ];
        assert_eq!(taken, expected);
        assert!(events.is_empty());
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
