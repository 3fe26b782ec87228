//! A breaker's settings.

use super::permit::MAX_TICKET;
use super::trip::Trip;
use crate::policy::backoff::Factor;
use crate::policy::window::CountWindow;
use crate::time::Millis;

/// When a breaker opens, and how it closes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BreakerConfig {
    /// The condition that opens it.
    pub trip: Trip,
    /// How long it stays open before it is half-open, if the failure that opens it states no wait
    /// ([`Outcome::FailureWithHint`](super::Outcome::FailureWithHint)).
    pub reset_timeout: Millis,
    /// Each failed probe multiplies the next reset timeout by this …
    pub reset_backoff: Factor,
    /// … up to this. Bounds hints too.
    pub max_reset_timeout: Millis,
    /// How many probes run at once. One by default: one result shows whether the service has recovered, and a service
    /// that has just restarted gets one call instead of its usual load (Nygard, "Release It!", chapter 5). The breaker of
    /// a policy that sets none admits three: `core/src/policy/defaults.rs` has the reason.
    pub half_open_max_calls: u32,
    /// How many probes must succeed to close it.
    pub success_threshold: u32,
    /// A probe that is not settled within this time makes room for the next. Its success still counts.
    pub probe_timeout: Millis,
    /// How long the share of admitted calls grows from zero to all after the probes have closed it. Zero: all at once.
    pub ramp: Millis,
    /// Fixes what a [`Trip::Throttle`] draws.
    pub seed: u64,
}

impl Default for BreakerConfig {
    /// Five failures in a row open it for 60 s; one probe closes it.
    fn default() -> Self {
        Self {
            trip: Trip::Consecutive(5),
            reset_timeout: Millis(60_000),
            reset_backoff: Factor::ONE,
            max_reset_timeout: Millis(600_000),
            half_open_max_calls: 1,
            success_threshold: 1,
            probe_timeout: Millis(60_000),
            ramp: Millis::ZERO,
            seed: 0,
        }
    }
}

impl BreakerConfig {
    /// Thresholds and numbers of probes of 0 count as 1. A maximum reset timeout below the reset timeout counts as
    /// equal to it.
    pub(super) fn sane(mut self) -> Self {
        match &mut self.trip {
            Trip::Consecutive(threshold) => *threshold = (*threshold).max(1),
            Trip::Count { size, rates } => {
                *size = (*size).clamp(1, CountWindow::MAX_SIZE);
                // A minimum that the window cannot contain would never be reached.
                rates.minimum_calls = rates.minimum_calls.clamp(1, *size);
            }
            Trip::Time { rates, .. } => rates.minimum_calls = rates.minimum_calls.max(1),
            Trip::Throttle(throttle) => throttle.k = throttle.k.max(Factor::ONE),
        }
        self.half_open_max_calls = self.half_open_max_calls.clamp(1, MAX_TICKET / 2);
        self.success_threshold = self.success_threshold.max(1);
        self.max_reset_timeout = self.max_reset_timeout.max(self.reset_timeout);
        self
    }
}
