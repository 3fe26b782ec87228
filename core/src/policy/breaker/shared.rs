//! The interface of a breaker that processes share: it returns its counts, and follows the decisions of the others.

use super::Breaker;
use super::change::Reason;
use super::counted::{ANY, Counted};
use super::phase::Phase;
use crate::time::{Millis, Timestamp};

impl Breaker {
    /// Returns its counts since it was made, with the present `streak`. A breaker that opened on a streak keeps it.
    #[must_use]
    pub fn counted(&self) -> Counted {
        match &self.phase {
            Phase::Closed(tracker) => Counted { streak: tracker.consecutive, ..self.counted },
            _ => self.counted,
        }
    }

    /// The others have opened it: no call is admitted until `retry_at`, and until [`Breaker::allow_probes`].
    pub fn open_with_others(&mut self, retry_at: Timestamp, now: Timestamp) {
        self.allowed_probes = 0;
        match &mut self.phase {
            Phase::Open { retry_at: own, .. } => *own = retry_at,
            Phase::Disabled => {}
            _ => self.enter(Phase::Open { since: now, retry_at, hint: None }, Reason::Shared, now),
        }
    }

    /// The others have closed it, so it decides by itself again. The share of admitted calls grows from zero to all
    /// within `ramp`.
    pub fn close_with_others(&mut self, ramp: Millis, now: Timestamp) {
        self.allowed_probes = ANY;
        if !matches!(self.phase, Phase::Disabled) {
            self.close(Reason::Shared, now);
            self.begin_ramp(ramp, now);
        }
    }

    /// Sets how many of the shared probes this process may make from now on; `u32::MAX`: it decides by itself.
    pub fn allow_probes(&mut self, probes: u32, now: Timestamp) {
        self.allowed_probes = probes;
        // A granted lease overrides the time that is left by its own clock.
        if let Phase::Open { retry_at, .. } = &mut self.phase
            && (1..ANY).contains(&probes)
        {
            *retry_at = now;
        }
    }

    /// Returns `true` if the state it shares with others allows no probe now.
    pub(super) const fn lacks_probe(&self) -> bool {
        self.allowed_probes == 0
    }
}
