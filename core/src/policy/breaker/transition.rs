//! The transitions between states: how long it stays open, the record of the change, and the generation that voids
//! older results.

use super::change::{Change, Reason};
use super::gate::{Gate, Ramp};
use super::phase::{Phase, Probes};
use super::trip::Tracker;
use super::{Breaker, BreakerState};
use crate::policy::window::{Recent, Tally};
use crate::time::{Millis, Timestamp};

/// If changes are not polled, only this many are kept, and the oldest are dropped.
const MAX_UNPOLLED: usize = 64;

impl Breaker {
    /// Makes an open breaker half-open once its time is over.
    pub(super) fn leave_open(&mut self, now: Timestamp) {
        if let Phase::Open { since, retry_at, .. } = self.phase
            && now >= retry_at
        {
            let waited = retry_at.since(since);
            self.enter(Phase::HalfOpen(Probes::default()), Reason::ResetTimeout(waited), now);
        }
    }

    /// `hint`: the wait that the dependency requested. It knows best when it will have recovered, so the hint replaces
    /// this opening's reset timeout.
    pub(super) fn open(&mut self, reason: Reason, hint: Option<Millis>, now: Timestamp) {
        let wait = hint.unwrap_or_else(|| {
            Millis(self.config.reset_backoff.power(self.failed_probes).apply(self.config.reset_timeout.0))
        });
        let wait = wait.min(self.config.max_reset_timeout);
        self.enter(Phase::Open { since: now, retry_at: now + wait, hint }, reason, now);
    }

    pub(super) fn probe_failed(&mut self, hint: Option<Millis>, now: Timestamp) {
        let now = self.clamp(now);
        self.failed_probes = self.failed_probes.saturating_add(1);
        self.open(Reason::ProbeFailed(self.failed_probes), hint, now);
    }

    pub(super) fn close(&mut self, reason: Reason, now: Timestamp) {
        self.failed_before_closing = std::mem::take(&mut self.failed_probes);
        self.enter(Phase::Closed(Tracker::new(&self.config.trip)), reason, now);
    }

    /// After probes have closed it, it admits a growing share of calls.
    pub(super) fn begin_ramp(&mut self, length: Millis, now: Timestamp) {
        if let Phase::Closed(tracker) = &mut self.phase
            && length > Millis::ZERO
        {
            tracker.gate = Gate::Ramp(Ramp::new(now, length));
        }
    }

    /// Changes the phase; no other function does. While it is isolated, the change stays hidden.
    pub(super) fn enter(&mut self, phase: Phase, reason: Reason, now: Timestamp) {
        let from = self.phase.state();
        let left = std::mem::replace(&mut self.phase, phase);
        if self.isolations > 0 {
            self.generation = self.generation.saturating_add(1);
            return;
        }
        let counted = if let Phase::Closed(mut tracker) = left {
            self.counted.streak = tracker.consecutive;
            Some((tracker.tally(now), tracker.recent))
        } else {
            None
        };
        let (window, recent) = counted.unwrap_or_default();
        let to = self.phase.state();
        self.change_with(from, to, reason, now, window, recent);
    }

    pub(super) fn change(&mut self, from: BreakerState, to: BreakerState, reason: Reason, now: Timestamp) {
        self.change_with(from, to, reason, now, Tally::default(), Recent::default());
    }

    fn change_with(
        &mut self,
        from: BreakerState,
        to: BreakerState,
        reason: Reason,
        now: Timestamp,
        window: Tally,
        recent: Recent,
    ) {
        let at = self.clamp(now);
        self.generation = self.generation.saturating_add(1);
        if from == to {
            return;
        }
        let (retry_at, hint) = match self.phase {
            Phase::Open { retry_at, hint, .. } if to == BreakerState::Open => (Some(retry_at), hint),
            _ => (None, None),
        };
        if self.changes.len() >= MAX_UNPOLLED {
            self.changes.pop_front();
        }
        self.changes.push_back(Change {
            from,
            to,
            reason,
            generation: self.generation,
            at,
            retry_at,
            hint,
            window,
            recent,
        });
    }
}
