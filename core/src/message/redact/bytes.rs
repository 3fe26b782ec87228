//! Sets of bytes: what words, values, URLs and the signs between them are made of.
//!
//! The scanner skips runs of bytes from a set in some thirty places. With the set as data, one loop serves all of them.

/// A set of ASCII characters, and whether all other bytes belong to it.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    /// A bit for each of the bytes 0 to 63, then for 64 to 127.
    ascii: [u64; 2],
    other: bool,
}

impl Bytes {
    /// These ASCII characters.
    pub(super) const fn of(characters: &str) -> Self {
        Self { ascii: [0, 0], other: false }.and(characters)
    }

    /// These characters too.
    pub(super) const fn and(self, characters: &str) -> Self {
        let (mut set, mut left) = (self.bits(), characters.as_bytes());
        while let Some((&byte, rest)) = left.split_first() {
            set |= 1 << byte;
            left = rest;
        }
        Self { ascii: [set as u64, (set >> 64) as u64], other: self.other }
    }

    /// All bytes but these.
    pub(super) const fn not(self) -> Self {
        Self { ascii: [!self.ascii[0], !self.ascii[1]], other: !self.other }
    }

    /// All bytes but these characters.
    pub(super) const fn all_but(characters: &str) -> Self {
        Self::of(characters).not()
    }

    /// Without these characters.
    pub(super) const fn but(self, characters: &str) -> Self {
        self.not().and(characters).not()
    }

    const fn bits(self) -> u128 {
        self.ascii[0] as u128 | (self.ascii[1] as u128) << 64
    }

    /// Returns `true` if the byte belongs to the set.
    pub(super) const fn has(&self, byte: u8) -> bool {
        match byte {
            0..=63 => self.ascii[0] >> byte & 1 != 0,
            64..=127 => self.ascii[1] >> (byte - 64) & 1 != 0,
            128.. => self.other,
        }
    }
}

/// The characters of words, names and most keys.
pub(super) const WORD: Bytes = Bytes::of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");

/// `token68` of RFC 9110 §11.2, and the stars of a mask.
pub(super) const TOKEN: Bytes = WORD.and(".~+/=*");

/// ASCII white space, as the WHATWG Infra Standard has it.
pub(super) const SPACE: Bytes = Bytes::of(" \t\n\r\u{c}");

/// The characters of a value without quotes.
pub(super) const VALUE: Bytes = Bytes::all_but(" \t\n\r\u{c}\"'`,;&()[]{}<>\\|");

/// The characters of a URL, including those that people forget to escape.
pub(super) const URL: Bytes = WORD.and("!#$%&()*+,./:;=?@[]^{|}~");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_has_what_it_was_made_of() {
        let set = Bytes::of("az9").and("_ ").but("9");
        assert_eq!((0..=255).filter(|&byte| set.has(byte)).collect::<Vec<u8>>(), b" _az");
        let others = Bytes::all_but("az9_ ").and("9");
        assert!((0..=255).all(|byte| others.has(byte) != set.has(byte)));
    }
}
