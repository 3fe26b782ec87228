//! The visible part of the time axis: it follows new events, or stays where the user put it.

use super::Viewport;
use halfopen_store::fold::{self, Folds};
use halfopen_store::numbers::CallNumber;
use halfopen_store::scope::Span;
use halfopen_store::store::Log;
use halfopen_store::time::{Moment, Place};

/// The first width of a following range, in milliseconds.
const FIRST_SPAN: f64 = 30_000.0;

/// The visible part of the time axis. Its ends are places on the axis, which are moments unless idle time is folded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// `true` if the range ends now.
    pub follow: bool,
    pub from: Place,
    pub to: Place,
}

impl Range {
    /// The range of a session that begins now.
    pub fn beginning(now: Moment) -> Self {
        let now = Folds::default().place(now);
        Self { follow: true, from: now - FIRST_SPAN, to: now }
    }

    /// A range that the user chose.
    pub fn fixed(from: Place, to: Place) -> Self {
        Self { follow: false, from, to }
    }

    /// A viewport that the user chose, moved so that at least a tenth of it shows the log: otherwise the user could lose the
    /// log.
    pub fn placed(viewport: &Viewport, log: &Log, now: Moment) -> Self {
        let Viewport { from, to, .. } = *viewport;
        let Some((begins, ends)) = log.bounds() else { return Self::fixed(from, to) };
        let ends = if log.is_busy() { ends.max(now) } else { ends };
        let (begins, ends) = (log.folds.place(begins), log.folds.place(ends));
        let part = (to - from) * 0.1;
        let by = (begins + part - to).max(0.0) - (from - (ends - part)).max(0.0);
        Self::fixed(from + by, to + by)
    }

    /// The whole log; `None` if it is empty.
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

    /// The visible places while it follows a log from `begins` to `now`. A log that is shorter than the range fills it; one
    /// of a single moment begins at the left, with room for new events.
    fn following(&self, begins: Place, now: Place) -> (Place, Place) {
        let span = self.span();
        let to = now + span * 0.04;
        let from = (to - span).max(begins - span * 0.01);
        let least = (span / 6.0).max(5_000.0).min(span);
        (from, to.max(from + least))
    }

    /// The same range, following new events.
    pub fn followed(&self) -> Self {
        let span = self.span().clamp(2_000.0, 600_000.0);
        Self { follow: true, from: self.to - span, to: self.to }
    }

    /// The same range; if it follows, and the user has not moved it, with as much of the log as is readable.
    pub fn with_all_that_reads_well(&self, log: &Log) -> Self {
        if !self.follow {
            return *self;
        }
        let extent = log.bounds().map(|(from, to)| log.folds.place(to) - log.folds.place(from));
        let span = (extent.unwrap_or(0.0) * 1.06).clamp(FIRST_SPAN, 300_000.0);
        Self { from: self.to - span, ..*self }
    }

    /// The range that shows the call; `None` if the call is visible.
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

/// The present as a place on the axis. It does not move while the log is idle.
pub fn place_of_now(log: &Log, now: Moment) -> Place {
    let Some((_, last)) = log.bounds() else { return log.folds.place(now) };
    let idle = !log.is_busy() && now - last > fold::IDLE;
    if idle { log.folds.place(last) + fold::WIDTH } else { log.folds.place(now.max(last)) }
}

/// The visible time of a viewport.
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
            // Except for a hairline that shows the first bar's edge.
            assert!(from >= begins - 300.0, "{age}: {from:?}");
            assert!(to > begins + age && (5_000.0..=30_000.0).contains(&(to - from)), "{age}: {to:?}");
        }
        assert_eq!(
            range.following(Place::FIRST, Place::from_ms(40_000.0)),
            (Place::from_ms(11_200.0), Place::from_ms(41_200.0))
        );
    }
}
