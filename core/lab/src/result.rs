//! The results of a run. Written as JSON with the names of the TypeScript contract.

use super::scenario::Expect;

/// The result of one policy in one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyResult {
    /// Sums over the run.
    pub totals: Totals,
    /// One value for each interval.
    pub series: Series,
    /// The scenario's expectations, and the measured values.
    pub expectations: Vec<Expectation>,
    /// The seed of this run: [`Run::with_seed`](super::Run::with_seed) with it gives the same run again.
    pub seed: u64,
    /// A hash of all decisions. The same seed gives the same hash on every host.
    pub hash: String,
    /// The quantities of queueing theory.
    pub queueing: Queueing,
}

/// Sums over a run. Each call is counted in one of `succeeded`, `failed`, `rejected`, `abandoned` and `fallbacks`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// Calls.
    pub offered: u64,
    /// Requests that were sent to the provider.
    pub attempts: u64,
    /// Calls that the provider answered while the user waited.
    pub succeeded: u64,
    /// Calls that failed.
    pub failed: u64,
    /// Calls that the policy refused.
    pub rejected: u64,
    /// Calls whose user left.
    pub abandoned: u64,
    /// Calls that a fallback answered.
    pub fallbacks: u64,
    /// `succeeded` of `offered`.
    pub success_rate: f64,
    /// `attempts` for each of `offered`.
    pub amplification: f64,
    /// How long users waited, for whatever reason.
    pub user_ms: Latency,
    /// `succeeded` for each second of the scenario's duration.
    pub goodput_per_second: f64,
    /// Time that servers spent on requests whose caller had left.
    pub wasted_service_ms: f64,
    /// Tokens of requests that were served.
    pub tokens: f64,
    /// Money.
    pub cost: f64,
    /// The number of events that the simulator processed.
    pub events: u64,
}

/// Durations, in milliseconds, exact to 0.4 %; the maximum is exact to the microsecond.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "they are what they are called")]
pub struct Latency {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
}

/// One value for each interval: a count within it, or the state at its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Calls that began.
    pub offered: Vec<u32>,
    /// Requests that were sent.
    pub attempts: Vec<u32>,
    /// Calls that succeeded.
    pub succeeded: Vec<u32>,
    /// Calls that failed.
    pub failed: Vec<u32>,
    /// Calls that were refused.
    pub rejected: Vec<u32>,
    /// Calls in flight at its end.
    pub in_flight: Vec<u32>,
    /// Requests in the provider's queue at its end.
    pub queued: Vec<u32>,
    /// Calls that wait to retry, for a slot or for their turn at its end.
    pub waiting: Vec<u32>,
    /// The 95th percentile of the users' times, for the users who were done in each interval.
    pub user_p95_ms: Vec<f64>,
    /// Breakers of the compared policy by state at its end.
    pub breaker: Vec<BreakerCounts>,
}

/// Breakers by state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the states")]
pub struct BreakerCounts {
    pub closed: u32,
    pub open: u32,
    pub half_open: u32,
    pub isolated: u32,
    pub disabled: u32,
}

/// A limit of the scenario, and whether it holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// As in the scenario.
    pub name: &'static str,
    /// The expected bound.
    pub limit: f64,
    /// The measured value.
    pub value: f64,
    /// `true` if the value is within the limit.
    pub holds: bool,
}

/// The provider as queueing theory sees it: requests that servers served, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Queueing {
    /// The number of requests that a server began to serve.
    pub served: u64,
    /// Their mean wait in the queue.
    pub mean_wait_ms: f64,
    /// The mean number of requests at the provider over time, waiting and served (L).
    pub mean_present: f64,
    /// The mean number of arrivals in a millisecond (λ).
    pub arrivals_per_ms: f64,
    /// The mean time that a request spent there (W), of those that have left.
    pub mean_stay_ms: f64,
    /// `true` if Little's law (L = λW) holds over the whole run, to the nanosecond. Otherwise the simulator has lost a
    /// request.
    pub littles_law: bool,
}

/// The length of the time ranges whose goodput is compared: before the first fault, and at the end.
const RECOVERY_MS: f64 = 30_000.0;

impl PolicyResult {
    /// Returns the goodput in the last 30 s of arrivals, divided by that in the 30 s before the first fault, in whole
    /// intervals; 1 without a fault, or without goodput before it.
    pub(super) fn recovered_goodput(
        &self,
        interval_ms: f64,
        duration_ms: f64,
        first_fault_ms: Option<f64>,
    ) -> f64 {
        let Some(first_fault) = first_fault_ms else { return 1.0 };
        let before = self.mean_goodput(interval_ms, (first_fault - RECOVERY_MS).max(0.0), first_fault);
        let after = self.mean_goodput(interval_ms, (duration_ms - RECOVERY_MS).max(0.0), duration_ms);
        if before > 0.0 { after / before } else { 1.0 }
    }

    /// Returns the mean number of successful calls in an interval between two times; 0 without an interval between them.
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "numbers of intervals"
    )]
    pub fn mean_goodput(&self, interval_ms: f64, from_ms: f64, to_ms: f64) -> f64 {
        let (first, end) =
            (libm::ceil(from_ms / interval_ms) as usize, libm::floor(to_ms / interval_ms) as usize);
        let count = end.saturating_sub(first);
        let sum: f64 =
            self.series.succeeded.iter().skip(first).take(count).map(|&count| f64::from(count)).sum();
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    pub(super) fn expect(&mut self, expect: &Expect, recovered: f64) {
        let totals = &self.totals;
        let least = |name, limit: Option<f64>, value: f64| {
            limit.map(|limit| Expectation { name, limit, value, holds: value >= limit })
        };
        let most = |name, limit: Option<f64>, value: f64| {
            limit.map(|limit| Expectation { name, limit, value, holds: value <= limit })
        };
        let all = [
            least("minSuccessRate", expect.min_success_rate, totals.success_rate),
            most("maxAmplification", expect.max_amplification, totals.amplification),
            most("maxUserP95Ms", expect.max_user_p95_ms, totals.user_ms.p95),
            most("maxCost", expect.max_cost, totals.cost),
            least("minRecoveredGoodput", expect.min_recovered_goodput, recovered),
        ];
        self.expectations = all.into_iter().flatten().collect();
    }
}
