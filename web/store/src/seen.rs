//! The sequence numbers that have arrived from a source, so that an event that arrives twice is kept once.

/// A set of numbers, as ranges. Events usually arrive in order, so there is usually one range.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// First and last of each range, in order, with gaps between them.
    ranges: Vec<(u64, u64)>,
}

impl Seen {
    /// Adds a number. Returns `true` if it is new.
    pub(crate) fn add(&mut self, number: u64) -> bool {
        let after = self.ranges.partition_point(|range| range.0 <= number);
        let before = after.checked_sub(1);
        let last = before.and_then(|index| self.ranges.get(index)).map(|range| range.1);
        if last.is_some_and(|last| number <= last) {
            return false;
        }
        let joins_left = last.is_some_and(|last| last + 1 == number);
        let joins_right = self.ranges.get(after).is_some_and(|range| Some(range.0) == number.checked_add(1));
        match (before, joins_left, joins_right) {
            (Some(left), true, true) => {
                let (_, end) = self.ranges.remove(after);
                self.set_end(left, end);
            }
            (Some(left), true, false) => self.set_end(left, number),
            (_, _, true) => {
                if let Some(range) = self.ranges.get_mut(after) {
                    range.0 = number;
                }
            }
            _ => self.ranges.insert(after, (number, number)),
        }
        true
    }

    fn set_end(&mut self, index: usize, end: u64) {
        if let Some(range) = self.ranges.get_mut(index) {
            range.1 = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_new_once() {
        let mut seen = Seen::default();
        let answers: Vec<_> =
            [1, 2, 3, 2, 9, 5, 4, 4, 8, 7, 6, 6, 0, u64::MAX, u64::MAX].map(|n| seen.add(n)).into();
        let f = false;
        assert_eq!(answers, [true, true, true, f, true, true, true, f, true, true, true, f, true, true, f]);
        assert_eq!(seen.ranges, [(0, 9), (u64::MAX, u64::MAX)]);
    }
}
