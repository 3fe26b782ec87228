//! The right to make a call, and how the call ended.

use crate::time::Millis;

/// The right to make one call. Settle it by [`Breaker::settle`](super::Breaker::settle). If a probe's permit is never
/// settled, another probe may run after the probe timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a permit is settled with the call's outcome"]
pub struct Permit {
    pub(super) generation: u64,
    /// 0 for calls that are no probes.
    pub(super) ticket: u32,
}

impl Permit {
    /// Returns `true` if the call tests whether the dependency works again.
    #[must_use]
    pub const fn is_probe(self) -> bool {
        self.ticket != 0
    }

    /// The generation that the call's result counts for.
    #[must_use]
    pub const fn generation(self) -> u64 {
        self.generation
    }

    /// As two numbers, for callers across a boundary.
    #[must_use]
    pub const fn to_parts(self) -> (u64, u32) {
        (self.generation, self.ticket)
    }

    /// Back from [`Permit::to_parts`].
    pub const fn from_parts(generation: u64, ticket: u32) -> Self {
        Self { generation, ticket }
    }
}

/// How a call ended, as breakers see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The dependency answered.
    Success,
    /// The dependency failed.
    Failure,
    /// The dependency failed and requested a wait, as in `Retry-After`. Counts as [`Outcome::Failure`]; if the breaker
    /// opens on it, a positive wait replaces the reset timeout of that opening.
    FailureWithHint(Millis),
    /// Says nothing about the dependency: cancelled, or an error of the caller's own.
    Neutral,
}

impl Outcome {
    /// A failure, with the wait that the dependency asked for, if it did.
    ///
    /// ```
    /// use halfopen::policy::Outcome;
    /// assert_eq!(Outcome::failure(None), Outcome::Failure);
    /// ```
    #[must_use]
    pub const fn failure(hint: Option<Millis>) -> Self {
        match hint {
            Some(hint) => Self::FailureWithHint(hint),
            None => Self::Failure,
        }
    }

    /// Returns `true` if the dependency failed.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failure | Self::FailureWithHint(_))
    }

    /// Returns the wait that the dependency requested; `None` without one, or for one of zero.
    #[must_use]
    pub const fn hint(self) -> Option<Millis> {
        match self {
            Self::FailureWithHint(hint) if hint.0 > 0 => Some(hint),
            _ => None,
        }
    }
}

/// A call was not admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused {
    /// How long until a call may be admitted; `None` if that is unknown (isolated).
    pub retry_after: Option<Millis>,
}

/// A ticket fits into 20 bits, so that a permit crosses into JavaScript as one number.
pub const MAX_TICKET: u32 = (1 << 20) - 1;
