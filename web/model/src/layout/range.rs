//! The part of the time axis that is in sight: following what comes, or where the user put it.

use super::Viewport;
use halfopen_store::fold::{self, Folds};
use halfopen_store::numbers::CallNumber;
use halfopen_store::scope::Span;
use halfopen_store::store::Log;
use halfopen_store::time::{Moment, Place};

/// The first width of a following range, in milliseconds.
const FIRST_SPAN: f64 = 30_000.0;

/// The part of the time axis that is shown. Its ends are places on the axis, which are moments where idle time is not
/// folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// `true` if the end of the range is now.
    pub follow: bool,
    pub from: Place,
    pub to: Place,
}

impl Range {
    /// Of a session that begins now.
    pub fn beginning(now: Moment) -> Self {
        let now = Folds::default().place(now);
        Self { follow: true, from: now - FIRST_SPAN, to: now }
    }

    /// Where the user put it.
    pub fn fixed(from: Place, to: Place) -> Self {
        Self { follow: false, from, to }
    }

    /// Where the user put a viewport, moved as little as keeps a tenth of it on the log: nothing else says where the log is.
    pub fn placed(viewport: &Viewport, log: &Log, now: Moment) -> Self {
        let Viewport { from, to, .. } = *viewport;
        let Some((begins, ends)) = log.bounds() else { return Self::fixed(from, to) };
        let ends = if log.is_busy() { ends.max(now) } else { ends };
        let (begins, ends) = (log.folds.place(begins), log.folds.place(ends));
        let part = (to - from) * 0.1;
        let by = (begins + part - to).max(0.0) - (from - (ends - part)).max(0.0);
        Self::fixed(from + by, to + by)
    }

    /// The whole log; nothing of an empty one.
    pub fn whole(log: &Log, now: Moment) -> Option<Self> {
        let (from, to) = log.bounds()?;
        let to = if log.is_busy() { to.max(now) } else { to };
        let (from, to) = with_room(log.folds.place(from), log.folds.place(to));
        Some(Self::fixed(from, to))
    }

    pub fn span(&self) -> f64 {
        (self.to - self.from).max(1.0)
    }

    /// The viewport for that number of pixels.
    pub fn viewport(&self, log: &Log, now: Moment, width: f64) -> Viewport {
        if !self.follow {
            return Viewport { from: self.from, to: self.to, width };
        }
        let begins = log.bounds().map_or(Place::FIRST, |bounds| log.folds.place(bounds.0));
        let (from, to) = self.following(begins, place_of_now(log, now));
        Viewport { from, to, width }
    }

    /// What it shows while it follows a log that begins and goes on until these places. A log that is younger than the
    /// range fills it; one of a moment begins at its left, with room for what comes.
    fn following(&self, begins: Place, now: Place) -> (Place, Place) {
        let span = self.span();
        let to = now + span * 0.04;
        let from = (to - span).max(begins - span * 0.01);
        let least = (span / 6.0).max(5_000.0).min(span);
        (from, to.max(from + least))
    }

    /// The same, following what comes.
    pub fn followed(&self) -> Self {
        let span = self.span().clamp(2_000.0, 600_000.0);
        Self { follow: true, from: self.to - span, to: self.to }
    }

    /// The same, where it follows with as much of what the log has as reads well; unless the user has moved it.
    pub fn with_all_that_reads_well(&self, log: &Log) -> Self {
        if !self.follow {
            return *self;
        }
        let extent = log.bounds().map(|(from, to)| log.folds.place(to) - log.folds.place(from));
        let span = (extent.unwrap_or(0.0) * 1.06).clamp(FIRST_SPAN, 300_000.0);
        Self { from: self.to - span, ..*self }
    }

    /// The range that shows the call; nothing where the call is in sight.
    pub fn that_shows(&self, log: &Log, call: CallNumber, now: Moment) -> Option<Self> {
        let call = log.call(call)?;
        let (from, to) = (log.folds.place(call.started), log.folds.place(call.end_or(now)));
        let (left, right) = if self.follow {
            (place_of_now(log, now) - self.span(), Place::LAST)
        } else {
            (self.from, self.to)
        };
        let is_seen = call.status.is_open() && self.follow || from >= left && to <= right;
        if is_seen {
            return None;
        }
        let span = self.span().max((to - from) * 1.3);
        let centre = from.midpoint(to);
        Some(Self::fixed(centre - span / 2.0, centre + span / 2.0))
    }
}

/// Now, as a place on the axis. While the log is idle, it does not move.
pub fn place_of_now(log: &Log, now: Moment) -> Place {
    let Some((_, last)) = log.bounds() else { return log.folds.place(now) };
    let idle = !log.is_busy() && now - last > fold::IDLE;
    if idle { log.folds.place(last) + fold::WIDTH } else { log.folds.place(now.max(last)) }
}

/// The part of time that a viewport shows.
pub fn listed(log: &Log, viewport: &Viewport) -> Span {
    Span { from: log.folds.moment(viewport.from), to: log.folds.moment(viewport.to) }
}

/// A part of the axis with some room on either side.
pub fn with_room(from: Place, to: Place) -> (Place, Place) {
    let room = ((to - from) * 0.02).max(5.0);
    (from - room, to + room * 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    #[test]
    fn a_range_cannot_be_moved_away_from_the_log() {
        let mut stage = Stage::new();
        let call = stage.call("chat");
        stage.pass(1_000.0).succeed(call);
        let log = stage.log();
        let (begins, ends) =
            log.bounds().map(|(from, to)| (log.folds.place(from), log.folds.place(to))).unwrap();
        let now = log.bounds().unwrap().1;
        let placed = |from: f64, to: f64| {
            let viewport = Viewport { from: begins + from, to: begins + to, width: 100.0 };
            let range = Range::placed(&viewport, &log, now);
            assert!((range.span() - (to - from)).abs() < 1e-6);
            range.from - begins
        };
        assert!((placed(200.0, 400.0) - 200.0).abs() < 1e-6, "what is on the log stays where it is");
        assert!((placed(-5_000.0, 6_000.0) + 5_000.0).abs() < 1e-6, "and so does what is around it");
        assert!((placed(-90_000.0, -89_000.0) + 900.0).abs() < 1e-6);
        let length = ends - begins;
        assert!((placed(70_000.0, 71_000.0) - (length - 100.0)).abs() < 1e-6);
        assert_eq!(
            Range::placed(&Viewport::of_ms(5.0, 7.0, 1.0), &Log::default(), now).from,
            Place::from_ms(5.0)
        );
    }

    #[test]
    fn a_following_range_never_shows_time_before_the_log() {
        let range = Range { follow: true, from: Place::from_ms(0.0), to: Place::from_ms(30_000.0) };
        let begins = Place::from_ms(1_000_000.0);
        for age in [0.0, 40.0, 600.0, 5_000.0, 12_000.0, 29_000.0, 31_000.0, 3_600_000.0] {
            let (from, to) = range.following(begins, begins + age);
            // Except for a hairline, in which the first bar's edge is seen.
            assert!(from >= begins - 300.0, "{age}: {from:?}");
            assert!(to > begins + age && (5_000.0..=30_000.0).contains(&(to - from)), "{age}: {to:?}");
        }
        assert_eq!(
            range.following(Place::FIRST, Place::from_ms(40_000.0)),
            (Place::from_ms(11_200.0), Place::from_ms(41_200.0))
        );
    }
}
