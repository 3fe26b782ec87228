//! The gate of a closed breaker: it admits every call, or a share of them. Under a throttle the share depends on how
//! many calls the dependency has accepted. After closing, the share grows from zero to all during the ramp.

use crate::policy::backoff::Factor;
use crate::policy::window::Demand;
use crate::time::{Millis, Timestamp};

/// Refuses a share of the calls where a counting breaker would open.
///
/// "Client-side throttling" of Google's SRE book, <https://sre.google/sre-book/handling-overload/>: a call is refused with
/// probability `max(0, (requests - k * accepts) / (requests + 1))`. A dependency that fails one call in five keeps the other
/// four; one that fails all of them still gets `minimum_calls` and a few more in each span of `window`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttle {
    /// How many requests there may be for each one that is accepted, 1 at least.
    pub k: Factor,
    /// How far back is looked.
    pub window: Millis,
    /// Below this number of requests nothing is refused.
    pub minimum_calls: u32,
}

impl Default for Throttle {
    /// Twice the number of requests that the dependency accepts, over two minutes, from 20 requests on.
    fn default() -> Self {
        Self { k: Factor::TWO, window: Millis(120_000), minimum_calls: 20 }
    }
}

impl Throttle {
    /// Returns the share of calls that is refused after these numbers of requests and accepted calls.
    ///
    /// ```
    /// use halfopen::policy::Throttle;
    /// assert_eq!(Throttle::default().refusal(99, 40).as_f64(), 0.19);
    /// assert_eq!(Throttle::default().refusal(99, 50).as_f64(), 0.0);
    /// ```
    #[must_use]
    pub fn refusal(&self, requests: u32, accepts: u32) -> Share {
        if requests < self.minimum_calls {
            return Share::NONE;
        }
        // 32 fractional bits, as a factor has them.
        let requests = u64::from(requests.min(u32::MAX - 1));
        Share { part: (requests << 32).saturating_sub(self.k.fixed(accepts)), of: (requests + 1) << 32 }
    }

    pub(super) fn refusal_of(&self, demand: Demand) -> Share {
        self.refusal(demand.requests, demand.accepts())
    }
}

/// A share of calls, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    pub(super) part: u64,
    pub(super) of: u64,
}

impl Share {
    /// No call.
    pub const NONE: Self = Self { part: 0, of: 1 };
    /// Every call.
    pub const ALL: Self = Self { part: 1, of: 1 };

    /// Returns it as a number from 0 to 1.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "to be read by people")]
    pub fn as_f64(self) -> f64 {
        self.part as f64 / self.of as f64
    }
}

/// A share of calls was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Throttled {
    /// The share, as it was for the call that was refused.
    pub rate: Share,
    /// When, on the breaker's clock.
    pub at: Timestamp,
}

/// The gate of a closed breaker.
#[derive(Clone, Debug)]
pub(super) enum Gate {
    /// Every call.
    All,
    /// The throttle decides.
    Throttle,
    /// A share that grows.
    Ramp(Ramp),
}

/// The share of admitted calls grows from zero to all, because a recovering dependency cannot take all waiting calls at
/// once.
///
/// Each call adds the present share to a balance, and is admitted if the balance reaches 1, which it then pays. So
/// admissions are evenly spread, and not random. In units of 1 / `length`.
#[derive(Clone, Debug)]
pub(super) struct Ramp {
    since: Timestamp,
    length: Millis,
    saved: u64,
}

impl Ramp {
    /// The first call passes.
    pub(super) fn new(since: Timestamp, length: Millis) -> Self {
        Self { since, length, saved: length.0 }
    }

    fn share(&self, now: Timestamp) -> u64 {
        now.since(self.since).min(self.length).0
    }

    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.share(now) >= self.length.0
    }

    pub(super) fn admits(&mut self, now: Timestamp) -> bool {
        let saved = self.saved.saturating_add(self.share(now));
        let rest = saved.checked_sub(self.length.0);
        self.saved = rest.unwrap_or(saved);
        rest.is_some()
    }

    /// The share of calls that is refused.
    pub(super) fn refusal(&self, now: Timestamp) -> Share {
        Share { part: self.length.0 - self.share(now), of: self.length.0 }
    }

    /// Returns how long until the next call is admitted, if no other comes before.
    pub(super) fn free_in(&self, now: Timestamp) -> Millis {
        (self.since + (self.length - Millis(self.saved))).since(now)
    }
}
