//! A breaker's states, and what is told when one becomes another.

use crate::policy::window::{Recent, Tally};
use crate::time::{Millis, Timestamp};

/// What a breaker shows.
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

    /// The word on the wire.
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
    /// So many failures in a row.
    ConsecutiveFailures(u32),
    /// Too many of the calls in the window failed.
    FailureRate(Tally),
    /// Too many of the calls in the window were slow.
    SlowCallRate(Tally),
    /// The reset timeout (this one) is over, and a call came.
    ResetTimeout(Millis),
    /// A probe failed; so many have in a row.
    ProbeFailed(u32),
    /// So many probes succeeded.
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
        let mut text = Self::sentence(id, a, b);
        if let Some(Millis(hint)) = hint {
            text.push_str(&format!("; the provider asked for {hint} ms"));
        }
        text
    }

    fn sentence(id: u8, a: u64, b: u64) -> String {
        let plural = |count: u64, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        match id {
            0 => format!("{} in a row", plural(a, "failure")),
            1 => format!("{a} of {} failed", plural(b, "call")),
            2 => format!("{a} of {} were slow", plural(b, "call")),
            3 => format!("reset timeout of {a} ms is over"),
            4 if a > 1 => format!("probe failed ({a} in a row)"),
            4 => "probe failed".into(),
            5 => format!("{} succeeded", plural(a, "probe")),
            6 => "isolated by hand".into(),
            7 => "isolation lifted".into(),
            8 => "disabled by hand".into(),
            9 => "reset by hand".into(),
            10 => "restored from a snapshot".into(),
            _ => "unknown".into(),
        }
    }
}

/// One change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// What the breaker was.
    pub from: BreakerState,
    /// What it is now.
    pub to: BreakerState,
    /// Why.
    pub reason: Reason,
    /// The generation that begins.
    pub generation: u64,
    /// When, on the breaker's clock.
    pub at: Timestamp,
    /// When it will admit a probe, if it opened.
    pub retry_at: Option<Timestamp>,
    /// The wait that the provider asked for on the failure that opened it: `retry_at` keeps it, up to the maximum reset
    /// timeout. None where the reset timeout decides.
    pub hint: Option<Millis>,
    /// What was counted: the window's content, or failures in a row.
    pub window: Tally,
    /// The last results.
    pub recent: Recent,
}
