//! Sorts rows as `slice::sort_by` does, with one compiled sort for every type of row. The standard library's is compiled
//! again for each type and each comparison, and each copy adds four kilobytes to the dashboard.

use std::cmp::Ordering;

/// Sorts rows by a comparison. Equal rows keep their order.
pub fn sort_by<T>(rows: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let swaps = swaps(rows.len(), &|a, b| match (rows.get(a), rows.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    });
    for (a, b) in swaps {
        rows.swap(a, b);
    }
}

/// Sorts rows by a key, the smallest first. Equal rows keep their order.
pub fn sort_by_key<T, K: Ord>(rows: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(rows, |a, b| key(a).cmp(&key(b)));
}

/// Returns the swaps that sort `rows` rows, in order; `compare` takes the indices of two rows.
fn swaps(rows: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<(usize, usize)> {
    // order[i] is the index of the row that belongs at i, and i itself once it is there.
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by(|&a, &b| compare(a, b));
    let mut swaps = Vec::new();
    for start in 0..rows {
        // Each swap moves the row from `start` on to the index that the next row leaves, until that index is its own.
        let mut to = start;
        while let Some(belongs) = order.get_mut(to) {
            let from = std::mem::replace(belongs, to);
            if from == start {
                break;
            }
            swaps.push((to, from));
            to = from;
        }
    }
    swaps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without a pattern, in a small range, so that many are equal.
    fn rows(count: usize) -> Vec<(u64, usize)> {
        let mut seed = count as u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % 16
        };
        (0..count).map(|place| (next(), place)).collect()
    }

    /// The largest number first, whatever else is in the row.
    fn from_above(a: &(u64, usize), b: &(u64, usize)) -> Ordering {
        b.0.cmp(&a.0)
    }

    #[test]
    fn rows_stand_as_after_a_sort_of_the_standard_library() {
        for count in 0..200 {
            let (mut ours, mut theirs) = (rows(count), rows(count));
            sort_by(&mut ours, from_above);
            theirs.sort_by(from_above);
            assert_eq!(ours, theirs);
            sort_by_key(&mut ours, |row| row.0);
            theirs.sort_by_key(|row| row.0);
            assert_eq!(ours, theirs);
        }
    }

    #[test]
    fn rows_that_all_move_by_one_place_take_a_swap_each() {
        let swaps = swaps(1_000, &|a, b| ((a + 1) % 1_000).cmp(&((b + 1) % 1_000)));
        assert_eq!(swaps.len(), 999);
    }
}
