//! One run of one policy: takes the next event, gives it to the engine, and does what the engine's step says.
//!
//! A user's call passes the layers of policies from the outside in. In each it is a *frame*, which has begun a call of that
//! layer's engine; each of its attempts is either a frame of the next layer or, in the innermost, a request to the provider.

use super::event::{Events, Kind, Token};
use super::fleet::Fleet;
use super::measure::{Ending, Measure};
use super::pool::Pool;
use super::provider::{Provider, Reception};
use super::random::{Purpose, exponential, stream};
use super::result::PolicyResult;
use super::scenario::{Arrivals, Scenario};
use super::timeline::{Timeline, nanos};
use crate::code::Code;
use crate::policy::{Context, Engine, Fact, Failure, Layer as RefusedBy, Step, Why};
use crate::rng::SplitMix64;
use crate::time::{Millis, Timestamp};

/// A scenario has no policy of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the scenario has no policy '{0}'")]
pub struct NoSuchPolicy(pub String);

const NONE: u32 = u32::MAX;
const NANOS_PER_MS: u64 = 1_000_000;

/// The rows of timers: one for users, three for each layer.
const PATIENCE: usize = 0;
const TIMERS: usize = 3;
const TIMEOUT: usize = 0;
const DEADLINE: usize = 1;
const HEDGE: usize = 2;

const fn row(layer: usize, timer: usize) -> usize {
    1 + layer * TIMERS + timer
}

/// A user's call.
#[derive(Debug, Default)]
struct User {
    /// Its number among all calls, the same under every policy.
    key: u64,
    began: u64,
    client: u32,
    /// How many requests were sent for it.
    sent: u32,
    patience: Token,
    has_left: bool,
}

/// A user's call in one layer.
#[derive(Debug)]
struct Frame {
    user: u32,
    /// The attempt of the layer around that this frame is.
    parent: u32,
    layer: usize,
    process: u32,
    engine: u32,
    /// The engine's key.
    call: u32,
    /// The attempt that began last; others follow by `next`.
    attempts: u32,
    hedges: u32,
    state: State,
    resume: Token,
    deadline: Token,
    last: Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Waiting,
    Queued,
}

impl Default for Frame {
    fn default() -> Self {
        Self {
            user: NONE,
            parent: NONE,
            layer: 0,
            process: 0,
            engine: 0,
            call: 0,
            attempts: NONE,
            hedges: 0,
            state: State::Running,
            resume: 0,
            deadline: 0,
            last: Failed::of(Code::Unknown, None),
        }
    }
}

/// One attempt of a frame.
#[derive(Debug)]
struct Attempt {
    /// None once the caller has left.
    frame: u32,
    /// The engine's number for it.
    number: u32,
    /// The frame of the next layer.
    child: u32,
    /// The attempt of the same frame that began before.
    next: u32,
    place: Place,
    began: u64,
    served_since: u64,
    /// Its service ends, or its answer arrives.
    event: Token,
    timeout: Token,
    hedge: Token,
    draws: SplitMix64,
    /// The answer that is on its way.
    answer: Failed,
}

/// Where a request is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Not with the provider's servers.
    Elsewhere,
    Queued,
    /// In the queue, but taken back.
    TakenBack,
    Served,
}

impl Default for Attempt {
    fn default() -> Self {
        Self {
            frame: NONE,
            number: 0,
            child: NONE,
            next: NONE,
            place: Place::Elsewhere,
            began: 0,
            served_since: 0,
            event: 0,
            timeout: 0,
            hedge: 0,
            draws: SplitMix64::new(0),
            answer: Failed::of(Code::Unknown, None),
        }
    }
}

/// A failure, as the layer around sees it.
#[derive(Clone, Copy, Debug)]
struct Failed {
    code: Code,
    hint: Option<Millis>,
    /// Another policy has retried it.
    nested: bool,
    /// The policy refused the call.
    rejected: bool,
}

impl Failed {
    const fn of(code: Code, hint: Option<Millis>) -> Self {
        Self { code, hint, nested: false, rejected: false }
    }
}

/// What is to be done next.
#[derive(Debug)]
enum Next {
    Step(u32, Step),
    Reply(u32, Result<(), Failed>),
    Idle,
}

/// A run of one policy in one scenario.
///
/// ```
/// use halfopen::lab::{Run, Scenario};
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
    /// Engines with limits of which a queued call may have become ready.
    touched: Vec<(usize, u32)>,
    /// When each of them is looked at again, by layer and engine.
    turns: Vec<Token>,
    /// How many calls each closed client has begun.
    begun: Vec<u32>,
    /// How many calls have arrived.
    arrived: u64,
    /// Arrivals that are scheduled.
    coming: u64,
    /// Of open arrivals, the next.
    next_arrival: (u64, Token),
    now: u64,
    is_over: bool,
}

impl Run {
    /// A run that has not begun, with the scenario's seed.
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
        let fleet = Fleet::new(layers, clients.processes, clients.shared, seed);
        let depth = fleet.layers.len();
        let is_closed = matches!(clients.arrivals, Arrivals::Closed { .. });
        let engines = if clients.shared { 1 } else { clients.processes as usize };
        let has_limits = fleet.layers.iter().any(|layer| layer.has_limits);
        let mut run = Self {
            scenario: scenario.clone(),
            seed,
            end: nanos(scenario.duration_ms),
            interval: nanos(scenario.interval_ms),
            patience: clients.patience_ms.map(nanos),
            timeline: Timeline::new(&scenario.faults),
            next_moment: 0,
            provider: Provider::new(&scenario.provider),
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
            next_arrival: (0, 0),
            now: 0,
            is_over: false,
        };
        run.schedule_fault();
        run.events.push(run.interval, Kind::Interval, 0);
        match clients.arrivals {
            Arrivals::Once => (0..clients.count).for_each(|client| run.schedule_arrival(0, client)),
            Arrivals::Closed { .. } => (0..clients.count).for_each(|client| run.think(client)),
            Arrivals::Open { .. } => run.schedule_next_arrival(),
        }
        Ok(run)
    }

    /// Goes on for so many events. Returns whether the run has ended.
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
                Kind::Arrival => self.arrive(event.index, event.token),
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

    /// How far it has come, from 0 to 1, by the time of the scenario.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for a progress bar")]
    pub fn share(&self) -> f64 {
        if self.is_over { 1.0 } else { (self.now as f64 / self.end.max(1) as f64).min(0.99) }
    }

    /// Runs to the end.
    #[must_use]
    pub fn to_end(mut self) -> PolicyResult {
        while !self.advance(u64::MAX) {}
        // What was never answered, to users who still wait.
        let left = self.users.iter().filter(|user| user.has_left).count() as u64;
        self.measure.totals.failed += self.calls - left;
        self.close_interval();
        let queued_or_served = |attempt: &&Attempt| matches!(attempt.place, Place::Queued | Place::Served);
        let still_there = self.attempts.iter().filter(queued_or_served).map(|attempt| attempt.began);
        let (mut totals, series, hash, queueing) =
            self.measure.finish(self.now, self.scenario.duration_ms, still_there);
        let cost = self.scenario.cost;
        #[expect(clippy::cast_precision_loss, reason = "counts of requests")]
        let (attempts, served) = (totals.attempts as f64, queueing.served as f64);
        totals.tokens = served * cost.tokens_per_attempt;
        totals.cost = attempts * cost.per_attempt + totals.tokens * cost.per_token;
        let mut result = PolicyResult { totals, series, expectations: Vec::new(), hash, queueing };
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

/// Arrivals.
impl Run {
    fn schedule_arrival(&mut self, at: u64, client: u32) {
        self.coming += 1;
        self.next_arrival = (at, self.events.push(at, Kind::Arrival, client));
    }

    /// Of open arrivals: draws the next, at the present load.
    fn schedule_next_arrival(&mut self) {
        let Arrivals::Open { per_second, constant } = self.scenario.clients.arrivals else { return };
        let gap =
            if constant { 1.0 } else { exponential(&mut stream(self.seed, Purpose::Arrival, self.arrived)) };
        let at = self.now + nanos(gap * 1000.0 / (per_second * self.provider.conditions.load));
        if at < self.end {
            self.schedule_arrival(at, 0);
        }
    }

    /// The load has changed: what was left of the time to the next arrival is passed at the new one.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a gap, rounded to a nanosecond"
    )]
    fn reschedule_arrival(&mut self, load_before: f64) {
        let (due, _) = self.next_arrival;
        let is_open = matches!(self.scenario.clients.arrivals, Arrivals::Open { .. });
        if !is_open || self.coming == 0 || due < self.now {
            return;
        }
        let left = (due - self.now) as f64 * load_before / self.provider.conditions.load;
        self.coming -= 1;
        self.next_arrival = (0, 0);
        let at = self.now + libm::round(left) as u64;
        if at < self.end {
            self.schedule_arrival(at, 0);
        }
    }

    fn arrive(&mut self, client: u32, token: Token) {
        let count = u64::from(self.scenario.clients.count);
        match self.scenario.clients.arrivals {
            Arrivals::Open { .. } => {
                if token != self.next_arrival.1 {
                    return;
                }
                self.coming -= 1;
                let key = self.arrived;
                self.arrived += 1;
                self.schedule_next_arrival();
                self.begin(u32::try_from(key % count).unwrap_or_default(), key);
            }
            Arrivals::Once => {
                self.coming -= 1;
                self.begin(client, u64::from(client));
            }
            Arrivals::Closed { .. } => {
                self.coming -= 1;
                let key = self.key_of(client);
                if let Some(begun) = self.begun.get_mut(client as usize) {
                    *begun += 1;
                }
                self.begin(client, key);
            }
        }
    }

    /// The number of a closed client's next call.
    fn key_of(&self, client: u32) -> u64 {
        let begun = self.begun.get(client as usize).copied().unwrap_or_default();
        u64::from(client) + u64::from(self.scenario.clients.count) * u64::from(begun)
    }

    /// A client's call is over, or has not begun: a closed client thinks, and calls again.
    fn think(&mut self, client: u32) {
        let Arrivals::Closed { think } = &self.scenario.clients.arrivals else { return };
        let mut draws = stream(self.seed, Purpose::Think, self.key_of(client));
        let takes = nanos(think.draw(&mut draws) / self.provider.conditions.load);
        let at = self.now.saturating_add(takes.max(1));
        if at < self.end {
            self.schedule_arrival(at, client);
        }
    }

    fn begin(&mut self, client: u32, key: u64) {
        self.measure.offered();
        self.calls += 1;
        let user = self.users.insert(User { key, began: self.now, client, ..User::default() });
        if let Some(patience) = self.patience {
            let token = self.events.push_timer(PATIENCE, self.now.saturating_add(patience), user);
            if let Some(user) = self.users.get_mut(user) {
                user.patience = token;
            }
        }
        let process = self.fleet.process_of(client);
        let next = self.enter(user, NONE, 0, process);
        self.drive(next);
    }

    fn end_call(&mut self, user: u32, ending: Ending) {
        let User { began, client, has_left, .. } = self.users.take(user);
        self.calls -= 1;
        if !has_left {
            self.measure.ended(ending, self.now - began);
            self.think(client);
        }
    }
}

/// Driving the engines.
impl Run {
    /// One input into the engine of a frame.
    #[inline]
    fn input<R>(
        &mut self,
        frame: u32,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, u32) -> R,
    ) -> Option<R> {
        let &Frame { layer: depth, engine, process, call, .. } = self.frames.get(frame)?;
        let layer = self.fleet.layers.get_mut(depth)?;
        let result = layer
            .input(&mut self.fleet.records, engine, process, |engine, context| input(engine, context, call));
        if layer.has_limits {
            self.touched.push((depth, engine));
        }
        if !self.fleet.records.is_empty() {
            self.drain(depth);
        }
        result
    }

    #[cold]
    fn drain(&mut self, depth: usize) {
        let is_compared = depth + 1 == self.fleet.layers.len();
        while let Some(record) = self.fleet.records.pop() {
            if let Fact::BreakerChanged { change, .. } = record.fact
                && is_compared
            {
                self.measure.breaker_changed(change.from, change.to);
                self.measure.hash(self.now ^ u64::from(change.to as u8) << 56);
            }
        }
    }

    /// Does what comes next until there is nothing left to do at this time.
    fn drive(&mut self, first: Next) {
        let mut next = first;
        loop {
            next = match next {
                Next::Step(frame, step) => self.take(frame, step),
                Next::Reply(attempt, Ok(())) => self.succeed(attempt),
                Next::Reply(attempt, Err(failed)) => self.fail(attempt, failed),
                Next::Idle => match self.next_ready() {
                    Next::Idle => return,
                    ready => ready,
                },
            };
        }
    }

    /// A call enters a layer.
    fn enter(&mut self, user: u32, parent: u32, depth: usize, process: u32) -> Next {
        let Some(layer) = self.fleet.layers.get_mut(depth) else { return Next::Idle };
        let engine = layer.engine_for(process);
        let total = layer.total;
        let frame =
            self.frames.insert(Frame { user, parent, layer: depth, process, engine, ..Frame::default() });
        if let Some(total) = total {
            let token = self.events.push_timer(row(depth, DEADLINE), self.now.saturating_add(total), frame);
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.deadline = token;
            }
        }
        let now = Some(self.clock());
        match self.input(frame, |engine, context, _| engine.begin(context, now)) {
            Some(step) => Next::Step(frame, step),
            None => Next::Idle,
        }
    }

    /// Does what a step says.
    fn take(&mut self, frame: u32, step: Step) -> Next {
        let key =
            self.frames.get(frame).and_then(|frame| self.users.get(frame.user)).map_or(0, |user| user.key);
        let decided = |kind: u64, number: u64| (kind << 60 ^ key << 20) ^ number;
        match step {
            Step::Attempt { call, attempt, .. } => {
                self.measure.hash(decided(1, u64::from(attempt)));
                self.attempt(frame, call, attempt)
            }
            Step::Wait { plan, .. } => {
                self.measure.hash(decided(2, plan.delay.delay.0));
                // From now, not until `plan.due`: the engine's clock is rounded down, and a wait is never cut short.
                let due = self.now.saturating_add(plan.delay.delay.0.saturating_mul(NANOS_PER_MS));
                let token = self.events.push(due, Kind::Resume, frame);
                self.waiting += 1;
                if let Some(frame) = self.frames.get_mut(frame) {
                    (frame.state, frame.resume, frame.hedges) = (State::Waiting, token, 0);
                }
                Next::Idle
            }
            Step::Queued { call, .. } => {
                self.measure.hash(decided(3, 0));
                if let Some(found) = self.frames.get_mut(frame) {
                    (found.state, found.call) = (State::Queued, call);
                    if let Some(layer) = self.fleet.layers.get_mut(found.layer) {
                        layer.enqueue(found.engine, call, frame);
                    }
                }
                Next::Idle
            }
            Step::Rejected { by, retry_after, .. } => {
                self.measure.hash(decided(4, by as u64));
                let code = match by {
                    RefusedBy::Breaker => Code::CircuitOpen,
                    RefusedBy::Bulkhead | RefusedBy::RateLimit => Code::CapacityExceeded,
                };
                self.leave(frame, Err(Failed { rejected: true, ..Failed::of(code, retry_after) }))
            }
            Step::GiveUp { why, .. } => {
                self.measure.hash(decided(5, why as u64));
                let last = self.frames.get(frame).map_or(Failed::of(Code::Unknown, None), |frame| frame.last);
                self.leave(frame, Err(Failed { rejected: false, ..last }))
            }
            // An attempt has failed beside others that go on. The other two steps do not occur: every input here has the time,
            // and a scenario has no backoff function.
            Step::Done { .. } | Step::NeedTime | Step::NeedDelay { .. } => Next::Idle,
        }
    }

    /// A frame is over.
    fn leave(&mut self, frame: u32, result: Result<(), Failed>) -> Next {
        let Frame { user, parent, layer, .. } = self.frames.take(frame);
        let (fallback, retries) =
            self.fleet.layers.get(layer).map_or((false, false), |layer| (layer.fallback, layer.retries));
        if parent == NONE {
            let ending = match result {
                Ok(()) => Ending::Succeeded,
                Err(_) if fallback => Ending::Fallback,
                Err(Failed { rejected: true, .. }) => Ending::Rejected,
                Err(_) => Ending::Failed,
            };
            self.end_call(user, ending);
            return Next::Idle;
        }
        Next::Reply(
            parent,
            match result {
                Err(_) if fallback => Ok(()),
                Err(failed) => {
                    Err(Failed { nested: failed.nested || retries && failed.code.is_retryable(), ..failed })
                }
                Ok(()) => Ok(()),
            },
        )
    }

    fn attempt(&mut self, frame: u32, call: u32, number: u32) -> Next {
        let Some(found) = self.frames.get_mut(frame) else { return Next::Idle };
        (found.call, found.state) = (call, State::Running);
        let (user, depth, process) = (found.user, found.layer, found.process);
        let is_innermost = depth + 1 == self.fleet.layers.len();
        let attempt = self.attempts.insert(Attempt {
            frame,
            number,
            next: found.attempts,
            began: self.now,
            ..Attempt::default()
        });
        found.attempts = attempt;
        let next = if is_innermost {
            self.request(attempt, user)
        } else {
            self.enter(user, attempt, depth + 1, process)
        };
        if is_innermost && matches!(next, Next::Reply(..)) {
            return next;
        }
        if !is_innermost && let (Some(found), Next::Step(child, _)) = (self.attempts.get_mut(attempt), &next)
        {
            found.child = *child;
        }
        let Some(layer) = self.fleet.layers.get(depth) else { return next };
        if let Some(timeout) = layer.attempt {
            let at = self.now.saturating_add(timeout);
            let token = self.events.push_timer(row(depth, TIMEOUT), at, attempt);
            if let Some(attempt) = self.attempts.get_mut(attempt) {
                attempt.timeout = token;
            }
        }
        self.hedge_later(attempt);
        next
    }

    /// The provider has answered, or the layer below has.
    fn succeed(&mut self, attempt: u32) -> Next {
        let Attempt { frame, began, .. } = self.take_attempt(attempt);
        // Another attempt has won: those that run are aborted.
        while let Some(other) = self.first_attempt(frame) {
            let number = self.attempts.get(other).map(|other| other.number);
            self.abort(other);
            let cancelled = Failure { attempt: number, ..Failure::of(Code::Cancelled) };
            let now = Some(self.clock());
            self.input(frame, |engine, context, call| engine.fail(context, call, now, &cancelled));
        }
        let (now, took) = (Some(self.clock()), self.took(began));
        self.input(frame, |engine, context, call| engine.succeed(context, call, now, took));
        self.leave(frame, Ok(()))
    }

    fn fail(&mut self, attempt: u32, failed: Failed) -> Next {
        let Attempt { frame, number, began, .. } = self.take_attempt(attempt);
        self.report(frame, number, began, failed)
    }

    /// An attempt that is gone has failed.
    fn report(&mut self, frame: u32, number: u32, began: u64, failed: Failed) -> Next {
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.last = failed;
        }
        let failure = Failure {
            hint: failed.hint,
            nested: failed.nested,
            attempt: Some(number),
            duration: self.took(began),
            ..Failure::of(failed.code)
        };
        let now = Some(self.clock());
        match self.input(frame, |engine, context, call| engine.fail(context, call, now, &failure)) {
            Some(step) => Next::Step(frame, step),
            None => Next::Idle,
        }
    }

    fn first_attempt(&self, frame: u32) -> Option<u32> {
        self.frames.get(frame).map(|frame| frame.attempts).filter(|&attempt| attempt != NONE)
    }

    /// Takes an attempt out of its frame's list and out of the pool.
    fn take_attempt(&mut self, attempt: u32) -> Attempt {
        self.unlink(attempt);
        self.attempts.take(attempt)
    }

    fn unlink(&mut self, attempt: u32) {
        let Some(&Attempt { frame, next, .. }) = self.attempts.get(attempt) else { return };
        let Some(frame) = self.frames.get_mut(frame) else { return };
        if frame.attempts == attempt {
            frame.attempts = next;
            return;
        }
        let mut before = frame.attempts;
        while let Some(found) = self.attempts.get_mut(before) {
            if found.next == attempt {
                found.next = next;
                return;
            }
            before = found.next;
        }
    }

    /// The caller of an attempt leaves. What the provider does with it is the provider's.
    fn abort(&mut self, attempt: u32) {
        self.unlink(attempt);
        let abandons = self.provider.abandons();
        let now = self.now;
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        (found.frame, found.timeout, found.hedge, found.next) = (NONE, 0, 0, NONE);
        match found.place {
            Place::Elsewhere => {
                let child = self.attempts.take(attempt).child;
                if child != NONE {
                    self.cancel(child);
                }
            }
            Place::Queued if abandons => {
                found.place = Place::TakenBack;
                self.measure.stay.leave(now, found.began);
                self.provider.take_back();
            }
            Place::Served if abandons => {
                let Attempt { began, served_since, .. } = self.attempts.take(attempt);
                self.measure.stay.leave(now, began);
                self.measure.wasted(now - served_since);
                self.provider.release();
                self.serve_queue();
            }
            Place::Queued | Place::TakenBack | Place::Served => {}
        }
    }

    /// The layer around gives a frame up, with all that it has begun.
    fn cancel(&mut self, frame: u32) {
        while let Some(attempt) = self.first_attempt(frame) {
            self.abort(attempt);
        }
        self.stop_waiting(frame);
        let now = Some(self.clock());
        self.input(frame, |engine, context, call| engine.cancel(context, call, now));
        self.frames.take(frame);
    }

    /// A frame waits for nothing any more.
    fn stop_waiting(&mut self, frame: u32) {
        let Some(found) = self.frames.get_mut(frame) else { return };
        found.resume = 0;
        match std::mem::replace(&mut found.state, State::Running) {
            State::Running => {}
            State::Waiting => self.waiting -= 1,
            State::Queued => {
                if let Some(layer) = self.fleet.layers.get_mut(found.layer) {
                    layer.leave_queue(found.engine, found.call);
                }
            }
        }
    }

    /// The next call that a queue of an engine lets go.
    fn next_ready(&mut self) -> Next {
        while let Some(&(depth, engine)) = self.touched.last() {
            let now = self.clock();
            let Some(layer) = self.fleet.layers.get_mut(depth) else { return Next::Idle };
            let Some(call) = layer.next_ready(engine, now) else {
                self.touched.pop();
                self.schedule_turn(depth, engine);
                continue;
            };
            let Some(frame) = layer.leave_queue(engine, call) else {
                // A call that is not in a queue of ours cannot be ready; were one, nothing must run for ever.
                self.touched.pop();
                continue;
            };
            if let Some(frame) = self.frames.get_mut(frame) {
                frame.state = State::Running;
            }
            let step = self.input(frame, |engine, context, call| engine.dequeue(context, call, Some(now)));
            if let Some(step) = step {
                return Next::Step(frame, step);
            }
        }
        Next::Idle
    }

    /// Has an engine looked at again when time alone lets its next call go.
    fn schedule_turn(&mut self, depth: usize, engine: u32) {
        let due = self.fleet.layers.get(depth).and_then(|layer| layer.poll_timeout(engine));
        let layers = self.fleet.layers.len();
        let index = engine as usize * layers + depth;
        let Some(turn) = self.turns.get_mut(index) else { return };
        *turn = match due {
            Some(due) => {
                let at = due.0.saturating_mul(NANOS_PER_MS).max(self.now);
                self.events.push(at, Kind::Turn, u32::try_from(index).unwrap_or_default())
            }
            None => 0,
        };
    }
}

/// The provider.
impl Run {
    /// An attempt of the innermost layer sends its request.
    fn request(&mut self, attempt: u32, user: u32) -> Next {
        let (Some(user), Some(found)) = (self.users.get_mut(user), self.attempts.get_mut(attempt)) else {
            return Next::Idle;
        };
        user.sent += 1;
        // Calls draw apart from each other, and so do the attempts of a call, whatever the policy.
        let key = user.key.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(u64::from(user.sent));
        found.draws = stream(self.seed, Purpose::Attempt, key);
        self.measure.attempt();
        match self.provider.receive(attempt, self.now, &mut found.draws) {
            Reception::Fails(code, hint, 0) => return Next::Reply(attempt, Err(Failed::of(code, hint))),
            Reception::Fails(code, hint, after) => {
                found.answer = Failed::of(code, hint);
                found.event = self.events.push(self.now.saturating_add(after), Kind::Answered, attempt);
            }
            Reception::Served => {
                self.measure.stay.enter(self.now);
                self.serve(attempt);
            }
            Reception::Queued => {
                found.place = Place::Queued;
                self.measure.stay.enter(self.now);
            }
            Reception::Swallowed => {}
        }
        Next::Idle
    }

    /// A server begins with a request.
    fn serve(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let takes = self.provider.service_time(&mut found.draws);
        let done = self.timeline.done_at(self.now, takes);
        (found.place, found.served_since) = (Place::Served, self.now);
        found.event = self.events.push(done, Kind::Served, attempt);
        self.measure.served(self.now - found.began);
    }

    /// Servers that are free take what waits.
    fn serve_queue(&mut self) {
        while let Some(next) = self.provider.next(|waiting| {
            let attempts = &mut self.attempts;
            let is_waiting = attempts.get(waiting).is_some_and(|attempt| attempt.place == Place::Queued);
            if !is_waiting {
                attempts.take(waiting);
            }
            is_waiting
        }) {
            self.serve(next);
        }
    }

    fn served(&mut self, attempt: u32, token: Token) {
        let Some(found) = self.attempts.get_mut(attempt).filter(|attempt| attempt.event == token) else {
            return;
        };
        found.place = Place::Elsewhere;
        let (frame, began, since) = (found.frame, found.began, found.served_since);
        self.measure.stay.leave(self.now, began);
        self.provider.release();
        self.serve_queue();
        if frame == NONE {
            self.measure.wasted(self.now - since);
            self.attempts.take(attempt);
        } else {
            self.drive(Next::Reply(attempt, Ok(())));
        }
    }

    fn answered(&mut self, attempt: u32, token: Token) {
        if let Some(found) = self.attempts.get(attempt).filter(|attempt| attempt.event == token) {
            self.drive(Next::Reply(attempt, Err(found.answer)));
        }
    }
}

/// Timers.
impl Run {
    fn resume(&mut self, frame: u32, token: Token) {
        let Some(found) = self.frames.get_mut(frame).filter(|frame| frame.resume == token) else { return };
        (found.resume, found.state) = (0, State::Running);
        self.waiting -= 1;
        let now = Some(self.clock());
        if let Some(step) = self.input(frame, |engine, context, call| engine.resume(context, call, now)) {
            self.drive(Next::Step(frame, step));
        }
    }

    fn turn(&mut self, index: u32, token: Token) {
        if self.turns.get(index as usize) != Some(&token) {
            return;
        }
        let layers = self.fleet.layers.len();
        let engine = u32::try_from(index as usize / layers).unwrap_or_default();
        self.touched.push((index as usize % layers, engine));
        self.drive(Next::Idle);
    }

    fn fire(&mut self, row: usize) {
        let (users, frames, attempts) = (&self.users, &self.frames, &self.attempts);
        let timer = row.wrapping_sub(1) % TIMERS;
        let holds = |index: u32, token: Token| match (row, timer) {
            (PATIENCE, _) => users.get(index).is_some_and(|user| user.patience == token),
            (_, TIMEOUT) => attempts.get(index).is_some_and(|attempt| attempt.timeout == token),
            (_, DEADLINE) => frames.get(index).is_some_and(|frame| frame.deadline == token),
            _ => attempts.get(index).is_some_and(|attempt| attempt.hedge == token),
        };
        let Some((index, token)) = self.events.pop_timer(row, |index, token| !holds(index, token)) else {
            return;
        };
        if !holds(index, token) {
            return;
        }
        match (row, timer) {
            (PATIENCE, _) => self.user_leaves(index),
            (_, TIMEOUT) => self.time_out(index),
            (_, DEADLINE) => self.pass_deadline(index),
            _ => self.hedge(index),
        }
    }

    fn user_leaves(&mut self, user: u32) {
        let Some(found) = self.users.get_mut(user) else { return };
        (found.has_left, found.patience) = (true, 0);
        let (client, began) = (found.client, found.began);
        self.measure.ended(Ending::Abandoned, self.now - began);
        self.think(client);
    }

    fn time_out(&mut self, attempt: u32) {
        let Some(&Attempt { frame, number, began, .. }) = self.attempts.get(attempt) else { return };
        self.abort(attempt);
        let next = self.report(frame, number, began, Failed::of(Code::Timeout, None));
        self.drive(next);
    }

    fn pass_deadline(&mut self, frame: u32) {
        let timeout = Failed::of(Code::Timeout, None);
        if self.first_attempt(frame).is_none() {
            self.stop_waiting(frame);
            if let Some(found) = self.frames.get_mut(frame) {
                found.last = timeout;
            }
            let now = Some(self.clock());
            let step = self.input(frame, |engine, context, call| {
                engine.abandon(context, call, now, Why::Deadline, Code::Timeout)
            });
            if let Some(step) = step {
                self.drive(Next::Step(frame, step));
            }
            return;
        }
        while let Some(attempt) = self.first_attempt(frame) {
            let Some(&Attempt { number, began, .. }) = self.attempts.get(attempt) else { return };
            self.abort(attempt);
            let next = self.report(frame, number, began, timeout);
            if self.first_attempt(frame).is_none() {
                self.drive(next);
                return;
            }
        }
    }

    /// An attempt has not answered for a while: another begins beside it, if the engine agrees.
    fn hedge(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        found.hedge = 0;
        let frame = found.frame;
        if let Some(frame) = self.frames.get_mut(frame) {
            frame.hedges += 1;
        }
        let now = Some(self.clock());
        let step = self.input(frame, |engine, context, call| engine.hedge(context, call, now));
        if let Some(step @ Step::Attempt { .. }) = step {
            self.drive(Next::Step(frame, step));
        } else {
            self.hedge_later(attempt);
            self.drive(Next::Idle);
        }
    }

    fn hedge_later(&mut self, attempt: u32) {
        let Some(found) = self.attempts.get_mut(attempt) else { return };
        let Some(frame) = self.frames.get(found.frame) else { return };
        if let Some((after, most)) = self.fleet.layers.get(frame.layer).and_then(|layer| layer.hedge)
            && frame.hedges < most
        {
            let at = self.now.saturating_add(after);
            found.hedge = self.events.push_timer(row(frame.layer, HEDGE), at, attempt);
        }
    }
}

/// What happens by the scenario's time.
impl Run {
    fn schedule_fault(&mut self) {
        if let Some((at, _)) = self.timeline.moments.get(self.next_moment) {
            self.events.push(*at, Kind::Fault, 0);
        }
    }

    fn change(&mut self) {
        let load_before = self.provider.conditions.load;
        if let Some((_, conditions)) = self.timeline.moments.get(self.next_moment) {
            self.provider.conditions.clone_from(conditions);
        }
        self.next_moment += 1;
        self.schedule_fault();
        self.reschedule_arrival(load_before);
        self.serve_queue();
    }

    fn interval(&mut self) {
        self.close_interval();
        // Were nothing else to come, time would not pass any more.
        if !self.events.is_empty() {
            self.events.push(self.now + self.interval, Kind::Interval, 0);
        }
    }

    fn close_interval(&mut self) {
        let queued: u64 = self.fleet.layers.iter().map(super::fleet::Layer::queue_length).sum();
        let count = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        self.measure.interval(count(self.calls), self.provider.waiting(), count(self.waiting + queued));
    }
}
