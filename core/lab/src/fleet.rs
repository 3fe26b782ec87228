//! The policies of all processes: one layer for each policy that a call passes, with the engines that ship.
//!
//! An engine without limits has no state except its calls. The processes of a layer then share one engine, and lend it
//! their own breaker and budget, so a million processes do not need a million engines.

use super::news::{Board, News};
use super::random::{Purpose, stream};
use super::scenario::{Clients, LabPolicy};
use super::timeline::nanos;
use halfopen::invariant::Always;
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerScope, Budget, Context, Engine, Fact, PolicyConfig, Record, Ring, Shared,
    Step,
};
use halfopen::time::Timestamp;
use std::collections::BTreeMap;

/// The most concurrent calls of one engine. A layer with more calls has several engines.
const FULL: usize = (1 << 20) - 1;

/// The result of an input to an engine that does not exist.
pub(super) const NOTHING: Step = Step::Done { attempts: 0 };

/// One policy, in all processes.
#[derive(Debug)]
pub(super) struct Layer {
    pub(super) attempt: Option<u64>,
    pub(super) total: Option<u64>,
    pub(super) hedge: Option<(u64, u32)>,
    pub(super) fallback: bool,
    /// `true` if an error that this policy gives up on counts as retried for a policy around it.
    pub(super) retries: bool,
    config: PolicyConfig,
    seed: u64,
    /// One for each process if the processes have separate states; otherwise enough for the calls.
    engines: Vec<Engine>,
    pub(super) has_limits: bool,
    breakers: Vec<Breaker>,
    budgets: Vec<Budget>,
    /// The frames that wait in an engine's queue, by engine and call.
    queued: BTreeMap<(u32, u32), u32>,
    /// The news of the processes, if they see each other's state late.
    board: Option<Board>,
}

impl Layer {
    fn new(policy: &LabPolicy, states: u32, staleness: Option<u64>, seed: u64) -> Self {
        let mut config = policy.config.clone();
        config.call.shared = Shared {
            breaker: u32::from(policy.breaker.is_some()),
            budget: u32::from(policy.budget.is_some()),
        };
        let has_limits =
            config.bulkhead.is_some() || config.adaptive.is_some() || !config.rate_limits.is_empty();
        let states = states as usize;
        let mut layer = Self {
            attempt: policy.attempt_ms.map(nanos),
            total: config.call.total.map(|total| nanos(total.as_f64())),
            hedge: policy.hedge.map(|(after, most)| (nanos(after), most)),
            fallback: policy.fallback,
            retries: config.call.retry.max_retries > 0,
            config,
            seed,
            engines: Vec::new(),
            has_limits,
            breakers: policy.breaker.map(|config| breakers(config, states, seed)).unwrap_or_default(),
            budgets: policy
                .budget
                .map(|config| vec![Budget::since(config, Timestamp(0)); states])
                .unwrap_or_default(),
            queued: BTreeMap::new(),
            board: staleness
                .map(|staleness| Board::new(staleness, u32::try_from(states).unwrap_or(u32::MAX))),
        };
        (0..if has_limits { states } else { 1 }).for_each(|_| layer.add_engine());
        layer
    }

    fn add_engine(&mut self) {
        let seed = stream(self.seed, Purpose::Jitter, self.engines.len() as u64).next_u64();
        let mut engine = Engine::new(self.config.clone(), seed);
        // The engine's clock has whole milliseconds, the simulator's has nanoseconds.
        engine.rounded_down(true);
        self.engines.push(engine);
    }

    /// Returns the engine for a new call of a process.
    #[inline]
    pub(super) fn engine_for(&mut self, process: u32) -> u32 {
        if self.has_limits {
            return process;
        }
        let has_room = |engine: &Engine| engine.in_flight() < FULL;
        if !self.engines.first().is_some_and(has_room) {
            match self.engines.iter().position(has_room) {
                Some(index) => return u32::try_from(index).always(),
                None => {
                    self.add_engine();
                    return u32::try_from(self.engines.len() - 1).always();
                }
            }
        }
        0
    }

    /// Gives an engine one input, and returns its step.
    #[inline]
    pub(super) fn input(
        &mut self,
        events: &mut Ring,
        engine: u32,
        process: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>) -> Step,
    ) -> Step {
        let mut context = Context {
            breaker: self.breakers.get_mut(process as usize),
            budget: self.budgets.get_mut(process as usize),
            events,
            policy_id: 0,
            breaker_id: 0,
        };
        match self.engines.get_mut(engine as usize) {
            Some(engine) => input(engine, &mut context),
            None => NOTHING,
        }
    }

    /// Returns what the breaker counts, if the layer's processes notify each other.
    #[inline]
    pub(super) fn notified_scope(&self) -> Option<BreakerScope> {
        self.board.as_ref().map(|_| self.config.call.scope)
    }

    /// Schedules the news for the other processes.
    pub(super) fn notify(&mut self, now: u64, process: u32, news: News) {
        if let Some(board) = &mut self.board {
            board.write(now, process, news);
        }
    }

    /// Applies the due news of the other processes to a process.
    #[inline]
    pub(super) fn learn(&mut self, events: &mut Ring, process: u32, now: u64) {
        if self.board.is_some() {
            self.read_news(events, process, now);
        }
    }

    fn read_news(&mut self, events: &mut Ring, process: u32, now: u64) {
        let Some(board) = &mut self.board else { return };
        let mut breaker = self.breakers.get_mut(process as usize);
        let mut budget = self.budgets.get_mut(process as usize);
        while let Some((due, news)) = board.next(process, now) {
            let at = Timestamp(due / 1_000_000);
            match news {
                News::Result(outcome, took) => {
                    if let Some(breaker) = breaker.as_deref_mut() {
                        breaker.record(outcome, took, at);
                    }
                }
                News::Began { is_first } => {
                    if let Some(budget) = budget.as_deref_mut().filter(|_| is_first) {
                        budget.deposit(at);
                    }
                    if self.has_limits
                        && let Some(engine) = self.engines.get_mut(process as usize)
                    {
                        engine.begun_elsewhere(at);
                    }
                }
                News::Retried => {
                    if let Some(budget) = budget.as_deref_mut() {
                        budget.spend(at);
                    }
                }
            }
        }
        while let Some(change) = breaker.as_deref_mut().and_then(Breaker::poll_change) {
            let fact = Fact::BreakerChanged { breaker: 0, change };
            events.push(Record { policy: 0, call: 0, at: Some(change.at), fact });
        }
    }

    /// Drops the news that every process has learned.
    pub(super) fn drop_news(&mut self) {
        if let Some(board) = &mut self.board {
            board.drop_read();
        }
    }

    pub(super) fn enqueue(&mut self, engine: u32, call: u32, frame: u32) {
        self.queued.insert((engine, call), frame);
    }

    pub(super) fn leave_queue(&mut self, engine: u32, call: u32) -> Option<u32> {
        self.queued.remove(&(engine, call))
    }

    /// Returns the number of calls that wait for a slot or their turn.
    pub(super) fn queue_length(&self) -> u64 {
        self.queued.len() as u64
    }

    /// Returns the queued call of an engine that can start now.
    pub(super) fn next_ready(&mut self, engine: u32, now: Timestamp) -> Option<u32> {
        self.engines.get_mut(engine as usize)?.next_ready(Some(now))
    }

    /// Returns when the next queued call of an engine can start, if it waits for time alone.
    pub(super) fn poll_timeout(&self, engine: u32) -> Option<Timestamp> {
        self.engines.get(engine as usize)?.poll_timeout()
    }

    pub(super) const fn breakers(&self) -> usize {
        self.breakers.len()
    }
}

/// Gives each breaker a seed of its own, so that breakers that draw random numbers draw different ones.
fn breakers(config: BreakerConfig, count: usize, seed: u64) -> Vec<Breaker> {
    let seed_of = |process| stream(seed, Purpose::Refusal, process).next_u64();
    (0..count as u64)
        .map(|process| Breaker::new(BreakerConfig { seed: seed_of(process), ..config }))
        .collect()
}

/// How the processes share state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    None,
    /// One state for all.
    AtOnce,
    /// Each process has its own state, and learns of the others' after this many nanoseconds.
    Late(u64),
}

impl Sharing {
    pub(super) fn of(clients: &Clients) -> Self {
        match clients.staleness_ms {
            _ if !clients.shared => Self::None,
            0.0 => Self::AtOnce,
            ms if ms.is_finite() => Self::Late(nanos(ms)),
            _ => Self::None,
        }
    }

    /// Returns the number of states for a number of processes.
    pub(super) const fn states(self, processes: u32) -> u32 {
        if matches!(self, Self::AtOnce) { 1 } else { processes }
    }
}

/// All layers, outermost first.
#[derive(Debug)]
pub(super) struct Fleet {
    pub(super) layers: Vec<Layer>,
    /// The breakers' records.
    pub(super) records: Ring,
    processes: u32,
    /// `true` if processes see each other's state late.
    pub(super) is_late: bool,
}

impl Fleet {
    pub(super) fn new<'a>(
        policies: impl Iterator<Item = &'a LabPolicy>,
        processes: u32,
        sharing: Sharing,
        seed: u64,
    ) -> Self {
        let states = sharing.states(processes);
        let staleness = match sharing {
            Sharing::Late(staleness) => Some(staleness),
            Sharing::None | Sharing::AtOnce => None,
        };
        let layer = |(depth, policy)| Layer::new(policy, states, staleness, seed.wrapping_add(depth as u64));
        Self {
            layers: policies.enumerate().map(layer).collect(),
            records: Ring::with_capacity(64),
            processes: states,
            is_late: staleness.is_some(),
        }
    }

    /// Returns the number of states.
    pub(super) const fn processes(&self) -> u32 {
        self.processes
    }

    /// Returns the process of a client; 0 if all processes share their state.
    #[inline]
    pub(super) const fn process_of(&self, client: u32) -> u32 {
        client % self.processes
    }
}
