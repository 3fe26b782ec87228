//! Bytes of something else.

/// The number of the form of states and deltas. It is part of every key, so that two versions of this crate do not meet.
pub const SCHEMA: u8 = 1;

/// Bytes that are no state or no delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// They do not begin as one.
    #[error("these bytes are no state of a fleet: something else has written the key")]
    Foreign,
    /// Another version of this crate has written them.
    #[error("these bytes have schema {0}, and this version reads schema {SCHEMA}")]
    Schema(u8),
    /// They begin as one, and are cut or damaged.
    #[error("these bytes are cut or damaged")]
    Broken,
}
