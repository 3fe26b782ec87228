//! Values of fields that have members of their own.

/// Contents of a breaker's window at the moment of a change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Calls in the window.
    pub total: u32,
    /// Those that failed.
    pub failures: u32,
    /// Those that were slow.
    pub slow: u32,
    /// The last results, oldest first: 0 ok, 1 failed, 2 slow.
    pub last: Vec<u8>,
}

/// Tokens that an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub input_tokens: Option<u64>,
    /// Tokens of the answer.
    pub output_tokens: Option<u64>,
}
