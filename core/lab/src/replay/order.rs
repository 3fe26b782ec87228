//! A heap sort for one kind of key. The standard library's sort is quicker, but takes 5 kB of the module for each kind.

use std::collections::BinaryHeap;

/// The indexes of some keys, in the order of the keys.
pub(super) fn order(keys: impl Iterator<Item = (u64, u64)>) -> Vec<u32> {
    let keys: Vec<(u64, u64, u32)> = (0..).zip(keys).map(|(index, (at, seq))| (at, seq, index)).collect();
    BinaryHeap::from(keys).into_sorted_vec().into_iter().map(|(_, _, index)| index).collect()
}
