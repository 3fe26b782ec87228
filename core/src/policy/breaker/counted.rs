//! The counts of a breaker that the processes of a fleet share.

/// The settings alone bound the number of probes.
pub(super) const ANY: u32 = u32::MAX;

/// The counts of a breaker since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Results; without a window failures alone, for nothing else costs anything then.
    pub total: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those that were slow.
    pub slow: u32,
    /// Failures in a row when it last left the closed state.
    pub streak: u32,
    /// Probes that succeeded.
    pub probes_succeeded: u32,
    /// Probes that failed.
    pub probes_failed: u32,
}
