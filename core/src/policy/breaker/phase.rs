//! The phases of a breaker: closed with its results, open with its start and end, half-open with its probes.

use super::change::BreakerState;
use super::trip::Tracker;
use super::{BreakerConfig, Refused};
use crate::time::{Millis, Timestamp};

#[derive(Clone, Debug)]
pub(super) enum Phase {
    Closed(Tracker),
    Open { since: Timestamp, retry_at: Timestamp, hint: Option<Millis> },
    HalfOpen(Probes),
    Disabled,
}

impl Phase {
    pub(super) const fn state(&self) -> BreakerState {
        match self {
            Self::Closed(_) => BreakerState::Closed,
            Self::Open { .. } => BreakerState::Open,
            Self::HalfOpen(_) => BreakerState::HalfOpen,
            Self::Disabled => BreakerState::Disabled,
        }
    }
}

/// The running probes, in the order of their admission.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    /// The ticket of each, and the time from which on it is silent.
    running: Vec<(u32, Timestamp)>,
    /// How many of them, the first ones, gave way. They may still succeed.
    late: usize,
    pub(super) successes: u32,
}

/// Permits that are never settled must not take memory forever.
const MAX_LATE: usize = 256;

impl Probes {
    /// Admits a ticket. If all are in use, the one that is silent for longest beyond the probe timeout gives way.
    pub(super) fn take_place(
        &mut self,
        ticket: u32,
        config: &BreakerConfig,
        now: Timestamp,
    ) -> Result<(), Refused> {
        match self.free_in(config, now) {
            Some(Millis::ZERO) => {
                let held = self.running.iter().enumerate().skip(self.late);
                if held.len() >= config.half_open_max_calls as usize
                    && let Some((oldest, _)) = held.min_by_key(|(_, probe)| probe.1)
                {
                    self.running.swap(oldest, self.late);
                    self.late += 1;
                }
                if self.late > MAX_LATE {
                    self.running.remove(0);
                    self.late -= 1;
                }
                self.running.push((ticket, now));
                Ok(())
            }
            retry_after => Err(Refused { retry_after }),
        }
    }

    /// Keeps the place of a probe whose call waits for its retry until then.
    pub(super) fn keep(&mut self, ticket: u32, until: Timestamp) {
        if let Some(probe) = self.running.iter_mut().find(|probe| probe.0 == ticket) {
            probe.1 = until;
        }
    }

    /// Returns how long until a probe can be admitted.
    pub(super) fn free_in(&self, config: &BreakerConfig, now: Timestamp) -> Option<Millis> {
        let held = self.running.iter().skip(self.late);
        if held.len() < config.half_open_max_calls as usize {
            return Some(Millis::ZERO);
        }
        held.map(|&(_, since)| (since + config.probe_timeout).since(now)).min()
    }

    /// Removes a ticket. Returns `true` if its result counts.
    ///
    /// The success of a probe that gave way counts: a model that answers after ten seconds would otherwise never close
    /// a breaker whose probes make room after three. Its failure does not: the probe that took its place decides.
    pub(super) fn leave(&mut self, ticket: u32, is_success: bool) -> bool {
        let Some(at) = self.running.iter().position(|probe| probe.0 == ticket) else { return false };
        self.running.remove(at);
        let is_late = at < self.late;
        self.late -= usize::from(is_late);
        !is_late || is_success
    }

    /// Removes all tickets.
    pub(super) fn clear(&mut self) {
        self.running.clear();
        self.late = 0;
    }
}
