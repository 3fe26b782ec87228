//! The views, one module each.

pub(crate) mod details;
pub(crate) mod empty;
pub(crate) mod overview;
pub(crate) mod timeline;
pub(crate) mod words;
