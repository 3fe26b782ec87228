//! How many attempts begin in a span of time.

use super::queue::Queue;
use crate::classify::Unit;
use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

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
    /// What the provider said of its own limits, each until it is full again.
    observed: [Option<Observed>; 2],
}

/// A limit of the provider's: so many attempts may begin before it is full again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Observed {
    remaining: u32,
    full_at: Timestamp,
}

impl RateLimit {
    /// With nothing started.
    #[must_use]
    pub fn new(config: RateLimitConfig) -> Self {
        Self { config, queue: Queue::default(), starts: VecDeque::new(), observed: [None; 2] }
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
        let own = first + Millis(self.config.window.0.saturating_mul(rounds));
        self.observed.iter().flatten().fold(own, |due, observed| due.max(observed.earliest(self, ahead, now)))
    }

    /// The provider says that so many attempts (or any number: none) may begin before its limit is full again. The newest
    /// word on a unit replaces the one before.
    ///
    /// ```
    /// use halfopen::classify::Unit;
    /// use halfopen::policy::{RateLimit, RateLimitConfig};
    /// use halfopen::time::{Millis, Timestamp};
    /// let mut limit = RateLimit::new(RateLimitConfig { limit: 100, window: Millis(1000), max_wait: Millis(0) });
    /// limit.observe(Unit::Requests, Some(1), Timestamp(10_000));
    /// assert!(limit.allows(Timestamp(0)));
    /// limit.start(Timestamp(0));
    /// assert_eq!(limit.earliest(0, Timestamp(0)), Timestamp(10_000));
    /// ```
    pub fn observe(&mut self, unit: Unit, remaining: Option<u32>, full_at: Timestamp) {
        let observed = remaining.map(|remaining| Observed { remaining, full_at });
        match (unit, &mut self.observed) {
            (Unit::Requests, [requests, _]) => *requests = observed,
            (Unit::Tokens, [_, tokens]) => *tokens = observed,
        }
    }

    /// Forgets what the provider said.
    pub fn forget_observed(&mut self) {
        self.observed = [None; 2];
    }

    /// Whether one may begin now.
    #[must_use]
    pub fn allows(&self, now: Timestamp) -> bool {
        self.earliest(0, now) <= now
    }

    /// One begins.
    pub fn start(&mut self, now: Timestamp) {
        for observed in &mut self.observed {
            *observed = observed.filter(|observed| observed.full_at > now);
            if let Some(observed) = observed {
                observed.remaining = observed.remaining.saturating_sub(1);
            }
        }
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

impl Observed {
    /// When an attempt with `ahead` others before it may begin by this limit: what is left goes first, the rest when the
    /// limit is full again, as many at once as `own` lets.
    fn earliest(&self, own: &RateLimit, ahead: usize, now: Timestamp) -> Timestamp {
        let Some(behind) = ahead.checked_sub(self.remaining as usize) else { return now };
        let rounds = u64::try_from(behind / own.limit()).unwrap_or(u64::MAX);
        if self.full_at <= now {
            return now;
        }
        self.full_at + Millis(own.config.window.0.saturating_mul(rounds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            observed in prop::array::uniform2((prop::option::of(0_u32..6), 0_u64..2000)),
        ) {
            let mut rate = RateLimit::new(RateLimitConfig { limit, window: Millis(window), max_wait: Millis(0) });
            let mut now = 0;
            for step in used {
                now = rate.earliest(0, Timestamp(now + step)).0;
                rate.start(Timestamp(now));
            }
            for (unit, (remaining, resets)) in [Unit::Requests, Unit::Tokens].into_iter().zip(&observed) {
                rate.observe(unit, *remaining, Timestamp(now + resets));
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
