//! The state machines behind the page's session, each a plain struct: waiting lines, the log while it is paused
//! or cleared, and when slow work and the checks are due. The page (`web/src/session`) puts signals around them.

pub mod arrivals;
pub mod beat;
pub mod checking;
pub mod live_log;
