//! The visible rows of the timeline, and their positions.

use halfopen_store::numbers::CallNumber;
use halfopen_store::query::Group;
use halfopen_store::store::Log;
use std::sync::Arc;

/// Height of a row, in pixels; the style sheet has the same.
pub const ROW: f64 = 28.0;
/// Slightly less than the height of Chromium's tallest element.
const TALLEST: f64 = 33_000_000.0;
/// With fewer pixels than this below the visible part, the list counts as scrolled to its end.
const NEAR_END: f64 = 60.0;

/// The visible rows, of all rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sight {
    first: usize,
    shown: usize,
    group: Option<Group>,
    rows: Arc<Vec<CallNumber>>,
}

/// The height of that number of rows, in pixels.
#[expect(clippy::cast_precision_loss, reason = "a count of rows")]
pub fn tall(rows: usize) -> f64 {
    (rows as f64 * ROW).min(TALLEST)
}

/// Where a row begins, in pixels from the first one.
#[expect(clippy::cast_precision_loss, reason = "a row's number")]
pub fn top(row: usize) -> f64 {
    row as f64 * ROW
}

/// Returns `true` if a list of that number of rows, scrolled by `scroll` pixels and `height` pixels high, shows its end.
pub fn shows_end(rows: usize, scroll: f64, height: f64) -> bool {
    scroll + height >= tall(rows) - NEAR_END
}

/// The row at that distance from the first one, in pixels.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels of a page, not negative")]
fn row_at(pixels: f64) -> usize {
    (pixels / ROW).floor().max(0.0) as usize
}

/// The scroll position that makes a row visible; `None` if it is visible.
pub fn scroll_to(row: usize, scroll: f64, height: f64) -> Option<f64> {
    let (top, bottom) = (top(row), top(row) + ROW);
    if top < scroll { Some(top) } else { (bottom > scroll + height).then_some(bottom - height) }
}

/// The scroll position that brings a row to the middle; `None` if it is visible.
pub fn scroll_to_middle(row: usize, scroll: f64, height: f64) -> Option<f64> {
    scroll_to(row, scroll, height).map(|_| (top(row) - (height - ROW) / 2.0).max(0.0))
}

impl Sight {
    /// The visible ones of these rows, scrolled by `scroll` pixels in a list `height` pixels high.
    pub fn of(rows: Arc<Vec<CallNumber>>, group: Option<Group>, scroll: f64, height: f64) -> Self {
        let first = row_at(scroll).min(rows.len());
        // The last one may be visible in part.
        let shown = (row_at(height + ROW - 1.0) + 1).min(rows.len() - first);
        Self { first, shown, group, rows }
    }

    /// Each visible row with its index and its call.
    pub fn rows(&self) -> impl Iterator<Item = (usize, CallNumber)> {
        self.rows.iter().copied().enumerate().skip(self.first).take(self.shown)
    }

    /// The call at that distance from the top of the first row, in pixels.
    pub fn call_at(&self, pixels: f64) -> Option<CallNumber> {
        self.rows.get(row_at(pixels)).copied()
    }

    /// The row that is `steps` away from the selected call, and its call. Without a selected row, the first visible row.
    pub fn step(&self, selected: Option<CallNumber>, steps: i32) -> Option<(usize, CallNumber)> {
        let at = selected.and_then(|number| self.rows.iter().position(|&row| row == number));
        let next = match at {
            Some(at) if steps > 0 => (at + 1).min(self.rows.len().saturating_sub(1)),
            Some(at) => at.saturating_sub(1),
            None => self.first,
        };
        self.rows.get(next).map(|&number| (next, number))
    }

    /// The group that begins with a row.
    pub fn heading(&self, log: &Log, row: usize) -> Option<String> {
        let group = self.group?;
        let of = |row: usize| Some(group.of(log, log.call(*self.rows.get(row)?)?));
        let (name, process) = of(row)?;
        if row.checked_sub(1).and_then(of) == Some((name, process)) {
            return None;
        }
        let (word, text) = (group.word(), log.names.text(name));
        if text.is_empty() {
            return Some(format!("no {word}"));
        }
        // Policies of two processes may share a name.
        let process = process.filter(|_| log.processes() > 1);
        let process = process.map(|process| format!(" · {}", log.names.text(process))).unwrap_or_default();
        Some(format!("{word} {text}{process}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::stage::Stage;

    fn sight(rows: u32, scroll: f64, height: f64) -> Sight {
        Sight::of(Arc::new((0..rows).map(CallNumber).collect()), None, scroll, height)
    }

    fn places(sight: &Sight) -> Vec<usize> {
        sight.rows().map(|row| row.0).collect()
    }

    #[test]
    fn a_row_of_which_a_pixel_is_in_sight_is_shown() {
        assert_eq!(places(&sight(100, 0.0, 56.0)), [0, 1, 2]);
        assert_eq!(places(&sight(100, 27.0, 57.0)), [0, 1, 2, 3]);
        assert_eq!(places(&sight(100, 28.0, 56.0)), [1, 2, 3]);
    }

    #[test]
    fn what_is_scrolled_beyond_the_rows_shows_none() {
        assert_eq!(places(&sight(3, 56.0, 560.0)), [2]);
        assert!(places(&sight(3, 10_000.0, 560.0)).is_empty());
        assert!(places(&sight(0, 0.0, 560.0)).is_empty());
        assert_eq!(places(&sight(3, -20.0, 10.0)), [0, 1]);
    }

    #[test]
    fn a_list_taller_than_an_element_can_be_is_cut() {
        assert!((tall(10) - 280.0).abs() < 1e-9);
        assert!((tall(10_000_000) - TALLEST).abs() < 1e-9);
        assert!(shows_end(100, 2_800.0 - 500.0 - 59.0, 500.0) && !shows_end(100, 2_200.0, 500.0));
    }

    #[test]
    fn steps_go_from_the_selected_call_and_stop_at_the_ends() {
        let sight = sight(3, 28.0, 28.0);
        let step =
            |selected: Option<u32>, steps| sight.step(selected.map(CallNumber), steps).map(|row| row.0);
        assert_eq!(
            [step(Some(0), 1), step(Some(2), 1), step(Some(2), -1), step(Some(0), -1)],
            [Some(1), Some(2), Some(1), Some(0)]
        );
        assert_eq!([step(None, 1), step(Some(77), -1)], [Some(1), Some(1)]);
        assert_eq!(Sight::default().step(None, 1), None);
    }

    #[test]
    fn a_step_scrolls_as_little_as_shows_the_row() {
        assert_eq!(scroll_to(5, 0.0, 280.0), None);
        assert_eq!(scroll_to(5, 200.0, 280.0), Some(140.0));
        assert_eq!(scroll_to(15, 0.0, 280.0), Some(168.0));
    }

    #[test]
    fn a_row_out_of_sight_comes_to_the_middle_and_one_in_sight_stays() {
        assert_eq!(scroll_to_middle(5, 0.0, 280.0), None);
        assert_eq!(scroll_to_middle(50, 0.0, 280.0), Some(1_274.0));
        assert_eq!(scroll_to_middle(2, 500.0, 280.0), Some(0.0));
    }

    #[test]
    fn the_call_under_the_pointer_is_that_of_its_row() {
        let sight = sight(3, 0.0, 280.0);
        assert_eq!(
            [0.0, 27.9, 28.0, 84.0].map(|y| sight.call_at(y).map(|call| call.0)),
            [Some(0), Some(0), Some(1), None]
        );
    }

    #[test]
    fn a_group_is_named_where_it_begins_with_its_process_where_there_are_several() {
        let headings = |processes: &[&str]| {
            let mut stage = Stage::new();
            for process in processes {
                stage.process(process).call("chat");
                stage.call("chat");
            }
            let log = stage.log();
            let rows = log.calls().map(|(number, _)| number).collect();
            let sight = Sight::of(Arc::new(rows), Some(Group::Policy), 0.0, 280.0);
            sight.rows().map(|(row, _)| sight.heading(&log, row)).collect::<Vec<_>>()
        };
        assert_eq!(headings(&["one"]), [Some("policy chat".to_owned()), None]);
        let [one, two] = ["one", "two"].map(|process| Some(format!("policy chat · {process}")));
        assert_eq!(headings(&["one", "two"]), [one, None, two, None]);
    }
}
