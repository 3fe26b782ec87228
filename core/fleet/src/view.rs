//! The view that a process reads from a state: its grants, and what it must know.

use super::breaker::{Phase, Probe};
use super::bytes::Misfit;
use super::living::Node;
use super::state::State;
use halfopen::policy::BreakerState;

/// The use of one limit, as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitUse {
    /// How much the process may use; 0 for an unknown process.
    pub granted: u32,
    /// How much all processes together may use.
    pub limit: u32,
    /// The window in milliseconds; 0 for a limit on concurrent calls.
    pub window: u64,
    /// The limit counts tokens.
    pub of_tokens: bool,
    /// How much all processes together have used within the window, or use now.
    pub used: u64,
    /// The time until the whole limit is free again if nothing more is used, in milliseconds.
    pub reset: u64,
}

/// The view of one process. Spans are in milliseconds from the store's time on. A process adds them to the time of its
/// own clock at which it sent the delta, so it never compares two clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Identifies the state. Another number means that the store has lost the earlier state.
    pub epoch: u64,
    /// The number of deltas in the state. A smaller number than before in the same epoch means that the store has lost
    /// some.
    pub version: u64,
    /// The number of the process's last delta in the state.
    pub acknowledged: u64,
    /// The number of processes.
    pub nodes: u64,
    /// When the process should sync again if nothing happens. The interval grows with the fleet, so the store's load
    /// stays flat.
    pub next_sync: u64,
    /// Another process has other options.
    pub mismatch: bool,
    /// The state of the breaker. An open one reads as half-open once its time is over.
    pub state: BreakerState,
    /// The time since when it is in that state, on the store's clock.
    pub since: u64,
    /// The shared generation.
    pub generation: u64,
    /// How long the breaker stays open. For a half-open breaker: until the first of the valid leases ends. A process
    /// may request a probe before that while there are fewer `probes` than its
    /// [`Terms::max_probes`](super::Terms::max_probes).
    pub open_for: u64,
    /// The number of valid probe leases.
    pub probes: u64,
    /// The probe lease of this process; 0 without one.
    pub probe: u64,
    /// How long that lease lasts.
    pub probe_for: u64,
    /// How long the provider has asked all processes to wait.
    pub cool_for: u64,
    /// The limits, in their order.
    pub limits: Vec<LimitUse>,
}

impl View {
    /// The most syncs of one resource in a second. [`View::next_sync`] grows with the fleet to keep it, as in Doorman.
    pub const SYNCS_PER_SECOND: u64 = 2000;
    /// The most bytes of one resource in a second. A state has a few bytes for each process, so a large fleet reaches
    /// this bound too.
    pub const BYTES_PER_SECOND: u64 = 20_000_000;
    /// The longest [`View::next_sync`]. The shortest is an option of each process.
    pub const LATEST_SYNC: u64 = 10_000;

    /// Returns the view of process `node` as of the store's time. 0 is an observer, because no process has that number.
    ///
    /// # Errors
    /// [`Misfit`] for bytes that are not a state.
    pub fn read(state: &[u8], node: u64, now: u64) -> Result<Self, Misfit> {
        let mut view = State::from_bytes(state)?.view(node, now);
        let bytes = view.nodes.saturating_mul(state.len() as u64);
        view.next_sync = view.next_sync.max(bytes / (Self::BYTES_PER_SECOND / 1000)).min(Self::LATEST_SYNC);
        Ok(view)
    }
}

impl State {
    /// Returns the view of process `node` as of the store's time.
    #[must_use]
    pub fn view(&self, node: u64, now: u64) -> View {
        let (now, _) = self.time(now);
        if now >= self.next_end {
            let mut later = self.clone();
            later.pass(now);
            return later.view_at(node, now);
        }
        self.view_at(node, now)
    }

    /// Like [`Self::view`], for a state in which no lease has ended since its time.
    fn view_at(&self, node: u64, now: u64) -> View {
        let own = self.nodes.get(&node);
        let nodes = self.living.nodes;
        let options = own.map(|own| own.options);
        let breaker = &self.breaker;
        let valid = || breaker.probes.iter().filter(|probe: &&Probe| probe.expiry > now);
        let probe = valid().find(|probe| probe.node == node);
        let next_place = valid().map(|probe| probe.expiry - now).min();
        let (state, open_for) = match breaker.phase {
            Phase::Closed => (BreakerState::Closed, 0),
            Phase::Open { until } if until > now => (BreakerState::Open, until - now),
            Phase::Open { .. } => (BreakerState::HalfOpen, 0),
            Phase::HalfOpen { .. } => (BreakerState::HalfOpen, next_place.unwrap_or(0)),
        };
        let is_isolated = self.isolated > 0;
        View {
            epoch: self.epoch,
            version: self.version,
            acknowledged: own.map_or(0, |own| own.number),
            nodes,
            next_sync: (nodes * 1000 / View::SYNCS_PER_SECOND).min(View::LATEST_SYNC),
            mismatch: options.is_some_and(|options| self.living.differ(options)),
            state: if is_isolated { BreakerState::Isolated } else { state },
            since: if is_isolated { self.isolated } else { breaker.since },
            generation: breaker.generation,
            open_for,
            probes: valid().count() as u64,
            probe: probe.map_or(0, |probe| probe.lease),
            probe_for: probe.map_or(0, |probe| probe.expiry - now),
            cool_for: self.cool_until.saturating_sub(now),
            limits: (0..self.limits.len()).filter_map(|place| self.limit_use(place, own, now)).collect(),
        }
    }

    fn limit_use(&self, place: usize, own: Option<&Node>, now: u64) -> Option<LimitUse> {
        let limit = self.limits.get(place)?;
        let parts = self.living.parts(place);
        let cooling = || limit.cooling.iter().filter(|cooling| cooling.free_at > now);
        let used = parts.used + cooling().map(|cooling| u64::from(cooling.amount)).sum::<u64>();
        let last = cooling().map(|cooling| cooling.free_at - now).max().unwrap_or(0);
        Some(LimitUse {
            granted: own.and_then(|own| own.parts.get(place)).map_or(0, |part| part.granted),
            limit: limit.limit,
            window: limit.window,
            of_tokens: limit.of_tokens,
            used,
            reset: if parts.used > 0 { last.max(limit.window) } else { last },
        })
    }
}
