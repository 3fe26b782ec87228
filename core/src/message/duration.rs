//! A span of time as a person would say it.

use crate::time::Millis;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Second,
    Minute,
    Hour,
    Day,
}

/// Longer waits than a year are no advice.
const LONGEST_DAYS: u64 = 366;

/// Returns the wait as one number and unit. It is never much shorter than the wait, so that users do not retry too
/// early.
pub(super) fn rounded(wait: Millis) -> Option<(u64, Unit)> {
    let seconds = wait.0.div_ceil(1000);
    if seconds == 0 {
        return None;
    }
    if seconds < 60 {
        return Some((seconds, Unit::Second));
    }
    let minutes = (seconds + 30) / 60;
    if minutes < 60 {
        return Some((minutes, Unit::Minute));
    }
    // Ten minutes over the hour are still "about an hour", three hours over the day "about a day".
    let hours = seconds.saturating_sub(600).div_ceil(3600).max(1);
    if hours < 24 {
        return Some((hours, Unit::Hour));
    }
    let days = seconds.saturating_sub(3 * 3600).div_ceil(86_400).max(1);
    (days <= LONGEST_DAYS).then_some((days, Unit::Day))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn seconds((count, unit): (u64, Unit)) -> u64 {
        count
            * match unit {
                Unit::Second => 1,
                Unit::Minute => 60,
                Unit::Hour => 3600,
                Unit::Day => 86_400,
            }
    }

    #[test]
    fn says_what_a_person_would_say() {
        for (ms, said) in [
            (1, (1, Unit::Second)),
            (1_500, (2, Unit::Second)),
            (59_000, (59, Unit::Second)),
            (60_000, (1, Unit::Minute)),
            (89_000, (1, Unit::Minute)),
            (90_000, (2, Unit::Minute)),
            (432_000, (7, Unit::Minute)),
            (3_599_000, (1, Unit::Hour)),
            (3_600_000, (1, Unit::Hour)),
            (4_800_000, (2, Unit::Hour)),
            (82_800_000, (23, Unit::Hour)),
            (86_400_000, (1, Unit::Day)),
            (129_600_000, (2, Unit::Day)),
        ] {
            assert_eq!(rounded(Millis(ms)), Some(said), "{ms} ms");
        }
        assert_eq!(rounded(Millis::ZERO), None);
        assert_eq!(rounded(Millis::MAX), None);
    }

    proptest! {
        #[test]
        fn a_longer_wait_is_never_said_to_be_shorter(a in 1_u64..32_000_000_000, b in 1_u64..32_000_000_000) {
            let (short, long) = (a.min(b), a.max(b));
            let (Some(short), Some(long)) = (rounded(Millis(short)), rounded(Millis(long))) else { return Ok(()) };
            prop_assert!(seconds(short) <= seconds(long));
        }

        #[test]
        fn no_user_is_sent_back_much_too_early(ms in 1_u64..31_000_000_000) {
            let said = seconds(rounded(Millis(ms)).unwrap()) * 1000;
            prop_assert!(said * 2 > ms && said + 3 * 3_600_000 >= ms);
        }
    }
}
