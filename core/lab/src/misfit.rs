//! What is said of a scenario that does not fit.

/// Something in a scenario that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: expected {expected}, got {got}")]
pub struct Misfit {
    /// Where, as in `provider.service.mean`; `scenario` for the whole.
    pub path: String,
    /// What fits there.
    pub expected: String,
    /// What came.
    pub got: String,
}
