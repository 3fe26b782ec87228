//! Which views there are, and what each shows: a struct made of the log, which its component in `web/src/view` draws.

pub mod adaptive;
pub mod breakers;
pub mod classify;
pub mod compare;
pub mod control;
pub mod details;
pub mod errors;
pub mod events;
pub mod failure;
pub mod filter;
pub mod findings;
pub mod fleet;
pub mod health;
pub mod lab;
pub mod opened_swimlane;
pub mod overview;
pub mod pending;
pub mod policies;
pub mod prices;
pub mod recovery;
pub mod row;
pub mod runs;
pub mod status;
pub mod sums;
pub mod swimlanes;
pub mod traffic;
pub mod words;

/// A view, by its tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum View {
    #[default]
    Health,
    Timeline,
    Runs,
    Errors,
    Breakers,
    Traffic,
    Findings,
    Fleet,
    Classify,
    Lab,
}

impl View {
    /// All views, in the order of their tabs: word in the address, and name.
    pub const ALL: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Health, "health", "Health"),
        (Self::Timeline, "timeline", "Timeline"),
        (Self::Runs, "runs", "Runs"),
        (Self::Errors, "errors", "Errors"),
        (Self::Breakers, "breakers", "Breakers"),
        (Self::Traffic, "traffic", "Traffic"),
        (Self::Findings, "findings", "Findings"),
        (Self::Fleet, "fleet", "Fleet"),
        (Self::Classify, "classify", "Classify"),
        (Self::Lab, "lab", "Lab"),
    ];

    /// Whether it shows what is in the scope: the filter and the selected time narrow it.
    pub const fn is_scoped(self) -> bool {
        !matches!(self, Self::Classify | Self::Lab)
    }

    /// The digit whose key shows it: the number of its tab, for the first nine.
    pub fn digit(self) -> Option<char> {
        let place = Self::ALL.iter().position(|row| row.0 == self)?;
        "123456789".chars().nth(place)
    }

    /// The view that a key shows.
    pub fn of_digit(key: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .map(|row| row.0)
            .find(|view| view.digit().is_some_and(|digit| key.chars().eq([digit])))
    }

    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|row| row.0 == self).map_or("", |row| row.1)
    }

    pub fn from_word(word: &str) -> Option<Self> {
        // Views of earlier versions, which links may name.
        let word = match word {
            "providers" | "policies" => "traffic",
            "pending" => "timeline",
            "backoff" => "lab",
            // The documentation has every message; Classify has those of one error.
            "messages" => "classify",
            word => word,
        };
        Self::ALL.iter().find(|row| row.1 == word).map(|row| row.0)
    }
}
