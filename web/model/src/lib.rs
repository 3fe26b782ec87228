//! What the dashboard shows, as pure functions of its log: what each view says, calls as boxes on a time axis, findings, and
//! files to take away.
//!
//! A crate of its own without Leptos and the browser's interfaces, so that its tests run natively and compile in seconds. The
//! components that draw this are in `web/src`.
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
