//! A session: the event log, where it comes from, and what the views read of it.

mod arrivals;
pub(crate) mod live;
pub(crate) mod navigation;
pub(crate) mod time_range;
pub(crate) mod view;

pub(crate) use halfopen_store::{breaker, call, fold, group, names, policy, provider, query, store};
