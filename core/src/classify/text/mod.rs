//! Readers of an error's texts: prose, the status that it states, JSON inside of it, and the words that rules look for.

pub(super) mod embedded;
pub(super) mod json;
mod prose;
mod status_text;
pub(super) mod words;
