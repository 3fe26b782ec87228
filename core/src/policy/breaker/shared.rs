//! A breaker that processes share: what it has counted is read out, and what the others have decided is followed.

use super::change::Reason;
use super::gate::{Gate, Ramp};
use super::phase::Phase;
use super::trip::Tracker;
use super::{Breaker, Outcome};
use crate::time::{Millis, Timestamp};

/// What a breaker has counted since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// All results.
    pub total: u32,
    /// Those that failed.
    pub failed: u32,
    /// Those that were slow.
    pub slow: u32,
    /// Failures in a row; a breaker that opened on them keeps them.
    pub streak: u32,
    /// The end of the latest wait that the provider asked for.
    pub hinted_until: Timestamp,
    /// Probes that succeeded.
    pub probes_succeeded: u32,
    /// Probes that failed.
    pub probes_failed: u32,
}

impl Counted {
    pub(super) fn success(&mut self) {
        self.total = self.total.wrapping_add(1);
        self.streak = 0;
    }

    pub(super) fn failure(&mut self, outcome: Outcome, now: Timestamp) {
        self.total = self.total.wrapping_add(1);
        self.failed = self.failed.wrapping_add(1);
        self.streak = self.streak.saturating_add(1);
        if let Some(hint) = outcome.hint() {
            self.hinted_until = now + hint;
        }
    }
}

impl Breaker {
    /// What it has counted since it was made.
    #[must_use]
    pub const fn counted(&self) -> Counted {
        self.counted
    }

    /// The others have opened it: until then, and until [`Breaker::allow_probes`], nothing is admitted.
    pub fn open_with_others(&mut self, retry_at: Timestamp, now: Timestamp) {
        self.allowed_probes = Some(0);
        match &mut self.phase {
            Phase::Open { retry_at: own, .. } => *own = retry_at,
            _ => self.enter(Phase::Open { since: now, retry_at, hint: None }, Reason::SharedOpened, now),
        }
    }

    /// The others have closed it: it decides by itself again. From none to all within `ramp`.
    pub fn close_with_others(&mut self, ramp: Millis, now: Timestamp) {
        self.allowed_probes = None;
        self.counted.streak = 0;
        if !matches!(self.phase, Phase::Closed(_) | Phase::Disabled) {
            self.close(Reason::SharedClosed, now);
        }
        if let Phase::Closed(tracker @ Tracker { gate: Gate::All, .. }) = &mut self.phase
            && ramp > Millis::ZERO
        {
            tracker.gate = Gate::Ramp(Ramp::new(now, ramp));
        }
    }

    /// How many probes this process may make of those that all share; none: it decides by itself.
    pub fn allow_probes(&mut self, probes: Option<u32>, now: Timestamp) {
        self.allowed_probes = probes;
        if probes.is_none_or(|probes| probes == 0) {
            return;
        }
        // The lease was granted: whatever its own clock says of the time that is left.
        match &mut self.phase {
            Phase::Open { retry_at, .. } => *retry_at = (*retry_at).min(now),
            Phase::HalfOpen(probes) => probes.clear(),
            Phase::Closed(_) | Phase::Disabled => {}
        }
    }

    /// Whether it may make no probe now, by what it shares with others.
    pub(super) fn lacks_probe(&self) -> bool {
        self.allowed_probes == Some(0)
    }
}
