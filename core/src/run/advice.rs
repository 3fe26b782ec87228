//! The input and output of a run.

use super::config::Limit;
use crate::code::Code;

/// A call of a tool, as hashes that the driver makes of the tool's name and of its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The hash of the tool's name.
    pub tool: u32,
    /// The hash of the tool's name and of what makes two calls of it the same.
    pub key: u32,
    /// False for a tool that may repeat itself: it is no part of repeats, cycles, nothing, stale and progress.
    pub counts: bool,
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The hash of the call and of what counts of its result.
    Ok(u64),
    /// The same, of a result that says that there was nothing to find.
    Nothing(u64),
    /// It failed with this code.
    Failed(Code),
}

/// A kind of loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoopKind {
    /// Steps with the same outcomes.
    #[default]
    Repeats,
    /// A tool that fails with the same code.
    Failures,
    /// The same sequence of steps.
    Cycles,
    /// A tool that finds nothing.
    Nothing,
    /// Steps without anything new.
    Stale,
    /// The same text.
    Texts,
}

impl LoopKind {
    /// All of them; a kind crosses as its place in here.
    pub const ALL: [Self; 6] =
        [Self::Repeats, Self::Failures, Self::Cycles, Self::Nothing, Self::Stale, Self::Texts];
}

/// Why the run gives advice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// It repeats itself.
    Loop {
        /// How.
        kind: LoopKind,
        /// The tool, if the loop has only one. For a cycle, the tool of its last step.
        tool: Option<u32>,
        /// How often in a row.
        count: u32,
        /// The code that the tool fails with.
        code: Option<Code>,
    },
    /// It has spent what it may.
    Limit {
        /// The limit.
        limit: Limit,
        /// The limit.
        max: f64,
        /// The amount spent.
        spent: f64,
    },
}

/// The driver's next action.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Advice {
    /// Go on.
    Go,
    /// Add a sentence to what the model reads next.
    Steer(Reason),
    /// Let a stronger model take the step.
    Escalate(Reason),
    /// Do not run the call.
    Refuse(Reason),
    /// Let the model answer once more, without tools.
    Conclude(Reason),
    /// The run is over.
    Stop(Reason),
}

/// The amounts that a run has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spent {
    /// The steps that got any advice except `Stop`.
    pub steps: f64,
    /// Calls that were let through.
    pub tool_calls: f64,
    /// Input tokens, cached ones included.
    pub input_tokens: f64,
    /// Of those, the cached ones.
    pub cached_input_tokens: f64,
    /// Output tokens.
    pub output_tokens: f64,
    /// In the driver's unit.
    pub cost: f64,
}
