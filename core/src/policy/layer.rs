//! The layers of a policy that refuse a call or make it wait.

/// The layer that refused a call or makes it wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Layer {
    /// The breaker is open or isolated.
    Breaker = 0,
    /// All slots are taken.
    Bulkhead = 1,
    /// Too many began lately.
    RateLimit = 2,
    /// The provider bears no more at once.
    Adaptive = 3,
}

impl Layer {
    /// Every layer, by its number.
    pub const ALL: [Self; 4] = [Self::Breaker, Self::Bulkhead, Self::RateLimit, Self::Adaptive];

    /// Returns the name in events.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Breaker => "breaker",
            Self::Bulkhead => "bulkhead",
            Self::RateLimit => "rate-limit",
            Self::Adaptive => "adaptive",
        }
    }
}
