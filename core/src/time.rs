//! Time as the core sees it: whole milliseconds, given by the caller.
//!
//! A [`Timestamp`] is a reading of some monotonic clock; its zero means nothing. Wall time is only ever
//! reported (events, HTTP dates, snapshots) and is never compared with a timestamp.

use std::ops::{Add, Sub};

/// A span of time in whole milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Millis(pub u64);

/// A reading of the caller's monotonic clock, in whole milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Millis {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than anything: 584 million years.
    pub const MAX: Self = Self(u64::MAX);

    /// From a JavaScript number: rounded down, negative and NaN become 0, infinite becomes [`Millis::MAX`].
    #[must_use]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates, NaN is 0")]
    pub const fn from_f64(ms: f64) -> Self {
        Self(ms as u64)
    }

    /// As a JavaScript number. Exact below 2⁵³ ms (285,000 years).
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "exact for any time span that a program can see")]
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }
}

/// Not before the end of time: no deadline, or a turn that does not come.
pub(crate) const NEVER: Timestamp = Timestamp(u64::MAX);

impl Timestamp {
    /// From a JavaScript number, as [`Millis::from_f64`].
    #[must_use]
    pub const fn from_f64(ms: f64) -> Self {
        Self(Millis::from_f64(ms).0)
    }

    /// As a JavaScript number.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        Millis(self.0).as_f64()
    }

    /// How much later this is than `earlier`; zero when it is not later.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Millis {
        Millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Millis> for Timestamp {
    type Output = Self;
    /// Saturates: a wait without end has no due time that overflows.
    fn add(self, span: Millis) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Add for Millis {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Millis {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}
