//! What a log says happened, call by call.

use halfopen::code::Code;
use halfopen::policy::{Layer, Why};

/// When something happened: microseconds since 1970, and the number of the event within its process. What happened in
/// the same millisecond keeps its order by the number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment {
    pub(super) at: u64,
    pub(super) seq: u64,
}

/// No index.
pub(super) const NONE: u32 = u32::MAX;

/// A policy of one process.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) seed: u64,
    /// Whether another policy stands in its place.
    pub(super) is_replaced: bool,
    /// The number of a breaker that several policies share, or none.
    pub(super) shared_breaker: u32,
    /// Its clock has fractions of a millisecond, which the times of events have not.
    pub(super) has_fine_clock: bool,
    /// Its settings, since when; the first from the beginning on.
    pub(super) settings: Vec<(Moment, u32)>,
    /// What its attempts call, where a call has none that says so.
    pub(super) provider: u32,
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) host: u32,
    /// Its settings: those of its host, or its own over them.
    pub(super) settings: u32,
    /// Whether they are its own.
    pub(super) has_own: bool,
    /// None where the log begins later.
    pub(super) begun: Option<Moment>,
    /// None where the log ends earlier.
    pub(super) end: Option<End>,
    /// When a fallback had been called, and whether it answered.
    pub(super) fallback: Option<(Moment, bool)>,
    /// It was made within another call.
    pub(super) is_inner: bool,
    /// Calls were made within it: what reached the provider were theirs.
    pub(super) is_outer: bool,
    /// The attempt that was named last; the others follow by `before`.
    pub(super) last: u32,
    /// The attempt whose wait is not over.
    pub(super) waiting: u32,
}

/// How a call ended, and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) moment: Moment,
    pub(super) how: How,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It was answered.
    Succeeded,
    /// Its consumer closed its stream.
    Closed,
    /// It failed.
    Failed {
        /// With what.
        code: Code,
        /// Why it was not tried again.
        why: Why,
    },
    /// It was refused.
    Rejected {
        /// By which layer.
        by: Layer,
    },
}

/// An attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) number: u32,
    /// Another of the same call.
    pub(super) before: u32,
    pub(super) begun: Option<Moment>,
    pub(super) ended: Option<Moment>,
    /// How long it took, in milliseconds.
    pub(super) took: u64,
    pub(super) result: Outcome,
    pub(super) provider: u32,
    pub(super) tokens: u32,
    /// The wait that followed.
    pub(super) wait: Option<Wait>,
}

/// What came of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The log does not say: the call ended before.
    Open,
    Succeeded,
    Failed(Failed),
}

/// How an attempt failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) code: Code,
    pub(super) retryable: bool,
    pub(super) counted: bool,
    /// How long the provider asked to wait, in milliseconds.
    pub(super) hint: Option<u64>,
    /// The policy cut it off itself: what would have come of it is not known.
    pub(super) is_cut: bool,
}

/// A wait before a retry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// In milliseconds.
    pub(super) delay: u64,
    pub(super) is_backoff: bool,
    /// When the call went on.
    pub(super) resumed: Option<Moment>,
}

/// What was done to a policy from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Control {
    Isolate,
    LiftIsolation,
    Disable,
    Reset,
    /// The provider said so much of its limits.
    Limits {
        of_requests: bool,
        remaining: f64,
        reset: Option<u64>,
    },
}

/// Everything that a log says.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) hosts: Vec<Host>,
    pub(super) calls: Vec<Call>,
    pub(super) attempts: Vec<Attempt>,
    /// By host.
    pub(super) controls: Vec<(u32, Moment, Control)>,
    /// How many providers there are.
    pub(super) providers: u32,
    /// The first and the last event, in microseconds.
    pub(super) span: Option<(u64, u64)>,
}

impl History {
    /// The attempts of a call, the last first.
    pub(super) fn attempts_of(&self, call: &Call) -> impl Iterator<Item = &Attempt> {
        let mut next = call.last;
        std::iter::from_fn(move || {
            let attempt = self.attempts.get(next as usize)?;
            next = attempt.before;
            Some(attempt)
        })
    }

    /// An attempt of a call.
    pub(super) fn attempt(&self, call: &Call, number: u32) -> Option<&Attempt> {
        self.attempts_of(call).find(|attempt| attempt.number == number)
    }
}
