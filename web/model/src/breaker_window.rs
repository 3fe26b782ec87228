//! The results that a breaker had counted when it opened, among the results that are shown.

use crate::format::count;
use halfopen_log::Window;
use std::fmt::Write;

/// A result's sign.
pub const fn sign(result: u8) -> &'static str {
    match result {
        0 => "✓",
        1 => "✕",
        _ => "◷",
    }
}

/// How many of the shown results no longer counted: those before the last success, if failures in a row count, or those
/// that had left the breaker window. They are the oldest.
pub fn before(window: &Window) -> usize {
    window.last.len().saturating_sub(usize::try_from(window.total).unwrap_or(usize::MAX))
}

/// The counts, with the number of results.
pub fn words(window: &Window) -> String {
    let Window { total, failures, slow, last } = window;
    let mut out = match (*total, *failures) {
        (0, _) => return "Nothing was counted.".into(),
        (1, 0) => "Counted: the last result".to_owned(),
        (1, _) => "Counted: the last result, which failed".to_owned(),
        (total, failures) if total == failures => {
            format!("Counted: the last {}, all failed", count(total.into()))
        }
        (total, failures) => {
            format!("Counted: the last {}, of which {} failed", count(total.into()), count(failures.into()))
        }
    };
    if *slow > 0 {
        let _ = write!(out, ", {} slow", count((*slow).into()));
    }
    out.push('.');
    let shown = u32::try_from(last.len()).unwrap_or(u32::MAX);
    match before(window) {
        0 if shown > 0 && shown < *total => {
            let _ = write!(out, " The newest {shown} are shown.");
        }
        0 => {}
        1 => out.push_str(" The one before no longer counted."),
        more => {
            let _ = write!(out, " The {more} before no longer counted.");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(total: u32, failures: u32, slow: u32, last: &[u8]) -> Window {
        Window { total, failures, slow, last: last.to_vec() }
    }

    #[test]
    fn the_words_are_about_the_results_that_are_shown() {
        let of = |total, failures, slow, last| words(&window(total, failures, slow, last));
        assert_eq!(
            of(5, 5, 0, &[0, 0, 0, 0, 1, 1, 1, 1, 1]),
            "Counted: the last 5, all failed. The 4 before no longer counted."
        );
        assert_eq!(of(3, 2, 1, &[1, 2, 1]), "Counted: the last 3, of which 2 failed, 1 slow.");
        assert_eq!(
            of(50, 30, 0, &[1; 32]),
            "Counted: the last 50, of which 30 failed. The newest 32 are shown."
        );
        assert_eq!(
            of(1, 1, 0, &[0, 1]),
            "Counted: the last result, which failed. The one before no longer counted."
        );
        assert_eq!(of(0, 0, 0, &[]), "Nothing was counted.");
        assert_eq!(of(4, 4, 0, &[]), "Counted: the last 4, all failed.");
    }

    #[test]
    fn the_oldest_are_those_that_no_longer_counted() {
        assert_eq!(before(&window(5, 5, 0, &[0, 0, 0, 0, 1, 1, 1, 1, 1])), 4);
        assert_eq!(before(&window(50, 30, 0, &[1; 32])), 0);
    }
}
