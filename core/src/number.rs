//! Decimal numbers from text, without tables.
//!
//! The standard library's reader carries 10 KiB of powers of five that hardly compress. Here a number of up to 15 digits
//! is the quotient of two exact doubles (Clinger, "How to read floating point numbers accurately", 1990). Of all others
//! [`parse`] divides bit by bit to the nearest double; [`roughly`] needs a tenth of the code, and may miss the last digits.

/// More digits than these cannot move a double across the middle of two others (767 can, so these are some more).
const MOST_DIGITS: usize = 800;
/// A number with as many digits is an exact double.
const EXACT_DIGITS: u32 = 15;

/// The double nearest to a decimal number, as `str::parse` reads it; `None` for what is no number, also for words
/// such as `NaN`.
///
/// ```
/// use halfopen::number::parse;
/// assert_eq!(parse("-12.5e3"), Some(-12_500.0));
/// assert_eq!(parse("0.1"), Some(0.1));
/// assert_eq!(parse("seven"), None);
/// ```
#[must_use]
pub fn parse(text: &str) -> Option<f64> {
    signed(text, |digits| short(digits).or_else(|| Some(Decimal::read(digits)?.nearest())))
}

/// As [`parse`], but numbers of more than 15 digits or with an exponent are correct to 15 digits only.
///
/// ```
/// use halfopen::number::roughly;
/// assert_eq!(roughly("-12.5"), Some(-12.5));
/// assert_eq!(roughly("1e3"), Some(1000.0));
/// assert_eq!(roughly("seven"), None);
/// ```
#[must_use]
pub fn roughly(text: &str) -> Option<f64> {
    signed(text, |digits| short(digits).or_else(|| rough(digits)))
}

fn signed(text: &str, read: impl Fn(&str) -> Option<f64>) -> Option<f64> {
    match text.as_bytes().first()? {
        b'-' => read(text.get(1..)?).map(|value| -value),
        b'+' => read(text.get(1..)?),
        _ => read(text),
    }
}

/// A number of few digits and without an exponent, by one operation on two exact doubles.
fn short(text: &str) -> Option<f64> {
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

/// What stands before `e`, and the exponent behind it.
fn split(text: &str) -> Option<(&str, i32)> {
    match text.find(['e', 'E']) {
        Some(at) => Some((text.get(..at)?, exponent(text.get(at + 1..)?)?)),
        None => Some((text, 0)),
    }
}

/// `digits` × 10^`exponent`.
struct Decimal {
    digits: Vec<u8>,
    exponent: i32,
}

impl Decimal {
    fn read(text: &str) -> Option<Self> {
        let (mantissa, exponent) = split(text)?;
        let mut read = Self { digits: Vec::new(), exponent };
        let (mut point, mut any, mut more) = (false, false, false);
        for byte in mantissa.bytes() {
            let digit = byte.wrapping_sub(b'0');
            match byte {
                b'.' if !point => {
                    point = true;
                    continue;
                }
                b'0'..=b'9' => any = true,
                _ => return None,
            }
            if point {
                read.exponent = read.exponent.saturating_sub(1);
            }
            if read.digits.len() < MOST_DIGITS {
                if digit > 0 || !read.digits.is_empty() {
                    read.digits.push(digit);
                }
            } else {
                read.exponent = read.exponent.saturating_add(1);
                more |= digit > 0;
            }
        }
        if more {
            // Anything above nothing: it only decides what is not exactly in the middle.
            read.digits.push(1);
            read.exponent = read.exponent.saturating_sub(1);
        }
        any.then_some(read)
    }

    /// By long division of whole numbers of any size.
    #[expect(clippy::cast_sign_loss, reason = "checked to be of a double's range")]
    fn nearest(&self) -> f64 {
        let magnitude = i64::from(self.exponent) + self.digits.len() as i64;
        if self.digits.is_empty() {
            return 0.0;
        }
        if magnitude > 310 {
            return f64::INFINITY;
        }
        if magnitude < -330 {
            return 0.0;
        }
        let (mut above, mut below) = (Whole::default(), Whole(vec![1]));
        for &digit in &self.digits {
            above.multiply_add(10, u32::from(digit));
        }
        let scaled = if self.exponent < 0 { &mut below } else { &mut above };
        for _ in 0..self.exponent.unsigned_abs() {
            scaled.multiply_add(10, 0);
        }
        // From here on the value is above / below × 2^power, with 1 ≤ above / below < 2.
        let mut power = above.bits() - below.bits();
        if power > 0 {
            below.shift(power)
        } else {
            above.shift(-power)
        }
        if above.less(&below) {
            above.shift(1);
            power -= 1;
        }
        // Below 2^-1022 doubles lose a bit for each power.
        let bits = (53 + (power + 1022).min(0)).max(-1);
        let mut mantissa = 0_u64;
        for _ in 0..bits {
            mantissa <<= 1;
            if !above.less(&below) {
                above.subtract(&below);
                mantissa |= 1;
            }
            above.shift(1);
        }
        let up = bits >= 0 && (below.less(&above) || (!above.less(&below) && mantissa & 1 == 1));
        mantissa += u64::from(up);
        if power > 1023 {
            return f64::INFINITY;
        }
        // A mantissa that was rounded up to 2^53 carries into the exponent, as it must.
        let exponent = if bits == 53 { ((power + 1022) as u64) << 52 } else { 0 };
        f64::from_bits(exponent + mantissa)
    }
}

/// What stands after `e`, held to what matters.
fn exponent(text: &str) -> Option<i32> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let size = digits.bytes().fold(0_i32, |sum, byte| (sum * 10 + i32::from(byte - b'0')).min(1_000_000));
    Some(if text.starts_with('-') { -size } else { size })
}

/// A whole number of any size, its lowest 32 bits first.
#[derive(Default)]
struct Whole(Vec<u32>);

#[expect(clippy::cast_possible_truncation, reason = "carries: the low half is kept, the high half goes on")]
impl Whole {
    fn multiply_add(&mut self, factor: u32, summand: u32) {
        let mut carry = u64::from(summand);
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn shift(&mut self, by: i32) {
        let by = by.unsigned_abs();
        for _ in 0..by % 32 {
            self.multiply_add(2, 0);
        }
        self.0.splice(0..0, std::iter::repeat_n(0, (by / 32) as usize));
    }

    #[expect(clippy::cast_possible_wrap, reason = "a few thousand bits at most")]
    fn bits(&self) -> i32 {
        self.0.last().map_or(0, |limb| self.0.len() as i32 * 32 - limb.leading_zeros() as i32)
    }

    fn less(&self, other: &Self) -> bool {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev())).is_lt()
    }

    /// Takes away a number that is not greater.
    fn subtract(&mut self, other: &Self) {
        let mut borrow = 0;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let less = other.0.get(index).map_or(0, |&limb| u64::from(limb)) + borrow;
            let from = u64::from(*limb) + (1 << 32);
            let rest = from.wrapping_sub(less);
            *limb = rest as u32;
            borrow = u64::from(rest >> 32 == 0);
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn same(text: &str) {
        let expected = text.parse::<f64>().unwrap();
        assert_eq!(parse(text).map(f64::to_bits), Some(expected.to_bits()), "{text}");
    }

    #[test]
    fn the_hard_ones_are_read_as_the_standard_library_reads_them() {
        for text in [
            "0",
            "-0",
            "0.0",
            "1.",
            ".5",
            "+7",
            "9007199254740993",
            "9007199254740993.0000000000000000000001",
            "1e22",
            "1e23",
            "8.41e21",
            "9e-324",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "2.2250738585072011e-308",
            "2.2250738585072014e-308",
            "1.7976931348623157e308",
            "1.7976931348623158e308",
            "1.7976931348623159e308",
            "1e309",
            "1e-400",
            "1e999999999999",
            "1e-999999999999",
            "0e999999999",
            "6929495644600919.5",
            "3.237883913302901e-319",
            "123456789012345678901234567890",
        ] {
            same(text);
        }
        same(&format!("0.{}1", "0".repeat(900)));
        same(&format!("1{}", "0".repeat(900)));
        same(&format!("9007199254740993.{}1", "0".repeat(900)));
        same(&format!("2.4703282292062327208{}e-324", "9".repeat(900)));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "-", ".", "e5", "1e", "1e+", "1.2.3", "0x10", "NaN", "inf", "1 ", "--1", "1e1.5"] {
            assert_eq!(parse(text), None, "{text}");
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
        fn what_is_a_number_is_one_for_both(text in "[-+]?[0-9.eE+-]{0,12}") {
            prop_assert_eq!(roughly(&text).is_some(), parse(&text).is_some(), "{}", text);
        }

        #[test]
        fn any_double_is_read_back(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            for text in [value.to_string(), format!("{value:e}"), format!("{value:.17e}"), format!("{value:.3e}")] {
                same(&text);
            }
        }

        #[test]
        fn any_digits_are_read_as_the_standard_library_reads_them(whole in "[0-9]{1,30}", part in "[0-9]{0,30}", e in -350i32..350) {
            same(&format!("{whole}.{part}"));
            same(&format!("{whole}.{part}e{e}"));
        }
    }
}
