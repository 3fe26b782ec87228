//! Why a line is no event.

use super::MAX_LINE;

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
        /// The actual value.
        value: String,
        /// The values that are possible.
        expected: &'static str,
    },
}
