//! The error for a scenario that does not fit its schema.

/// Something in a scenario that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected {expected}, got {got}")]
pub struct Misfit {
    /// Where, as in `provider.service.mean`; `scenario` for the whole.
    pub path: String,
    /// The expected form.
    pub expected: String,
    /// The actual value.
    pub got: String,
}
