//! The events of one call as they were received, each with the time since the call began.

use super::failure::LONGEST;
use crate::format::{count, cut};
use crate::layout::axis::offset;
use halfopen::invariant::Always;
use halfopen_log::Event;
use halfopen_store::numbers::CallNumber;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Most events that are shown.
const MOST: usize = 200;

/// An event.
#[derive(Clone, Debug, PartialEq)]
pub struct EventLine {
    /// The time since the call began: `+1.203 s`.
    pub at: String,
    /// Its type: `attempt.failed`.
    pub kind: String,
    /// The line that was received.
    pub line: String,
}

/// The events of a call, and how many more there are.
pub fn events(log: &Log, number: CallNumber) -> (Vec<EventLine>, String) {
    let Some(call) = log.call(number) else { return Default::default() };
    let read = |line: &str| {
        // The log takes no line that is not an event.
        let (at, kind) = Event::parse(line)
            .map(|event| (Moment::from_ms(event.time) - call.started, event.kind.name().to_owned()))
            .always();
        EventLine { at: format!("+{}", offset(at, 1.0)), kind, line: cut(line, LONGEST) }
    };
    let shown: Vec<_> = call.events.iter().take(MOST).map(|&event| read(log.line_of(event))).collect();
    let all = call.events.len() + call.unkept().events as usize;
    let more = all - shown.len();
    (shown, if more > 0 { format!("… and {} more", count(more as u64)) } else { String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    #[test]
    fn each_event_has_its_time_since_the_call_began_its_type_and_its_line() {
        let mut stage = Stage::new();
        let call = stage.pass(5_000.0).call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff").succeed(call);
        let log = stage.log();
        let (events, more) = events(&log, log.call_by_id("c0").unwrap());
        assert_eq!((events[0].at.as_str(), events[0].kind.as_str()), ("+0", "call.started"));
        assert!(
            events.iter().any(|event| event.kind == "attempt.failed" && event.at.ends_with("ms")),
            "{events:?}"
        );
        assert!(events.iter().all(|event| event.line.starts_with('{') && event.line.contains(&event.kind)));
        assert_eq!((more.as_str(), events.last().unwrap().kind.as_str()), ("", "call.succeeded"));
    }

    #[test]
    fn of_a_call_that_never_ends_the_first_are_shown_and_the_rest_is_counted() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        for _ in 0..120 {
            stage.fail(call, "TIMEOUT", "r").wait(call, 400.0, "backoff");
        }
        let log = stage.log();
        let (events, more) = events(&log, log.call_by_id("c0").unwrap());
        assert_eq!(events.len(), MOST);
        assert!(more.starts_with("… and ") && more.ends_with(" more"), "{more}");
    }
}
