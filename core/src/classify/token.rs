//! Codes, types, reasons and names, each as one number that is compared and looked up.

/// The source of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Of an error.
    Name,
    /// A code, type or reason.
    Code,
}

/// A code, type, reason or name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token<'a> {
    pub(crate) hash: u32,
    pub(crate) text: &'a str,
    pub(crate) role: Role,
    pub(crate) origin: Origin,
}

/// How a token is known, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A field had it.
    Field,
    /// It is all that a message says.
    Message,
    /// A sentence states it.
    Prose,
}

/// The hash of nothing.
pub(super) const SEED: u32 = 0x811c_9dc5;

/// A name without regard to case and separators, as one number: `rate_limit_exceeded`, `RateLimitExceeded` and
/// `RATE-LIMIT-EXCEEDED` are the same (FNV-1a over the letters and digits).
#[must_use]
pub(crate) const fn hash(text: &str) -> u32 {
    hash_onto(SEED, text.as_bytes())
}

/// The hash of what `hash` is of and the letters and digits of `bytes` behind it.
#[must_use]
pub(super) const fn hash_onto(mut hash: u32, bytes: &[u8]) -> u32 {
    let mut at = 0;
    while at < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "`at` is below the length; const fn has no iterators")]
        let byte = bytes[at].to_ascii_lowercase();
        if byte.is_ascii_alphanumeric() {
            hash = (hash ^ byte as u32).wrapping_mul(0x0100_0193);
        }
        at += 1;
    }
    hash
}

/// The bit that stands for a hash in a set of 64.
#[must_use]
pub(crate) const fn bit(hash: u32) -> u64 {
    1 << (hash & 63)
}
