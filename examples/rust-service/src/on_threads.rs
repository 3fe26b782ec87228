//! On threads: the crate's own driver, which sleeps where a step says wait.

use crate::provider_error::ProviderError;
use crate::{breaker_config, policy_config};
use halfopen::policy::blocking::{Error, Policy};
use halfopen::policy::{CircuitBreaker, Clock};
use halfopen::time::{Millis, Timestamp};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The standard library's monotonic clock.
pub struct StdClock(pub Instant);

impl Clock for StdClock {
    fn now(&self) -> Timestamp {
        Timestamp(u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX))
    }

    fn sleep(&self, span: Millis) {
        std::thread::sleep(Duration::from_millis(span.0));
    }
}

/// The service's one policy: threads share it by reference. `seed` fixes the jitter.
#[must_use]
pub fn policy(clock: impl Clock + 'static, seed: u64) -> Policy {
    let clock: Arc<dyn Clock> = Arc::new(clock);
    Policy::new(policy_config(), seed, Arc::clone(&clock))
        .with_breaker(CircuitBreaker::new(breaker_config(), clock))
}

/// Calls the provider under the policy.
///
/// # Errors
/// [`Error::Failed`] with the last answer, [`Error::Refused`] while the breaker is open.
pub fn complete(
    policy: &Policy,
    mut send: impl FnMut() -> Result<String, ProviderError>,
) -> Result<String, Error<ProviderError>> {
    policy.execute(|_attempt| send(), ProviderError::failure)
}
