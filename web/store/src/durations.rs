//! How long calls took, in constant memory.

/// Counts of durations in steps of an eighth of a power of two: any quantile to within 9 %, in constant memory.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Durations {
    counts: Vec<u32>,
    total: u64,
}

const STEPS: f64 = 8.0;

impl Durations {
    /// Counts one duration in milliseconds.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded to 0..=400 just before"
    )]
    pub fn add(&mut self, ms: f64) {
        if !ms.is_finite() {
            return;
        }
        let step = (ms.max(1.0).log2() * STEPS).clamp(0.0, 400.0) as usize;
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
}
