//! A call as a test, from its events: nothing else of the log is needed for it.

mod expected;
mod given;
pub(crate) mod literal;
mod played;
mod recorded;
mod test;
mod thrown;

use crate::wire::crossing;

crossing! {
    /// The call as a runnable TypeScript test, please.
    pub struct AsTest {
        /// The call's id.
        pub id: String,
        /// Its policy's name.
        pub policy: String,
        /// When it began, in wall milliseconds.
        pub started: f64,
        /// The event that reported the policy's options, where the log has one.
        pub configured: Option<String>,
        /// The call's events, in the order in which they came.
        pub events: Vec<String>,
    }
}

pub(crate) use test::test;
