//! Which views there are, and what each shows: a struct made of the log, which its component in `web/src/view` draws.

pub mod backoff;
pub mod breakers;
pub mod classify;
pub mod details;
pub mod errors;
pub mod failure;
mod filter;
pub mod findings;
pub mod fleet;
pub mod lab;
pub mod overview;
pub mod pending;
pub mod policies;
pub mod prices;
pub mod providers;
pub mod recovery;
pub mod row;
pub mod status;
pub mod words;

/// A view, by its tab.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    Timeline,
    Breakers,
    Pending,
    Providers,
    Errors,
    Findings,
    Policies,
    Fleet,
    Classify,
    Messages,
    Backoff,
    Lab,
}

impl View {
    /// All views: word in the address, name, and the digit that shows it, where it has one.
    pub const ALL: &'static [(Self, &'static str, &'static str, &'static str)] = &[
        (Self::Timeline, "timeline", "Timeline", "1"),
        (Self::Breakers, "breakers", "Breakers", "2"),
        (Self::Pending, "pending", "Pending", "3"),
        (Self::Providers, "providers", "Providers", "4"),
        (Self::Errors, "errors", "Errors", "5"),
        (Self::Findings, "findings", "Findings", "6"),
        (Self::Policies, "policies", "Policies", ""),
        (Self::Fleet, "fleet", "Fleet", ""),
        (Self::Classify, "classify", "Classify", "7"),
        (Self::Messages, "messages", "Messages", "8"),
        (Self::Backoff, "backoff", "Backoff", "9"),
        (Self::Lab, "lab", "Lab", ""),
    ];

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("timeline", |row| row.1)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }
}
