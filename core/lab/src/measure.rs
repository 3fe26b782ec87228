//! Counts what happens in a run.

use super::histogram::Histogram;
use super::result::{BreakerCounts, Latency, Queueing, Series, Totals};
use halfopen::policy::BreakerState;

/// How a call ended for its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Succeeded,
    Fallback,
    Failed,
    Rejected,
    Abandoned,
}

#[derive(Debug, Default)]
struct Interval {
    offered: u32,
    attempts: u32,
    succeeded: u32,
    failed: u32,
    rejected: u32,
}

/// The numbers of a run.
#[derive(Debug)]
pub(super) struct Measure {
    pub(super) totals: Totals,
    pub(super) series: Series,
    interval: Interval,
    all: Histogram,
    in_interval: Histogram,
    breakers: BreakerCounts,
    hash: u64,
    pub(super) stay: Stay,
    served: u64,
    waited: u128,
    wasted: u128,
}

/// The two sides of Little's law: the number of requests over time, and the time of each request.
#[derive(Debug, Default)]
pub(super) struct Stay {
    present: u64,
    since: u64,
    /// The number present, integrated over time.
    area: u128,
    /// The total time of the requests that have left.
    stays: u128,
    arrivals: u64,
}

impl Stay {
    #[inline]
    fn pass(&mut self, now: u64) {
        let (present, passed) = (self.present, now - self.since);
        // WebAssembly has no multiplication of 128 bits.
        self.area += if present >> 32 == 0 && passed >> 32 == 0 {
            u128::from(present * passed)
        } else {
            u128::from(present) * u128::from(passed)
        };
        self.since = now;
    }

    #[inline]
    pub(super) fn enter(&mut self, now: u64) {
        self.pass(now);
        self.present += 1;
        self.arrivals += 1;
    }

    #[inline]
    pub(super) fn leave(&mut self, now: u64, entered: u64) {
        self.pass(now);
        self.present = self.present.saturating_sub(1);
        self.stays += u128::from(now - entered);
    }

    /// Returns `true` if L = λW holds to the nanosecond over the whole run. A request that was lost or counted twice
    /// breaks it. `still_there` has the arrival times of the requests that have not left.
    pub(super) fn holds(&mut self, now: u64, still_there: impl Iterator<Item = u64>) -> bool {
        self.pass(now);
        let (mut count, mut stays) = (0, self.stays);
        for entered in still_there {
            count += 1;
            stays += u128::from(now - entered);
        }
        count == self.present && stays == self.area
    }
}

impl Measure {
    pub(super) fn new(breakers: usize) -> Self {
        let closed = u32::try_from(breakers).unwrap_or(u32::MAX);
        Self {
            totals: Totals::default(),
            series: Series::default(),
            interval: Interval::default(),
            all: Histogram::new(),
            in_interval: Histogram::new(),
            breakers: BreakerCounts { closed, ..BreakerCounts::default() },
            hash: 0xCBF2_9CE4_8422_2325,
            stay: Stay::default(),
            served: 0,
            waited: 0,
            wasted: 0,
        }
    }

    /// Adds a decision to the hash.
    #[inline]
    pub(super) fn hash(&mut self, what: u64) {
        self.hash = (self.hash ^ what).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    }

    #[inline]
    pub(super) fn offered(&mut self) {
        self.totals.offered += 1;
        self.interval.offered += 1;
    }

    #[inline]
    pub(super) fn attempt(&mut self) {
        self.totals.attempts += 1;
        self.interval.attempts += 1;
    }

    /// Counts a user who is done after this many nanoseconds.
    #[inline]
    pub(super) fn ended(&mut self, ending: Ending, after: u64) {
        let (totals, interval) = (&mut self.totals, &mut self.interval);
        match ending {
            Ending::Succeeded => {
                totals.succeeded += 1;
                interval.succeeded += 1;
            }
            Ending::Failed => {
                totals.failed += 1;
                interval.failed += 1;
            }
            Ending::Rejected => {
                totals.rejected += 1;
                interval.rejected += 1;
            }
            Ending::Fallback => totals.fallbacks += 1,
            Ending::Abandoned => totals.abandoned += 1,
        }
        self.hash(after << 3 | ending as u64);
        self.in_interval.record(after / 1000);
    }

    /// Counts a request that a server begins after that wait.
    #[inline]
    pub(super) fn served(&mut self, waited: u64) {
        self.served += 1;
        self.waited += u128::from(waited);
    }

    /// Counts the time that a server spent on a request whose caller had left.
    pub(super) fn wasted(&mut self, service: u64) {
        self.wasted += u128::from(service);
    }

    pub(super) fn breaker_changed(&mut self, from: BreakerState, to: BreakerState) {
        let before = self.breakers.of(from);
        *before = before.saturating_sub(1);
        *self.breakers.of(to) += 1;
    }

    /// Ends an interval with the numbers of calls in flight, in the provider's queue, and waiting to go on.
    pub(super) fn interval(&mut self, in_flight: u32, queued: u32, waiting: u32) {
        let Interval { offered, attempts, succeeded, failed, rejected } = std::mem::take(&mut self.interval);
        self.series.offered.push(offered);
        self.series.attempts.push(attempts);
        self.series.succeeded.push(succeeded);
        self.series.failed.push(failed);
        self.series.rejected.push(rejected);
        self.series.in_flight.push(in_flight);
        self.series.queued.push(queued);
        self.series.waiting.push(waiting);
        self.series.user_p95_ms.push(self.in_interval.percentile(0.95));
        self.series.breaker.push(self.breakers);
        self.in_interval.move_to(&mut self.all);
    }

    /// Returns the sums of the ended run. `still_there` has the arrival times of the requests that have not left the provider.
    #[expect(clippy::cast_precision_loss, reason = "rates and means")]
    pub(super) fn finish(
        mut self,
        now: u64,
        duration_ms: f64,
        still_there: impl Iterator<Item = u64>,
    ) -> (Totals, Series, String, Queueing) {
        let littles_law = self.stay.holds(now, still_there);
        let ms = |nanos: u128| nanos as f64 / 1e6;
        let each = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        let mut totals = self.totals;
        totals.success_rate = each(totals.succeeded as f64, totals.offered);
        totals.amplification = each(totals.attempts as f64, totals.offered);
        let percentile = |share| self.all.percentile(share);
        totals.user_ms = Latency {
            p50: percentile(0.5),
            p95: percentile(0.95),
            p99: percentile(0.99),
            max: self.all.max(),
        };
        totals.goodput_per_second = totals.succeeded as f64 / (duration_ms / 1000.0);
        totals.wasted_service_ms = ms(self.wasted);
        let Stay { area, stays, arrivals, present, .. } = self.stay;
        let queueing = Queueing {
            served: self.served,
            mean_wait_ms: each(ms(self.waited), self.served),
            mean_present: if now == 0 { 0.0 } else { area as f64 / now as f64 },
            arrivals_per_ms: if now == 0 { 0.0 } else { arrivals as f64 / ms(u128::from(now)) },
            mean_stay_ms: each(ms(stays), arrivals.saturating_sub(present)),
            littles_law,
        };
        (totals, self.series, format!("{:016x}", self.hash), queueing)
    }
}

impl BreakerCounts {
    const fn of(&mut self, state: BreakerState) -> &mut u32 {
        match state {
            BreakerState::Closed => &mut self.closed,
            BreakerState::Open => &mut self.open,
            BreakerState::HalfOpen => &mut self.half_open,
            BreakerState::Isolated => &mut self.isolated,
            BreakerState::Disabled => &mut self.disabled,
        }
    }
}
