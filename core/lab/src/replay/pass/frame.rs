//! A call on its way, and what happens next to it.

use crate::replay::recorded::Outcome;
use crate::replay::tally::Ended;
use halfopen::code::Code;

/// The next event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// The wait of a call is over.
    Resume(u32),
    /// An attempt ends by itself.
    Ends(u32, u32),
    /// An attempt that was cut off in the log has come further than that.
    Beyond(u32, u32),
    /// An attempt's timeout.
    Timeout(u32, u32),
    /// A call's deadline.
    Deadline(u32),
    /// The caller aborts.
    Cancel(u32),
    /// The consumer closes the stream.
    Close(u32),
    /// Another attempt may begin beside this one.
    Hedge(u32, u32),
    /// The first of a host's queue has its turn.
    Turn(u32),
}

/// Where a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Running,
    Waiting,
    Queued,
    Over,
}

/// A call on its way.
#[derive(Debug)]
pub(super) struct Frame {
    /// The engine's number.
    pub(super) handle: u32,
    pub(super) state: State,
    pub(super) attempts: u32,
    pub(super) hedges: u32,
    /// The attempt beside which others may begin.
    pub(super) round: u32,
    pub(super) running: Vec<Running>,
    pub(super) deadline: u64,
    pub(super) last: Code,
    pub(super) modelled: bool,
    /// It had an attempt of which the log cannot tell.
    pub(super) unknown: bool,
    /// Once it has ended.
    pub(super) result: Option<Ended>,
}

/// An attempt on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Running {
    pub(super) number: u32,
    pub(super) began: u64,
    pub(super) result: Outcome,
    pub(super) took: Option<u64>,
    pub(super) tokens: u32,
}

pub(super) const UNKNOWN: Running =
    Running { number: 0, began: 0, result: Outcome::Open, took: None, tokens: 0 };
