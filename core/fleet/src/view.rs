//! What a process takes back of a state: what it is granted, and what it must know.

use super::breaker::{Phase, Probe};
use super::bytes::Misfit;
use super::living::Node;
use super::state::State;
use halfopen::policy::BreakerState;

/// How much of a limit is used, as an observer sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitUse {
    /// How much the process may use; nothing for one that is not known.
    pub granted: u32,
    /// How much there is for all.
    pub limit: u32,
    /// In which span, in milliseconds; 0 for what runs at once.
    pub window: u64,
    /// It counts tokens.
    pub of_tokens: bool,
    /// How much all processes together have used within the window, or use now.
    pub used: u64,
    /// How long until all of it may be used again, if nothing more is, in milliseconds.
    pub reset: u64,
}

/// What one process takes back. Spans are in milliseconds from the store's time on: a process adds them to the time of its own
/// clock at which it had sent the delta, so that no clock but the store's is trusted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Which state it is of: another number means that the store has lost the one before.
    pub epoch: u64,
    /// How many deltas the state is made of: fewer than before in the same epoch means that the store has lost some.
    pub version: u64,
    /// The number of the process's last delta that is in it.
    pub acknowledged: u64,
    /// How many processes there are.
    pub nodes: u64,
    /// When the process should sync again, if nothing happens: the store's load stays flat however many there are.
    pub next_sync: u64,
    /// Another process has other options.
    pub mismatch: bool,
    /// What the breaker is. Open reads as half-open when its time is over.
    pub state: BreakerState,
    /// Since when, on the store's clock.
    pub since: u64,
    /// The shared generation.
    pub generation: u64,
    /// How long the breaker stays open or, half-open, until the first of the valid leases ends. A process may want a probe
    /// before that while there are fewer `probes` than its [`Terms::max_probes`](super::Terms::max_probes).
    pub open_for: u64,
    /// How many probe leases are valid.
    pub probes: u64,
    /// The probe lease of this process, 0 for none.
    pub probe: u64,
    /// How long that lease lasts.
    pub probe_for: u64,
    /// How long the provider has asked all to wait.
    pub cool_for: u64,
    /// The limits, in their order.
    pub limits: Vec<LimitUse>,
}

impl View {
    /// At most so many syncs of one resource a second: [`View::next_sync`] grows with the fleet, as in Doorman.
    pub const SYNCS_PER_SECOND: u64 = 2000;
    /// … and at most so many bytes of it, for a state has a few for each process.
    pub const BYTES_PER_SECOND: u64 = 20_000_000;
    /// What [`View::next_sync`] is at most; how soon a process syncs at least is its own option.
    pub const LATEST_SYNC: u64 = 10_000;

    /// What that process takes back of a state, as of the store's time. 0 is no process's number: an observer's.
    ///
    /// # Errors
    /// [`Misfit`] for bytes that are no state.
    pub fn read(state: &[u8], node: u64, now: u64) -> Result<Self, Misfit> {
        let mut view = State::from_bytes(state)?.view(node, now);
        let bytes = view.nodes.saturating_mul(state.len() as u64);
        view.next_sync = view.next_sync.max(bytes / (Self::BYTES_PER_SECOND / 1000)).min(Self::LATEST_SYNC);
        Ok(view)
    }
}

impl State {
    /// What that process takes back, as of the store's time.
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

    /// No lease has ended since its time.
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
