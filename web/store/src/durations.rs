//! How long calls took, in constant memory.

/// Counts of durations in steps of an eighth of a power of two: any quantile to within 9 %, in constant memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations {
    counts: Vec<u32>,
    total: u64,
}

const STEPS: f64 = 8.0;
/// The mantissas at which the second to the eighth step of a power of two begin: 2^(1/8), 2^(2/8), …, 2^(7/8).
const MANTISSAS: [f64; 7] = [
    1.090_507_732_665_257_7,
    1.189_207_115_002_721,
    1.296_839_554_651_009_6,
    std::f64::consts::SQRT_2,
    1.542_210_825_407_940_7,
    1.681_792_830_507_429,
    1.834_008_086_409_342_4,
];
/// 2^50 ms are more than thirty thousand years: no call takes longer.
const MOST_STEPS: usize = 400;

impl Durations {
    /// Counts one duration in milliseconds.
    pub fn add(&mut self, ms: f64) {
        if !ms.is_finite() {
            return;
        }
        let step = step(ms.max(1.0));
        if self.counts.len() <= step {
            self.counts.resize(step + 1, 0);
        }
        if let Some(count) = self.counts.get_mut(step) {
            *count += 1;
        }
        self.total += 1;
    }

    /// Counts the durations of another one.
    pub fn add_all(&mut self, other: &Self) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.total += other.total;
    }

    /// The duration below which the share `q` of them lies; nothing without any.
    #[expect(clippy::cast_precision_loss, reason = "counts and steps are small")]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        let wanted = q * self.total as f64;
        let mut seen = 0.0;
        self.counts.iter().enumerate().find_map(|(step, &count)| {
            seen += f64::from(count);
            (count > 0 && seen >= wanted).then(|| ((step as f64 + 0.5) / STEPS).exp2())
        })
    }
}

/// The step of a number that is at least 1. Read off its binary digits, because WebAssembly has no logarithm: a log of a million
/// events is counted several times a second.
fn step(ms: f64) -> usize {
    const DIGITS: u64 = f64::MANTISSA_DIGITS as u64 - 1;
    let bits = ms.to_bits();
    let exponent = (bits >> DIGITS).saturating_sub(1023);
    let mantissa = f64::from_bits(bits & ((1 << DIGITS) - 1) | 1.0_f64.to_bits());
    let within = MANTISSAS.iter().filter(|&&begins| begins <= mantissa).count();
    usize::try_from(exponent).map_or(MOST_STEPS, |exponent| (8 * exponent + within).min(MOST_STEPS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_right_to_within_a_step() {
        let mut durations = Durations::default();
        assert!(durations.quantile(0.5).is_none());
        (1..=1000).for_each(|ms| durations.add(f64::from(ms)));
        for (q, expected) in [(0.5, 500.0), (0.99, 990.0)] {
            let found = durations.quantile(q).unwrap();
            assert!((found / expected - 1.0).abs() < 0.09, "{q}: {found}");
        }
    }

    #[test]
    fn a_step_is_an_eighth_of_a_power_of_two() {
        for ms in [1.0_f64, 1.05, 1.1, 1.5, 1.99, 2.0, 3.0, 7.9, 8.0, 1_000.0, 86_400_000.0, 1e15] {
            let expected = (ms.log2() * STEPS).floor();
            let found = u32::try_from(step(ms)).unwrap();
            assert!((f64::from(found) - expected).abs() < f64::EPSILON, "{ms}: {found}, expected {expected}");
        }
        assert_eq!(step(f64::MAX), MOST_STEPS);
    }
}
