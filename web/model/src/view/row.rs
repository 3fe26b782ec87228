//! A row of the timeline: a call's sign, name and duration, and the call in words.

use super::words::{self, names};
use crate::format::span;
use halfopen_store::call::{Call, Status};
use halfopen_store::numbers::CallNumber;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// A call's row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub status: Status,
    pub name: String,
    pub second: String,
    /// How many calls it is within.
    pub depth: u8,
    /// How many calls are within it, not counting those within these.
    pub within: usize,
    pub attempts: usize,
    pub duration: String,
    /// All of it in words.
    pub label: String,
}

/// The row of a call; one that goes on has lasted until `now`.
pub fn row(log: &Log, number: CallNumber, call: &Call, now: Moment) -> Row {
    let (name, second) = names(log, call);
    Row {
        status: call.status,
        name,
        second,
        depth: call.depth,
        within: log.children(number).len(),
        attempts: call.tries(),
        duration: span(call.end_or(now) - call.started),
        label: words::call(log, call, now),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    fn rows(log: &Log, after_ms: f64) -> Vec<Row> {
        let now = log.bounds().unwrap().1 + after_ms;
        log.calls().map(|(number, call)| row(log, number, call, now)).collect()
    }

    #[test]
    fn a_retried_call_has_its_attempts_and_its_whole_duration() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 1_000.0, "backoff").succeed(call);
        let all = rows(&stage.log(), 60_000.0);
        let row = all.first().unwrap();
        assert_eq!((row.status, row.attempts, row.name.as_str()), (Status::Succeeded, 2, "chat"));
        assert_eq!(row.duration, "1.06 s", "its end counts, not the time that has passed since");
        assert!(row.label.contains("succeeded after 2 attempts"), "{}", row.label);
    }

    #[test]
    fn a_call_that_goes_on_has_lasted_until_now() {
        let mut stage = Stage::new();
        stage.call("chat");
        let log = stage.log();
        let durations = [0.0, 4_990.0].map(|after| rows(&log, after).remove(0).duration);
        assert_eq!(durations, ["10 ms", "5.00 s"]);
    }

    #[test]
    fn a_call_within_another_stands_deeper() {
        let mut stage = Stage::new();
        let outer = stage.call("plan");
        stage.call_within("search", Some(outer));
        let depths: Vec<_> = rows(&stage.log(), 0.0).iter().map(|row| (row.depth, row.within)).collect();
        assert_eq!(depths, [(0, 1), (1, 0)]);
    }
}
