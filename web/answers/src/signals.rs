//! The signals of an event: as a developer reads them, and as an error that says the same.

use crate::pasted::of_signals;
use crate::wire::crossing;
use serde_json::Value;

crossing! {
    /// Asks for the decision on these signals.
    pub struct ReadSignals {
        /// As the event has them: JSON.
        pub json: String,
    }

    /// The signals.
    pub struct Signals {
        /// As indented JSON.
        pub pretty: String,
        /// An error that says the same, as indented JSON: its wording is not in the log.
        pub error: String,
    }
}

pub(crate) fn read(question: &ReadSignals) -> Signals {
    let signals: Value = serde_json::from_str(&question.json).unwrap_or_default();
    let error = signals.as_object().map(of_signals).unwrap_or_default();
    let pretty = |value| serde_json::to_string_pretty(value).unwrap_or_default();
    Signals { pretty: pretty(&signals), error: pretty(&error) }
}
