//! Formats numbers. A count is nearly always whole, and a time has tenths. Printing these avoids the 14 KiB of
//! wasm with which `core::fmt` prints any double to its last digit.

use crate::invariant::Always;
use crate::text::{digits, joined};

/// Formats a count: whole, or to three decimal places.
pub(super) fn count(value: f64) -> String {
    let text = fixed(value, 3);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Formats a number with one decimal place.
pub(super) fn tenths(value: f64) -> String {
    fixed(value, 1)
}

/// Formats a number with that many decimal places, ties to even. Beyond 2⁶³ it prints the largest number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
fn fixed(value: f64, places: u32) -> String {
    let scale = 10_u64.pow(places);
    let (whole, fraction) = (value.abs().trunc(), value.abs().fract());
    // The fraction by itself: beside a large whole number, it would lose its last digits.
    let part = (fraction * 10_f64.powi(places.cast_signed())).round_ties_even() as u64;
    let (whole, part) = ((whole as u64).saturating_add(part / scale), part % scale);
    let sign = if value < 0.0 && (whole, part) != (0, 0) { "-" } else { "" };
    // A digit in front keeps the zeros.
    let part = digits(scale + part);
    joined(&[sign, &digits(whole), ".", part.get(1..).always()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_are_whole_where_they_can_be() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (2.5, "2.5"),
            (-3.25, "-3.25"),
            (9_007_199_254_740_994.0, "9007199254740994"),
            (f64::NAN, "0"),
            (f64::INFINITY, "18446744073709551615"),
        ] {
            assert_eq!(count(value), text);
        }
    }

    proptest! {
        #[test]
        fn tenths_are_those_of_the_standard_library(milliseconds in -10_000_000_i32..10_000_000) {
            let seconds = f64::from(milliseconds) / 1000.0;
            // A tie in decimal is no tie in binary: there the library rounds the stored value, and either neighbour is
            // equally near.
            prop_assume!(milliseconds % 50 != 0 || milliseconds % 100 == 0);
            prop_assert_eq!(tenths(seconds), format!("{seconds:.1}").replace("-0.0", "0.0"));
        }

        #[test]
        fn whole_numbers_are_those_of_the_standard_library(value in -(1_i64 << 53)..(1_i64 << 53)) {
            #[expect(clippy::cast_precision_loss, reason = "whatever it becomes, it is whole")]
            let value = value as f64;
            prop_assert_eq!(count(value), value.to_string());
        }
    }
}
