//! The circuit breaker: refuses calls to what has failed, and finds out by probes when it is well again.
//!
//! Nygard, "Release It!" (2nd ed., chapter 5). A [`Permit`] admits a call, and results of an older generation of the breaker
//! are ignored. Callers poll for changes of state ([`Breaker::poll_change`]); there are no callbacks.

mod answer;

mod change;
mod config;
mod control;
mod counted;
mod gate;
mod permit;
mod phase;
mod restore;
mod shared;
mod snapshot;
mod transition;
mod trip;

use self::gate::Gate;
use self::phase::Phase;
use self::trip::Tracker;
use crate::policy::window::Sample;
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

pub use answer::Answer;
pub use change::{BreakerState, Change, Reason};
pub use config::BreakerConfig;
pub use counted::Counted;
pub use gate::{Share, Throttle, Throttled};
pub use permit::{MAX_TICKET, Outcome, Permit, Refused};
pub use snapshot::{BreakerSnapshot, DemandSnapshot, SnapshotError};
pub use trip::{Rate, Rates, SlowCalls, Trip};

/// A circuit breaker. Every input carries the time. The clock may repeat a time but not run backwards: an earlier
/// reading counts as the latest one.
///
/// ```
/// use halfopen::policy::{Breaker, BreakerConfig, BreakerState, Outcome};
/// use halfopen::time::Timestamp;
/// let mut breaker = Breaker::new(BreakerConfig::default());
/// for second in 0..5 {
///     let now = Timestamp(second * 1000);
///     let permit = breaker.admit(now).unwrap();
///     breaker.settle(permit, Outcome::Failure, None, now);
/// }
/// assert_eq!(breaker.state(Timestamp(5000)), BreakerState::Open);
/// assert!(breaker.admit(Timestamp(63_999)).is_err());
/// assert!(breaker.admit(Timestamp(64_000)).unwrap().is_probe());
/// ```
#[derive(Clone, Debug)]
pub struct Breaker {
    config: BreakerConfig,
    phase: Phase,
    generation: u64,
    isolations: u32,
    failed_probes: u32,
    /// The value before the breaker closed: a probe's answer may yet break off.
    failed_before_closing: u32,
    next_ticket: u32,
    stale: u64,
    latest: Timestamp,
    changes: VecDeque<Change>,
    /// The throttle's random numbers.
    rng: SplitMix64,
    throttled: Option<Throttled>,
    /// When the last of them was noted.
    throttled_at: Option<Timestamp>,
    counted: Counted,
    /// How many probes it may make of those that processes share.
    allowed_probes: u32,
}

/// The least time between two [`Throttled`] records.
const BETWEEN_THROTTLED: Millis = Millis(1000);

impl Breaker {
    /// Creates a closed breaker. Thresholds and numbers of probes of 0 count as 1. A maximum reset timeout below the
    /// reset timeout counts as equal to it.
    #[must_use]
    pub fn new(config: BreakerConfig) -> Self {
        let config = config.sane();
        Self {
            phase: Phase::Closed(Tracker::new(&config.trip)),
            rng: SplitMix64::new(config.seed),
            config,
            generation: 1,
            isolations: 0,
            failed_probes: 0,
            failed_before_closing: 0,
            next_ticket: 1,
            stale: 0,
            latest: Timestamp(0),
            changes: VecDeque::new(),
            throttled: None,
            throttled_at: None,
            counted: Counted::default(),
            allowed_probes: counted::ANY,
        }
    }

    /// Applies new settings. The state stays, a ramp continues, and a window of another shape begins empty.
    pub fn update(&mut self, config: BreakerConfig) {
        let config = config.sane();
        let same_window = match (&config.trip, &self.config.trip) {
            (Trip::Consecutive(_), Trip::Consecutive(_)) => true,
            (Trip::Count { size: new, .. }, Trip::Count { size: old, .. }) => new == old,
            (Trip::Time { duration: new, .. }, Trip::Time { duration: old, .. }) => new == old,
            (Trip::Throttle(new), Trip::Throttle(old)) => new.window == old.window,
            _ => false,
        };
        if config.seed != self.config.seed {
            self.rng = SplitMix64::new(config.seed);
        }
        self.config = config;
        if let Phase::Closed(tracker) = &mut self.phase
            && !same_window
        {
            tracker.begin_window(&config.trip);
        }
    }

    /// The settings in force.
    #[must_use]
    pub const fn config(&self) -> &BreakerConfig {
        &self.config
    }

    /// Takes a permit for one call.
    ///
    /// # Errors
    /// [`Refused`] if it is open, isolated, or half-open with all probes in flight, or if a throttle or a ramp refuses
    /// the call.
    #[inline]
    pub fn admit(&mut self, now: Timestamp) -> Result<Permit, Refused> {
        if self.isolations > 0 {
            return Err(Refused { retry_after: None });
        }
        match &self.phase {
            Phase::Closed(Tracker { gate: Gate::All, .. }) | Phase::Disabled => {
                Ok(Permit { generation: self.generation, ticket: 0 })
            }
            Phase::Closed(_) => self.admit_share(now),
            Phase::Open { .. } | Phase::HalfOpen(_) => self.admit_probe(now),
        }
    }

    #[inline(never)]
    fn admit_share(&mut self, now: Timestamp) -> Result<Permit, Refused> {
        let now = self.clamp(now);
        if let Phase::Closed(tracker) = &mut self.phase
            && let Err(rate) = tracker.admit(now, &self.config.trip, &mut self.rng)
        {
            let retry_after = tracker.ramp_wait(now);
            if self.throttled_at.is_none_or(|last| now.since(last) >= BETWEEN_THROTTLED) {
                self.throttled_at = Some(now);
                self.throttled = Some(Throttled { rate, at: now });
            }
            return Err(Refused { retry_after });
        }
        Ok(Permit { generation: self.generation, ticket: 0 })
    }

    #[inline(never)]
    fn admit_probe(&mut self, now: Timestamp) -> Result<Permit, Refused> {
        let now = self.clamp(now);
        if self.lacks_probe() {
            return Err(Refused { retry_after: self.retry_after(now) });
        }
        self.leave_open(now);
        let generation = self.generation;
        match &mut self.phase {
            Phase::Open { retry_at, .. } => Err(Refused { retry_after: Some(retry_at.since(now)) }),
            Phase::HalfOpen(probes) => {
                let ticket = self.next_ticket;
                probes.take_place(ticket, &self.config, now)?;
                self.next_ticket = if ticket >= MAX_TICKET { 1 } else { ticket + 1 };
                self.allowed_probes = self.allowed_probes.saturating_sub(1);
                Ok(Permit { generation, ticket })
            }
            Phase::Closed(_) | Phase::Disabled => Ok(Permit { generation, ticket: 0 }),
        }
    }

    /// Records how an admitted call ended. `duration` matters only for slow calls; `None` is not slow.
    ///
    /// A permit of an older generation changes nothing, and neither does the failure of a probe that made room for
    /// another. That probe's success counts.
    #[inline]
    pub fn settle(&mut self, permit: Permit, outcome: Outcome, duration: Option<Millis>, now: Timestamp) {
        if permit.generation != self.generation {
            self.stale = self.stale.saturating_add(1);
        } else if let (Phase::Closed(tracker), Trip::Consecutive(_), Outcome::Success) =
            (&mut self.phase, &self.config.trip, outcome)
        {
            // The happy path of the default breaker: no clock, no window.
            tracker.pass();
        } else {
            self.settle_present(permit, outcome, duration, now);
        }
    }

    #[inline(never)]
    fn settle_present(&mut self, permit: Permit, outcome: Outcome, duration: Option<Millis>, now: Timestamp) {
        if let Phase::HalfOpen(probes) = &mut self.phase {
            if !probes.leave(permit.ticket, outcome == Outcome::Success) {
                self.stale = self.stale.saturating_add(1);
                return;
            }
            // The call was no probe after all, so another one may be.
            let is_unspent = outcome == Outcome::Neutral;
            self.allowed_probes = self.allowed_probes.saturating_add(u32::from(is_unspent));
        }
        self.count(outcome, duration, now);
    }

    /// The call of a probe waits to retry until then. It is not silent meanwhile, so its place is not given away.
    pub(crate) fn keep_probe(&mut self, permit: Permit, until: Timestamp) {
        if let Phase::HalfOpen(probes) = &mut self.phase
            && permit.generation == self.generation
        {
            probes.keep(permit.ticket, until);
        }
    }

    /// Records a result of the present generation, for callers without permits. While the breaker is open or isolated
    /// it changes nothing; once the reset timeout is over it counts as a probe's.
    pub fn record(&mut self, outcome: Outcome, duration: Option<Millis>, now: Timestamp) {
        if self.isolations == 0 {
            let now = self.clamp(now);
            if outcome != Outcome::Neutral {
                self.leave_open(now);
            }
            if let Phase::Closed(tracker) = &mut self.phase {
                tracker.request(now);
            }
            self.count(outcome, duration, now);
        }
    }

    fn count(&mut self, outcome: Outcome, duration: Option<Millis>, now: Timestamp) {
        if outcome == Outcome::Neutral {
            if let Phase::Closed(tracker) = &mut self.phase {
                self.latest = self.latest.max(now);
                tracker.record_neutral(self.latest);
            }
            return;
        }
        let failed = outcome.is_failure();
        self.counted.total = self.counted.total.wrapping_add(1);
        self.counted.failed = self.counted.failed.wrapping_add(u32::from(failed));
        match &mut self.phase {
            Phase::Closed(tracker) => {
                let slow_from = self.config.trip.slow_from();
                let slow = slow_from.is_some_and(|from| duration.is_some_and(|took| took >= from));
                self.counted.slow = self.counted.slow.wrapping_add(u32::from(slow));
                self.latest = self.latest.max(now);
                let now = self.latest;
                tracker.record(now, Sample { failed, slow });
                if let Some(reason) = tracker.verdict(now, &self.config.trip) {
                    self.open(reason, outcome.hint(), now);
                }
            }
            Phase::HalfOpen(_) if failed => {
                self.counted.probes_failed = self.counted.probes_failed.wrapping_add(1);
                self.probe_failed(outcome.hint(), now);
            }
            Phase::HalfOpen(probes) => {
                self.counted.probes_succeeded = self.counted.probes_succeeded.wrapping_add(1);
                probes.successes = probes.successes.saturating_add(1);
                if probes.successes >= self.config.success_threshold {
                    let reason = Reason::ProbesSucceeded(probes.successes);
                    let now = self.clamp(now);
                    self.close(reason, now);
                    self.begin_ramp(self.config.ramp, now);
                }
            }
            Phase::Open { .. } | Phase::Disabled => {}
        }
    }

    /// Returns its state as of `now`. An open breaker whose reset timeout is over reads half-open, but changes, and
    /// records the change, only with the next call.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> BreakerState {
        match &self.phase {
            _ if self.isolations > 0 => BreakerState::Isolated,
            Phase::Open { retry_at, .. } if self.latest.max(now) >= *retry_at => BreakerState::HalfOpen,
            phase => phase.state(),
        }
    }

    /// Returns how long until a call may be admitted: zero if one may be now, `None` if it is isolated.
    #[must_use]
    pub fn retry_after(&self, now: Timestamp) -> Option<Millis> {
        let now = self.latest.max(now);
        match &self.phase {
            _ if self.isolations > 0 => None,
            Phase::Closed(tracker) => Some(tracker.ramp_wait(now).unwrap_or_default()),
            Phase::Disabled => Some(Millis::ZERO),
            // The time at which the others will allow a probe is unknown: 1 ms, so that the next call checks again.
            Phase::Open { retry_at, .. } => {
                Some(retry_at.since(now).max(Millis(u64::from(self.lacks_probe()))))
            }
            Phase::HalfOpen(_) if self.lacks_probe() => Some(Millis(1)),
            Phase::HalfOpen(probes) => probes.free_in(&self.config, now),
        }
    }

    /// The share of calls that is refused now: by a throttle or a ramp while closed; else all of them or none.
    ///
    /// ```
    /// use halfopen::policy::{Breaker, BreakerConfig, Outcome, Throttle, Trip};
    /// use halfopen::time::Timestamp;
    /// let trip = Trip::Throttle(Throttle::default());
    /// let mut breaker = Breaker::new(BreakerConfig { trip, ..BreakerConfig::default() });
    /// for _ in 0..24 {
    ///     breaker.record(Outcome::Failure, None, Timestamp(0));
    /// }
    /// assert_eq!(breaker.refusal_rate(Timestamp(0)).as_f64(), 0.96);
    /// ```
    #[must_use]
    pub fn refusal_rate(&mut self, now: Timestamp) -> Share {
        let now = self.latest.max(now);
        if let Phase::Closed(tracker) = &mut self.phase
            && self.isolations == 0
        {
            return tracker.refusal(now, &self.config.trip);
        }
        if self.can_execute(now) { Share::NONE } else { Share::ALL }
    }

    /// Returns `true` if a call would be admitted now, or may be by a throttle, which draws nothing here. Takes no
    /// permit.
    #[must_use]
    pub fn can_execute(&self, now: Timestamp) -> bool {
        self.retry_after(now) == Some(Millis::ZERO)
    }

    /// Returns `true` if the next admission or result depends on the time. Otherwise the caller need not read the
    /// clock, but still passes the time with every failure.
    #[must_use]
    #[inline]
    pub const fn needs_time(&self) -> bool {
        match &self.phase {
            Phase::Closed(tracker) => {
                !matches!((&self.config.trip, &tracker.gate), (Trip::Consecutive(_), Gate::All))
            }
            Phase::Open { .. } | Phase::HalfOpen(_) => true,
            Phase::Disabled => false,
        }
    }

    /// Returns `true` if [`Breaker::poll_change`] or [`Breaker::poll_throttled`], which move records, has something to
    /// return.
    #[must_use]
    #[inline]
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || self.throttled.is_some()
    }

    /// The oldest change that was not polled yet.
    pub fn poll_change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    /// Returns a record that a share of calls is refused, if it was not polled yet. It is written when a call is
    /// refused, at most once a second.
    pub fn poll_throttled(&mut self) -> Option<Throttled> {
        self.throttled.take()
    }

    /// Returns the present generation. Every change raises it, so that results of earlier calls are recognised.
    #[must_use]
    pub const fn generation(&self) -> u64 {
        self.generation
    }

    /// How many results came too late to count.
    #[must_use]
    pub const fn stale_results(&self) -> u64 {
        self.stale
    }

    fn clamp(&mut self, now: Timestamp) -> Timestamp {
        self.latest = self.latest.max(now);
        self.latest
    }
}
