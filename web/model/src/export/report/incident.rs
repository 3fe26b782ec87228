//! The subject of a report.

use halfopen_store::numbers::CallNumber;
use halfopen_store::time::Moment;

/// A span of time, and calls in it.
pub struct Incident {
    pub from: Moment,
    pub to: Moment,
    /// The filter, as it was written.
    pub filter: String,
    /// The calls, oldest first.
    pub calls: Vec<CallNumber>,
}

impl Incident {
    /// Returns `true` if a moment is within it.
    pub(super) fn covers(&self, at: Moment) -> bool {
        at >= self.from && at <= self.to
    }
}
