//! Decimal numbers from text, to the last digit, without tables.
//!
//! The standard library's parser has 10 KiB of powers of five that hardly compress: with it the dashboard's module is 11 KiB
//! larger, compressed. Here, long division bit by bit finds the nearest double for the numbers that [`short`] does not read.

use halfopen::number::{short, signed, split};

/// Digits beyond these cannot change the result: 767 digits decide the rounding of any double.
const MOST_DIGITS: usize = 800;

/// The double nearest to a decimal number, as `str::parse` reads it; `None` for what is no number, also for words
/// such as `NaN`.
///
/// ```
/// use halfopen_log::number;
/// assert_eq!(number("-12.5e3"), Some(-12_500.0));
/// assert_eq!(number("0.1"), Some(0.1));
/// assert_eq!(number("seven"), None);
/// ```
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    signed(text, |digits| short(digits).or_else(|| Some(Decimal::read(digits)?.nearest())))
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
            // Any digit above zero: it only says that the value is not exactly halfway.
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

    /// Subtracts a number that is not greater.
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
        assert_eq!(number(text).map(f64::to_bits), Some(expected.to_bits()), "{text}");
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
            assert_eq!(number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_what_the_standard_library_takes_for_one(text in "[-+]?[0-9.eE+-]{0,12}") {
            prop_assert_eq!(number(&text).is_some(), text.parse::<f64>().is_ok(), "{}", text);
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
