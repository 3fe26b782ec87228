//! The settings of an engine. Calls in progress end under the settings with which they began.

use super::{Engine, OtherSettings, key_of};
use crate::limit::{Limit, Unit};
use crate::policy::limit::{AdaptiveLimit, Bulkhead, BulkheadConfig, RateLimits};
use crate::policy::step::{CallConfig, PolicyConfig};
use crate::time::Timestamp;

impl Engine {
    /// Applies new settings to calls that begin from now on; limits apply at once. Call [`Engine::next_ready`]
    /// afterwards.
    pub fn update(&mut self, config: PolicyConfig) {
        let old = OtherSettings { config: std::mem::replace(&mut self.current, config.call), calls: 0 };
        if let Some(key) = self.other_settings.insert(old) {
            let under_old = self.calls.iter_mut().filter(|call| call.config == 0);
            let calls = under_old.map(|call| call.config = key).count();
            if let Some(other) = self.other_settings.get_mut(key) {
                other.calls = calls;
            }
            self.drop_unused(key);
        }
        match (&mut self.bulkhead, config.bulkhead) {
            (Some(bulkhead), Some(config)) => bulkhead.config = config,
            // Waiting calls start, and calls that hold a slot release it as usual.
            (Some(bulkhead), None) => {
                bulkhead.config = BulkheadConfig { max_concurrent: u32::MAX, max_queued: 0 };
            }
            (none, config) => *none = config.map(Bulkhead::new),
        }
        match (&mut self.adaptive, config.adaptive) {
            (Some(adaptive), config) => adaptive.update(config),
            (none, config) => *none = config.map(AdaptiveLimit::new),
        }
        self.takes_slots = self.bulkhead.is_some() || self.adaptive.is_some();
        match (&mut self.rate, config.rate_limits.as_slice()) {
            // Without limits, who waits is let through.
            (Some(rate), configs) => rate.update(configs),
            (None, []) => {}
            (none, configs) => *none = Some(RateLimits::new(configs)),
        }
        self.hand_over_places();
    }

    /// Observes the provider's own limits. They count only if a rate limit is set. Call [`Engine::next_ready`]
    /// afterwards. For tokens only an empty remainder counts, unless a limit on tokens is set: then attempts are
    /// estimated. A limit without a reset is ignored.
    pub fn observe_limits(&mut self, limits: &[Limit], now: Timestamp) {
        let now = self.read(Some(now));
        let Some(rate) = self.rate.as_mut().filter(|rate| !rate.is_empty()) else { return };
        let count_tokens = rate.count_tokens();
        for limit in limits {
            let Some(reset) = limit.reset else { continue };
            let counts = limit.unit == Unit::Requests || limit.remaining < 1.0 || count_tokens;
            rate.observe(limit.unit, counts.then(|| whole(limit.remaining)), now + reset);
        }
    }

    /// Sets how many tokens an attempt of the call took. A limit on tokens counts them instead of the estimate, from
    /// the time when the attempt began. Report it while the call is in flight; the last report counts. Call
    /// [`Engine::next_ready`] afterwards.
    pub fn observe_usage(&mut self, call: u32, attempt: u32, tokens: u32) {
        let number = self.number_of(call);
        if let (Some(rate), Some(number)) = (&mut self.rate, number) {
            rate.settle(key_of(number, attempt), tokens);
        }
    }

    /// Sets whether records of calls are written.
    pub fn observe(&mut self, observed: bool) {
        self.observed = observed;
    }

    /// Notes, before an input, whether its time was rounded down to whole milliseconds. A rate limit then takes
    /// the attempt to begin a millisecond later: else one that began at 0.9 would make room at 1000.0, too early.
    #[inline]
    pub fn rounded_down(&mut self, rounded: bool) {
        self.clock_is_coarse = rounded;
    }

    /// The settings that calls begin with now.
    #[must_use]
    pub const fn config(&self) -> CallConfig {
        self.current
    }

    /// Returns `true` if every call needs the time: for a deadline, a rate limit or an observer. Breakers and budgets
    /// have their own `needs_time`.
    #[must_use]
    pub fn needs_time(&self) -> bool {
        self.observed || self.rate.is_some() || self.current.total.is_some()
    }

    /// Returns how many attempts may run at once by the adaptive limit; `None` without one.
    #[must_use]
    pub fn limit(&self) -> Option<u32> {
        self.adaptive.as_ref().filter(|adaptive| adaptive.is_on()).map(AdaptiveLimit::limit)
    }

    pub(super) fn drop_unused(&mut self, config: u32) {
        if self.other_settings.get(config).is_some_and(|other| other.calls == 0) {
            self.other_settings.discard(config);
        }
    }

    /// Sets this process's share of the bulkhead's slots, `u32::MAX` for all; `None` leaves it unchanged. Returns how
    /// many are taken. Call [`Engine::next_ready`] afterwards.
    pub fn share_slots(&mut self, share: Option<u32>) -> u64 {
        if let (Some(bulkhead), Some(share)) = (&mut self.bulkhead, share) {
            bulkhead.share = share;
            self.hand_over_places();
        }
        self.bulkhead.as_ref().map_or(0, Bulkhead::running).into()
    }

    /// Sets this process's share of the rate limit at that index, `u32::MAX` for all; `None` leaves it unchanged.
    /// Returns how much of it has begun within the window. Call [`Engine::next_ready`] afterwards.
    pub fn share_limit(&mut self, place: usize, share: Option<u32>, now: Timestamp) -> u64 {
        self.rate.as_mut().map_or(0, |rate| rate.share(place, share, now))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
fn whole(count: f64) -> u32 {
    count as u32
}
