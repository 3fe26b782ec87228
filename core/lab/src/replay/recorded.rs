//! The history in a log, call by call.

use halfopen::code::Code;
use halfopen::policy::{Layer, Why};

/// The time of an event: microseconds since 1970, and its number within its process, which orders the events of one
/// millisecond.
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
    /// The number of its policy's name, which policies of several processes share.
    pub(super) policy: u32,
    /// `true` if another policy replaces it.
    pub(super) is_replaced: bool,
    /// The number of a breaker that several policies share; `NONE` without one.
    pub(super) shared_breaker: u32,
    /// Its clock has fractions of a millisecond, unlike the times of events.
    pub(super) has_fine_clock: bool,
    /// Its settings, each with the time from which it applies; the first from the beginning.
    pub(super) settings: Vec<(Moment, u32)>,
    /// The provider of attempts that do not name one.
    pub(super) provider: u32,
}

/// A call.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) host: u32,
    /// Its settings: its host's, or its own.
    pub(super) settings: u32,
    /// `true` if they are its own.
    pub(super) has_own: bool,
    /// `None` if the log begins later.
    pub(super) begun: Option<Moment>,
    /// `None` if the log ends earlier.
    pub(super) end: Option<End>,
    /// When a fallback was called, and whether it succeeded.
    pub(super) fallback: Option<(Moment, bool)>,
    /// It was made within another call.
    pub(super) is_inner: bool,
    /// Calls were made within it, and their requests reached the provider, not its own.
    pub(super) is_outer: bool,
    /// The latest attempt; the others follow by `before`.
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
    /// It succeeded.
    Succeeded,
    /// Its consumer closed its stream.
    Closed,
    /// It failed.
    Failed {
        /// The error's code.
        code: Code,
        /// The reason why it was not retried.
        why: Why,
    },
    /// It was refused.
    Rejected {
        /// The layer that refused it.
        by: Layer,
    },
}

/// An attempt.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) number: u32,
    /// The previous attempt of the same call.
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

/// The result of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Not in the log, because the call ended before.
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
    /// The wait that the provider requested, in milliseconds.
    pub(super) hint: Option<u64>,
    /// The policy itself cut it off, so its result is unknown.
    pub(super) is_cut: bool,
}

/// A wait before a retry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// The planned length in milliseconds.
    pub(super) delay: u64,
    pub(super) is_backoff: bool,
    /// When the call went on.
    pub(super) resumed: Option<Moment>,
}

/// A change to a policy from outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Control {
    Isolate,
    LiftIsolation,
    Disable,
    Reset,
    /// The provider reported this state of its limits.
    Limits {
        of_requests: bool,
        remaining: f64,
        reset: Option<u64>,
    },
}

/// The whole content of a log.
#[derive(Debug, Default)]
pub(super) struct History {
    pub(super) hosts: Vec<Host>,
    pub(super) calls: Vec<Call>,
    pub(super) attempts: Vec<Attempt>,
    /// With their hosts.
    pub(super) controls: Vec<(u32, Moment, Control)>,
    /// The number of providers.
    pub(super) providers: u32,
    /// The number of names of policies.
    pub(super) policies: u32,
    /// The first and the last event, in microseconds.
    pub(super) span: Option<(u64, u64)>,
}

impl History {
    /// Returns the number of the name of a call's policy.
    pub(super) fn policy_of(&self, call: &Call) -> u32 {
        self.hosts.get(call.host as usize).map_or(NONE, |host| host.policy)
    }

    /// Returns the attempts of a call, the last one first.
    pub(super) fn attempts_of(&self, call: &Call) -> impl Iterator<Item = &Attempt> {
        let mut next = call.last;
        std::iter::from_fn(move || {
            let attempt = self.attempts.get(next as usize)?;
            next = attempt.before;
            Some(attempt)
        })
    }

    /// Returns an attempt of a call.
    pub(super) fn attempt(&self, call: &Call, number: u32) -> Option<&Attempt> {
        self.attempts_of(call).find(|attempt| attempt.number == number)
    }
}
