//! Invariants that the compiler does not see. A broken one panics in a debug build, and does no harm in a
//! release build.

/// An `Option` or a `Result` that has a value unless this crate has a bug.
///
/// `unwrap` would end the application if the crate is wrong, and `unwrap_or_default` would hide that from its tests.
pub trait Always<T> {
    /// Returns the value. Without one: panics if debug assertions are on, else the default.
    fn always(self) -> T;
}

impl<T: Default> Always<T> for Option<T> {
    #[inline]
    #[track_caller]
    fn always(self) -> T {
        debug_assert!(self.is_some(), "a value that is always there is missing");
        self.unwrap_or_default()
    }
}

impl<T: Default, E> Always<T> for Result<T, E> {
    #[inline]
    #[track_caller]
    fn always(self) -> T {
        debug_assert!(self.is_ok(), "what always succeeds has failed");
        self.unwrap_or_default()
    }
}
