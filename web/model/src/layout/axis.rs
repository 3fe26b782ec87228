//! The time axis: the positions and labels of its ticks.

use super::Viewport;
use halfopen_store::fold::Folds;
use halfopen_store::time::Moment;

/// One tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    pub x: f64,
    pub label: String,
}

/// Readable distances between ticks, in milliseconds.
const STEPS: &[f64] = &[
    1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3,
    300e3, 600e3, 900e3, 1.8e6, 3.6e6, 7.2e6, 1.08e7, 1.44e7, 2.16e7, 4.32e7, 8.64e7, 6.048e8,
];
/// Least pixels between two labels.
const ROOM: f64 = 84.0;

/// Ticks for a viewport, labelled by the time since `origin`, before which there is no tick.
pub fn ticks(viewport: &Viewport, folds: &Folds, origin: Moment) -> Vec<Tick> {
    spread(viewport, folds, origin, origin, &|at, step| offset(at - origin, step))
}

/// Local time.
pub struct Clock<'a> {
    /// The offset from UTC, in milliseconds.
    pub ahead_ms: f64,
    /// The date of a moment, as the label of midnight.
    pub date: &'a dyn Fn(Moment) -> String,
}

impl Clock<'_> {
    /// Ticks for a viewport, labelled by the time of day, from `begins` on.
    pub fn ticks(&self, viewport: &Viewport, folds: &Folds, begins: Moment) -> Vec<Tick> {
        // Steps of a minute begin at whole minutes, and steps of some hours at midnight.
        let midnight = (begins + self.ahead_ms).floored(DAY) - self.ahead_ms;
        spread(viewport, folds, midnight, begins, &|at, step| self.label(at, step))
    }

    /// `14:03`, `14:03:10`, `14:03:10.250`, and the date at midnight.
    fn label(&self, at: Moment, step: f64) -> String {
        let ms = (at + self.ahead_ms).ms().round().rem_euclid(DAY);
        if ms < 0.5 {
            return (self.date)(at);
        }
        let (hours, minutes, seconds) = ((ms / 3.6e6).floor(), (ms / 6e4).floor() % 60.0, ms / 1e3 % 60.0);
        if step >= 6e4 {
            format!("{hours:02.0}:{minutes:02.0}")
        } else if step >= 1e3 {
            format!("{hours:02.0}:{minutes:02.0}:{:02.0}", seconds.floor())
        } else {
            format!("{hours:02.0}:{minutes:02.0}:{seconds:06.3}")
        }
    }
}

/// A day, in milliseconds.
const DAY: f64 = 8.64e7;

/// Ticks at multiples of a step from `origin`, from `begins` on.
fn spread(
    viewport: &Viewport,
    folds: &Folds,
    origin: Moment,
    begins: Moment,
    label: &dyn Fn(Moment, f64) -> String,
) -> Vec<Tick> {
    let span = (viewport.to - viewport.from).max(1e-6);
    let most = (viewport.width / ROOM).max(1.0);
    let step = STEPS.iter().copied().find(|step| span / step <= most).unwrap_or(6.048e8);
    let (from, to) = (folds.moment(viewport.from).max(begins), folds.moment(viewport.to));
    let mut ticks: Vec<Tick> = Vec::new();
    let mut at = origin + ((from - origin) / step).ceil() * step;
    // Folded hours have many steps in little room, so the loop tries only as many as could be drawn, then jumps.
    for _ in 0..400 {
        if at > to {
            break;
        }
        let x = viewport.x(folds.place(at));
        if ticks.last().is_none_or(|last| x - last.x >= ROOM * 0.75) {
            ticks.push(Tick { x, label: label(at, step) });
        }
        at = match folds.within(at, at).next() {
            Some(fold) if fold.to > at + step => origin + ((fold.to - origin) / step).ceil() * step,
            _ => at + step,
        };
    }
    ticks
}

/// Time since the beginning: `0`, `250 ms`, `12.5 s`, `3:05`, `1:02:03`.
pub fn offset(ms: f64, step: f64) -> String {
    let sign = if ms < 0.0 { "−" } else { "" };
    let ms = ms.abs();
    let seconds = ms / 1e3;
    let (hours, minutes, rest) =
        ((seconds / 3600.0).floor(), (seconds / 60.0).floor() % 60.0, seconds % 60.0);
    if ms < 0.5 {
        return "0".into();
    }
    if ms < 1e3 && step < 1e3 {
        return format!("{sign}{ms:.0} ms");
    }
    let digits = if step >= 1e3 {
        0
    } else if step >= 100.0 {
        1
    } else {
        3
    };
    if seconds < 60.0 {
        format!("{sign}{seconds:.digits$} s")
    } else if hours < 1.0 {
        let width = if digits == 0 { 2 } else { digits + 3 };
        format!("{sign}{minutes:.0}:{rest:0width$.digits$}")
    } else {
        format!("{sign}{hours:.0}:{minutes:02.0}:{rest:02.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_room_and_follow_the_step() {
        let viewport = Viewport::of_ms(1_000_000.0, 1_010_000.0, 1000.0);
        let labels: Vec<_> = ticks(&viewport, &Folds::default(), Moment::from_ms(1_000_000.0))
            .into_iter()
            .map(|tick| tick.label)
            .collect();
        assert_eq!(labels, ["0", "1 s", "2 s", "3 s", "4 s", "5 s", "6 s", "7 s", "8 s", "9 s", "10 s"]);
        let narrow = Viewport { width: 200.0, ..viewport };
        assert!(ticks(&narrow, &Folds::default(), Moment::from_ms(1_000_000.0)).len() <= 3);
    }

    #[test]
    fn some_hours_have_labels_on_the_width_of_a_phone() {
        let hours = |hours: f64| {
            let viewport = Viewport::of_ms(1_000_000.0 - hours * 72e3, 1_000_000.0 + hours * 3.672e6, 258.0);
            let ticks = ticks(&viewport, &Folds::default(), Moment::from_ms(1_000_000.0));
            ticks.into_iter().map(|tick| tick.label).collect::<Vec<_>>()
        };
        assert_eq!(hours(6.0), ["0", "3:00:00", "6:00:00"]);
        for length in 1..=24 {
            assert!(hours(f64::from(length)).len() >= 2, "{length} h: {:?}", hours(f64::from(length)));
        }
    }

    #[test]
    fn the_axis_begins_with_the_log() {
        let viewport = Viewport::of_ms(997_000.0, 1_002_000.0, 1000.0);
        let labels: Vec<_> = ticks(&viewport, &Folds::default(), Moment::from_ms(1_000_000.0))
            .into_iter()
            .map(|tick| tick.label)
            .collect();
        assert_eq!(labels, ["0", "500 ms", "1.0 s", "1.5 s", "2.0 s"]);
    }

    /// The labels from `from` to `to` milliseconds after half past five in the morning, two hours ahead of UTC.
    fn by_the_clock(from: f64, to: f64) -> Vec<String> {
        let begins = 3.5 * 3.6e6;
        let clock = Clock { ahead_ms: 2.0 * 3.6e6, date: &|at| format!("day of {}", at.ms()) };
        let viewport = Viewport::of_ms(begins + from, begins + to, 500.0);
        let ticks = clock.ticks(&viewport, &Folds::default(), Moment::from_ms(begins));
        ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn the_time_of_day_is_that_of_the_place_at_round_times_and_no_more_exact_than_the_step() {
        assert_eq!(by_the_clock(-9e5, 3.6e6), ["05:30", "05:45", "06:00", "06:15", "06:30"]);
        assert_eq!(
            by_the_clock(7_000.0, 57_000.0),
            ["05:30:10", "05:30:20", "05:30:30", "05:30:40", "05:30:50"]
        );
        assert_eq!(
            by_the_clock(100.0, 1_100.0),
            ["05:30:00.200", "05:30:00.400", "05:30:00.600", "05:30:00.800", "05:30:01.000"]
        );
    }

    #[test]
    fn midnight_is_labelled_by_the_date() {
        let labels = by_the_clock(18.0 * 3.6e6, 19.0 * 3.6e6);
        assert_eq!(labels, ["23:30", "23:45", "day of 79200000", "00:15", "00:30"]);
    }

    #[test]
    fn long_times_read_as_clocks() {
        assert_eq!(offset(185_000.0, 1e3), "3:05");
        assert_eq!(offset(3_723_000.0, 60e3), "1:02:03");
        assert_eq!(offset(250.0, 50.0), "250 ms");
        assert_eq!(offset(12_500.0, 500.0), "12.5 s");
    }
}
