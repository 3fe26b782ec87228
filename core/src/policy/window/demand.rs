//! The calls requested in a time window, and how many were accepted: the input of a throttle.

use super::{Buckets, Side, Tally};
use crate::time::{Millis, Timestamp};

/// Requests and results of the last span of time.
#[derive(Clone, Debug)]
pub(crate) struct DemandWindow(Buckets<3>);

/// The contents of a [`DemandWindow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Demand {
    /// Requested admissions, including refused ones.
    pub(crate) requests: u32,
    /// Results of admitted calls.
    pub(crate) results: Tally,
}

impl Demand {
    /// Results that are no failures.
    pub(crate) fn accepts(self) -> u32 {
        self.results.total.saturating_sub(self.results.failures)
    }
}

impl DemandWindow {
    pub(crate) fn new(length: Millis) -> Self {
        Self(Buckets::new(length))
    }

    pub(crate) fn request(&mut self, now: Timestamp) {
        self.0.add(now, Side::Early, [1, 0, 0]);
    }

    pub(crate) fn record(&mut self, now: Timestamp, failed: bool) {
        self.0.add(now, Side::Early, [0, 1, u32::from(failed)]);
    }

    /// Turns a result of `age` ago that was no failure into one. Returns `false` if it has left the window.
    pub(crate) fn fail(&mut self, now: Timestamp, age: Millis) -> bool {
        self.0.amend(now, age, [0, 0, 1])
    }

    pub(crate) fn sums(&mut self, now: Timestamp) -> Demand {
        let [requests, total, failures] = self.0.sums(now);
        Demand { requests, results: Tally { total, failures, slow: 0 } }
    }

    /// Adds counts from up to `age` before `now`, if that is still in the window.
    pub(crate) fn restore(&mut self, now: Timestamp, age: Millis, requests: u32, accepts: u32) {
        if age < self.0.length() {
            self.0.add_aged(now, age, Side::Early, [requests, accepts, 0]);
        }
    }
}
