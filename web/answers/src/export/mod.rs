//! A call as a test, from its events: nothing else of the log is needed for it.
//!
//! The dashboard's test repeats the call, and passes. The test for a finding ([`demand`]) asks of the policy what the finding
//! asks for: it fails with the recorded options, and passes once they are changed.

mod demand;
mod expected;
mod given;
pub(crate) mod literal;
mod played;
mod recorded;
mod test;
mod thrown;
mod written;

use crate::wire::crossing;

crossing! {
    /// The call as a runnable test, please.
    pub struct AsTest {
        /// The call's id.
        pub id: String,
        /// Its policy's name.
        pub policy: String,
        /// When it began, in wall milliseconds.
        pub started: f64,
        /// In JavaScript instead of TypeScript.
        pub plain: bool,
        /// For a file of its own: the policy is in a marked place on top, where the user's own can be imported.
        pub yours: bool,
        /// The module of the user's policy, as the file imports it; empty without one.
        pub module: String,
        /// The policy's name in that module; empty for `policy`.
        pub export: String,
        /// The id of the finding whose change the test demands; empty to repeat the call.
        pub finding: String,
        /// The settings that the finding proposes: their paths and their values as code.
        pub settings: Vec<(String, String)>,
        /// The event that reported the policy's options, where the log has one.
        pub configured: Option<String>,
        /// The call's events, in the order in which they came.
        pub events: Vec<String>,
    }
}

pub(crate) use written::test;
