//! How many attempts begin in a span of time, or how many tokens they take.

use crate::limit::Unit;
use crate::time::{Millis, NEVER, Timestamp};
use std::collections::VecDeque;

/// At most `limit` requests, or tokens, begin in any span of `window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitConfig {
    /// How many begin, 1 at least.
    pub limit: u32,
    /// In which span.
    pub window: Millis,
    /// How long this limit makes one wait at most.
    pub max_wait: Millis,
    /// The counted unit.
    pub unit: Unit,
}

/// The cost of an attempt to the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cost {
    /// The cost to a limit on tokens, at least 1.
    pub tokens: u32,
}

impl Cost {
    /// An attempt takes at least one token, so none begins once nothing is left.
    pub(crate) fn of(self, unit: Unit) -> u32 {
        match unit {
            Unit::Requests => 1,
            Unit::Tokens => self.tokens.max(1),
        }
    }
}

/// A sliding window over the starts of attempts. It is exact, because it stores each start.
#[derive(Clone, Debug)]
pub(crate) struct RateLimit {
    /// The settings in force.
    pub(crate) config: RateLimitConfig,
    /// This process's share of the limit, if it shares it with others; `u32::MAX` is all.
    pub(crate) share: u32,
    starts: VecDeque<Start>,
    /// The use of all of them.
    used: u64,
}

/// An attempt that began.
#[derive(Clone, Copy, Debug)]
struct Start {
    at: Timestamp,
    cost: u32,
    /// The key with which an attempt reports its use.
    key: u32,
}

impl RateLimit {
    /// With nothing started.
    pub(crate) fn new(config: RateLimitConfig) -> Self {
        Self { config, share: u32::MAX, starts: VecDeque::new(), used: 0 }
    }

    /// Applies other settings to the recorded starts.
    pub(crate) fn under(self, config: RateLimitConfig) -> Self {
        Self { config, ..self }
    }

    /// Returns when an attempt may begin; [`NEVER`] for one that takes more than the limit. A time in the past means
    /// now.
    pub(crate) fn due(&self, cost: Cost) -> Timestamp {
        Forecast::new(self).due(self, cost)
    }

    /// How much has begun within the window.
    pub(crate) fn used(&mut self, now: Timestamp) -> u64 {
        while let Some(first) = self.starts.front()
            && first.at + self.config.window <= now
        {
            self.used -= u64::from(first.cost);
            self.starts.pop_front();
        }
        self.used
    }

    /// One begins.
    pub(crate) fn start(&mut self, now: Timestamp, cost: Cost, key: u32) {
        self.used(now);
        let cost = cost.of(self.config.unit);
        self.used += u64::from(cost);
        self.starts.push_back(Start { at: now, cost, key });
    }

    /// Sets the tokens of the newest attempt that began under that key.
    pub(crate) fn settle(&mut self, key: u32, tokens: u32) {
        if self.config.unit == Unit::Requests {
            return;
        }
        if let Some(start) = self.starts.iter_mut().rev().find(|start| start.key == key) {
            self.used = self.used - u64::from(start.cost) + u64::from(tokens);
            start.cost = tokens;
        }
    }
}

/// Forecasts when attempts in a row may begin under one limit: each is planned before the next is examined.
#[derive(Clone, Debug)]
pub(crate) struct Forecast {
    planned: Vec<(Timestamp, u32)>,
    last: Taken,
}

/// The use of a limit at the time when the last examined attempt begins.
#[derive(Clone, Copy, Debug)]
struct Taken {
    /// The use of started and planned attempts, and the part of it that has left the window by then.
    used: u64,
    freed: u64,
    /// How many of them have left it.
    gone: usize,
    due: Timestamp,
}

impl Forecast {
    pub(crate) fn new(limit: &RateLimit) -> Self {
        let last = Taken { used: limit.used, freed: 0, gone: 0, due: Timestamp(0) };
        Self { planned: Vec::new(), last }
    }

    /// When the next may begin.
    pub(crate) fn due(&self, limit: &RateLimit, cost: Cost) -> Timestamp {
        self.next(limit, cost).due
    }

    /// Plans the next attempt at that time.
    pub(crate) fn plan(&mut self, limit: &RateLimit, at: Timestamp, cost: Cost) {
        self.last = self.next(limit, cost);
        self.planned.push((at, cost.of(limit.config.unit)));
    }

    fn next(&self, of: &RateLimit, cost: Cost) -> Taken {
        let RateLimitConfig { limit, window, unit, .. } = of.config;
        let limit = of.share.min(limit.max(1));
        let mut taken = self.last;
        taken.used += u64::from(cost.of(unit));
        while taken.used - taken.freed > u64::from(limit) {
            let next = match of.starts.get(taken.gone) {
                Some(start) => Some((start.at, start.cost)),
                None => self.planned.get(taken.gone - of.starts.len()).copied(),
            };
            let Some((at, cost)) = next else {
                taken.due = NEVER;
                break;
            };
            taken.gone += 1;
            taken.freed += u64::from(cost);
            taken.due = taken.due.max(at + window);
        }
        taken
    }
}
