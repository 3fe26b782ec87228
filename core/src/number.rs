//! Decimal numbers from text, without tables.
//!
//! The standard library's reader carries 10 KiB of powers of five that hardly compress. Here a number of up to 15 digits
//! is the quotient of two exact doubles (Clinger, "How to read floating point numbers accurately", 1990). Of all others the
//! last digits may be wrong.

/// A number with up to this many digits is an exact double.
const EXACT_DIGITS: u32 = 15;

/// The number that a text is; `None` for what is no number, also for words such as `NaN`. Numbers of more than 15 digits or with
/// an exponent are correct to 15 digits only.
pub(crate) fn roughly(text: &str) -> Option<f64> {
    signed(text, |digits| short(digits).or_else(|| rough(digits)))
}

/// Reads the rest of a number after its sign.
pub fn signed(text: &str, read: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    match text.as_bytes().first()? {
        b'-' => read(text.get(1..)?).map(|value| -value),
        b'+' => read(text.get(1..)?),
        _ => read(text),
    }
}

/// A number of few digits and without an exponent, by one operation on two exact doubles.
#[must_use]
pub fn short(text: &str) -> Option<f64> {
    let (mut whole, mut digits, mut places) = (0_u64, 0, None);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' if digits < EXACT_DIGITS => {
                whole = whole * 10 + u64::from(byte - b'0');
                digits += 1;
                places = places.map(|places: u32| places + 1);
            }
            b'.' if places.is_none() => places = Some(0),
            _ => return None,
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "at most 15 digits: exact")]
    let whole = whole as f64;
    (digits > 0).then(|| whole / (0..places.unwrap_or(0)).fold(1.0, |power, _| power * 10.0))
}

fn rough(text: &str) -> Option<f64> {
    let (mantissa, mut power) = split(text)?;
    let (mut value, mut any, mut point) = (0.0, false, false);
    for byte in mantissa.bytes() {
        match byte {
            b'0'..=b'9' => {
                value = value * 10.0 + f64::from(byte - b'0');
                any = true;
                power = power.saturating_sub(i32::from(point));
            }
            b'.' if !point => point = true,
            _ => return None,
        }
    }
    // Zero times infinity is no number.
    any.then(|| if value > 0.0 { value * 10.0_f64.powi(power) } else { 0.0 })
}

/// Returns the part before `e`, and the exponent after it.
#[must_use]
pub fn split(text: &str) -> Option<(&str, i32)> {
    match text.find(['e', 'E']) {
        Some(at) => Some((text.get(..at)?, exponent(text.get(at + 1..)?)?)),
        None => Some((text, 0)),
    }
}

/// Returns the exponent after `e`, within the range that matters.
fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(0_i32, |sum, byte| (sum * 10 + i32::from(byte - b'0')).min(1_000_000));
    Some(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "NaN", "inf", "1 ", "--1", "1e1.5"] {
            assert_eq!(roughly(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn roughly_is_right_to_fifteen_digits(whole in "[0-9]{1,20}", part in "[0-9]{0,19}", e in -200i32..200) {
            for text in [format!("{whole}.{part}"), format!("{whole}.{part}e{e}"), format!("-{whole}e{e}")] {
                let (rough, exact) = (roughly(&text).unwrap(), text.parse::<f64>().unwrap());
                prop_assert!((rough - exact).abs() <= exact.abs() * 1e-13, "{text}: {rough}");
            }
        }

        #[test]
        fn few_digits_are_read_as_the_standard_library_reads_them(whole in "[0-9]{1,8}", part in "[0-9]{0,7}") {
            for text in [format!("{whole}.{part}"), format!("-{whole}"), format!("+.{whole}")] {
                prop_assert_eq!(roughly(&text).map(f64::to_bits), text.parse().ok().map(f64::to_bits), "{}", text);
            }
        }

        #[test]
        fn a_number_is_what_the_standard_library_takes_for_one(text in "[-+]?[0-9.eE+-]{0,12}") {
            prop_assert_eq!(roughly(&text).is_some(), text.parse::<f64>().is_ok(), "{}", text);
        }
    }
}
