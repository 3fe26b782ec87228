//! The reasons why a line is not an event.

use super::MAX_LINE;

/// The reason why a line is not an event.
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
    /// A number outside the range of its field.
    #[error("'{field}' is {value}, expected {expected}")]
    OutOfRange {
        /// The field's name.
        field: &'static str,
        /// The actual value.
        value: String,
        /// The values that are possible.
        expected: &'static str,
    },
}
