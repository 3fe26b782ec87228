//! How long to wait before a retry: exponential growth up to a cap, spread by jitter.
//!
//! Whole milliseconds and integer arithmetic, so that a seed gives the same delays natively and in wasm.
//! On jitter: Brooker, "Exponential Backoff And Jitter",
//! <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>.

use crate::rng::SplitMix64;
use crate::time::Millis;

/// A growth factor in fixed point, 32 bits behind the point.
///
/// ```
/// use halfopen::policy::Factor;
/// assert_eq!(Factor::from_f64(1.5).power(2).apply(1000), 2250);
/// assert_eq!(Factor::from_f64(f64::NAN), Factor::ONE);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Factor(u128);

impl Factor {
    /// The number of fractional bits.
    const POINT: u32 = 32;
    const HALF: u128 = 1 << (Self::POINT - 1);
    /// Leaves everything as it is.
    pub const ONE: Self = Self(1 << Self::POINT);
    /// Doubles.
    pub const TWO: Self = Self(2 << Self::POINT);

    /// From a number: NaN becomes 1, negative becomes 0, what is too large stops at 2⁶⁴.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range first")]
    pub fn from_f64(factor: f64) -> Self {
        if factor.is_nan() {
            return Self::ONE;
        }
        Self((factor.clamp(0.0, 18_446_744_073_709_551_616.0) * 4_294_967_296.0).round() as u128)
    }

    /// The factor as a number.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact for what people write")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64 / 4_294_967_296.0
    }

    /// Returns `value` times this factor, in units of 2⁻³², saturating at 64 bits.
    pub(crate) fn fixed(self, value: u32) -> u64 {
        u64::try_from(self.0.saturating_mul(u128::from(value))).unwrap_or(u64::MAX)
    }

    /// Returns this factor to the power of `exponent`, by squaring, saturating at 64 bits.
    #[must_use]
    #[inline]
    pub fn power(self, exponent: u32) -> Self {
        // The first retries are the most, and need no loop.
        match exponent {
            0 => Self::ONE,
            1 => self,
            2 => self.times(self),
            _ => self.power_by_squaring(exponent),
        }
    }

    fn power_by_squaring(self, exponent: u32) -> Self {
        let mut square = self;
        for _ in 0..exponent.trailing_zeros() {
            square = square.times(square);
        }
        let mut rest = exponent >> exponent.trailing_zeros();
        let mut result = square;
        while rest > 1 {
            rest >>= 1;
            square = square.times(square);
            if rest & 1 == 1 {
                result = result.times(square);
            }
        }
        result
    }

    /// Returns `value` times this factor, rounded to the nearest whole number, saturating.
    #[must_use]
    #[inline]
    pub fn apply(self, value: u64) -> u64 {
        let whole = match u64::try_from(self.0) {
            // Below (2⁶⁴ − 1)² + 2³¹, and so below 2¹²⁸: nothing to saturate.
            Ok(factor) => (u128::from(value) * u128::from(factor) + Self::HALF) >> Self::POINT,
            Err(_) => u128::from(value).saturating_mul(self.0).saturating_add(Self::HALF) >> Self::POINT,
        };
        u64::try_from(whole).unwrap_or(u64::MAX)
    }

    /// A product that overflows 128 bits is beyond 2⁶⁴, and makes any delay above zero saturate. Factors below 2³² need
    /// one multiplication of 64 bits instead of four.
    #[inline]
    fn times(self, other: Self) -> Self {
        if let (Ok(one), Ok(other)) = (u64::try_from(self.0), u64::try_from(other.0)) {
            return Self((u128::from(one) * u128::from(other)) >> Self::POINT);
        }
        Self(self.0.checked_mul(other.0).map_or(u128::MAX, |product| product >> Self::POINT))
    }
}

/// A share from 0 to 1 in millionths, exact for decimal fractions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportion(u32);

impl Proportion {
    const WHOLE: u64 = 1_000_000;

    /// From a number: clamped to 0 … 1, NaN becomes 0.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped; `as` makes NaN 0")]
    pub fn from_f64(share: f64) -> Self {
        Self((share.clamp(0.0, 1.0) * 1e6).round() as u32)
    }

    /// The share as a number.
    #[must_use]
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }

    fn of(self, value: u64) -> u64 {
        match value.checked_mul(u64::from(self.0)) {
            Some(product) => product / Self::WHOLE,
            None => (value / Self::WHOLE).saturating_mul(u64::from(self.0)),
        }
    }
}

/// The spread of a delay. It keeps clients that failed together from coming back together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jitter {
    /// Not at all.
    None,
    /// With v the unjittered delay and j the share: uniform in [v(1−j), min(cap, v(1+j))].
    ///
    /// The band is cut off below the cap and not clamped to it: clamping would put half of all late retries on the cap
    /// itself.
    Proportion(Proportion),
    /// Uniform in [0, v].
    Full,
    /// Uniform in [v/2, v].
    Equal,
    /// min(cap, uniform in [base, 3 × the delay before]).
    Decorrelated,
}

/// A drawn delay and the band that it was drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delay {
    /// How long to wait.
    pub delay: Millis,
    /// The shortest that could have been drawn.
    pub min: Millis,
    /// The longest that could have been drawn.
    pub max: Millis,
}

impl Delay {
    /// A delay that leaves nothing to chance.
    #[must_use]
    pub const fn exactly(delay: Millis) -> Self {
        Self { delay, min: delay, max: delay }
    }
}

/// Exponential backoff with a cap and jitter.
///
/// ```
/// use halfopen::policy::{Backoff, Jitter};
/// use halfopen::rng::SplitMix64;
/// use halfopen::time::Millis;
/// let plain = Backoff { jitter: Jitter::None, ..Backoff::default() };
/// let mut rng = SplitMix64::new(7);
/// let delays: Vec<u64> = (1..=6).map(|n| plain.delay(n, Millis::ZERO, &mut rng).delay.0).collect();
/// assert_eq!(delays, [1000, 2000, 4000, 8000, 10_000, 10_000]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The delay before the first retry, before jitter.
    pub base: Millis,
    /// No delay is longer, jitter included.
    pub cap: Millis,
    /// Each further retry multiplies the delay by this.
    pub factor: Factor,
    /// How the delay is spread.
    pub jitter: Jitter,
}

impl Default for Backoff {
    /// 1 s, doubled up to 10 s, ±20 %.
    fn default() -> Self {
        Self {
            base: Millis(1000),
            cap: Millis(10_000),
            factor: Factor::TWO,
            jitter: Jitter::Proportion(Proportion(200_000)),
        }
    }
}

impl Backoff {
    /// Returns the delay before retry `retry` (1 is the first) without jitter: min(cap, base × factor^(retry − 1)).
    /// Retry 0 does not wait.
    #[must_use]
    pub fn unjittered(&self, retry: u32) -> Millis {
        let Some(exponent) = retry.checked_sub(1) else { return Millis::ZERO };
        let grown = if self.factor == Factor::TWO && exponent < 64 {
            // The usual factor, without 128-bit products. A shift that would lose bits saturates.
            if self.base.0.leading_zeros() >= exponent { self.base.0 << exponent } else { u64::MAX }
        } else {
            self.factor.power(exponent).apply(self.base.0)
        };
        Millis(grown).min(self.cap)
    }

    /// Draws the delay before retry `retry`. `previous` is the delay drawn before it, zero for none; only decorrelated
    /// jitter uses it.
    pub fn delay(&self, retry: u32, previous: Millis, rng: &mut SplitMix64) -> Delay {
        let v = self.unjittered(retry);
        if retry == 0 {
            return Delay::exactly(v);
        }
        let (low, high) = match self.jitter {
            Jitter::None => return Delay::exactly(v),
            Jitter::Proportion(share) => {
                let part = share.of(v.0);
                (v.0 - part, v.0.saturating_add(part).min(self.cap.0))
            }
            Jitter::Full => (0, v.0),
            Jitter::Equal => (v.0 - v.0 / 2, v.0),
            Jitter::Decorrelated => return self.decorrelated(previous, rng),
        };
        Delay { delay: Millis(rng.between(low, high)), min: Millis(low), max: Millis(high) }
    }

    /// Its band may reach beyond the cap, and is cut off only after the draw.
    fn decorrelated(&self, previous: Millis, rng: &mut SplitMix64) -> Delay {
        let from = if previous == Millis::ZERO { self.base } else { previous };
        let (low, high) = (self.base.0, from.0.saturating_mul(3).max(self.base.0));
        let drawn = rng.between(low, high);
        Delay {
            delay: Millis(drawn).min(self.cap),
            min: Millis(low).min(self.cap),
            max: Millis(high).min(self.cap),
        }
    }
}

/// [`Backoff`] in real numbers, for callers who bring their own randomness.
///
/// ```
/// use halfopen::policy::{JitterKind, RealBackoff};
/// let backoff = RealBackoff { cap: f64::INFINITY, factor: 1.5, jitter: JitterKind::None, ..RealBackoff::default() };
/// assert_eq!(backoff.delay(5.0, 0.0, None), 5062.5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RealBackoff {
    /// The first delay, in milliseconds.
    pub base: f64,
    /// The longest delay, after jitter too, in milliseconds.
    pub cap: f64,
    /// Each delay is multiplied by this.
    pub factor: f64,
    /// How the delays are spread.
    pub jitter: JitterKind,
    /// The share to either side, for [`JitterKind::Proportion`].
    pub share: f64,
}

impl Default for RealBackoff {
    /// That of [`Backoff`].
    fn default() -> Self {
        let Backoff { base, cap, factor, jitter } = Backoff::default();
        let (jitter, share) = jitter.to_parts();
        Self { base: base.as_f64(), cap: cap.as_f64(), factor: factor.as_f64(), jitter, share }
    }
}

impl RealBackoff {
    /// Returns the delay before retry `retry` (1 is the first), in milliseconds. `random` is in [0, 1). `previous` is
    /// the last delay, for decorrelated jitter; `None` means the base. The result is never NaN, negative or above the
    /// cap, whatever the arguments. Retry 0 has a delay of 0.
    #[must_use]
    pub fn delay(&self, retry: f64, random: f64, previous: Option<f64>) -> f64 {
        let tame = |value: f64, otherwise: f64| if value.is_nan() { otherwise } else { value.max(0.0) };
        let (base, cap, factor) = (tame(self.base, 0.0), tame(self.cap, 0.0), tame(self.factor, 1.0));
        let random = tame(random, 0.5).min(1.0);
        if tame(retry, 0.0) < 1.0 {
            return 0.0;
        }
        // 0 × ∞ is the only NaN left: no base, no delay.
        let v = if base == 0.0 { 0.0 } else { (base * real_power(factor, retry.floor() - 1.0)).min(cap) };
        let within = |low: f64, high: f64| low + random * (high - low);
        let delay = match self.jitter {
            JitterKind::None => v,
            JitterKind::Proportion => {
                let share = tame(self.share, 0.0).min(1.0);
                within(v * (1.0 - share), (v * (1.0 + share)).min(cap))
            }
            JitterKind::Full => within(0.0, v),
            JitterKind::Equal => within(v / 2.0, v),
            JitterKind::Decorrelated => {
                let from = tame(previous.unwrap_or(base), 0.0);
                let high = 3.0 * if from > 0.0 { from } else { base };
                within(base, high.max(base))
            }
        };
        // With infinities in the band (no cap, a huge factor) the midpoint is undefined, so the cap is the only
        // sensible result.
        if delay.is_nan() { cap } else { delay.max(0.0).min(cap) }
    }
}

impl Jitter {
    /// Its kind, and the share of a [`Jitter::Proportion`].
    #[must_use]
    pub fn to_parts(self) -> (JitterKind, f64) {
        match self {
            Self::None => (JitterKind::None, 0.0),
            Self::Proportion(share) => (JitterKind::Proportion, share.as_f64()),
            Self::Full => (JitterKind::Full, 0.0),
            Self::Equal => (JitterKind::Equal, 0.0),
            Self::Decorrelated => (JitterKind::Decorrelated, 0.0),
        }
    }

    /// Returns the jitter of that kind; `share` is that of a [`Jitter::Proportion`].
    #[must_use]
    pub fn from_parts(kind: JitterKind, share: f64) -> Self {
        match kind {
            JitterKind::None => Self::None,
            JitterKind::Proportion => Self::Proportion(Proportion::from_f64(share)),
            JitterKind::Full => Self::Full,
            JitterKind::Equal => Self::Equal,
            JitterKind::Decorrelated => Self::Decorrelated,
        }
    }
}

/// [`Jitter`] without its number, as it crosses into JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum JitterKind {
    /// See [`Jitter::None`].
    None = 0,
    /// See [`Jitter::Proportion`].
    Proportion = 1,
    /// See [`Jitter::Full`].
    Full = 2,
    /// See [`Jitter::Equal`].
    Equal = 3,
    /// See [`Jitter::Decorrelated`].
    Decorrelated = 4,
}

impl JitterKind {
    /// Every kind, by its number.
    pub const ALL: [Self; 5] = [Self::None, Self::Proportion, Self::Full, Self::Equal, Self::Decorrelated];

    /// Returns the name in options; 'none' and 'proportion' are written as numbers there.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Proportion => "proportion",
            Self::Full => "full",
            Self::Equal => "equal",
            Self::Decorrelated => "decorrelated",
        }
    }

    /// Returns the kind of that number; [`JitterKind::None`] for an unknown number.
    #[must_use]
    pub fn from_index(index: u8) -> Self {
        Self::ALL.get(usize::from(index)).copied().unwrap_or(Self::None)
    }
}

/// By squaring with plain multiplications: `f64::powf` may differ in the last bit from platform to platform.
fn real_power(factor: f64, exponent: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let mut exponent = exponent as u64;
    let (mut result, mut square) = (1.0, factor);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= square;
        }
        square *= square;
        exponent >>= 1;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn jitters() -> impl Strategy<Value = Jitter> {
        prop_oneof![
            Just(Jitter::None),
            (0.0..=1.0).prop_map(|share| Jitter::Proportion(Proportion::from_f64(share))),
            Just(Jitter::Full),
            Just(Jitter::Equal),
            Just(Jitter::Decorrelated),
        ]
    }

    fn backoffs() -> impl Strategy<Value = Backoff> {
        (0..=u64::MAX, 0..=u64::MAX, 0.0..1e9, jitters()).prop_map(|(base, cap, factor, jitter)| Backoff {
            base: Millis(base),
            cap: Millis(cap),
            factor: Factor::from_f64(factor),
            jitter,
        })
    }

    #[test]
    fn the_default_without_jitter_is_the_table_of_the_documentation() {
        let backoff = Backoff { jitter: Jitter::None, ..Backoff::default() };
        let delays: Vec<u64> = (0..=6).map(|n| backoff.unjittered(n).0).collect();
        assert_eq!(delays, [0, 1000, 2000, 4000, 8000, 10_000, 10_000]);
    }

    #[test]
    fn the_default_band_is_twenty_percent_and_ends_at_the_cap() {
        let backoff = Backoff::default();
        let band = |retry| {
            let drawn = backoff.delay(retry, Millis::ZERO, &mut SplitMix64::new(1));
            (drawn.min.0, drawn.max.0)
        };
        assert_eq!(band(1), (800, 1200));
        assert_eq!(band(2), (1600, 2400));
        assert_eq!(band(4), (6400, 9600));
        assert_eq!(band(5), (8000, 10_000));
    }

    #[test]
    fn powers_are_products_one_after_the_other() {
        for factor in [0.0, 0.5, 1.0, 1.25, 1.5, 2.0, 3.0, 1e6, 1e19, 1e30] {
            let factor = Factor::from_f64(factor);
            for exponent in 0..40 {
                // Halves, quarters and whole numbers are exact in fixed point as long as they are in its range.
                let one_by_one = (0..exponent).fold(Factor::ONE, |power, _| power.times(factor));
                for value in [0, 1, 1000, u64::MAX] {
                    let (power, exact) = (factor.power(exponent).apply(value), one_by_one.apply(value));
                    // Each product may drop a unit of its last place, and squaring makes fewer of them.
                    let close = exact / (1 << 20) + 1;
                    assert!(
                        power.abs_diff(exact) <= close,
                        "{factor:?}^{exponent} × {value}: {power}, {exact}"
                    );
                }
            }
        }
    }

    /// Every path of a product: one factor or the other beyond 64 bits, values at their ends.
    #[test]
    fn products_are_rounded_to_the_nearest_and_saturate() {
        for (factor, value, product) in [
            (1.5, 1, 2),
            (1.5, 3, 5),
            (0.25, 1, 0),
            (0.5, 1, 1),
            (1.0, u64::MAX, u64::MAX),
            (0.5, u64::MAX, 1 << 63),
            (1.5, u64::MAX, u64::MAX),
            (4_294_967_295.0, u64::MAX, u64::MAX),
            (4_294_967_296.0, 1 << 31, 1 << 63),
            (1e30, 1, u64::MAX),
            (1e30, 0, 0),
        ] {
            assert_eq!(Factor::from_f64(factor).apply(value), product, "{factor} × {value}");
        }
        assert_eq!(Factor(u128::MAX).apply(u64::MAX), u64::MAX);
        assert_eq!(Factor(u128::from(u64::MAX)).apply(u64::MAX), u64::MAX);
    }

    #[test]
    fn jitter_does_not_pile_up_at_the_cap() {
        let backoff = Backoff::default();
        let mut rng = SplitMix64::new(3);
        let at_cap = (0..10_000).filter(|_| backoff.delay(9, Millis::ZERO, &mut rng).delay.0 >= 9999).count();
        // Two of 2001 equally likely values: ten of ten thousand.
        assert!(at_cap < 40, "{at_cap}");
    }

    #[test]
    fn decorrelated_draws_from_three_times_the_delay_before() {
        let backoff = Backoff { jitter: Jitter::Decorrelated, ..Backoff::default() };
        let drawn = backoff.delay(2, Millis(1500), &mut SplitMix64::new(1));
        assert_eq!((drawn.min.0, drawn.max.0), (1000, 4500));
        let first = backoff.delay(1, Millis::ZERO, &mut SplitMix64::new(1));
        assert_eq!((first.min.0, first.max.0), (1000, 3000));
    }

    #[test]
    fn real_numbers_give_what_the_formula_says() {
        let at = |random| RealBackoff::default().delay(2.0, random, None);
        assert_eq!(at(0.0), 1600.0);
        assert_eq!(at(0.5), 2000.0);
        assert_eq!(at(0.375), 1900.0);
    }

    proptest! {
        #[test]
        fn small_powers_are_what_squaring_makes_of_them(factor in 0.0..1e12, exponent in 1_u32..8) {
            let factor = Factor::from_f64(factor);
            prop_assert_eq!(factor.power(exponent), factor.power_by_squaring(exponent));
        }

        #[test]
        fn a_delay_lies_in_its_band_below_the_cap(backoff in backoffs(), retry: u32, previous: u64, seed: u64) {
            let drawn = backoff.delay(retry, Millis(previous), &mut SplitMix64::new(seed));
            prop_assert!(drawn.min <= drawn.delay && drawn.delay <= drawn.max);
            prop_assert!(drawn.max <= backoff.cap.max(Millis::ZERO));
        }

        #[test]
        fn real_delays_are_never_nan_negative_or_above_the_cap(
            retry: f64, base: f64, cap in 0.0..f64::MAX, factor: f64, kind in 0_u8..5, share: f64, random: f64, previous: f64,
        ) {
            let kind = JitterKind::ALL[usize::from(kind)];
            let delay = RealBackoff { base, cap, factor, jitter: kind, share }.delay(retry, random, Some(previous));
            prop_assert!(delay >= 0.0 && delay <= cap, "{delay}");
        }

        #[test]
        fn whole_and_real_numbers_agree(base in 0_u64..100_000, factor in 1.0..4.0_f64, retry in 0_u32..12) {
            let whole = Backoff { base: Millis(base), cap: Millis(1 << 40), factor: Factor::from_f64(factor), jitter: Jitter::None };
            #[expect(clippy::cast_precision_loss)]
            let real = RealBackoff { base: base as f64, cap: 1_099_511_627_776.0, factor, jitter: JitterKind::None, share: 0.0 };
            let real = real.delay(f64::from(retry), 0.0, None);
            let tolerance = 0.5 + real * 1e-8;
            prop_assert!((whole.unjittered(retry).as_f64() - real).abs() <= tolerance);
        }
    }
}
