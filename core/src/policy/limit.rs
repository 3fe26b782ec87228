//! Limits on a policy's own calls: how many run at once, and how many begin in a span of time.

use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

/// At most so many attempts run at once; so many wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkheadConfig {
    /// How many run at once, 1 at least.
    pub max_concurrent: u32,
    /// How many wait for a place.
    pub max_queued: u32,
}

/// At most `limit` attempts begin in any span of `window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitConfig {
    /// How many begin, 1 at least.
    pub limit: u32,
    /// In which span.
    pub window: Millis,
    /// How long one waits for its turn at most.
    pub max_wait: Millis,
}

/// First in, first out, with leaving from the middle.
///
/// Who leaves is only struck out; the row closes up when more than half of it is struck out, so that a mass
/// abort costs each the same.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    row: VecDeque<Option<u32>>,
    gone: usize,
}

impl Queue {
    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.row.len() - self.gone
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Joins at the end.
    pub fn push(&mut self, who: u32) {
        self.row.push_back(Some(who));
    }

    /// Who is next.
    #[must_use]
    pub fn first(&self) -> Option<u32> {
        self.row.iter().find_map(|who| *who)
    }

    /// Takes out who is next.
    pub fn pop(&mut self) -> Option<u32> {
        while let Some(who) = self.row.pop_front() {
            if who.is_some() {
                return who;
            }
            self.gone -= 1;
        }
        None
    }

    /// Leaves, wherever it stands.
    pub fn leave(&mut self, who: u32) -> bool {
        let Some(place) = self.row.iter_mut().find(|place| **place == Some(who)) else { return false };
        *place = None;
        self.gone += 1;
        if self.gone * 2 > self.row.len() {
            self.row.retain(Option::is_some);
            self.gone = 0;
        }
        true
    }
}

/// Places for attempts.
#[derive(Clone, Debug)]
pub struct Bulkhead {
    /// The settings in force.
    pub config: BulkheadConfig,
    /// Who waits for a place.
    pub queue: Queue,
    running: u32,
}

/// What a request for a place came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is free.
    Taken,
    /// All are taken, but there is room in the queue.
    Queue,
    /// All are taken and the queue is full.
    Full,
}

impl Bulkhead {
    /// With all places free.
    #[must_use]
    pub fn new(config: BulkheadConfig) -> Self {
        Self { config, queue: Queue::default(), running: 0 }
    }

    /// Takes a place, or says if there is room to wait for one.
    pub fn request(&mut self) -> Place {
        if self.queue.is_empty() && self.running < self.config.max_concurrent.max(1) {
            self.running += 1;
            Place::Taken
        } else if self.queue.len() < self.config.max_queued as usize {
            Place::Queue
        } else {
            Place::Full
        }
    }

    /// Gives a place back.
    pub fn release(&mut self) {
        self.running = self.running.saturating_sub(1);
    }

    /// Who has waited longest gets a place, if one is free.
    pub fn hand_over(&mut self) -> Option<u32> {
        if self.running >= self.config.max_concurrent.max(1) {
            return None;
        }
        let next = self.queue.pop()?;
        self.running += 1;
        Some(next)
    }

    /// How many places are taken.
    #[must_use]
    pub const fn running(&self) -> u32 {
        self.running
    }
}

/// A sliding window over the starts of attempts: exact, for it remembers the last `limit` of them.
///
/// ```
/// use halfopen::policy::{RateLimit, RateLimitConfig};
/// use halfopen::time::{Millis, Timestamp};
/// let mut limit = RateLimit::new(RateLimitConfig { limit: 2, window: Millis(1000), max_wait: Millis(0) });
/// limit.start(Timestamp(0));
/// limit.start(Timestamp(900));
/// assert_eq!(limit.earliest(0, Timestamp(950)), Timestamp(1000));
/// assert_eq!(limit.earliest(1, Timestamp(950)), Timestamp(1900));
/// assert_eq!(limit.earliest(2, Timestamp(950)), Timestamp(2000));
/// ```
#[derive(Clone, Debug)]
pub struct RateLimit {
    /// The settings in force.
    pub config: RateLimitConfig,
    /// Who waits for its turn.
    pub queue: Queue,
    starts: VecDeque<Timestamp>,
}

impl RateLimit {
    /// With nothing started.
    #[must_use]
    pub fn new(config: RateLimitConfig) -> Self {
        Self { config, queue: Queue::default(), starts: VecDeque::new() }
    }

    /// When an attempt with `ahead` others before it may begin: `now` or later, if all before it begin on time.
    #[must_use]
    pub fn earliest(&self, ahead: usize, now: Timestamp) -> Timestamp {
        let limit = self.limit();
        // The start that must be a window ago is `limit` starts back; of those still to come, only the rounds count.
        let (rounds, position) = (ahead / limit, ahead % limit);
        let back = (self.starts.len() + position).checked_sub(limit).and_then(|index| self.starts.get(index));
        let first = back.map_or(now, |&start| (start + self.config.window).max(now));
        let rounds = u64::try_from(rounds).unwrap_or(u64::MAX);
        first + Millis(self.config.window.0.saturating_mul(rounds))
    }

    /// Whether one may begin now.
    #[must_use]
    pub fn allows(&self, now: Timestamp) -> bool {
        self.earliest(0, now) <= now
    }

    /// One begins.
    pub fn start(&mut self, now: Timestamp) {
        let window = self.config.window;
        while self
            .starts
            .front()
            .is_some_and(|&start| self.starts.len() >= self.limit() || start + window <= now)
        {
            self.starts.pop_front();
        }
        self.starts.push_back(now);
    }

    fn limit(&self) -> usize {
        self.config.limit.max(1) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leaving_keeps_the_order_of_the_others() {
        let mut queue = Queue::default();
        (1..=6).for_each(|who| queue.push(who));
        assert!(queue.leave(1) && queue.leave(4) && queue.leave(5) && queue.leave(3));
        assert!(!queue.leave(4));
        assert_eq!((queue.len(), queue.first()), (2, Some(2)));
        assert_eq!((queue.pop(), queue.pop(), queue.pop()), (Some(2), Some(6), None));
    }

    #[test]
    fn a_newcomer_does_not_pass_the_queue() {
        let mut bulkhead = Bulkhead::new(BulkheadConfig { max_concurrent: 1, max_queued: 2 });
        assert_eq!(bulkhead.request(), Place::Taken);
        assert_eq!(bulkhead.request(), Place::Queue);
        bulkhead.queue.push(7);
        bulkhead.release();
        assert_eq!(bulkhead.request(), Place::Queue);
        assert_eq!(bulkhead.hand_over(), Some(7));
        assert_eq!(bulkhead.hand_over(), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn no_span_of_a_window_sees_more_than_the_limit(
            limit in 1_u32..6, window in 1_u64..2000, steps in prop::collection::vec(0_u64..500, 1..200),
        ) {
            let mut rate = RateLimit::new(RateLimitConfig { limit, window: Millis(window), max_wait: Millis(0) });
            let (mut now, mut starts) = (0, Vec::new());
            for step in steps {
                now += step;
                let in_span = starts.iter().filter(|&&at| now - at < window).count();
                prop_assert_eq!(rate.allows(Timestamp(now)), in_span < limit as usize);
                if rate.allows(Timestamp(now)) {
                    rate.start(Timestamp(now));
                    starts.push(now);
                }
            }
        }

        #[test]
        fn the_forecast_is_when_it_happens(
            limit in 1_u32..5, window in 1_u64..500, used in prop::collection::vec(0_u64..300, 0..8), ahead in 0_usize..20,
        ) {
            let mut rate = RateLimit::new(RateLimitConfig { limit, window: Millis(window), max_wait: Millis(0) });
            let mut now = 0;
            for step in used {
                now = rate.earliest(0, Timestamp(now + step)).0;
                rate.start(Timestamp(now));
            }
            let forecast = rate.earliest(ahead, Timestamp(now));
            for _ in 0..ahead {
                now = rate.earliest(0, Timestamp(now)).0;
                rate.start(Timestamp(now));
            }
            prop_assert_eq!(rate.earliest(0, Timestamp(now)), forecast);
        }
    }
}
