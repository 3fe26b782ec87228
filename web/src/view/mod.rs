//! The views, one module each.

pub(crate) mod backoff;
pub(crate) mod breakers;
pub(crate) mod classify;
pub(crate) mod details;
pub(crate) mod empty;
pub(crate) mod errors;
pub(crate) mod export;
mod facts;
pub(crate) mod findings;
pub(crate) mod fleet;
pub(crate) mod lab;
mod listed;
pub(crate) mod losses;
pub(crate) mod messages;
pub(crate) mod overview;
mod pan;
pub(crate) mod pending;
pub(crate) mod policies;
pub(crate) mod providers;
mod recovery;
mod row;
pub(crate) mod runs;
mod sight;
mod steps;
mod summary_row;
pub(crate) mod timeline;
mod waterfall;
