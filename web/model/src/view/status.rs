//! The status bar: the source of the events and its state, sums over the log, and the lines that are missing in it.

use crate::format::{count, countdown, cut, number_of};
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// Where the events come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The server that served this page, and pages of this origin.
    Live,
    /// A file that was opened.
    File(String),
    /// The demonstration in this page.
    Demo,
}

/// The state of the connection to the server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Connection {
    Connecting,
    Open,
    /// The next try is at that moment.
    Lost(Moment),
    /// Not wanted: a file or the demonstration is shown.
    Off,
}

/// Where the events come from: its class in the style sheet, and in words.
pub fn source(origin: &Origin, connection: Connection, now: Moment) -> (&'static str, String) {
    match (origin, connection) {
        (Origin::File(name), _) => ("file", format!("File: {name}")),
        (Origin::Demo, _) => ("demo", "Demonstration in this page".to_owned()),
        (Origin::Live, Connection::Open) => ("open", "Connected".to_owned()),
        (Origin::Live, Connection::Lost(at)) => {
            ("lost", format!("No server, next try in {}", countdown(at - now)))
        }
        (Origin::Live, _) => ("connecting", "Connecting…".to_owned()),
    }
}

/// That a page shows a part of the server's log, by the names and values of its address; nothing where it shows all.
pub fn part(wanted: &[(&str, String)]) -> Option<String> {
    let terms: Vec<_> = wanted
        .iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| format!("{name} {}", cut(value, 40)))
        .collect();
    (!terms.is_empty()).then(|| format!("Part of the log: {}.", terms.join(", ")))
}

/// Sums over the log, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sums {
    pub events: String,
    pub calls: String,
    pub retries: String,
}

/// The sums of a log.
pub fn sums(log: &Log) -> Sums {
    let totals = log.totals;
    let retries =
        if totals.retries == 1 { "1 retry".to_owned() } else { format!("{} retries", count(totals.retries)) };
    Sums { events: number_of(totals.events, "event"), calls: number_of(totals.calls, "call"), retries }
}

/// Something that did not make it into the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub word: &'static str,
    pub number: u64,
    pub meaning: &'static str,
}

impl Loss {
    /// The number and the word.
    pub fn text(&self) -> String {
        format!("{} {}", count(self.number), self.word)
    }

    /// `true` if the bar shows it. Two are always shown, so that the user sees that nothing was lost.
    pub fn is_shown(&self) -> bool {
        self.number > 0 || matches!(self.word, "dropped" | "malformed")
    }
}

/// The lines that are not in the log; the server `refused` a number of them.
pub fn losses(log: &Log, refused: u64) -> [Loss; 6] {
    let losses = &log.losses;
    [
        ("dropped", losses.dropped, "Events that the agent or the server dropped because they came faster than they \
            could be sent or kept. Raise `buffer` of connectDevtools."),
        ("malformed", losses.rejected, "Lines that are no events. The reasons are below."),
        ("refused", refused, "Lines that the server refused to keep: they are no events, or too long. Check what else writes to its address."),
        ("torn", losses.torn, "Lines that end before their event does: the file or the connection ended while one \
            was written. If the file should be complete, copy it again."),
        ("evicted", losses.evicted, "Oldest events that the dashboard dropped to stay within its memory. To see \
            them, open a smaller file, or pass `from` and `to` in the address."),
        ("unknown", losses.unknown, "Events of types that this dashboard does not know: the agent has a newer \
            version of Halfopen. Update the one that shows this page."),
    ]
    .map(|(word, number, meaning)| Loss { word, number, meaning })
}

/// Most unknown events that are listed, newest first; the rest is counted.
const LISTED: usize = 50;
/// Most characters of one line that are shown.
const LONGEST: usize = 600;

/// Why lines are no events, the newest first.
pub fn reasons(log: &Log) -> Vec<String> {
    log.losses.reasons.iter().rev().cloned().collect()
}

/// The events of types that this dashboard does not know, the newest first.
pub fn unknown(log: &Log) -> Vec<String> {
    let newest = log.unknown.iter().rev().take(LISTED);
    newest.map(|&number| cut(log.line(number), LONGEST)).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    #[test]
    fn where_events_come_from_is_said_with_the_time_until_the_next_try() {
        let now = Moment::from_ms(1_000.0);
        let says = |origin: &Origin, connection| source(origin, connection, now).1;
        assert_eq!(says(&Origin::Live, Connection::Open), "Connected");
        assert_eq!(says(&Origin::Live, Connection::Connecting), "Connecting…");
        assert_eq!(says(&Origin::Live, Connection::Lost(now + 2_500.0)), "No server, next try in 2.5 s");
        assert_eq!(says(&Origin::File("day.jsonl".into()), Connection::Off), "File: day.jsonl");
        assert_eq!(
            source(&Origin::Demo, Connection::Off, now),
            ("demo", "Demonstration in this page".into())
        );
    }

    #[test]
    fn a_part_of_the_log_is_said_to_be_one() {
        let wanted =
            [("from", "2026-11-23".to_owned()), ("policy", "chat".to_owned()), ("text", String::new())];
        assert_eq!(part(&wanted).as_deref(), Some("Part of the log: from 2026-11-23, policy chat."));
        assert_eq!((part(&[]), part(&wanted[2..])), (None, None));
    }

    #[test]
    fn sums_know_one_from_many() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.fail(call, "TIMEOUT", "r").wait(call, 100.0, "backoff").succeed(call);
        let Sums { events, calls, retries } = sums(&stage.log());
        assert_eq!([events.as_str(), &calls, &retries], ["7 events", "1 call", "1 retry"]);
        assert_eq!(sums(&Log::default()).retries, "0 retries");
    }

    #[test]
    fn what_is_missing_is_counted_with_its_reasons() {
        let mut log = Log::default();
        assert!(!log.take("no event") && !log.take(r#"{"v":1,"source":"s""#));
        assert!(log.take(r#"{"v":1,"source":"s","seq":1,"time":1,"type":"from.the.future"}"#));
        let shown: Vec<_> = losses(&log, 3).iter().filter(|loss| loss.is_shown()).map(Loss::text).collect();
        assert_eq!(shown, ["0 dropped", "1 malformed", "3 refused", "1 torn", "1 unknown"]);
        assert_eq!((reasons(&log).len(), unknown(&log).len()), (1, 1));
        assert!(unknown(&log)[0].contains("from.the.future"));
    }

    #[test]
    fn the_newest_unknown_events_are_listed_first_and_few() {
        let mut log = Log::default();
        for seq in 0..60 {
            let line = format!(r#"{{"v":1,"source":"s","seq":{seq},"time":1,"type":"x.{seq}"}}"#);
            assert!(log.take(&line));
        }
        let listed = unknown(&log);
        assert_eq!(listed.len(), LISTED);
        assert!(listed[0].contains("x.59"), "{}", listed[0]);
    }
}
