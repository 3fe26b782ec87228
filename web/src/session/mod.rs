//! A session: the event log, where it comes from, and where the user is in it. Each has an owner.

mod arrivals;
pub(crate) mod intake;
pub(crate) mod live;
pub(crate) mod navigation;
pub(crate) mod time_range;
pub(crate) mod view;

pub(crate) use halfopen_store::{breaker, call, fold, group, names, policy, provider, query, store};
