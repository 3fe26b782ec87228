//! One run of one policy. It takes the next event, gives it to the engine, and does what the engine's step says.
//!
//! A user's call passes the layers of policies from the outside in. In each it is a *frame*, which has begun a call of
//! that layer's engine. Each of its attempts is a frame of the next layer or, in the innermost layer, a request to the
//! provider.

mod arrive;
mod drive;
mod notify;
mod queues;
mod record;
mod requests;
mod settle;
mod timers;

use super::event::{Events, Kind, Token};
use super::fleet::{Fleet, Sharing};
use super::measure::Measure;
use super::pool::Pool;
use super::provider::Provider;
use super::random::{Block, Luck};
use super::result::PolicyResult;
use super::scenario::{Arrivals, Scenario};
use super::timeline::{Timeline, nanos};
use halfopen::time::{Millis, Timestamp};
use record::{Attempt, Frame, Place, User, row};

/// A scenario has no policy of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scenario has no policy '{0}'")]
pub struct NoSuchPolicy(pub String);

const NANOS_PER_MS: u64 = 1_000_000;

/// A run of one policy in one scenario.
///
/// ```
/// use halfopen_lab::{Run, Scenario};
/// let scenario = Scenario::from_json(r#"{
///     "version": 1, "durationMs": 1000, "policies": { "default": {} },
///     "clients": { "count": 1, "arrivals": { "kind": "once" } },
///     "provider": { "servers": 1, "service": { "kind": "constant", "mean": 250 } }
/// }"#).unwrap();
/// let mut run = Run::new(&scenario, "default").unwrap();
/// while !run.advance(1000) {
///     // A host with other things to do does them here.
/// }
/// assert_eq!(run.to_end().totals.user_ms.max, 250.0);
/// ```
#[derive(Debug)]
pub struct Run {
    scenario: Scenario,
    seed: u64,
    /// When arrivals end.
    end: u64,
    interval: u64,
    patience: Option<u64>,
    timeline: Timeline,
    next_moment: usize,
    provider: Provider,
    fleet: Fleet,
    events: Events,
    measure: Measure,
    users: Pool<User>,
    frames: Pool<Frame>,
    attempts: Pool<Attempt>,
    /// Calls on their way.
    calls: u64,
    /// Frames that wait to retry.
    waiting: u64,
    /// The engines with limits in which a queued call may have become ready.
    touched: Vec<(usize, u32)>,
    /// When each of them is checked again, by layer and engine.
    turns: Vec<Token>,
    /// The number of calls that each closed client has begun.
    begun: Vec<u32>,
    /// How many calls have arrived.
    arrived: u64,
    /// Arrivals that are scheduled.
    coming: u64,
    /// Open arrivals: the time of the next, the gaps between them, and the draws of the first request of each.
    next_arrival: u64,
    gaps: Block<f64>,
    firsts: Block<Luck>,
    now: u64,
    is_over: bool,
}

impl Run {
    /// Creates a run with the scenario's seed.
    ///
    /// # Errors
    /// The scenario has no policy of that name.
    pub fn new(scenario: &Scenario, policy: &str) -> Result<Self, NoSuchPolicy> {
        Self::with_seed(scenario, policy, scenario.seed)
    }

    /// A run with another seed.
    ///
    /// # Errors
    /// The scenario has no policy of that name.
    pub fn with_seed(scenario: &Scenario, policy: &str, seed: u64) -> Result<Self, NoSuchPolicy> {
        let found = scenario.policies.iter().find(|(name, _)| name == policy);
        let (_, compared) = found.ok_or_else(|| NoSuchPolicy(policy.to_owned()))?;
        let clients = &scenario.clients;
        let layers = clients.nested.iter().chain(std::iter::once(compared));
        let sharing = Sharing::of(clients);
        let fleet = Fleet::new(layers, clients.processes, sharing, seed);
        let depth = fleet.layers.len();
        let is_closed = matches!(clients.arrivals, Arrivals::Closed { .. });
        let engines = sharing.states(clients.processes) as usize;
        let has_limits = fleet.layers.iter().any(|layer| layer.has_limits);
        let mut run = Self {
            scenario: scenario.clone(),
            seed,
            end: nanos(scenario.duration_ms),
            interval: nanos(scenario.interval_ms),
            patience: clients.patience_ms.map(nanos),
            timeline: Timeline::new(&scenario.faults),
            next_moment: 0,
            provider: Provider::new(&scenario.provider, scenario.cost.tokens_per_attempt),
            events: Events::new(row(depth, 0)),
            measure: Measure::new(fleet.layers.last().map_or(0, super::fleet::Layer::breakers)),
            fleet,
            users: Pool::new(),
            frames: Pool::new(),
            attempts: Pool::new(),
            calls: 0,
            waiting: 0,
            touched: Vec::new(),
            turns: if has_limits { vec![0; engines * depth] } else { Vec::new() },
            begun: if is_closed { vec![0; clients.count as usize] } else { Vec::new() },
            arrived: 0,
            coming: 0,
            next_arrival: 0,
            gaps: Block::new(),
            firsts: Block::new(),
            now: 0,
            is_over: false,
        };
        run.schedule_fault();
        run.events.push(run.interval, Kind::Interval, 0);
        match clients.arrivals {
            Arrivals::Once => (0..clients.count).for_each(|client| run.schedule_arrival(0, client)),
            Arrivals::Closed { .. } => {
                (0..clients.count).for_each(|client| run.think(client, u64::from(client)))
            }
            Arrivals::Open { .. } => run.schedule_next_arrival(),
        }
        Ok(run)
    }

    /// Processes up to `events` events. Returns `true` once the run has ended.
    pub fn advance(&mut self, events: u64) -> bool {
        for _ in 0..events {
            if self.is_over {
                break;
            }
            let Some(event) = self.events.pop() else {
                self.is_over = true;
                break;
            };
            self.now = event.at;
            self.measure.totals.events += 1;
            match event.kind {
                Kind::Arrival => self.arrive(event.index),
                Kind::Served => self.served(event.index, event.token),
                Kind::Answered => self.answered(event.index, event.token),
                Kind::Resume => self.resume(event.index, event.token),
                Kind::Turn => self.turn(event.index, event.token),
                Kind::Fault => self.change(),
                Kind::Interval => self.interval(),
                Kind::Row => self.fire(event.index as usize),
            }
            self.is_over |= self.coming == 0 && self.calls == 0;
        }
        self.is_over
    }

    /// Returns its progress, from 0 to 1, by the time of the scenario.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub fn share(&self) -> f64 {
        if self.is_over { 1.0 } else { (self.now as f64 / self.end.max(1) as f64).min(0.99) }
    }

    /// Runs to the end.
    #[must_use]
    pub fn to_end(mut self) -> PolicyResult {
        while !self.advance(u64::MAX) {}
        // A call without an answer has failed for its user, who still waits.
        let left = self.users.iter().filter(|user| user.has_left).count() as u64;
        self.measure.totals.failed += self.calls - left;
        self.close_interval();
        let queued_or_served =
            |attempt: &&Attempt| matches!(attempt.place, Place::Queued(_) | Place::Served(_));
        let still_there = self.attempts.iter().filter(queued_or_served).map(|attempt| attempt.began);
        let (mut totals, series, hash, queueing) =
            self.measure.finish(self.now, self.scenario.duration_ms, still_there);
        let cost = self.scenario.cost;
        #[expect(clippy::cast_precision_loss, reason = "counts of requests")]
        let (attempts, served) = (totals.attempts as f64, queueing.served as f64);
        totals.tokens = served * cost.tokens_per_attempt;
        totals.cost = attempts * cost.per_attempt + totals.tokens * cost.per_token;
        let mut result =
            PolicyResult { seed: self.seed, totals, series, expectations: Vec::new(), hash, queueing };
        let first_fault = self.scenario.faults.iter().map(|fault| fault.at_ms).reduce(f64::min);
        let recovered =
            result.recovered_goodput(self.scenario.interval_ms, self.scenario.duration_ms, first_fault);
        result.expect(&self.scenario.expect, recovered);
        result
    }

    /// The engine's clock: whole milliseconds, rounded down.
    #[inline]
    const fn clock(&self) -> Timestamp {
        Timestamp(self.now / NANOS_PER_MS)
    }

    #[inline]
    const fn took(&self, since: u64) -> Option<Millis> {
        Some(Millis((self.now - since) / NANOS_PER_MS))
    }
}

/// Events at fixed times of the scenario.
impl Run {
    fn schedule_fault(&mut self) {
        if let Some((at, _)) = self.timeline.moments.get(self.next_moment) {
            self.events.push(*at, Kind::Fault, 0);
        }
    }

    fn change(&mut self) {
        let load_before = self.provider.conditions().load;
        if let Some((_, conditions)) = self.timeline.moments.get(self.next_moment) {
            self.provider.change(conditions);
        }
        self.next_moment += 1;
        self.schedule_fault();
        self.reschedule_arrival(load_before);
        self.serve_queue();
    }

    fn interval(&mut self) {
        self.close_interval();
        // Without this event, time would stop once no other event is left.
        if !self.events.is_empty() {
            self.events.push(self.now + self.interval, Kind::Interval, 0);
        }
    }

    fn close_interval(&mut self) {
        self.learn_all();
        let queued: u64 = self.fleet.layers.iter().map(super::fleet::Layer::queue_length).sum();
        let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        self.measure.interval(count(self.calls), self.provider.waiting(), count(self.waiting + queued));
    }
}
