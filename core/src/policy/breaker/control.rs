//! Control by the application: isolate a breaker, lift the isolation, disable it, reset it.

use super::phase::Phase;
use super::{Breaker, BreakerState, Reason};
use crate::time::Timestamp;

impl Breaker {
    /// Refuses everything until [`Breaker::lift_isolation`] was called the same number of times. Results of calls in
    /// flight no longer count.
    pub fn isolate(&mut self, now: Timestamp) {
        self.isolations = self.isolations.saturating_add(1);
        if self.isolations == 1 {
            if let Phase::HalfOpen(probes) = &mut self.phase {
                probes.clear();
            }
            let from = self.phase.state();
            self.change(from, BreakerState::Isolated, Reason::Isolated, now);
        }
    }

    /// Reverts one [`Breaker::isolate`]. After the last, the state underneath applies again.
    pub fn lift_isolation(&mut self, now: Timestamp) {
        let before = self.isolations;
        self.isolations = before.saturating_sub(1);
        if before == 1 {
            let to = self.phase.state();
            self.change(BreakerState::Isolated, to, Reason::IsolationLifted, now);
        }
    }

    /// Admits everything and counts nothing until [`Breaker::reset`].
    pub fn disable(&mut self, now: Timestamp) {
        if !matches!(self.phase, Phase::Disabled) {
            self.enter(Phase::Disabled, Reason::Disabled, now);
        }
    }

    /// Closed, with nothing counted. Does not lift isolation.
    pub fn reset(&mut self, now: Timestamp) {
        let now = self.clamp(now);
        self.close(Reason::Reset, now);
    }
}
