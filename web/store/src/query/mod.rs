//! The filter's small grammar: `code:RATE_LIMITED provider:openai retrying duration>2s -status:ok trip`.
//!
//! All terms must hold; `-` negates one; a value may list choices with commas. Quotes take spaces, commas and signs
//! literally: `task:"book, cut",plan` lists two tasks. A word without a key is searched for in every name of the call and,
//! from three letters on, in the texts of its failures: messages, technical details, request ids, and the user's message.
//! `group:task` narrows nothing: it puts the calls of one task together.

mod complete;
mod filter;
mod grammar;
mod keys;
mod meant;
mod term;

pub use complete::{COUNTED, Completion, Says, complete};
pub use filter::Filter;
pub use grammar::{Group, Misread, Query, help};
pub use meant::{Meant, meant};
pub use term::term;
