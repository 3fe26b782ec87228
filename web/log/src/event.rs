//! One event, with the fields that all types of event have.

use super::kind::Kind;
use super::text::Text;

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
