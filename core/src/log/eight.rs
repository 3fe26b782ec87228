//! Eight bytes looked at in one step, the first byte lowest.

const ONES: u64 = u64::from_le_bytes([1; 8]);

/// Marks the bytes that are `byte`, up to the first of them: the difference is zero there, and only a zero, or what
/// stands behind one, borrows from its own high bit (Warren, Hacker's Delight, 6-1).
pub(super) const fn equal(eight: u64, byte: u8) -> u64 {
    let difference = eight ^ (ONES * byte as u64);
    difference.wrapping_sub(ONES) & !difference & (ONES << 7)
}

/// How many bytes stand before the first mark: 8 without any.
pub(super) const fn before(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// Where a byte stands first.
pub(super) fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..at + 8).and_then(|eight| eight.try_into().ok()) {
        let before = before(equal(u64::from_le_bytes(eight), byte));
        at += before;
        if before < 8 {
            return Some(at);
        }
    }
    let rest = bytes.get(at..).unwrap_or_default().iter().position(|&other| other == byte);
    rest.map(|rest| at + rest)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_byte_is_found_where_it_stands_first(bytes in prop::collection::vec(0u8..4, 0..40), byte in 0u8..4) {
            prop_assert_eq!(super::find(byte, &bytes), bytes.iter().position(|&other| other == byte));
        }
    }
}
