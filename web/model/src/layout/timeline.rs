//! The waterfall: lays out calls in a viewport as bars.

use super::Viewport;
use crate::format::{count, span};
use halfopen_store::call::{Attempt, Call, MarkKind, Outcome, Reason, Status, Wait};
use halfopen_store::fold::Folds;
use halfopen_store::store::Log;
use halfopen_store::time::Moment;

/// The meaning of a bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// The call from its beginning to its end, behind the rest.
    Whole,
    Succeeded,
    Failed,
    Running,
    /// The part of an attempt before its first chunk.
    FirstChunk,
    /// The range in which jitter could have put the end of a wait.
    Band,
    Backoff,
    RetryAfter,
    Queue,
    /// The planned end of a wait that lasts.
    Planned,
    Probe,
    Rejected,
    Fallback,
    FallbackFailed,
    Failover,
    Broken,
    /// The request was changed before the next attempt.
    Repaired,
    /// The call's deadline.
    Deadline,
    /// Failed for good.
    GaveUp,
    Cancelled,
}

/// One bar or sign of a row, in pixels.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    pub x: f64,
    pub width: f64,
    pub bar: Bar,
    /// Its label, if it has room.
    pub label: String,
}

/// Least width of a bar, so that no event is invisible.
const THINNEST: f64 = 3.0;
/// Narrowest bar that any label fits into.
const NARROWEST: f64 = 20.0;
/// The approximate width of a letter of a label, in pixels.
const LETTER: f64 = 6.8;

/// The pieces of one call's row, back to front.
pub fn pieces(log: &Log, call: &Call, viewport: &Viewport, now: Moment) -> Vec<Piece> {
    let mut out = Out { pieces: Vec::new(), viewport, folds: &log.folds };
    // An open call lasts until now, or until the last event of a process that no longer reports.
    let now = call.end_or(now);
    out.bar(Bar::Whole, call.started, now, &String::new);
    for wait in &call.waits {
        out.wait(wait, now);
    }
    for attempt in &call.attempts {
        out.attempt(log, attempt, call, now);
    }
    for mark in &call.marks {
        let bar = match mark.kind {
            MarkKind::Rejected => Bar::Rejected,
            MarkKind::Fallback => Bar::Fallback,
            MarkKind::FallbackFailed => Bar::FallbackFailed,
            MarkKind::Failover => Bar::Failover,
            MarkKind::StreamBroken => Bar::Broken,
            MarkKind::Repaired => Bar::Repaired,
        };
        out.sign(bar, mark.at);
    }
    // The deadline matters for calls that are open or have waited for a retry.
    let matters = call.status.is_open() || !call.waits.is_empty();
    if let Some(deadline) = call.deadline.filter(|_| matters) {
        out.sign(Bar::Deadline, deadline);
    }
    match call.status {
        Status::Failed => out.sign(Bar::GaveUp, call.end_or(now)),
        Status::Cancelled => out.sign(Bar::Cancelled, call.end_or(now)),
        _ => {}
    }
    out.pieces
}

struct Out<'a> {
    pieces: Vec<Piece>,
    viewport: &'a Viewport,
    folds: &'a Folds,
}

impl Out<'_> {
    fn x(&self, moment: Moment) -> f64 {
        self.viewport.x(self.folds.place(moment))
    }

    /// Adds a bar, with its label if it has room. Only then is the label made.
    fn bar(&mut self, bar: Bar, from: Moment, to: Moment, label: &dyn Fn() -> String) {
        let (start, end) = (self.x(from), self.x(to).max(self.x(from) + THINNEST));
        if end < 0.0 || start > self.viewport.width {
            return;
        }
        // Bars that extend beyond the left edge are cut there, so that their label stays visible.
        let (start, end) = (start.max(-2.0), end.min(self.viewport.width + 2.0));
        let room = end - start;
        let label = if room < NARROWEST { String::new() } else { label() };
        let label = if fits(&label, room) { label } else { String::new() };
        self.pieces.push(Piece { x: start, width: end - start, bar, label });
    }

    fn sign(&mut self, bar: Bar, at: Moment) {
        let x = self.x(at);
        if (-8.0..=self.viewport.width + 8.0).contains(&x) {
            self.pieces.push(Piece { x, width: 0.0, bar, label: String::new() });
        }
    }

    fn wait(&mut self, wait: &Wait, now: Moment) {
        let bar = match wait.reason {
            Reason::Backoff => Bar::Backoff,
            Reason::RetryAfter => Bar::RetryAfter,
            Reason::Queue => Bar::Queue,
        };
        let end = wait.ended.unwrap_or_else(|| now.max(wait.from));
        let planned = wait.planned_ms().map(span).unwrap_or_default();
        let label = || match wait.reason {
            Reason::Queue => "queued".to_owned(),
            reason => format!("{} {planned}", reason.word()),
        };
        let before = self.pieces.len();
        self.bar(bar, wait.from, end, &label);
        // The time may fit if the word does not.
        let cut = |piece: &&mut Piece| piece.label.is_empty() && piece.width >= NARROWEST;
        if let Some(piece) = self.pieces.get_mut(before).filter(cut)
            && wait.reason != Reason::Queue
        {
            piece.label = if fits(&planned, piece.width) { planned } else { String::new() };
        }
        let band = wait.band.filter(|band| wait.reason == Reason::Backoff && band.1 > band.0);
        if let Some((earliest, latest)) = band {
            self.bar(Bar::Band, earliest, latest, &String::new);
        }
        if let Some(due) = wait.due.filter(|_| wait.ended.is_none()) {
            self.sign(Bar::Planned, due);
        }
    }

    fn attempt(&mut self, log: &Log, attempt: &Attempt, call: &Call, now: Moment) {
        let end = attempt.ended.unwrap_or_else(|| call.end_or(now));
        let bar = match attempt.outcome {
            Outcome::Failed => Bar::Failed,
            Outcome::Succeeded => Bar::Succeeded,
            Outcome::Running if call.status.is_open() => Bar::Running,
            Outcome::Running => Bar::Cancelled,
        };
        let label = || match bar {
            Bar::Failed => log.names.text(attempt.code).to_owned(),
            _ if attempt.chunks > 0 => format!("{} chunks", count(attempt.chunks)),
            Bar::Succeeded => attempt.duration_ms.map(span).unwrap_or_default(),
            _ => String::new(),
        };
        if bar == Bar::Cancelled {
            self.bar(Bar::Running, attempt.started, end, &label);
        } else {
            let before = self.pieces.len();
            self.bar(bar, attempt.started, end, &label);
            // A code that does not fit is cut to its status: 429.
            if let Some(piece) =
                self.pieces.get_mut(before).filter(|piece| piece.label.is_empty() && bar == Bar::Failed)
                && attempt.status_code > 0
                && piece.width > 24.0
            {
                piece.label = attempt.status_code.to_string();
            }
        }
        if let Some(first) = attempt.first_chunk_ms.filter(|_| attempt.chunks > 0) {
            self.bar(Bar::FirstChunk, attempt.started, attempt.started + first, &String::new);
        }
        // One sign for a probe with several attempts.
        let same = |other: &&Attempt| other.probe && other.generation == attempt.generation;
        if attempt.probe
            && call.attempts.iter().find(same).is_some_and(|first| first.number == attempt.number)
        {
            self.sign(Bar::Probe, attempt.started);
        }
    }
}

/// Returns `true` if a label has room.
#[expect(clippy::cast_precision_loss, reason = "a label is short")]
fn fits(label: &str, room: f64) -> bool {
    label.chars().count() as f64 * LETTER + 8.0 <= room
}

#[cfg(test)]
mod tests {
    use super::*;
    use halfopen_store::numbers::CallNumber;
    use halfopen_store::query::Query;
    use halfopen_store::rows::{Search, in_rows};

    fn log(lines: &[(f64, &str)]) -> Log {
        let mut log = Log::default();
        for (seq, (time, rest)) in lines.iter().enumerate() {
            let line = format!(r#"{{"v":1,"source":"s","process":"s","seq":{seq},"time":{time},{rest}}}"#);
            let line = if rest.contains("retry.scheduled") {
                line.replacen(r#""source":"s","#, "", 1)
            } else {
                line
            };
            assert!(log.take(&line), "{line} {:?}", log.losses);
        }
        log
    }

    const VIEW: Viewport = Viewport::of_ms(0.0, 10_000.0, 1_000.0);

    fn ms(ms: f64) -> Moment {
        Moment::from_ms(ms)
    }

    #[test]
    fn a_wait_shows_what_was_planned_its_band_and_what_came() {
        let log = log(&[
            (1000.0, r#""type":"call.started","call":"c""#),
            (1000.0, r#""type":"attempt.started","call":"c","attempt":1"#),
            (
                2000.0,
                r#""type":"attempt.failed","call":"c","attempt":1,"durationMs":1000,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r""#,
            ),
            (
                2000.0,
                r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":3000,"dueAt":5000,"minMs":2400,"maxMs":3600,"source":"backoff""#,
            ),
            (5100.0, r#""type":"attempt.started","call":"c","attempt":2"#),
            (6100.0, r#""type":"attempt.succeeded","call":"c","attempt":2,"durationMs":1000"#),
            (6100.0, r#""type":"call.succeeded","call":"c","attempts":2,"durationMs":5100"#),
        ]);
        let (_, call) = log.calls().next().unwrap();
        let found: Vec<_> = pieces(&log, call, &VIEW, ms(7000.0))
            .into_iter()
            .map(|piece| (piece.bar, piece.x.round(), piece.width.round(), piece.label))
            .collect();
        assert_eq!(
            found,
            [
                (Bar::Whole, 100.0, 510.0, String::new()),
                (Bar::Backoff, 200.0, 310.0, "backoff 3.00 s".into()),
                (Bar::Band, 440.0, 120.0, String::new()),
                (Bar::Failed, 100.0, 100.0, "TIMEOUT".into()),
                (Bar::Succeeded, 510.0, 100.0, "1.00 s".into()),
            ]
        );
    }

    /// The rows of all calls within a span of time.
    fn rows(log: &Log, from: f64, to: f64, now: f64) -> Vec<CallNumber> {
        let all = Query::default().prepare(&log.names);
        let mut search = Search::begin(ms(from), ms(to), ms(now));
        search.step(log, &all, usize::MAX);
        let found = search.found();
        in_rows(log, all.group, &found).unwrap_or(found)
    }

    #[test]
    fn what_lies_outside_is_not_drawn_and_what_is_short_stays_visible() {
        let log = log(&[
            (100.0, r#""type":"call.started","call":"a""#),
            (101.0, r#""type":"call.succeeded","call":"a","attempts":0,"durationMs":1"#),
            (20_000.0, r#""type":"call.started","call":"b""#),
        ]);
        assert_eq!(rows(&log, 0.0, 10_000.0, 30_000.0), [CallNumber(0)]);
        assert_eq!(rows(&log, 5_000.0, 25_000.0, 30_000.0), [CallNumber(1)]);
        let found = pieces(&log, log.call(CallNumber(0)).unwrap(), &VIEW, ms(30_000.0));
        assert!(found.iter().all(|piece| piece.width >= THINNEST), "{found:?}");
        // The idle time between them is folded: the second call begins a second after the first one's end.
        let before = Viewport::of_ms(0.0, 1_000.0, 1_000.0);
        assert!(pieces(&log, log.call(CallNumber(1)).unwrap(), &before, ms(30_000.0)).is_empty());
    }

    #[test]
    fn a_call_whose_process_fell_silent_ends_where_that_was_last_heard_of() {
        let mut log = log(&[
            (1000.0, r#""type":"call.started","call":"c""#),
            (1000.0, r#""type":"attempt.started","call":"c","attempt":1"#),
            (
                2000.0,
                r#""type":"attempt.failed","call":"c","attempt":1,"durationMs":1000,"code":"TIMEOUT","severity":"retriable","retryable":true,"rule":"r""#,
            ),
            (
                2000.0,
                r#""type":"retry.scheduled","call":"c","attempt":2,"delayMs":3000,"dueAt":5000,"minMs":3000,"maxMs":3000,"source":"backoff""#,
            ),
            (4000.0, r#""type":"degraded","operation":"o","code":"TIMEOUT""#),
        ]);
        assert!(log.pass_time(ms(100_000.0)));
        let all = pieces(&log, log.call(CallNumber(0)).unwrap(), &VIEW, ms(100_000.0));
        let ends: Vec<_> = all.iter().map(|piece| (piece.bar, (piece.x + piece.width).round())).collect();
        let expected =
            [(Bar::Whole, 400.0), (Bar::Backoff, 400.0), (Bar::Planned, 500.0), (Bar::Failed, 200.0)];
        assert_eq!(ends, expected);
    }

    #[test]
    fn nested_calls_stand_below_their_outermost_call() {
        let log = log(&[
            (1.0, r#""type":"call.started","call":"a""#),
            (2.0, r#""type":"call.started","call":"b""#),
            (3.0, r#""type":"call.started","call":"a1","parentCall":"a""#),
            (4.0, r#""type":"call.started","call":"a11","parentCall":"a1""#),
        ]);
        let order: Vec<_> = rows(&log, 0.0, 10.0, 10.0)
            .iter()
            .map(|&row| (&*log.call(row).unwrap().id, log.call(row).unwrap().depth))
            .collect();
        assert_eq!(order, [("a", 0), ("a1", 1), ("a11", 2), ("b", 0)]);
    }
}
