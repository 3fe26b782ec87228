//! The mark of redaction.

/// What stands in a secret's place.
pub const MARK: &str = "[redacted]";
