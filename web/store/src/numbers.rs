//! The numbers of calls, runs and events, each in order of arrival. No number is used twice.

/// The number of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallNumber(pub u32);

/// The number of an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventNumber(pub u64);

/// The lower half of an event's number. That is enough for a call, because the numbers of the kept events are close
/// together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShortNumber(u32);

/// The number of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunNumber(pub u32);

impl EventNumber {
    /// Its lower half.
    #[expect(clippy::cast_possible_truncation, reason = "the lower half")]
    pub const fn short(self) -> ShortNumber {
        ShortNumber(self.0 as u32)
    }

    /// Returns the number `events` places further on.
    pub(crate) const fn plus(self, events: usize) -> Self {
        Self(self.0 + events as u64)
    }
}

impl ShortNumber {
    /// The whole number of an event that is not older than `oldest`.
    pub(crate) const fn since(self, oldest: EventNumber) -> EventNumber {
        EventNumber(oldest.0 + self.ahead_of(oldest) as u64)
    }

    /// Returns `true` if the event is not older than `oldest`.
    pub(crate) const fn is_since(self, oldest: EventNumber) -> bool {
        self.ahead_of(oldest) < 1 << 31
    }

    const fn ahead_of(self, other: EventNumber) -> u32 {
        self.0.wrapping_sub(other.short().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_number_is_made_whole_across_a_round_of_its_32_bits() {
        let oldest = EventNumber((7 << 32) - 10);
        for ahead in [0, 9, 10, 11, 1_000_000] {
            let event = oldest.plus(ahead);
            assert!(event.short().is_since(oldest));
            assert_eq!(event.short().since(oldest), event);
        }
        assert!(!EventNumber(oldest.0 - 1).short().is_since(oldest));
    }
}
