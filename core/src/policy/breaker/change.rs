//! A breaker's states, and the report of a change from one to another.

use crate::policy::window::{Recent, Tally};
use crate::text::push_digits;
use crate::time::{Millis, Timestamp};

/// The state of a breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
#[repr(u8)]
pub enum BreakerState {
    /// Calls go through and are counted.
    Closed = 0,
    /// Calls are refused until the reset timeout is over.
    Open = 1,
    /// Probes go through, other calls are refused.
    HalfOpen = 2,
    /// Refuses by request.
    Isolated = 3,
    /// Admits everything and counts nothing, by request.
    Disabled = 4,
}

impl BreakerState {
    /// Every state, by its number.
    pub const ALL: [Self; 5] = [Self::Closed, Self::Open, Self::HalfOpen, Self::Isolated, Self::Disabled];

    /// Returns the name in events and snapshots.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Open => "open",
            Self::HalfOpen => "half_open",
            Self::Isolated => "isolated",
            Self::Disabled => "disabled",
        }
    }
}

/// Why a breaker changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// This many failures in a row.
    ConsecutiveFailures(u32),
    /// Too many of the calls in the window failed.
    FailureRate(Tally),
    /// Too many of the calls in the window were slow.
    SlowCallRate(Tally),
    /// The reset timeout (this one) is over, and a call came.
    ResetTimeout(Millis),
    /// A probe failed, and this many have in a row.
    ProbeFailed(u32),
    /// This many probes succeeded.
    ProbesSucceeded(u32),
    /// [`Breaker::isolate`](super::Breaker::isolate).
    Isolated,
    /// The last isolation was lifted.
    IsolationLifted,
    /// [`Breaker::disable`](super::Breaker::disable).
    Disabled,
    /// [`Breaker::reset`](super::Breaker::reset).
    Reset,
    /// [`Breaker::restore`](super::Breaker::restore).
    Restored,
    /// Other processes that share it have changed it: [`Breaker::open_with_others`](super::Breaker::open_with_others),
    /// [`Breaker::close_with_others`](super::Breaker::close_with_others).
    Shared,
}

impl Reason {
    /// The reason as three numbers, see [`Reason::describe`].
    #[must_use]
    pub const fn numbers(self) -> (u8, u64, u64) {
        match self {
            Self::ConsecutiveFailures(count) => (0, count as u64, 0),
            Self::FailureRate(tally) => (1, tally.failures as u64, tally.total as u64),
            Self::SlowCallRate(tally) => (2, tally.slow as u64, tally.total as u64),
            Self::ResetTimeout(after) => (3, after.0, 0),
            Self::ProbeFailed(count) => (4, count as u64, 0),
            Self::ProbesSucceeded(count) => (5, count as u64, 0),
            Self::Isolated => (6, 0, 0),
            Self::IsolationLifted => (7, 0, 0),
            Self::Disabled => (8, 0, 0),
            Self::Reset => (9, 0, 0),
            Self::Restored => (10, 0, 0),
            Self::Shared => (11, 0, 0),
        }
    }

    /// The sentence for a reason's numbers; for those of no reason, 'unknown'. `hint` is [`Change::hint`].
    ///
    /// ```
    /// use halfopen::policy::Reason;
    /// use halfopen::time::Millis;
    /// let (id, a, b) = Reason::ConsecutiveFailures(5).numbers();
    /// assert_eq!(Reason::describe(id, a, b, None), "5 failures in a row");
    /// let asked = "5 failures in a row; the provider asked for 1000 ms";
    /// assert_eq!(Reason::describe(id, a, b, Some(Millis(1000))), asked);
    /// ```
    #[must_use]
    pub fn describe(id: u8, a: u64, b: u64, hint: Option<Millis>) -> String {
        let mut text = String::new();
        match id {
            0 => text.count(a, "failure").push_str(" in a row"),
            1 => text.digits(a).words(" of ").count(b, "call").push_str(" failed"),
            2 => text.digits(a).words(" of ").count(b, "call").push_str(" were slow"),
            3 => text.words("reset timeout of ").digits(a).push_str(" ms is over"),
            4 if a > 1 => text.words("probe failed (").digits(a).push_str(" in a row)"),
            4 => text.push_str("probe failed"),
            5 => text.count(a, "probe").push_str(" succeeded"),
            6 => text.push_str("isolated by hand"),
            7 => text.push_str("isolation lifted"),
            8 => text.push_str("disabled by hand"),
            9 => text.push_str("reset by hand"),
            10 => text.push_str("restored from a snapshot"),
            11 => text.push_str("as in the fleet"),
            _ => text.push_str("unknown"),
        }
        if let Some(Millis(hint)) = hint {
            text.words("; the provider asked for ").digits(hint).push_str(" ms");
        }
        text
    }
}

/// Writes sentences without the machinery of `core::fmt`, which would be a tenth of the module with the policies.
trait Sentence {
    fn words(&mut self, words: &str) -> &mut Self;
    fn digits(&mut self, number: u64) -> &mut Self;
    fn count(&mut self, count: u64, noun: &str) -> &mut Self;
}

impl Sentence for String {
    fn words(&mut self, words: &str) -> &mut Self {
        self.push_str(words);
        self
    }

    fn digits(&mut self, number: u64) -> &mut Self {
        push_digits(self, number);
        self
    }

    fn count(&mut self, count: u64, noun: &str) -> &mut Self {
        self.digits(count).words(" ").words(noun).words(if count == 1 { "" } else { "s" })
    }
}

/// One change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The state before.
    pub from: BreakerState,
    /// The state now.
    pub to: BreakerState,
    /// Why.
    pub reason: Reason,
    /// The generation that begins.
    pub generation: u64,
    /// When, on the breaker's clock.
    pub at: Timestamp,
    /// When it will admit a probe, if it opened.
    pub retry_at: Option<Timestamp>,
    /// The wait that the provider requested with the failure that opened it: `retry_at` includes it, up to the maximum
    /// reset timeout. `None` if the reset timeout applies.
    pub hint: Option<Millis>,
    /// The evidence: the results in the breaker window, or failures in a row.
    pub window: Tally,
    /// The last results.
    pub recent: Recent,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_a_sentence() {
        let tally = Tally { total: 10, failures: 6, slow: 1 };
        let sentences = [
            (Reason::ConsecutiveFailures(5), "5 failures in a row"),
            (Reason::ConsecutiveFailures(1), "1 failure in a row"),
            (Reason::FailureRate(tally), "6 of 10 calls failed"),
            (Reason::SlowCallRate(tally), "1 of 10 calls were slow"),
            (Reason::ResetTimeout(Millis(60_000)), "reset timeout of 60000 ms is over"),
            (Reason::ProbeFailed(1), "probe failed"),
            (Reason::ProbeFailed(3), "probe failed (3 in a row)"),
            (Reason::ProbesSucceeded(1), "1 probe succeeded"),
            (Reason::ProbesSucceeded(2), "2 probes succeeded"),
            (Reason::Isolated, "isolated by hand"),
            (Reason::IsolationLifted, "isolation lifted"),
            (Reason::Disabled, "disabled by hand"),
            (Reason::Reset, "reset by hand"),
            (Reason::Restored, "restored from a snapshot"),
            (Reason::Shared, "as in the fleet"),
        ];
        for (reason, sentence) in sentences {
            let (id, a, b) = reason.numbers();
            assert_eq!(Reason::describe(id, a, b, None), sentence);
            let hinted = Reason::describe(id, a, b, Some(Millis(7)));
            assert_eq!(hinted, format!("{sentence}; the provider asked for 7 ms"));
        }
        assert_eq!(Reason::describe(12, 0, 0, None), "unknown");
    }
}
