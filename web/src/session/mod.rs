//! A session: the event log, where it comes from, and what the views read of it.

pub(crate) mod breaker;
pub(crate) mod call;
pub(crate) mod fold;
pub(crate) mod group;
pub(crate) mod lines;
pub(crate) mod live;
pub(crate) mod names;
pub(crate) mod provider;
pub(crate) mod query;
pub(crate) mod seen;
pub(crate) mod source;
pub(crate) mod store;
