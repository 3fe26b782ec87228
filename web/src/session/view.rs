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
    Classify,
    Messages,
    Backoff,
}

impl View {
    /// All views: word in the address, name, key.
    pub(crate) const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Timeline, "timeline", "Timeline"),
        (Self::Breakers, "breakers", "Breakers"),
        (Self::Pending, "pending", "Pending"),
        (Self::Providers, "providers", "Providers"),
        (Self::Errors, "errors", "Errors"),
        (Self::Lints, "lints", "Lints"),
        (Self::Classify, "classify", "Classify"),
        (Self::Messages, "messages", "Messages"),
        (Self::Backoff, "backoff", "Backoff"),
    ];

    pub(crate) fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("timeline", |row| row.1)
    }

    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }
}
