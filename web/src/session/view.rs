//! Which views there are.

/// A view, by its tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum View {
    Timeline,
    Breakers,
    Pending,
    Providers,
    Errors,
    Lints,
    Policies,
    Classify,
    Messages,
    Backoff,
}

impl View {
    /// All views: word in the address, name, and the digit that shows it, where it has one.
    pub(crate) const ALL: &'static [(Self, &'static str, &'static str, &'static str)] = &[
        (Self::Timeline, "timeline", "Timeline", "1"),
        (Self::Breakers, "breakers", "Breakers", "2"),
        (Self::Pending, "pending", "Pending", "3"),
        (Self::Providers, "providers", "Providers", "4"),
        (Self::Errors, "errors", "Errors", "5"),
        (Self::Lints, "lints", "Findings", "6"),
        (Self::Policies, "policies", "Policies", ""),
        (Self::Classify, "classify", "Classify", "7"),
        (Self::Messages, "messages", "Messages", "8"),
        (Self::Backoff, "backoff", "Backoff", "9"),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("timeline", |row| row.1)
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }
}
