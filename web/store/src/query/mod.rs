//! The filter's small grammar: `code:RATE_LIMITED provider:openai retrying duration>2s -status:ok trip`.
//!
//! Terms stand side by side and must all hold; `-` before one turns it round; a value may list choices with commas. Within
//! quotes a space, a comma or a sign is a letter like any other: `task:"book, cut",plan` lists two tasks. A word without a
//! key is looked for in every name of the call, and, from three letters on, in what its failures say: messages, technical
//! details, request ids, and what the user read. `group:task` narrows nothing: it puts the calls of one task together.

mod filter;
mod grammar;
mod keys;
mod term;

pub use filter::Filter;
pub use grammar::{Group, Misread, Query, help};
pub use term::term;
