//! Moments and places on the time axis, as types, so that neither is taken for the other or for a span of time. Spans are plain
//! numbers of milliseconds.

use std::ops::{Add, AddAssign, Sub};

/// Defines a point on a line of milliseconds: the difference of two points is a span, and a point plus a span is a point.
macro_rules! point {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
        pub struct $name(f64);

        impl $name {
            /// Before all others.
            pub const FIRST: Self = Self(f64::NEG_INFINITY);
            /// After all others.
            pub const LAST: Self = Self(f64::INFINITY);

            /// Creates the point at that number of milliseconds.
            pub const fn from_ms(ms: f64) -> Self {
                Self(ms)
            }

            /// The milliseconds of the point.
            pub const fn ms(self) -> f64 {
                self.0
            }

            /// The later of two.
            pub const fn max(self, other: Self) -> Self {
                Self(self.0.max(other.0))
            }

            /// The earlier of two.
            pub const fn min(self, other: Self) -> Self {
                Self(self.0.min(other.0))
            }

            /// The one halfway between two.
            pub const fn midpoint(self, other: Self) -> Self {
                Self(f64::midpoint(self.0, other.0))
            }

            /// Compares two points.
            pub fn total_cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.0.total_cmp(&other.0)
            }

            /// The point, rounded down to a multiple of a step.
            pub fn floored(self, step_ms: f64) -> Self {
                Self((self.0 / step_ms).floor() * step_ms)
            }
        }

        impl Sub for $name {
            type Output = f64;

            fn sub(self, earlier: Self) -> f64 {
                self.0 - earlier.0
            }
        }

        impl Sub<f64> for $name {
            type Output = Self;

            fn sub(self, ms: f64) -> Self {
                Self(self.0 - ms)
            }
        }

        impl Add<f64> for $name {
            type Output = Self;

            fn add(self, ms: f64) -> Self {
                Self(self.0 + ms)
            }
        }

        impl AddAssign<f64> for $name {
            fn add_assign(&mut self, ms: f64) {
                self.0 += ms;
            }
        }
    };
}

point! {
    /// A moment, in milliseconds since 1970 by the clock of the process that sent the event, or of the page.
    Moment
}

point! {
    /// A place on the time axis, in milliseconds of it: a moment where idle time is not folded.
    Place
}
