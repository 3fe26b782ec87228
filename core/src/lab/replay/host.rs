//! The state of the policies of all processes: an engine each, with the breaker and the budget that it is lent.

use super::recorded::{Control, History, NONE};
use super::world::Policies;
use crate::classify::{Limit, Unit};
use crate::lab::scenario::LabPolicy;
use crate::policy::{
    Breaker, BreakerConfig, BreakerState, Budget, Context, Engine, PolicyConfig, Ring, Shared,
};
use crate::time::{Millis, Timestamp};
use std::collections::{BTreeMap, VecDeque};

/// One policy of one process.
#[derive(Debug)]
pub(super) struct Host {
    engine: Engine,
    /// The index of its breaker.
    breaker: u32,
    budget: Option<Budget>,
    /// Which call waits in a queue, by the engine's number for it.
    queued: BTreeMap<u32, u32>,
    /// Those that wait for their turn under the rate limit, in order.
    turns: VecDeque<u32>,
    /// When the next of them is looked at.
    pub(super) turn_at: u64,
}

/// All of them.
#[derive(Debug)]
pub(super) struct Hosts {
    hosts: Vec<Host>,
    breakers: Vec<Breaker>,
    ring: Ring,
}

fn lent(policy: &LabPolicy) -> Shared {
    Shared { breaker: u32::from(policy.breaker.is_some()), budget: u32::from(policy.budget.is_some()) }
}

/// A policy's settings, with the numbers for what the engine is lent.
pub(super) fn config_of(policy: &LabPolicy) -> PolicyConfig {
    let mut config = policy.config.clone();
    config.call.shared = lent(policy);
    config
}

impl Hosts {
    pub(super) fn new(history: &History, policies: &Policies) -> Self {
        let mut all = Self { hosts: Vec::new(), breakers: Vec::new(), ring: Ring::with_capacity(16) };
        let mut shared: BTreeMap<(u32, &str), u32> = BTreeMap::new();
        for (number, host) in history.hosts.iter().enumerate() {
            let index = policies.of_host.get(number).and_then(|settings| settings.first());
            let fallback = LabPolicy::default();
            let policy = index.and_then(|&index| policies.list.get(index as usize)).unwrap_or(&fallback);
            let is_replaced = policies.replaced.get(number).copied().unwrap_or_default();
            let options =
                host.settings.first().and_then(|&(_, options)| history.options.get(options as usize));
            let name = options.and_then(|options| options.shared_breaker.as_deref()).filter(|_| !is_replaced);
            let known = name.and_then(|name| shared.get(&(host.source, name))).copied();
            let breaker = match (policy.breaker, known) {
                (None, _) => NONE,
                (Some(_), Some(known)) => known,
                (Some(config), None) => {
                    all.breakers.push(Breaker::new(BreakerConfig { seed: host.seed, ..config }));
                    u32::try_from(all.breakers.len() - 1).unwrap_or(NONE)
                }
            };
            if let Some(name) = name {
                shared.insert((host.source, name), breaker);
            }
            let mut engine = Engine::new(config_of(policy), host.seed);
            engine.rounded_down(host.has_fine_clock);
            all.hosts.push(Host {
                engine,
                breaker,
                budget: policy.budget.map(Budget::new),
                queued: BTreeMap::new(),
                turns: VecDeque::new(),
                turn_at: 0,
            });
        }
        all
    }

    /// One input into the engine of a host.
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

    /// What a host is now, to come back to with [`Hosts::restore`]; none of a host that is too large to copy often.
    pub(super) fn copy(&self, host: u32) -> Option<(Engine, Option<Breaker>, Option<Budget>)> {
        let host = self.hosts.get(host as usize).filter(|host| host.engine.in_flight() < 50)?;
        let breaker = self.breakers.get(host.breaker as usize).cloned();
        Some((host.engine.clone(), breaker, host.budget.clone()))
    }

    pub(super) fn restore(
        &mut self,
        host: u32,
        (engine, breaker, budget): (Engine, Option<Breaker>, Option<Budget>),
    ) {
        let Some(host) = self.hosts.get_mut(host as usize) else { return };
        (host.engine, host.budget) = (engine, budget);
        if let (Some(slot), Some(breaker)) = (self.breakers.get_mut(host.breaker as usize), breaker) {
            *slot = breaker;
        }
    }

    /// The policy has other options from now on.
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
        if host.budget.is_some() != policy.budget.is_some() {
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
            // Of a breaker that is shared, each of its policies reports the change.
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
        let Some(host) = self.hosts.get_mut(host as usize) else { return };
        host.queued.insert(handle, call);
        if waits_for_turn {
            host.turns.push_back(call);
        }
    }

    pub(super) fn leave_queue(&mut self, host: u32, handle: u32) -> Option<u32> {
        let host = self.hosts.get_mut(host as usize)?;
        let call = host.queued.remove(&handle)?;
        host.turns.retain(|&waiting| waiting != call);
        Some(call)
    }

    /// The engine's number and the call that can go now.
    #[inline]
    pub(super) fn next_ready(&mut self, host: u32, now: Timestamp) -> Option<(u32, u32)> {
        let host = self.hosts.get_mut(host as usize)?;
        if host.queued.is_empty() {
            return None;
        }
        let handle = host.engine.next_ready(Some(now))?;
        Some((handle, *host.queued.get(&handle)?))
    }

    /// When the first call's turn comes, in microseconds, and which it is; nothing where that is scheduled already.
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
