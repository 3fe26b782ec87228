//! The state of the policies of all processes: an engine for each, with the breaker and the budget that it borrows.

use super::recorded::{Control, NONE};
use super::under::Under;
use crate::scenario::LabPolicy;
use halfopen::limit::{Limit, Unit};
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerState, Budget, Context, Engine, PolicyConfig, Ring, Shared,
};
use halfopen::time::{Millis, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// One policy of one process.
#[derive(Debug)]
pub(super) struct Host {
    engine: Engine,
    /// The index of its breaker.
    breaker: u32,
    budget: Option<Budget>,
    /// The calls that wait for their turn under the rate limit, in order.
    turns: VecDeque<u32>,
    /// When the next of them is checked.
    pub(super) turn_at: u64,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Hosts {
    hosts: Vec<Host>,
    breakers: Vec<Breaker>,
    /// The calls that wait in a queue, by host and by the engine's number.
    queued: BTreeMap<(u32, u32), u32>,
    ring: Ring,
}

fn lent(policy: &LabPolicy) -> Shared {
    Shared { breaker: u32::from(policy.breaker.is_some()), budget: u32::from(policy.budget.is_some()) }
}

/// A policy's settings, with the numbers of the breaker and the budget that the engine borrows.
pub(super) fn config_of(policy: &LabPolicy) -> PolicyConfig {
    let mut config = policy.config.clone();
    config.call.shared = lent(policy);
    config
}

impl Hosts {
    pub(super) fn new(under: Under<'_>) -> Self {
        let mut all = Self {
            hosts: Vec::new(),
            breakers: Vec::new(),
            queued: BTreeMap::new(),
            ring: Ring::with_capacity(16),
        };
        // The index of each shared breaker, by its number.
        let mut shared: Vec<u32> = Vec::new();
        let default = LabPolicy::default();
        for host in &under.world.history.hosts {
            let (made, settings) = host
                .settings
                .first()
                .map_or((Timestamp(0), 0), |&(moment, settings)| (Timestamp(moment.at / 1000), settings));
            let policy = under.policies().get(settings as usize).unwrap_or(&default);
            let is_shared = host.shared_breaker != NONE && (under.is_own || !host.is_replaced);
            let number = if is_shared { host.shared_breaker as usize } else { usize::MAX };
            if is_shared && shared.len() <= number {
                shared.resize(number + 1, NONE);
            }
            let breaker = match (policy.breaker, shared.get(number).copied()) {
                (None, _) => NONE,
                (Some(_), Some(known)) if known != NONE => known,
                (Some(config), _) => all.add_breaker(config, host.seed),
            };
            if let Some(slot) = shared.get_mut(number) {
                *slot = breaker;
            }
            let mut engine = Engine::new(config_of(policy), host.seed);
            engine.rounded_down(host.has_fine_clock);
            all.hosts.push(Host {
                engine,
                breaker,
                budget: policy.budget.map(|config| Budget::since(config, made)),
                turns: VecDeque::new(),
                turn_at: 0,
            });
        }
        all
    }

    fn add_breaker(&mut self, config: BreakerConfig, seed: u64) -> u32 {
        self.breakers.push(Breaker::new(BreakerConfig { seed, ..config }));
        u32::try_from(self.breakers.len() - 1).unwrap_or(NONE)
    }

    /// Gives the engine of a host one input.
    #[inline]
    pub(super) fn input<R>(
        &mut self,
        host: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>) -> R,
    ) -> Option<R> {
        let host = self.hosts.get_mut(host as usize)?;
        let mut context = Context {
            breaker: self.breakers.get_mut(host.breaker as usize),
            budget: host.budget.as_mut(),
            events: &mut self.ring,
            policy_id: 0,
            breaker_id: 0,
        };
        let result = input(&mut host.engine, &mut context);
        while self.ring.pop().is_some() {}
        Some(result)
    }

    /// Returns the time at which the breaker sees a call begin. The times of events are whole milliseconds. If the clock of the
    /// process had fractions, and an open breaker admitted a call a millisecond too early, or refused it a millisecond too
    /// late, then the call came at the moment when the breaker's time ended.
    pub(super) fn true_time(&self, host: u32, now: Timestamp, was_refused: bool) -> Timestamp {
        let breaker = self.hosts.get(host as usize).and_then(|host| self.breakers.get(host.breaker as usize));
        let Some(breaker) = breaker else { return now };
        let is_refused = |at: Timestamp| breaker.retry_after(at) == Some(Millis(1));
        let before = Timestamp(now.0.saturating_sub(1));
        if !was_refused && is_refused(now) {
            now + Millis(1)
        } else if was_refused && breaker.can_execute(now) && is_refused(before) {
            before
        } else {
            now
        }
    }

    /// Changes the policy's options from now on.
    pub(super) fn update(&mut self, host: u32, policy: &LabPolicy, seed: u64) {
        let Some(host) = self.hosts.get_mut(host as usize) else { return };
        host.engine.update(config_of(policy));
        match (policy.breaker, self.breakers.get_mut(host.breaker as usize)) {
            (Some(config), Some(breaker)) => breaker.update(BreakerConfig { seed, ..config }),
            (Some(config), None) => {
                self.breakers.push(Breaker::new(BreakerConfig { seed, ..config }));
                host.breaker = u32::try_from(self.breakers.len() - 1).unwrap_or(NONE);
            }
            (None, _) => host.breaker = NONE,
        }
        if host.budget.as_ref().map(Budget::config) != policy.budget {
            host.budget = policy.budget.map(Budget::new);
        }
    }

    pub(super) fn control(&mut self, host: u32, control: Control, now: Timestamp) {
        let Some(host) = self.hosts.get_mut(host as usize) else { return };
        let breaker = self.breakers.get_mut(host.breaker as usize);
        match (control, breaker) {
            (Control::Limits { of_requests, remaining, reset }, _) => {
                let unit = if of_requests { Unit::Requests } else { Unit::Tokens };
                let reset = reset.map(Millis);
                let limit = Limit { provider: None, unit, limit: None, remaining, reset };
                host.engine.observe_limits(&[limit], now);
            }
            // Each policy of a shared breaker reports the change.
            (Control::Isolate, Some(breaker)) if breaker.state(now) != BreakerState::Isolated => {
                breaker.isolate(now)
            }
            (Control::LiftIsolation, Some(breaker)) if breaker.state(now) == BreakerState::Isolated => {
                breaker.lift_isolation(now);
            }
            (Control::Disable, Some(breaker)) => breaker.disable(now),
            (Control::Reset, Some(breaker)) => breaker.reset(now),
            _ => {}
        }
    }

    pub(super) fn enqueue(&mut self, host: u32, handle: u32, call: u32, waits_for_turn: bool) {
        self.queued.insert((host, handle), call);
        if let Some(host) = self.hosts.get_mut(host as usize)
            && waits_for_turn
        {
            host.turns.push_back(call);
        }
    }

    pub(super) fn leave_queue(&mut self, host: u32, handle: u32) {
        let call = self.queued.remove(&(host, handle));
        if let (Some(call), Some(host)) = (call, self.hosts.get_mut(host as usize)) {
            host.turns.retain(|&waiting| waiting != call);
        }
    }

    /// Returns the call that can start now, with the engine's number for it.
    #[inline]
    pub(super) fn next_ready(&mut self, host: u32, now: Timestamp) -> Option<(u32, u32)> {
        if self.queued.is_empty() {
            return None;
        }
        let handle = self.hosts.get_mut(host as usize)?.engine.next_ready(Some(now))?;
        Some((handle, *self.queued.get(&(host, handle))?))
    }

    /// Returns when the first call's turn comes, in microseconds, and its number; `None` if that is scheduled already.
    #[inline]
    pub(super) fn next_turn(&mut self, host: u32) -> Option<(u64, u32)> {
        let host = self.hosts.get_mut(host as usize)?;
        let &call = host.turns.front()?;
        let due = host.engine.poll_timeout()?.0.saturating_mul(1000);
        if host.turn_at == due {
            return None;
        }
        host.turn_at = due;
        Some((due, call))
    }

    pub(super) fn turn_passed(&mut self, host: u32) {
        if let Some(host) = self.hosts.get_mut(host as usize) {
            host.turn_at = 0;
        }
    }
}
