//! Takes a snapshot of a breaker and restores one, in another process or a later run.

use super::Breaker;
use super::change::{BreakerState, Reason};
use super::phase::{Phase, Probes};
use super::snapshot::{BreakerSnapshot, DemandSnapshot, SnapshotError};
use super::trip::{Tracker, Window};
use crate::time::{Millis, Timestamp};

impl Breaker {
    /// Returns the data with which another process can continue. `wall` is the time since the Unix epoch.
    #[must_use]
    pub fn snapshot(&mut self, name: &str, now: Timestamp, wall: Millis) -> BreakerSnapshot {
        let now = self.clamp(now);
        let (mut consecutive, mut retry_after, mut window, mut throttle) = (0, None, None, None);
        match &mut self.phase {
            Phase::Closed(tracker) => {
                consecutive = tracker.consecutive;
                window = match &mut tracker.window {
                    Window::None => None,
                    Window::Count(results) => {
                        Some(results.iter().map(|sample| f64::from(sample.bits())).collect())
                    }
                    Window::Time(results) => Some(BreakerSnapshot::pack(&results.aged(now))),
                    Window::Demand(demand) => {
                        let demand = demand.sums(now);
                        let (requests, accepts) = (demand.requests, demand.accepts());
                        throttle = Some(DemandSnapshot { requests, accepts });
                        None
                    }
                };
            }
            Phase::Open { retry_at, .. } => retry_after = Some(retry_at.since(now).as_f64()),
            Phase::HalfOpen(_) => retry_after = Some(0.0),
            Phase::Disabled => {}
        }
        BreakerSnapshot {
            version: 1,
            name: name.to_owned(),
            state: self.phase.state(),
            generation: Millis(self.generation).as_f64(),
            at: wall.as_f64(),
            consecutive_failures: consecutive,
            failed_probes: self.failed_probes,
            retry_after_ms: retry_after,
            window,
            throttle,
        }
    }

    /// Continues from a snapshot: the time since then counts, the generation rises above both, and isolation stays as
    /// it is here.
    ///
    /// # Errors
    /// [`SnapshotError`] on a version that is not known or numbers that cannot be.
    pub fn restore(
        &mut self,
        snapshot: &BreakerSnapshot,
        now: Timestamp,
        wall: Millis,
    ) -> Result<(), SnapshotError> {
        let checked = snapshot.check()?;
        let now = self.clamp(now);
        let since = wall - checked.at;
        let phase = match (snapshot.state, checked.retry_after) {
            (BreakerState::Disabled, _) => Phase::Disabled,
            (BreakerState::HalfOpen, _) => Phase::HalfOpen(Probes::default()),
            (BreakerState::Open, retry_after) | (BreakerState::Isolated, retry_after @ Some(_)) => {
                let retry_at = now + (retry_after.unwrap_or_default() - since);
                Phase::Open { since: now, retry_at, hint: None }
            }
            (BreakerState::Closed | BreakerState::Isolated, _) => {
                let mut tracker = Tracker::new(&self.config.trip);
                match &mut tracker.window {
                    Window::None => {}
                    Window::Count(window) => checked.samples().for_each(|sample| window.record(sample)),
                    Window::Time(window) => *window = checked.time_window(window.length(), now, since),
                    Window::Demand(window) => {
                        if let Some(DemandSnapshot { requests, accepts }) = snapshot.throttle {
                            window.restore(now, since, requests, accepts);
                        }
                    }
                }
                tracker.consecutive = snapshot.consecutive_failures;
                Phase::Closed(tracker)
            }
        };
        self.generation = self.generation.max(checked.generation);
        self.failed_probes = snapshot.failed_probes;
        self.enter(phase, Reason::Restored, now);
        Ok(())
    }
}
