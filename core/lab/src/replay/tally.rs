//! The figures of the results of calls: of the log itself, and of each replay of it.

use super::recorded::How;
use crate::histogram::Histogram;
use halfopen::policy::Why;

/// The names of the figures, in the order in which they are written.
pub const NAMES: [&str; 18] = [
    "offered",
    "attempts",
    "succeeded",
    "failed",
    "rejected",
    "abandoned",
    "fallbacks",
    "successRate",
    "amplification",
    "userMs.p50",
    "userMs.p95",
    "userMs.p99",
    "userMs.max",
    "goodputPerSecond",
    "wastedServiceMs",
    "tokens",
    "cost",
    "events",
];

/// The figures, in that order.
pub type Sums = [f64; NAMES.len()];

/// The prices of attempts and tokens.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Prices {
    pub(super) per_attempt: f64,
    pub(super) per_token: f64,
}

/// How a call ended, and with how many attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Success, failure or refusal.
    pub how: How,
    /// After how many attempts.
    pub attempts: u32,
    /// `true` if a fallback succeeded.
    pub fell_back: bool,
    /// After how many microseconds.
    pub took: u64,
}

impl Ended {
    /// Returns `true` if the other ended in the same way, however long it took.
    pub(super) fn is_as(&self, other: &Self) -> bool {
        self.how == other.how && self.attempts == other.attempts && self.fell_back == other.fell_back
    }
}

/// The running counts of one pass.
#[derive(Debug)]
pub(super) struct Tally {
    offered: u64,
    pub(super) attempts: u64,
    succeeded: u64,
    failed: u64,
    rejected: u64,
    abandoned: u64,
    fallbacks: u64,
    waits: Histogram,
    /// In microseconds.
    pub(super) wasted: u64,
    pub(super) tokens: u64,
    pub(super) events: u64,
}

impl Tally {
    pub(super) fn new() -> Self {
        Self {
            offered: 0,
            attempts: 0,
            succeeded: 0,
            failed: 0,
            rejected: 0,
            abandoned: 0,
            fallbacks: 0,
            waits: Histogram::new(),
            wasted: 0,
            tokens: 0,
            events: 0,
        }
    }

    /// A user's call is over.
    pub(super) fn ended(&mut self, ended: &Ended) {
        self.offered += 1;
        self.waits.record(ended.took);
        let count = match ended.how {
            _ if ended.fell_back => &mut self.fallbacks,
            How::Succeeded | How::Closed => &mut self.succeeded,
            How::Rejected { .. } => &mut self.rejected,
            How::Failed { why: Why::Cancelled, .. } => &mut self.abandoned,
            How::Failed { .. } => &mut self.failed,
        };
        *count += 1;
    }

    /// Returns the sums of a log that lasts `span` microseconds.
    #[expect(clippy::cast_precision_loss, reason = "counts and times")]
    pub(super) fn sums(&self, span: u64, prices: Prices) -> Sums {
        let each = |sum: u64| if self.offered == 0 { 0.0 } else { sum as f64 / self.offered as f64 };
        let (attempts, tokens) = (self.attempts as f64, self.tokens as f64);
        [
            self.offered as f64,
            attempts,
            self.succeeded as f64,
            self.failed as f64,
            self.rejected as f64,
            self.abandoned as f64,
            self.fallbacks as f64,
            each(self.succeeded),
            each(self.attempts),
            self.waits.percentile(0.5),
            self.waits.percentile(0.95),
            self.waits.percentile(0.99),
            self.waits.max(),
            if span == 0 { 0.0 } else { self.succeeded as f64 * 1e6 / span as f64 },
            self.wasted as f64 / 1000.0,
            tokens,
            attempts * prices.per_attempt + tokens * prices.per_token,
            self.events as f64,
        ]
    }
}
