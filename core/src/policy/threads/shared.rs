//! Breakers and budgets that threads share: one mutex each, a clock of the caller's.

use crate::policy::breaker::{Breaker, BreakerConfig, Outcome, Permit, Refused, Share};
use crate::policy::breaker::{BreakerState, Change};
use crate::policy::budget::{Budget, BudgetConfig};
use crate::time::{Millis, Timestamp};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where a driver takes the time from, and how it waits. The core has no clock of its own.
///
/// `core/examples/blocking.rs` has one on `std::time::Instant` and `std::thread::sleep`.
pub trait Clock: Send + Sync {
    /// A monotonic reading.
    fn now(&self) -> Timestamp;
    /// Returns when that much time has passed.
    fn sleep(&self, span: Millis);
}

impl<C: Clock + ?Sized> Clock for Arc<C> {
    fn now(&self) -> Timestamp {
        (**self).now()
    }

    fn sleep(&self, span: Millis) {
        (**self).sleep(span);
    }
}

/// A panic of the holder does not damage the state machine: it is between two inputs.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A [`Breaker`] for any number of threads and policies. Clones share it.
///
/// ```
/// use halfopen::policy::{BreakerConfig, BreakerState, CircuitBreaker, Clock, Trip};
/// use halfopen::time::{Millis, Timestamp};
/// # struct Still;
/// # impl Clock for Still {
/// #     fn now(&self) -> Timestamp { Timestamp(0) }
/// #     fn sleep(&self, _: Millis) {}
/// # }
/// let breaker = CircuitBreaker::new(BreakerConfig { trip: Trip::Consecutive(2), ..Default::default() }, Still);
/// for _ in 0..2 {
///     breaker.acquire().unwrap().failure(None);
/// }
/// assert_eq!(breaker.state(), BreakerState::Open);
/// assert_eq!(breaker.acquire().unwrap_err().retry_after, Some(Millis(60_000)));
/// ```
#[derive(Clone)]
pub struct CircuitBreaker {
    inner: Arc<Mutex<Breaker>>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for CircuitBreaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CircuitBreaker").field("state", &self.state()).finish_non_exhaustive()
    }
}

impl CircuitBreaker {
    /// Creates a closed breaker on that clock.
    pub fn new(config: BreakerConfig, clock: impl Clock + 'static) -> Self {
        Self { inner: Arc::new(Mutex::new(Breaker::new(config))), clock: Arc::new(clock) }
    }

    /// As of now: an elapsed reset timeout reads half-open.
    #[must_use]
    pub fn state(&self) -> BreakerState {
        self.lock().state(self.clock.now())
    }

    /// Returns how long until a call may be admitted: zero if one may be now, `None` if it is isolated.
    #[must_use]
    pub fn retry_after(&self) -> Option<Millis> {
        self.lock().retry_after(self.clock.now())
    }

    /// Returns whether a call would be admitted now. Takes no permit.
    #[must_use]
    pub fn can_execute(&self) -> bool {
        self.lock().can_execute(self.clock.now())
    }

    /// Returns the share of calls that is refused now: by a throttle or a ramp while it is closed; otherwise all or
    /// none.
    #[must_use]
    pub fn refusal_rate(&self) -> Share {
        self.lock().refusal_rate(self.clock.now())
    }

    /// Takes a permit for one call. Dropped unsettled, it counts as nothing.
    ///
    /// # Errors
    /// [`Refused`] if it is open, isolated, or half-open with all probes in flight, or if a throttle or a ramp refuses
    /// the call.
    pub fn acquire(&self) -> Result<HeldPermit, Refused> {
        let permit = self.lock().admit(self.clock.now())?;
        Ok(HeldPermit { breaker: self.clone(), permit: Some(permit) })
    }

    /// Records a success without a permit, for the present generation.
    pub fn record_success(&self, duration: Option<Millis>) {
        self.lock().record(Outcome::Success, duration, self.clock.now());
    }

    /// Records a failure without a permit, for the present generation.
    pub fn record_failure(&self, duration: Option<Millis>) {
        self.lock().record(Outcome::Failure, duration, self.clock.now());
    }

    /// Refuses everything until every such handle is dropped.
    #[must_use = "dropping it lifts the isolation"]
    pub fn isolate(&self) -> Isolation {
        self.lock().isolate(self.clock.now());
        Isolation(self.clone())
    }

    /// Admits everything and counts nothing until [`CircuitBreaker::reset`].
    pub fn disable(&self) {
        self.lock().disable(self.clock.now());
    }

    /// Closed, with nothing counted. Does not lift isolation.
    pub fn reset(&self) {
        self.lock().reset(self.clock.now());
    }

    /// The oldest change that was not polled yet.
    pub fn poll_change(&self) -> Option<Change> {
        self.lock().poll_change()
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Breaker> {
        lock(&self.inner)
    }
}

/// A permit taken by [`CircuitBreaker::acquire`].
#[derive(Debug)]
#[must_use = "a permit is settled with the call's outcome"]
pub struct HeldPermit {
    breaker: CircuitBreaker,
    permit: Option<Permit>,
}

impl HeldPermit {
    /// The dependency answered.
    pub fn success(mut self, duration: Option<Millis>) {
        self.settle(Outcome::Success, duration);
    }

    /// The dependency failed.
    pub fn failure(mut self, duration: Option<Millis>) {
        self.settle(Outcome::Failure, duration);
    }

    /// The dependency failed and requested a wait, as in `Retry-After`. If the breaker opens on this failure, it stays
    /// open for that wait (at most the maximum reset timeout) instead of the reset timeout. A wait of zero has no
    /// effect.
    ///
    /// ```
    /// use halfopen::policy::{BreakerConfig, CircuitBreaker, Clock, Trip};
    /// use halfopen::time::{Millis, Timestamp};
    /// # struct Still;
    /// # impl Clock for Still {
    /// #     fn now(&self) -> Timestamp { Timestamp(0) }
    /// #     fn sleep(&self, _: Millis) {}
    /// # }
    /// let breaker = CircuitBreaker::new(BreakerConfig { trip: Trip::Consecutive(1), ..Default::default() }, Still);
    /// breaker.acquire().unwrap().failure_with_hint(Millis(1000), None);
    /// assert_eq!(breaker.retry_after(), Some(Millis(1000)));
    /// ```
    pub fn failure_with_hint(mut self, hint: Millis, duration: Option<Millis>) {
        self.settle(Outcome::FailureWithHint(hint), duration);
    }

    /// The call says nothing about the dependency: as dropping it.
    pub fn release(self) {
        drop(self);
    }

    fn settle(&mut self, outcome: Outcome, duration: Option<Millis>) {
        if let Some(permit) = self.permit.take() {
            self.breaker.lock().settle(permit, outcome, duration, self.breaker.clock.now());
        }
    }
}

impl Drop for HeldPermit {
    fn drop(&mut self) {
        self.settle(Outcome::Neutral, None);
    }
}

/// An isolation that lasts until it is dropped.
#[derive(Debug)]
pub struct Isolation(CircuitBreaker);

impl Drop for Isolation {
    fn drop(&mut self) {
        self.0.lock().lift_isolation(self.0.clock.now());
    }
}

/// A [`Budget`] for any number of threads and policies. Clones share it.
#[derive(Clone)]
pub struct RetryBudget {
    inner: Arc<Mutex<Budget>>,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for RetryBudget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RetryBudget").field("available", &self.available()).finish_non_exhaustive()
    }
}

impl RetryBudget {
    /// Creates a budget that starts with its reserve, on that clock.
    pub fn new(config: BudgetConfig, clock: impl Clock + 'static) -> Self {
        Self { inner: Arc::new(Mutex::new(Budget::new(config))), clock: Arc::new(clock) }
    }

    /// A first attempt was made.
    pub fn deposit(&self) {
        self.lock().deposit(self.clock.now());
    }

    /// Takes one retry, if it may.
    #[must_use]
    pub fn withdraw(&self) -> bool {
        self.lock().withdraw(self.clock.now())
    }

    /// How many whole retries may be made now.
    #[must_use]
    pub fn available(&self) -> u64 {
        self.lock().available(self.clock.now())
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Budget> {
        lock(&self.inner)
    }
}
