//! The phases of a breaker: closed with its results, open with its start and end, half-open with its probes.

use super::change::BreakerState;
use super::trip::Tracker;
use super::{BreakerConfig, Refused};
use crate::time::{Millis, Timestamp};
use std::collections::VecDeque;

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

/// The running probes: the ticket and the start of each, in the order of their admission.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    places: VecDeque<(u32, Timestamp)>,
    pub(super) successes: u32,
}

impl Probes {
    /// Admits a ticket. If all are in use, the oldest one beyond the probe timeout gives way, and its late result is
    /// ignored.
    pub(super) fn take_place(
        &mut self,
        ticket: u32,
        config: &BreakerConfig,
        now: Timestamp,
    ) -> Result<(), Refused> {
        match self.free_in(config, now) {
            Some(Millis::ZERO) => {
                if self.places.len() >= config.half_open_max_calls as usize {
                    self.places.pop_front();
                }
                self.places.push_back((ticket, now));
                Ok(())
            }
            retry_after => Err(Refused { retry_after }),
        }
    }

    /// Returns how long until a probe can be admitted.
    pub(super) fn free_in(&self, config: &BreakerConfig, now: Timestamp) -> Option<Millis> {
        if self.places.len() < config.half_open_max_calls as usize {
            return Some(Millis::ZERO);
        }
        self.places.front().map(|&(_, since)| (since + config.probe_timeout).since(now))
    }

    /// Removes a ticket. Returns `true` if it was there.
    pub(super) fn leave(&mut self, ticket: u32) -> bool {
        let before = self.places.len();
        self.places.retain(|&(held, _)| held != ticket);
        self.places.len() < before
    }

    /// Removes all tickets.
    pub(super) fn clear(&mut self) {
        self.places.clear();
    }
}
