//! What the strip of the whole log shows: how many attempts began and failed in each of its columns, and when a breaker was open.

use crate::layout::Viewport;
use crate::layout::range::with_room;
use halfopen_store::breaker::State;
use halfopen_store::store::Log;
use halfopen_store::time::Place;

/// Width of a column, in pixels, with the gap beside it.
pub const COLUMN: f64 = 3.0;
/// Most stretches that are drawn, the newest: more would be one colour all over.
const STRETCHES: usize = 500;

/// The attempts that began within a column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    pub good: u32,
    pub failed: u32,
}

/// Where a breaker let nothing through, or probes alone, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    pub from: f64,
    pub width: f64,
    pub half_open: bool,
}

/// The span of the axis that the strip shows: what "Fit" shows below, so that both stand in one line.
pub fn extent(log: &Log, end: Place) -> (Place, Place) {
    let bounds = log.bounds().map(|(from, to)| (log.folds.place(from), log.folds.place(to)));
    let (from, to) = bounds.unwrap_or((end, end));
    with_room(from, end.max(to).max(from + 1_000.0))
}

/// The columns of a strip, from left to right.
pub fn columns(log: &Log, whole: &Viewport) -> Vec<Column> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page")]
    let number = (whole.width / COLUMN).ceil().max(1.0) as usize;
    let mut columns = vec![Column::default(); number];
    for (place, of) in log.strip.iter() {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let column = (whole.x(place) / COLUMN).max(0.0) as usize;
        if let Some(column) = columns.get_mut(column.min(number - 1)) {
            column.good += of.begun.saturating_sub(of.failed);
            column.failed += of.failed;
        }
    }
    columns
}

/// When breakers were open, the newest first of each.
pub fn stretches(log: &Log, whole: &Viewport) -> Vec<Stretch> {
    let Some((begins, ends)) = log.bounds() else { return Vec::new() };
    let changed = log.breakers.iter().filter(|breaker| !breaker.changes.is_empty());
    let spans = changed.flat_map(|breaker| breaker.spans(begins, ends).into_iter().rev());
    let shut = spans.filter_map(|span| {
        let half_open = match span.state {
            State::Open | State::Isolated => false,
            State::HalfOpen => true,
            _ => return None,
        };
        let (from, to) = (whole.x(log.folds.place(span.from)), whole.x(log.folds.place(span.to)));
        // A short one is seen, too.
        Some(Stretch { from, width: (to - from).max(2.0), half_open })
    });
    shut.take(STRETCHES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    /// The whole log on so many pixels.
    fn whole(log: &Log, width: f64) -> Viewport {
        let (from, to) = extent(log, Place::from_ms(0.0));
        Viewport { from, to, width }
    }

    #[test]
    fn every_attempt_is_in_a_column_failed_or_not() {
        let mut stage = Stage::new();
        for _ in 0..4 {
            let call = stage.pass(500.0).call("chat");
            stage.fail(call, "TIMEOUT", "r").wait(call, 300.0, "backoff").succeed(call);
        }
        let log = stage.log();
        for width in [0.0, 1.0, 90.0, 1_400.0] {
            let columns = columns(&log, &whole(&log, width));
            let (good, failed) =
                columns.iter().fold((0, 0), |sum, one| (sum.0 + one.good, sum.1 + one.failed));
            assert_eq!((good, failed), (4, 4), "{width}");
        }
    }

    #[test]
    fn a_breaker_that_was_open_is_a_stretch_as_is_one_that_was_half_open() {
        let mut stage = Stage::new();
        stage.breaker("chat", "closed", "open", "null").pass(2_000.0);
        stage.breaker("chat", "open", "half_open", "null").pass(1_000.0);
        stage.breaker("chat", "half_open", "closed", "null").pass(1_000.0);
        let call = stage.call("chat");
        let log = stage.succeed(call).log();
        let stretches = stretches(&log, &whole(&log, 900.0));
        assert_eq!(stretches.iter().map(|one| one.half_open).collect::<Vec<_>>(), [true, false]);
        assert!(stretches.iter().all(|one| one.width >= 2.0 && one.from >= 0.0), "{stretches:?}");
    }

    #[test]
    fn an_empty_log_is_an_empty_strip() {
        let log = Log::default();
        let whole = whole(&log, 90.0);
        assert!(stretches(&log, &whole).is_empty());
        assert_eq!(columns(&log, &whole), vec![Column::default(); 30]);
    }
}
