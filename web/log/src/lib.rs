//! The event log: one line of JSON for each event, as agents send it and the dashboard reads it.
//!
//! Reading is tolerant, because a log outlives the program that wrote it: unknown fields are skipped, unknown types and
//! later versions become [`Kind::Other`], and a line that cannot be an event is [`Rejected`] with the reason. No line is
//! fatal to its reader, and the work for a line is bounded by its length: the reader scans it once, and parses a value
//! only if the type of the event needs it.
//!
//! ```
//! use halfopen_log::{Event, Kind};
//! let line = r#"{"v":1,"source":"a1","seq":7,"time":1700000000000,"call":"c1","type":"call.succeeded","attempts":2,"durationMs":812,"new":0}"#;
//! let event = Event::parse(line)?;
//! assert!(matches!(event.kind, Kind::CallSucceeded(ended) if ended.attempts == 2));
//! # Ok::<(), halfopen_log::Rejected>(())
//! ```

mod event;
mod fields;
mod key;
pub mod kind;
mod line;
mod lines;
mod number;
mod read;
mod rejected;
mod scan;
mod shallow;
mod text;
mod values;

pub use event::Event;
pub use kind::Kind;
pub use line::quoted;
pub use lines::LineSplitter;
pub use number::number;
pub use rejected::Rejected;
pub use shallow::Shallow;
pub use text::{Json, Text};
pub use values::{Usage, Window};

/// Longest line that is read, in bytes. The package keeps to 2 KiB; the rest is room for other writers.
pub const MAX_LINE: usize = 256 * 1024;
/// The version whose meaning this reader knows.
pub const VERSION: u32 = 1;
