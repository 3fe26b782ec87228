//! Responses, whole or streamed: validation, text, tool activity, and every way in which they can be less than they seem.
//!
//! A [`mod@format`] turns a value into a [`reading::Reading`]; the [`handler`] gathers readings; [`error`] defines the
//! faults. They share the text and do not copy it.

pub mod error;
pub mod format;
pub mod handler;
pub mod reading;
pub mod status;
pub mod tools;
pub mod value;
pub mod verdict;

pub use error::{Empty, Fault, Invalid, ToolFault, Verdict};
pub use format::Format;
pub use handler::{Chunk, Conclusion, Handler, Outlook, Reader, Strictness};
pub use reading::Failure;
pub use status::ToolsOnly;
pub use tools::ToolCall;
pub use verdict::{Answers, Lack};
