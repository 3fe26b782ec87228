//! Where an agent's graph goes after an error.

use crate::Severity;

/// How often, and how soon, the same step is retried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RetryPolicy {
    /// How many retries there may be. Default 3.
    pub max_attempts: f64,
    /// Seconds before the first retry. Default 1.
    pub delay_seconds: f64,
    /// Each further wait is multiplied by this. Default 1.5.
    pub backoff_factor: f64,
    /// The longest wait that a provider may request, in milliseconds. Default 60,000.
    pub max_retry_after_ms: f64,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { max_attempts: 3.0, delay_seconds: 1.0, backoff_factor: 1.5, max_retry_after_ms: 60_000.0 }
    }
}

/// Where to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// The same capability again, after a wait in milliseconds; `attempt` counts retries from 1.
    Retry {
        /// Milliseconds to wait.
        delay_ms: f64,
        /// The number of the retry.
        attempt: f64,
    },
    /// To the error step: the retries are used up.
    Exhausted,
    /// To the orchestrator, for another plan.
    Orchestrator,
    /// To the classifier, for another choice of capabilities.
    Classifier,
    /// To the error step.
    Error,
    /// Nowhere: the run ends.
    Abort,
}

impl Next {
    /// The name in the package.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Retry { .. } => "retry",
            Self::Exhausted | Self::Error => "error",
            Self::Orchestrator => "orchestrator",
            Self::Classifier => "classifier",
            Self::Abort => "abort",
        }
    }
}

/// The longest delay that platform timers keep, in milliseconds: a longer one would fire at once.
const LONGEST_TIMER: f64 = 2_147_483_647.0;

/// Returns the next node after an error of that severity and `retries` retries. Without the name of a capability there
/// is nothing to retry, so a retriable error goes to the error step. `requested` is the wait that the provider
/// requested, in milliseconds: a retry waits at least that long, and a wait that is too long for the policy leads to
/// the error step.
///
/// ```
/// use halfopen::Severity;
/// use halfopen::recovery::{Next, RetryPolicy, route};
/// let policy = RetryPolicy::default();
/// let search = Some("search");
/// assert_eq!(route(Severity::Retriable, policy, 1.0, search, None), Next::Retry { delay_ms: 1500.0, attempt: 2.0 });
/// assert_eq!(route(Severity::Retriable, policy, 1.0, search, Some(20e3)), Next::Retry { delay_ms: 20e3, attempt: 2.0 });
/// assert_eq!(route(Severity::Retriable, policy, 1.0, search, Some(600e3)), Next::Error);
/// assert_eq!(route(Severity::Retriable, policy, 3.0, search, None), Next::Exhausted);
/// assert_eq!(route(Severity::Retriable, policy, 1.0, None, None), Next::Error);
/// ```
#[must_use]
pub fn route(
    severity: Severity,
    policy: RetryPolicy,
    retries: f64,
    capability: Option<&str>,
    requested: Option<f64>,
) -> Next {
    match severity {
        Severity::Retriable if capability.is_none_or(|name| name.trim().is_empty()) => Next::Error,
        Severity::Retriable if retries < policy.max_attempts => {
            let requested = requested.unwrap_or(0.0);
            if requested > policy.max_retry_after_ms {
                return Next::Error;
            }
            let delay_ms = delay_ms(policy, retries).max(requested.clamp(0.0, LONGEST_TIMER));
            Next::Retry { delay_ms, attempt: retries + 1.0 }
        }
        Severity::Retriable => Next::Exhausted,
        Severity::Replanning => Next::Orchestrator,
        Severity::Reclassification => Next::Classifier,
        Severity::Critical => Next::Error,
        Severity::Fatal => Next::Abort,
    }
}

/// `delay · factor^retries`, multiplied step by step, for the same bits on every platform.
fn delay_ms(policy: RetryPolicy, retries: f64) -> f64 {
    let mut delay = policy.delay_seconds * 1000.0;
    let mut left = retries;
    // 2,000 doublings reach infinity from any delay. The bound ends the loop for a factor near 1.
    while left >= 1.0 && delay > 0.0 && delay < LONGEST_TIMER && retries - left < 2_000.0 {
        delay *= policy.backoff_factor;
        left -= 1.0;
    }
    if delay.is_nan() { 0.0 } else { delay.clamp(0.0, LONGEST_TIMER) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_delay_is_always_one_that_a_timer_keeps(
            max_attempts in any::<f64>(), delay_seconds in any::<f64>(), backoff_factor in any::<f64>(), retries in any::<f64>(),
            requested in any::<f64>(), max_retry_after_ms in any::<f64>(),
        ) {
            let policy = RetryPolicy { max_attempts, delay_seconds, backoff_factor, max_retry_after_ms };
            let next = route(Severity::Retriable, policy, retries, Some("search"), Some(requested));
            if let Next::Retry { delay_ms, .. } = next {
                prop_assert!((0.0..=LONGEST_TIMER).contains(&delay_ms), "{delay_ms}");
            }
        }
    }
}
