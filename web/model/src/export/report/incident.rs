//! The subject of a report.

use halfopen_store::numbers::CallNumber;
use halfopen_store::query::Query;
use halfopen_store::scope::{Calls, Scope, Span};
use halfopen_store::time::Moment;
use std::sync::Arc;

/// A span of time, and calls in it.
pub struct Incident {
    pub from: Moment,
    pub to: Moment,
    /// The filter, as it was written.
    pub filter: String,
    /// The swimlane that is open in the timeline, by its name.
    pub swimlane: Option<String>,
    /// The calls, oldest first.
    pub calls: Arc<Vec<CallNumber>>,
}

impl Incident {
    /// Returns `true` if its filter leaves calls out. One that only groups them, or that cannot be read, does not.
    pub(super) fn is_filtered(&self) -> bool {
        Query::parse(&self.filter).is_ok_and(|query| !query.is_empty())
    }

    /// The scope of its calls.
    pub fn scope(&self) -> Scope {
        Scope {
            calls: Calls::Only(self.calls.clone()),
            span: Some(Span { from: self.from, to: self.to }),
            filtered: self.is_filtered() || self.swimlane.is_some(),
        }
    }
}
