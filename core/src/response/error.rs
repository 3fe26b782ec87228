//! The faults of a response: empty, invalid, a tool's failure, blocked, cut off.
//!
//! The classes of the TypeScript package are the variants' `class`. Codes and messages of both are made here.

use super::status::{self, Failed};
use crate::Code;
use crate::classify::remedy::Remedy;
use thiserror::Error;

/// Why an answer is a failure, and what would help.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The fault.
    pub fault: Fault,
    /// The model, sampled once more, may answer better.
    pub retryable: bool,
    /// The change of the request that would help.
    pub remedy: Option<Remedy>,
}

/// The kinds of empty responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Empty {
    /// `EmptyResponseError` itself.
    Response,
    /// The list of answers is empty.
    NoCandidates,
    /// A whole answer without text or tool.
    NoText,
    /// A stream that ended without text or tool.
    NoToolActivity,
}

/// The kinds of invalid responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// `ResponseValidationError` itself.
    Response,
    /// A part that must be there is missing.
    MissingAttribute,
    /// Its parts do not fit together.
    InvalidStructure,
    /// A part is of another type than it must be.
    UnexpectedType,
}

/// The kinds of tool failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolFault {
    /// `ToolExecutionError` itself.
    Execution,
    /// The model called a tool that does not exist.
    NotFound,
    /// The tool ran and failed.
    Failed,
}

/// The fault of a response.
///
/// ```
/// use halfopen::{Code, response::{Empty, Fault}};
/// let fault = Fault::Empty { class: Empty::NoCandidates, reason: "no candidates in response".into() };
/// assert_eq!(fault.to_string(), "Empty response: no candidates in response");
/// assert_eq!(fault.code(), Code::InvalidResponse);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// Nothing in it.
    #[error("Empty response: {reason}")]
    Empty {
        /// Its class.
        class: Empty,
        /// The missing part.
        reason: String,
    },
    /// Not what a response looks like.
    #[error("Invalid response structure: expected {expected}, got {got}")]
    Invalid {
        /// Its class.
        class: Invalid,
        /// The expected form.
        expected: String,
        /// The actual form.
        got: String,
    },
    /// A tool failed while the response was made.
    #[error("Tool '{tool}' failed: {error}")]
    Tool {
        /// Its class.
        class: ToolFault,
        /// The tool's name.
        tool: String,
        /// The error that the tool reported.
        error: String,
    },
    /// A safety system held the answer back, or the model refused.
    #[error("Response blocked: {reason}")]
    Blocked {
        /// The provider's term for it.
        reason: String,
    },
    /// The stream ended before its end. The same request can succeed when sent again.
    #[error("Stream cut off: {reason}")]
    CutOff {
        /// The missing part.
        reason: String,
    },
    /// The caller ended it.
    #[error("Response aborted: {reason}")]
    Aborted {
        /// The provider's term for it.
        reason: String,
    },
}

impl Fault {
    /// Returns the name of its class in the TypeScript package.
    #[must_use]
    pub const fn class(&self) -> &'static str {
        match self {
            Self::Empty { class, .. } => match class {
                Empty::Response => "EmptyResponseError",
                Empty::NoCandidates => "NoCandidatesError",
                Empty::NoText => "NoTextError",
                Empty::NoToolActivity => "NoToolActivityError",
            },
            Self::Invalid { class, .. } => match class {
                Invalid::Response => "ResponseValidationError",
                Invalid::MissingAttribute => "MissingAttributeError",
                Invalid::InvalidStructure => "InvalidStructureError",
                Invalid::UnexpectedType => "UnexpectedTypeError",
            },
            Self::Tool { class, .. } => match class {
                ToolFault::Execution => "ToolExecutionError",
                ToolFault::NotFound => "ToolNotFoundError",
                ToolFault::Failed => "ToolFailedError",
            },
            Self::Blocked { .. } | Self::CutOff { .. } | Self::Aborted { .. } => "ResponseError",
        }
    }

    /// The code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::Empty { .. } | Self::Invalid { .. } | Self::CutOff { .. } => Code::InvalidResponse,
            Self::Tool { class: ToolFault::NotFound, .. } => Code::NotFound,
            Self::Tool { .. } => Code::ToolExecutionError,
            Self::Blocked { .. } => Code::ContentFiltered,
            Self::Aborted { .. } => Code::Cancelled,
        }
    }

    /// Returns `true` if the same request can succeed when sent again: only for a stream that was cut off.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self, Self::CutOff { .. })
    }

    /// Returns the two texts of its class: reason; expected and got; tool and error.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        match self {
            Self::Empty { reason, .. }
            | Self::Blocked { reason }
            | Self::CutOff { reason }
            | Self::Aborted { reason } => (reason, ""),
            Self::Invalid { expected, got, .. } => (expected, got),
            Self::Tool { tool, error, .. } => (tool, error),
        }
    }

    /// Returns the status line of an exchange with this end, in that language.
    #[must_use]
    pub fn status(&self, locale: &str) -> String {
        let how = match self {
            Self::Empty { .. } => Failed::Empty,
            Self::Invalid { .. } => Failed::Invalid,
            _ => Failed::Otherwise,
        };
        status::ended(how, &self.to_string(), locale)
    }

    pub(crate) fn empty(class: Empty, reason: impl Into<String>) -> Self {
        Self::Empty { class, reason: reason.into() }
    }

    pub(crate) fn missing(attribute: &str, got: impl Into<String>) -> Self {
        Self::Invalid {
            class: Invalid::MissingAttribute,
            expected: format!("{attribute} attribute"),
            got: got.into(),
        }
    }

    pub(crate) fn mistyped(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Invalid { class: Invalid::UnexpectedType, expected: expected.into(), got: got.into() }
    }

    pub(crate) fn malformed(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self::Invalid { class: Invalid::InvalidStructure, expected: expected.into(), got: got.into() }
    }

    pub(crate) fn blocked(reason: impl Into<String>) -> Self {
        Self::Blocked { reason: reason.into() }
    }

    pub(crate) fn no_candidates() -> Self {
        Self::empty(Empty::NoCandidates, "no candidates in response")
    }
}
