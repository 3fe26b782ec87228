//! The words beside the field of the filter: how many calls the views are about, and what the field offers.

use crate::format::{count, number_of};
use halfopen_store::query::{COUNTED, Says};

/// How many calls the views are about, of all that are kept; `None` while the filter and the selected time allow all. A filter
/// that cannot be read narrows nothing, so the sentence says that it does not count.
pub fn narrowed(calls: u64, all: u64, is_narrowed: bool, is_misread: bool) -> Option<String> {
    let calls = if is_narrowed {
        format!("{} of {}", count(calls), number_of(all, "call"))
    } else {
        format!("all {}", number_of(all, "call"))
    };
    match (is_narrowed, is_misread) {
        (_, true) => Some(format!("{calls}, without the filter")),
        (true, false) => Some(calls),
        (false, false) => None,
    }
}

/// A filter that the field offers, in words; `kept` is the number of calls of the log.
pub fn completion(says: &Says, kept: usize) -> String {
    match *says {
        Says::Help(help) => help.to_owned(),
        Says::Calls(calls) if kept <= COUNTED => number_of(calls, "call"),
        Says::Calls(calls) => format!("{} of the newest {} calls", count(calls), count(COUNTED as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_cannot_be_read_is_said_to_narrow_nothing() {
        assert_eq!(narrowed(7, 7, false, false), None);
        assert_eq!(narrowed(2, 7, true, false).as_deref(), Some("2 of 7 calls"));
        assert_eq!(narrowed(2, 7, true, true).as_deref(), Some("2 of 7 calls, without the filter"));
        assert_eq!(narrowed(7, 7, false, true).as_deref(), Some("all 7 calls, without the filter"));
    }

    #[test]
    fn a_completion_says_of_how_many_calls_it_counts() {
        let says = Says::Calls(1_200);
        assert_eq!(completion(&says, 5_000), "1\u{202f}200 calls");
        assert_eq!(completion(&says, 200_000), "1\u{202f}200 of the newest 20\u{202f}000 calls");
        assert_eq!(completion(&Says::Help("goes on"), 5), "goes on");
    }
}
