//! Attempts over time, and how many of them failed: for strips that show the whole log at once.
//!
//! Each event updates the counts, in at most 1,024 buckets; a log that outgrows them gets buckets of twice the width. So
//! drawing takes the same time for a minute and for a day.

use crate::time::Place;

/// Most buckets.
const MOST: usize = 1_024;
/// Width of a bucket at first, in milliseconds of the axis.
const FIRST_WIDTH: f64 = 50.0;

/// Attempts of one bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub begun: u32,
    pub failed: u32,
}

/// The buckets. Places are those of the time axis.
#[derive(Clone, Debug)]
pub struct Strip {
    /// The place of the first attempt; `None` before it.
    origin: Option<Place>,
    width: f64,
    buckets: Vec<Counts>,
}

impl Default for Strip {
    fn default() -> Self {
        Self { origin: None, width: FIRST_WIDTH, buckets: Vec::new() }
    }
}

impl Strip {
    /// An attempt began at that place.
    pub fn begun(&mut self, place: Place) {
        self.bucket(place).begun += 1;
    }

    /// One that began at that place failed.
    pub fn failed(&mut self, place: Place) {
        self.bucket(place).failed += 1;
    }

    fn bucket(&mut self, place: Place) -> &mut Counts {
        let origin = *self.origin.get_or_insert(place);
        loop {
            let steps = (place - origin) / self.width;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            let index = steps.max(0.0) as usize;
            if index < MOST {
                if self.buckets.len() <= index {
                    self.buckets.resize(index + 1, Counts::default());
                }
                #[expect(clippy::indexing_slicing, reason = "made just above")]
                return &mut self.buckets[index];
            }
            let pairs = self.buckets.chunks(2).map(|pair| Counts {
                begun: pair.iter().map(|one| one.begun).sum(),
                failed: pair.iter().map(|one| one.failed).sum(),
            });
            self.buckets = pairs.collect();
            self.width *= 2.0;
        }
    }

    /// The attempts that failed, in `columns` columns from one place to another. Those outside count in the first or the
    /// last column.
    pub fn failures(&self, from: Place, to: Place, columns: usize) -> Vec<u32> {
        let mut counts = vec![0_u32; columns];
        #[expect(clippy::cast_precision_loss, reason = "a few columns")]
        let scale = columns as f64 / (to - from).max(1.0);
        for (place, of) in self.iter() {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
            let column = ((place - from) * scale).max(0.0) as usize;
            if let Some(count) = counts.get_mut(column.min(columns.saturating_sub(1))) {
                *count += of.failed;
            }
        }
        counts
    }

    /// The middle of each bucket with its counts.
    pub fn iter(&self) -> impl Iterator<Item = (Place, Counts)> {
        let origin = self.origin.unwrap_or_default();
        self.buckets.iter().enumerate().map(move |(index, &counts)| {
            #[expect(clippy::cast_precision_loss, reason = "at most MOST")]
            let steps = index as f64 + 0.5;
            (origin + steps * self.width, counts)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_outgrows_its_buckets_keeps_its_counts() {
        let mut strip = Strip::default();
        let begins = Place::from_ms(1_000.0);
        for step in 0..10_000 {
            let place = begins + f64::from(step) * 40.0;
            strip.begun(place);
            if step % 10 == 0 {
                strip.failed(place);
            }
        }
        strip.begun(Place::from_ms(0.0));
        let sum = strip.iter().fold(Counts::default(), |sum, (_, counts)| Counts {
            begun: sum.begun + counts.begun,
            failed: sum.failed + counts.failed,
        });
        assert_eq!(sum, Counts { begun: 10_001, failed: 1_000 });
        assert!(strip.iter().count() <= MOST);
        let last = strip.iter().last().unwrap().0;
        let end = Place::from_ms(401_000.0);
        assert!((last - end).abs() < 1_000.0, "{last:?}");
        let columns = strip.failures(begins, end, 4);
        assert_eq!(columns.iter().sum::<u32>(), 1_000);
        assert!(columns.iter().all(|&count| count.abs_diff(250) < 5), "{columns:?}");
    }
}
