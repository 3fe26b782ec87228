//! The contents of the dashboard as pure functions of its log: the texts of each view, calls as boxes on a time axis,
//! findings, and exports.
//!
//! The crate uses neither Leptos nor the browser's APIs, so its tests run natively and compile in seconds. The components
//! that draw it are in `web/src`.
#![allow(missing_docs, reason = "read by the dashboard alone: what the names do not say stands beside them")]

pub mod address;
pub mod breaker_window;
pub mod check;
pub mod export;
pub mod format;
pub mod keys;
pub mod layout;
pub mod session;
pub mod view;
