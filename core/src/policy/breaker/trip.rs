//! The condition that opens a closed breaker: failures in a row, or a share of the calls in a window.

use super::change::Reason;
use super::gate::{Gate, Share, Throttle};
use crate::policy::window::{CountWindow, DemandWindow, Recent, Sample, Tally, TimeWindow};
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};

/// The share of calls on which a breaker opens. A fixed-point number of 32 fractional bits, rounded down: 2 of 3 calls
/// reach two thirds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(u64);

impl Rate {
    /// From a share, clamped to 0 … 1; NaN becomes 1.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range first")]
    pub fn from_f64(share: f64) -> Self {
        let share = if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) };
        Self((share * 4_294_967_296.0).floor() as u64)
    }

    /// Returns `true` if `part` of `total` is at least this share.
    #[must_use]
    pub const fn is_reached(self, part: u32, total: u32) -> bool {
        (part as u64) << 32 >= self.0 * total as u64
    }
}

/// When slow calls trip a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowCalls {
    /// A call that took this long or longer is slow.
    pub duration: Millis,
    /// The share of slow calls that trips.
    pub rate: Rate,
}

/// The thresholds for a window of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rates {
    /// The share of failures that trips.
    pub failure: Rate,
    /// Below this number of calls nothing trips.
    pub minimum_calls: u32,
    /// Slow calls, if they count.
    pub slow: Option<SlowCalls>,
}

/// The condition that opens a closed breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trip {
    /// This many failures in a row.
    Consecutive(u32),
    /// A share of the last calls.
    Count {
        /// How many calls are looked at.
        size: u32,
        /// The shares.
        rates: Rates,
    },
    /// A share of the calls in a span of time.
    Time {
        /// How far back is looked.
        duration: Millis,
        /// The shares.
        rates: Rates,
    },
    /// Nothing does: it refuses a share of the calls instead.
    Throttle(Throttle),
}

impl Trip {
    const fn rates(&self) -> Option<&Rates> {
        match self {
            Self::Consecutive(_) | Self::Throttle(_) => None,
            Self::Count { rates, .. } | Self::Time { rates, .. } => Some(rates),
        }
    }

    /// Returns `true` if results are kept in a window, so that each of them needs the time.
    #[must_use]
    pub const fn is_windowed(&self) -> bool {
        !matches!(self, Self::Consecutive(_))
    }

    /// Returns the gate of a closed breaker without a ramp.
    const fn gate(&self) -> Gate {
        match self {
            Self::Throttle(_) => Gate::Throttle,
            Self::Consecutive(_) | Self::Count { .. } | Self::Time { .. } => Gate::All,
        }
    }

    /// Returns how long a call must take to be slow; `None` if slow calls do not count.
    #[must_use]
    pub const fn slow_from(&self) -> Option<Millis> {
        match self.rates() {
            Some(Rates { slow: Some(slow), .. }) => Some(slow.duration),
            _ => None,
        }
    }
}

/// The results of a closed breaker.
#[derive(Clone, Debug)]
pub(crate) struct Tracker {
    pub(crate) consecutive: u32,
    /// The failure streak before answers that are still streaming; restored if one of them breaks off.
    pub(crate) before_answers: u32,
    pub(crate) window: Window,
    pub(crate) recent: Recent,
    pub(super) gate: Gate,
}

#[derive(Clone, Debug)]
pub(crate) enum Window {
    None,
    Count(CountWindow),
    Time(TimeWindow),
    Demand(DemandWindow),
}

impl Window {
    fn new(trip: &Trip) -> Self {
        match *trip {
            Trip::Consecutive(_) => Self::None,
            Trip::Count { size, .. } => Self::Count(CountWindow::new(size)),
            Trip::Time { duration, .. } => Self::Time(TimeWindow::new(duration)),
            Trip::Throttle(throttle) => Self::Demand(DemandWindow::new(throttle.window)),
        }
    }
}

impl Tracker {
    pub(crate) fn new(trip: &Trip) -> Self {
        let (window, gate) = (Window::new(trip), trip.gate());
        Self { consecutive: 0, before_answers: 0, window, recent: Recent::default(), gate }
    }

    /// Begins an empty window of another shape. A ramp continues, because the dependency has only just come back.
    pub(super) fn begin_window(&mut self, trip: &Trip) {
        self.window = Window::new(trip);
        if !matches!(self.gate, Gate::Ramp(_)) {
            self.gate = trip.gate();
        }
    }

    /// A success, where failures in a row are all that counts.
    #[inline]
    pub(crate) fn pass(&mut self) {
        self.consecutive = 0;
        self.before_answers = 0;
        self.recent.push(Sample::default());
    }

    pub(crate) fn record(&mut self, now: Timestamp, sample: Sample) {
        if sample.failed {
            self.consecutive = self.consecutive.saturating_add(1);
        } else {
            self.consecutive = 0;
            self.before_answers = 0;
        }
        self.recent.push(sample);
        match &mut self.window {
            Window::None => {}
            Window::Count(window) => window.record(sample),
            Window::Time(window) => window.record(now, sample),
            Window::Demand(window) => window.record(now, sample.failed),
        }
    }

    /// Counts a request, and decides whether the call passes.
    ///
    /// # Errors
    /// A refusal returns the present share of refused calls.
    pub(super) fn admit(&mut self, now: Timestamp, trip: &Trip, rng: &mut SplitMix64) -> Result<(), Share> {
        let refusal = self.refusal(now, trip);
        self.request(now);
        let passes = match &mut self.gate {
            Gate::All => true,
            Gate::Throttle => refusal.part == 0 || rng.between(0, refusal.of - 1) >= refusal.part,
            Gate::Ramp(ramp) if ramp.is_over(now) => {
                self.gate = trip.gate();
                true
            }
            Gate::Ramp(ramp) => ramp.admits(now),
        };
        if passes { Ok(()) } else { Err(refusal) }
    }

    /// Returns the present share of refused calls.
    pub(super) fn refusal(&mut self, now: Timestamp, trip: &Trip) -> Share {
        match (&self.gate, &mut self.window, trip) {
            (Gate::Throttle, Window::Demand(window), Trip::Throttle(throttle)) => {
                throttle.refusal_of(window.sums(now))
            }
            (Gate::Ramp(ramp), ..) => ramp.refusal(now),
            _ => Share::NONE,
        }
    }

    /// Returns how long until a ramp admits the next call; `None` without a ramp.
    pub(super) fn ramp_wait(&self, now: Timestamp) -> Option<Millis> {
        match &self.gate {
            Gate::Ramp(ramp) => Some(ramp.free_in(now)),
            Gate::All | Gate::Throttle => None,
        }
    }

    /// Counts a request: a call that requests a permit, or one that was made without any.
    pub(super) fn request(&mut self, now: Timestamp) {
        if let Window::Demand(window) = &mut self.window {
            window.request(now);
        }
    }

    /// Records a call whose end reveals nothing about the dependency, and counts as no failure.
    pub(super) fn record_neutral(&mut self, now: Timestamp) {
        if let Window::Demand(window) = &mut self.window {
            window.record(now, false);
        }
    }

    /// Nothing was recorded yet.
    pub(crate) fn is_fresh(&self) -> bool {
        self.recent.iter().next().is_none()
    }

    /// Turns a success of `age` ago into a failure. If it was not counted here (`elsewhere`), adds a late failure.
    pub(crate) fn take_back(&mut self, now: Timestamp, age: Millis, elsewhere: bool) {
        let row = std::mem::take(&mut self.before_answers);
        self.consecutive = self.consecutive.saturating_add(row).saturating_add(1);
        let sample = Sample { failed: true, slow: false };
        if elsewhere || !self.recent.fail_newest() {
            self.recent.push(sample);
        }
        match &mut self.window {
            Window::None => {}
            Window::Count(window) => {
                if elsewhere || !window.fail_newest() {
                    window.record(sample);
                }
            }
            Window::Time(window) => {
                if elsewhere || !window.fail(now, age) {
                    window.record(now, sample);
                }
            }
            Window::Demand(window) => {
                if elsewhere || !window.fail(now, age) {
                    window.record(now, true);
                }
            }
        }
    }

    pub(crate) fn tally(&mut self, now: Timestamp) -> Tally {
        match &mut self.window {
            Window::None => Tally { total: self.consecutive, failures: self.consecutive, slow: 0 },
            Window::Count(window) => window.tally(),
            Window::Time(window) => window.tally(now),
            Window::Demand(window) => window.sums(now).results,
        }
    }

    /// Returns the reason why the breaker should open now, if there is one.
    pub(crate) fn verdict(&mut self, now: Timestamp, trip: &Trip) -> Option<Reason> {
        let rates = match trip {
            Trip::Consecutive(threshold) => {
                return (self.consecutive >= *threshold && self.consecutive > 0)
                    .then_some(Reason::ConsecutiveFailures(self.consecutive));
            }
            Trip::Throttle(_) => return None,
            Trip::Count { rates, .. } | Trip::Time { rates, .. } => rates,
        };
        let tally = self.tally(now);
        if tally.total < rates.minimum_calls || tally.total == 0 {
            None
        } else if rates.failure.is_reached(tally.failures, tally.total) {
            Some(Reason::FailureRate(tally))
        } else if rates.slow.is_some_and(|slow| slow.rate.is_reached(tally.slow, tally.total)) {
            Some(Reason::SlowCallRate(tally))
        } else {
            None
        }
    }
}
