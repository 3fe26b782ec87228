//! A session: the event log, where it comes from, and what the views read of it.

mod apply;
pub(crate) mod breaker;
pub(crate) mod call;
pub(crate) mod demonstration;
pub(crate) mod embedded;
pub(crate) mod fold;
pub(crate) mod group;
mod hash;
mod ids;
mod lines;
pub(crate) mod live;
pub(crate) mod names;
pub(crate) mod provider;
pub(crate) mod query;
mod seen;
pub(crate) mod source;
mod spans;
pub(crate) mod store;
mod strip;
