//! Idle time, folded: where nothing happened for long, the time axis takes a step.

/// Idle for longer than this is folded, in milliseconds.
pub const IDLE: f64 = 5_000.0;
/// What a fold takes on the axis, in milliseconds of it.
pub const WIDTH: f64 = 1_000.0;

/// A span in which no call was open and no event came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    pub from: f64,
    pub to: f64,
    /// Milliseconds that this fold and those before it take off the axis.
    saved: f64,
}

/// The folds of a log, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Folds {
    folds: Vec<Fold>,
    last: Option<f64>,
}

impl Folds {
    /// Notes an event; `busy` if a call went on before it.
    pub fn event(&mut self, time: f64, busy: bool) {
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

    /// From a moment to its place on the axis.
    pub fn place(&self, time: f64) -> f64 {
        let after = self.folds.partition_point(|fold| fold.from < time);
        let Some(fold) = after.checked_sub(1).and_then(|index| self.folds.get(index)) else { return time };
        if time >= fold.to {
            return time - fold.saved;
        }
        let before = fold.saved - (fold.to - fold.from - WIDTH);
        fold.from - before + (time - fold.from) / (fold.to - fold.from) * WIDTH
    }

    /// From a place on the axis to its moment.
    pub fn moment(&self, place: f64) -> f64 {
        let after = self.folds.partition_point(|fold| fold.from - self.saved_before(fold) < place);
        let Some(fold) = after.checked_sub(1).and_then(|index| self.folds.get(index)) else { return place };
        let start = fold.from - self.saved_before(fold);
        if place >= start + WIDTH {
            return place + fold.saved;
        }
        fold.from + (place - start) / WIDTH * (fold.to - fold.from)
    }

    #[expect(clippy::unused_self, reason = "reads as what it belongs to")]
    fn saved_before(&self, fold: &Fold) -> f64 {
        fold.saved - (fold.to - fold.from - WIDTH)
    }

    /// The folds that touch a span of time.
    pub fn within(&self, from: f64, to: f64) -> impl Iterator<Item = &Fold> {
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
            folds.event(time, busy);
        }
        assert_eq!(
            folds.within(0.0, 400_000.0).map(|fold| (fold.from, fold.to)).collect::<Vec<_>>(),
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
            assert!((folds.place(time) - place).abs() < 1e-6, "{time} → {}", folds.place(time));
            assert!((folds.moment(place) - time).abs() < 1e-6, "{place} → {}", folds.moment(place));
        }
    }
}
