//! The proleptic Gregorian calendar: dates to days since 1970-01-01, and back.
//!
//! After Howard Hinnant, "chrono-compatible low-level date algorithms"
//! (<https://howardhinnant.github.io/date_algorithms.html>).

/// Days from 0000-03-01, where an era of 400 years begins, to 1970-01-01.
const TO_1970: i64 = 719_468;
/// The days of 400 years, after which the calendar repeats.
const DAYS_OF_ERA: i64 = 146_097;

/// Days from 1970-01-01 to a date of the years 1970 to 9999; `None` for a date that is in no calendar (31 February).
pub(crate) fn days_since_1970(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1970..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let shifted = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (shifted / 400, shifted % 400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * DAYS_OF_ERA + of_era * 365 + of_era / 4 - of_era / 100 + of_year - TO_1970;
    // A day beyond the end of its month comes back as one of the next.
    (date(days) == (year, month, day)).then_some(days)
}

/// The year, month and day of a number of days since 1970-01-01.
#[must_use]
pub const fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + TO_1970;
    let era = shifted.div_euclid(DAYS_OF_ERA);
    let day_of_era = shifted.rem_euclid(DAYS_OF_ERA);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // March is month 0.
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let next_year = if month <= 2 { 1 } else { 0 };
    (year_of_era + era * 400 + next_year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_days() {
        for (days, of) in [
            (0, (1970, 1, 1)),
            (11_016, (2000, 2, 29)),
            (20_779, (2026, 11, 22)),
            (2_932_896, (9999, 12, 31)),
        ] {
            assert_eq!(date(days), of);
            assert_eq!(days_since_1970(of.0, of.1, of.2), Some(days));
        }
        assert_eq!(date(-1), (1969, 12, 31));
    }

    #[test]
    fn a_date_that_is_in_no_calendar_has_no_days() {
        for (year, month, day) in [
            (2026, 2, 31),
            (2026, 2, 29),
            (2026, 4, 31),
            (2100, 2, 29),
            (2026, 13, 1),
            (2026, 1, 0),
            (1969, 12, 31),
        ] {
            assert_eq!(days_since_1970(year, month, day), None, "{year}-{month}-{day}");
        }
    }

    proptest! {
        #[test]
        fn a_day_becomes_a_date_and_the_same_day_again(days in 0_i64..2_932_897) {
            let (year, month, day) = date(days);
            prop_assert_eq!(days_since_1970(year, month, day), Some(days));
        }
    }
}
