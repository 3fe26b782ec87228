//! Durations, counted by size: percentiles in memory that does not grow.
//!
//! Like HdrHistogram (<https://hdrhistogram.org>), it has 128 buckets for each power of two, so a percentile is exact to 0.4 %.

use halfopen::invariant::Always;

/// 2⁷ = 128 buckets for each power of two.
const BITS: u32 = 7;
const SIZE: usize = (64 - BITS as usize + 1) << BITS;

/// Counts of durations, in microseconds.
#[derive(Debug)]
pub(super) struct Histogram {
    counts: Vec<u32>,
    total: u64,
    max: u64,
    /// The range of the buckets that are not empty.
    touched: (usize, usize),
}

impl Histogram {
    pub(super) fn new() -> Self {
        Self { counts: vec![0; SIZE], total: 0, max: 0, touched: (SIZE, 0) }
    }

    #[inline]
    pub(super) fn record(&mut self, micros: u64) {
        let bucket = bucket_of(micros);
        if let Some(count) = self.counts.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
        self.total += 1;
        self.max = self.max.max(micros);
        self.touched = (self.touched.0.min(bucket), self.touched.1.max(bucket));
    }

    /// Returns the duration that the share `share` of all does not exceed, in milliseconds; 0 if nothing was counted.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts of calls"
    )]
    pub(super) fn percentile(&self, share: f64) -> f64 {
        let rank = ((self.total as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        let (first, last) = self.touched;
        for (bucket, &count) in self.counts.iter().enumerate().take(last + 1).skip(first) {
            seen += u64::from(count);
            if seen >= rank {
                return middle_of(bucket).min(self.max as f64) / 1000.0;
            }
        }
        0.0
    }

    #[expect(clippy::cast_precision_loss, reason = "exact below 285 years")]
    pub(super) fn max(&self) -> f64 {
        self.max as f64 / 1000.0
    }

    /// Adds its counts to another histogram's, and resets itself.
    pub(super) fn move_to(&mut self, other: &mut Self) {
        let (first, last) = self.touched;
        if let (Some(from), Some(to)) =
            (self.counts.get_mut(first..=last), other.counts.get_mut(first..=last))
        {
            for (from, to) in from.iter_mut().zip(to) {
                *to = to.saturating_add(std::mem::take(from));
            }
        }
        other.total += self.total;
        other.max = other.max.max(self.max);
        other.touched = (other.touched.0.min(first), other.touched.1.max(last));
        (self.total, self.max, self.touched) = (0, 0, (SIZE, 0));
    }
}

fn bucket_of(micros: u64) -> usize {
    let exponent = 63 - (micros | (1 << BITS)).leading_zeros();
    let shift = exponent - BITS;
    // The leading one of the mantissa makes the step from one power of two to the next.
    ((shift as usize) << BITS) + usize::try_from(micros >> shift).always()
}

#[expect(clippy::cast_precision_loss, reason = "a bucket's border has 8 significant bits")]
fn middle_of(bucket: usize) -> f64 {
    let shift = (bucket >> BITS).saturating_sub(1);
    let low = ((bucket - (shift << BITS)) as u64) << shift;
    low as f64 + ((1_u64 << shift) - 1) as f64 / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_right_to_half_a_percent() {
        let (mut part, mut histogram) = (Histogram::new(), Histogram::new());
        for _ in 0..2 {
            for micros in 1..=100_000 {
                part.record(micros * 7);
                if micros % 30_000 == 0 {
                    part.move_to(&mut histogram);
                }
            }
            part.move_to(&mut histogram);
            assert_eq!((part.percentile(0.5), part.max()), (0.0, 0.0));
            for (share, expected) in [(0.5, 350.0), (0.95, 665.0), (0.99, 693.0)] {
                let found = histogram.percentile(share);
                assert!((found / expected - 1.0).abs() < 0.005, "{share}: {found} instead of {expected}");
            }
            assert_eq!(histogram.max(), 700.0);
        }
    }

    #[test]
    fn every_duration_has_a_bucket_whose_middle_is_near() {
        for micros in (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit, (1 << bit) + 1]) {
            let bucket = bucket_of(micros);
            assert!(bucket < SIZE);
            #[expect(clippy::cast_precision_loss)]
            let real = micros as f64;
            assert!((middle_of(bucket) - real).abs() <= real / 250.0, "{micros}");
        }
    }
}
