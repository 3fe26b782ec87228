//! The structure of a list of codes and names.

/// The meaning of a name. The order is the precedence among sentences: permanent failures come before transient ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Outcome {
    Authentication,
    Exists,
    Quota,
    Filtered,
    Permission,
    Rate,
    Conflict,
    Overloaded,
    /// It is not there yet: a topic that is being created.
    NotYet,
    Missing,
    BadAnswer,
    CutAnswer,
    Config,
    Invalid,
    Unsupported,
    Timeout,
    Cancelled,
    Server,
    /// The service failed in a way that another try will not change.
    Defect,
    Trust,
    Network,
    Io,
    IoBusy,
    /// A refusal by a limit of the request itself, or a state that somebody has to change.
    Limit,
    Tool,
    /// The request cannot be done, as far as a single word can say so ("must", "cannot"): of all that hints, the last.
    Misuse,
}

/// The source of sentences and words that clients have in common: no standard has them, and `docs/recognised.md` shows whose
/// they are.
pub(in crate::classify) const WORDING: &str = "wording, no standard";

/// One published list.
pub(in crate::classify) struct Family {
    /// The contents of the list, for docs/rules.md.
    pub(in crate::classify) about: &'static str,
    /// The prefix of each name in the table. Numbers are only meaningful within their family.
    pub(in crate::classify) prefix: &'static str,
    pub(in crate::classify) source: &'static str,
    /// The names of each outcome, with commas between; `~` before one that says little: sentences beside it know better.
    pub(in crate::classify) rows: &'static [(Outcome, &'static str)],
}

macro_rules! family {
    ($about:literal, $prefix:literal, $source:expr, { $($outcome:ident $names:literal;)+ }) => {
        $crate::classify::vocabulary::family::Family {
            about: $about, prefix: $prefix, source: $source,
            rows: &[$(($crate::classify::vocabulary::family::Outcome::$outcome, $names)),+],
        }
    };
}
pub(super) use family;
