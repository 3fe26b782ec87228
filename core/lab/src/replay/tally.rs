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

/// The most policies that have counts of their own. Each takes 30 kB.
const MOST_POLICIES: u32 = 100;

/// The running counts of one pass: of all calls, and of each policy.
#[derive(Debug)]
pub(super) struct Tallies {
    pub(super) all: Tally,
    pub(super) of: Vec<Tally>,
}

impl Tallies {
    pub(super) fn new(policies: u32) -> Self {
        Self { all: Tally::new(), of: (0..policies.min(MOST_POLICIES)).map(|_| Tally::new()).collect() }
    }

    /// Counts for all, and for the policy.
    pub(super) fn each(&mut self, policy: u32, count: impl Fn(&mut Tally)) {
        count(&mut self.all);
        if let Some(of) = self.of.get_mut(policy as usize) {
            count(of);
        }
    }

    /// An attempt begins. That of a call around others counts for its policy alone: the provider sees the inner ones.
    pub(super) fn attempt(&mut self, policy: u32, is_outer: bool) {
        self.all.attempts += u64::from(!is_outer);
        if let Some(of) = self.of.get_mut(policy as usize) {
            of.attempts += 1;
        }
    }

    /// A call is over. One within another is no user's, so it counts for its policy alone.
    pub(super) fn ended(&mut self, policy: u32, ended: &Ended, is_inner: bool) {
        if !is_inner {
            self.all.ended(ended);
        }
        if let Some(of) = self.of.get_mut(policy as usize) {
            of.ended(ended);
        }
    }

    /// Returns the sums of all calls, then those of each policy.
    pub(super) fn sums(&self, span: u64, prices: Prices) -> Vec<Sums> {
        std::iter::once(&self.all).chain(&self.of).map(|tally| tally.sums(span, prices)).collect()
    }

    /// Returns the attempts of which the log cannot tell, and their calls: of all, then of each policy.
    pub(super) fn unknown(&self) -> Vec<Unknown> {
        let unknown = |tally: &Tally| Unknown { attempts: tally.unknown, calls: tally.unknown_calls };
        std::iter::once(&self.all).chain(&self.of).map(unknown).collect()
    }
}

/// The attempts of which the log cannot tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unknown {
    /// Attempts whose result no recorded one shows.
    pub attempts: u64,
    /// The calls that have such attempts.
    pub calls: u64,
}

/// The running counts of some calls.
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
    /// Attempts of which the log cannot tell, and the calls that have such ones.
    pub(super) unknown: u64,
    pub(super) unknown_calls: u64,
}

impl Tally {
    fn new() -> Self {
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
            unknown: 0,
            unknown_calls: 0,
        }
    }

    fn ended(&mut self, ended: &Ended) {
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
