//! A provider's limit and its remainder. The classifier reads it from headers, and the policies obey it.

use crate::time::Millis;

/// The unit of a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Requests.
    #[default]
    Requests,
    /// Tokens: input, output, or both.
    Tokens,
}

impl Unit {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Tokens => "tokens",
        }
    }
}

/// One limit, as a response states it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Whose it is, where the headers say.
    pub provider: Option<&'static str>,
    /// The counted unit.
    pub unit: Unit,
    /// How much there is in all.
    pub limit: Option<f64>,
    /// How much is left.
    pub remaining: f64,
    /// How long until it is full again.
    pub reset: Option<Millis>,
}

impl Limit {
    /// Returns the remaining share. If the limit's size is unknown, that is zero or everything.
    fn share(&self) -> f64 {
        match self.limit {
            _ if self.remaining <= 0.0 => 0.0,
            Some(limit) if limit > 0.0 => self.remaining / limit,
            _ => 1.0,
        }
    }

    pub(crate) fn is_tighter_than(&self, other: &Self) -> bool {
        let (mine, its) = (self.share(), other.share());
        mine < its || (mine <= its && self.reset > other.reset)
    }
}
