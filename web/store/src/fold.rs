//! Folds idle time: the time axis shows a long gap without calls as a short step.

use crate::time::{Moment, Place};

/// Idle for longer than this is folded, in milliseconds.
pub const IDLE: f64 = 5_000.0;
/// The length of a fold on the axis, in milliseconds of it.
pub const WIDTH: f64 = 1_000.0;

/// A span in which no call was open and no event came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    pub from: Moment,
    pub to: Moment,
    /// Milliseconds that this fold and those before it take off the axis.
    saved: f64,
}

impl Fold {
    /// Where it begins on the axis.
    fn starts(&self) -> Place {
        let before = self.saved - (self.to - self.from - WIDTH);
        Place::from_ms(self.from.ms()) - before
    }
}

/// The folds of a log, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    folds: Vec<Fold>,
    last: Option<Moment>,
}

impl Folds {
    /// Records an event; `busy` if a call was in flight before it.
    pub fn event(&mut self, time: Moment, busy: bool) {
        if let Some(last) = self.last
            && !busy
            && time - last > IDLE
        {
            let saved = self.saved() + (time - last - WIDTH);
            self.folds.push(Fold { from: last, to: time, saved });
        }
        self.last = Some(self.last.map_or(time, |last| last.max(time)));
    }

    fn saved(&self) -> f64 {
        self.folds.last().map_or(0.0, |fold| fold.saved)
    }

    /// Maps a moment to its place on the axis.
    pub fn place(&self, time: Moment) -> Place {
        let unfolded = Place::from_ms(time.ms());
        let after = self.folds.partition_point(|fold| fold.from < time);
        let Some(fold) = after.checked_sub(1).and_then(|index| self.folds.get(index)) else {
            return unfolded;
        };
        if time >= fold.to {
            return unfolded - fold.saved;
        }
        fold.starts() + (time - fold.from) / (fold.to - fold.from) * WIDTH
    }

    /// Maps a place on the axis to its moment.
    pub fn moment(&self, place: Place) -> Moment {
        let unfolded = Moment::from_ms(place.ms());
        let after = self.folds.partition_point(|fold| fold.starts() < place);
        let Some(fold) = after.checked_sub(1).and_then(|index| self.folds.get(index)) else {
            return unfolded;
        };
        let within = place - fold.starts();
        if within >= WIDTH {
            return unfolded + fold.saved;
        }
        fold.from + within / WIDTH * (fold.to - fold.from)
    }

    /// The folds that touch a span of time.
    pub fn within(&self, from: Moment, to: Moment) -> impl Iterator<Item = &Fold> {
        let first = self.folds.partition_point(|fold| fold.to < from);
        self.folds.iter().skip(first).take_while(move |fold| fold.from <= to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_takes_one_step_on_the_axis() {
        let mut folds = Folds::default();
        for (time, busy) in
            [(0.0, false), (4_000.0, false), (64_000.0, false), (200_000.0, true), (300_000.0, false)]
        {
            folds.event(Moment::from_ms(time), busy);
        }
        assert_eq!(
            folds
                .within(Moment::FIRST, Moment::LAST)
                .map(|fold| (fold.from.ms(), fold.to.ms()))
                .collect::<Vec<_>>(),
            [(4_000.0, 64_000.0), (200_000.0, 300_000.0)]
        );
        let places = [
            (4_000.0, 4_000.0),
            (34_000.0, 4_500.0),
            (64_000.0, 5_000.0),
            (200_000.0, 141_000.0),
            (300_001.0, 142_001.0),
        ];
        for (time, place) in places {
            let (time, place) = (Moment::from_ms(time), Place::from_ms(place));
            assert!((folds.place(time) - place).abs() < 1e-6, "{time:?} → {:?}", folds.place(time));
            assert!((folds.moment(place) - time).abs() < 1e-6, "{place:?} → {:?}", folds.moment(place));
        }
    }
}
