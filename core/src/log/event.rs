//! What an event is, and why a line is none.

use super::MAX_LINE;
use super::kind::Kind;
use super::text::Text;

/// Why a line is no event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The line ends before its JSON does: the writer was stopped in the middle.
    #[error("the line is torn: it ends in the middle of its JSON")]
    Torn,
    /// More than [`MAX_LINE`] bytes.
    #[error("the line has {0} bytes, expected at most {MAX_LINE}")]
    TooLong(usize),
    /// Not JSON, or a field of a wrong type.
    #[error("{0}")]
    Malformed(String),
    /// A field that its type of event must have is missing (or `null`, which is how JSON writes NaN).
    #[error("'{kind}' lacks the field '{field}'")]
    Missing {
        /// The type of the event.
        kind: String,
        /// The missing field's name.
        field: &'static str,
    },
    /// A number outside of what its field can mean.
    #[error("'{field}' is {value}, expected {expected}")]
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// What stood there.
        value: String,
        /// What can stand there.
        expected: &'static str,
    },
}

/// One event of one process.
#[derive(Clone, Debug, PartialEq)]
pub struct Event<'a> {
    /// The format's version.
    pub v: u32,
    /// The process that the event comes from. `None` only for a `retry.scheduled` of an older writer, which used
    /// `source` for the origin of the delay and did not always name the process: its reader finds it by the call.
    pub source: Option<Text<'a>>,
    /// Counts within the source.
    pub seq: u64,
    /// Wall time, in milliseconds since 1970.
    pub time: f64,
    /// The policy's name.
    pub policy: Option<Text<'a>>,
    /// The call's id, unique within the source.
    pub call: Option<Text<'a>>,
    /// The call within which this one was made.
    pub parent_call: Option<Text<'a>>,
    /// The trace that the call belongs to.
    pub trace_id: Option<Text<'a>>,
    /// What happened.
    pub kind: Kind<'a>,
}

/// Contents of a breaker's window at the moment of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Calls in the window.
    pub total: u32,
    /// Those that failed.
    pub failures: u32,
    /// Those that were slow.
    pub slow: u32,
    /// The last results, oldest first: 0 ok, 1 failed, 2 slow.
    pub last: Vec<u8>,
}

/// Tokens that an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
}
