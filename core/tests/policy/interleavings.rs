//! Model checking: every order in which three calls and time can go through a policy, up to a number of inputs. From each
//! state that can be reached, safety is checked, and liveness: once what runs has ended, the breaker closes again.
//!
//! Breadth first, so that the history of a state that breaks a law is a shortest one. Two states are one when everything that
//! the engine, the breaker and the budget hold is the same.

use crate::harness::Harness;
use halfopen::Code;
use halfopen::limit::Unit;
use halfopen::policy::{
    AdaptiveConfig, Answer, BUCKETS, Backoff, Breaker, BreakerConfig, BreakerScope, BreakerState, Budget,
    BudgetConfig, BulkheadConfig, CallConfig, Failure, Jitter, PolicyConfig, RateLimitConfig, RetryConfig,
    Shared, Step, Trip, Why,
};
use halfopen::time::{Millis, Timestamp};
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The next input to a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Input {
    Begin,
    Succeed(usize),
    Fail(usize),
    /// It fails as the provider has too much to do.
    Overload(usize),
    Cancel(usize),
    /// The answer begins: the call is over, unless the answer breaks off.
    Answer(usize),
    Complete(usize),
    BreakOff(usize),
    /// The timer of a wait fires: at its time, or early.
    Resume(usize),
    Pass(u64),
}

/// Where the driver is with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// `probe`: the generation of the breaker that it is a probe of.
    Running {
        probe: Option<u64>,
        since: u64,
    },
    Waiting {
        probe: Option<u64>,
        due: u64,
    },
    Queued,
    /// Its answer has begun, and has not come to its end.
    Answering(Answer),
    Over,
}

impl Stage {
    const fn probe(self) -> Option<u64> {
        match self {
            Self::Running { probe, .. } | Self::Waiting { probe, .. } => probe,
            _ => None,
        }
    }

    /// Returns `true` if the engine knows the call.
    const fn is_open(self) -> bool {
        !matches!(self, Self::Answering(_) | Self::Over)
    }
}

/// A budget's allowance, in numbers that a law can check.
#[derive(Clone, Copy)]
struct Allowance {
    /// Retries for a hundred first attempts.
    percent: u64,
    /// Retries without any.
    reserve: u64,
    /// The window in milliseconds.
    window: u64,
}

impl Allowance {
    fn budget(self) -> Budget {
        let Self { percent, reserve, window } = self;
        let a_second = reserve as f64 * 1000.0 / window as f64;
        Budget::new(BudgetConfig::new(percent as f64 / 100.0, a_second, Millis(window)))
    }

    /// How many first attempts earn a retry for sure.
    fn attempts_for_a_retry(self) -> u64 {
        if self.reserve > 0 { 0 } else { 100_u64.div_ceil(self.percent) }
    }
}

/// When what a budget counts has happened.
#[derive(Clone, Debug, Default)]
struct Spent {
    first_attempts: Vec<u64>,
    retries: Vec<u64>,
}

impl Spent {
    /// How many first attempts and retries are younger than that.
    fn younger(&self, age: u64, now: u64) -> (u64, u64) {
        let count = |times: &[u64]| times.iter().filter(|&&at| now - at < age).count() as u64;
        (count(&self.first_attempts), count(&self.retries))
    }

    /// Without what no budget counts any more, and by age: what decides about later retries.
    fn ages(&self, most: u64, now: u64) -> Self {
        let ages = |times: &[u64]| times.iter().map(|at| now - at).filter(|age| *age <= most).collect();
        Self { first_attempts: ages(&self.first_attempts), retries: ages(&self.retries) }
    }
}

struct World {
    config: PolicyConfig,
    breaker: BreakerConfig,
    budget: Option<Allowance>,
    calls: usize,
    inputs: usize,
    /// `true` if answers may break off after they have begun, like those of `fetch` and of streams.
    answers: bool,
}

/// A policy after some inputs, and what its driver knows.
#[derive(Clone)]
struct State {
    policy: Harness,
    scope: BreakerScope,
    calls: Vec<(u32, Stage)>,
    allowance: Option<Allowance>,
    spent: Spent,
    history: Vec<Input>,
}

impl World {
    fn start(&self) -> State {
        let mut policy = Harness::new(self.config.clone()).with_breaker(self.breaker);
        policy.budget = self.budget.map(Allowance::budget);
        let (calls, spent) = (Vec::new(), Spent::default());
        let scope = self.config.call.scope;
        State { policy, scope, calls, allowance: self.budget, spent, history: Vec::new() }
    }

    fn inputs_of(&self, state: &State) -> Vec<Input> {
        let mut inputs = Vec::new();
        if state.calls.len() < self.calls {
            inputs.push(Input::Begin);
        }
        for (call, (_, stage)) in state.calls.iter().enumerate() {
            match stage {
                Stage::Running { .. } => {
                    inputs.extend([Input::Succeed(call), Input::Fail(call), Input::Cancel(call)]);
                    inputs.extend(self.answers.then_some(Input::Answer(call)));
                    inputs.extend(self.config.adaptive.is_some().then_some(Input::Overload(call)));
                }
                Stage::Waiting { .. } => inputs.extend([Input::Resume(call), Input::Cancel(call)]),
                Stage::Queued => inputs.push(Input::Cancel(call)),
                Stage::Answering(_) => inputs.extend([Input::Complete(call), Input::BreakOff(call)]),
                Stage::Over => {}
            }
        }
        inputs.extend([Input::Pass(60), Input::Pass(1000)]);
        inputs
    }

    /// Checks the laws that hold in every state.
    fn check(&self, state: &State, before: BreakerState, started: bool) -> Result<(), String> {
        let running = state.calls.iter().filter(|(_, stage)| matches!(stage, Stage::Running { .. })).count();
        let queued = state.calls.iter().filter(|(_, stage)| *stage == Stage::Queued).count();
        if let Some(bulkhead) = self.config.bulkhead {
            law(running <= bulkhead.max_concurrent as usize, || format!("{running} attempts at once"))?;
            let others = self.config.adaptive.is_some() || !self.config.rate_limits.is_empty();
            law(queued <= bulkhead.max_queued as usize || others, || format!("{queued} calls wait"))?;
        }
        if let Some(adaptive) = self.config.adaptive {
            let limit = state.policy.engine.limit().unwrap_or_default();
            law((adaptive.min..=adaptive.max).contains(&limit), || format!("a limit of {limit}"))?;
            law(!started || running <= limit as usize, || {
                format!("{running} attempts under a limit of {limit}")
            })?;
            law(queued == 0 || running >= limit as usize, || {
                format!("{queued} calls wait though {running} of {limit} run")
            })?;
        }
        let now = state.policy.now;
        let silent = self.breaker.probe_timeout.0;
        // A call that waits to retry is not silent.
        let is_heard = |stage: Stage| match stage {
            Stage::Running { since, .. } => now - since < silent,
            Stage::Waiting { due, .. } => now < due + silent,
            _ => false,
        };
        let is_probe = |stage: Stage| stage.probe() == Some(state.generation()) && is_heard(stage);
        let probes = state.calls.iter().filter(|(_, stage)| is_probe(*stage)).count();
        law(probes <= self.breaker.half_open_max_calls as usize, || format!("{probes} probes"))?;
        let admits = self.config.call.scope == BreakerScope::Call || before != BreakerState::Open;
        law(!started || admits, || "an attempt while open".to_owned())?;
        let open = state.calls.iter().filter(|(_, stage)| stage.is_open()).count();
        law(state.policy.engine.in_flight() == open, || {
            format!("the engine has {} calls, the driver {open}", state.policy.engine.in_flight())
        })
    }

    /// From any state: if all running attempts succeed, waits end and time goes on, then every call ends, and the
    /// probes of later calls close an open breaker.
    fn ends_well(&self, mut state: State) -> Result<(), String> {
        for _ in 0..200 {
            let Some(call) = state.calls.iter().position(|(_, stage)| stage.is_open()) else { break };
            if let Stage::Waiting { due, .. } = state.calls[call].1 {
                state.policy.now = state.policy.now.max(due);
            }
            let input = state.next_of(call, 100);
            state.give(input)?;
            if input == Input::Pass(100) {
                // A queue may wait for a call behind it in the list.
                for call in 0..state.calls.len() {
                    if matches!(state.calls[call].1, Stage::Running { .. }) {
                        state.give(Input::Succeed(call))?;
                    }
                }
            }
        }
        law(state.calls.iter().all(|(_, stage)| !stage.is_open()), || "a call never ends".to_owned())?;
        self.closes(state)
    }

    /// A running attempt may stay silent forever. Silent probes must not keep the breaker from closing. If they hold
    /// the slots of a limit, no other call has one.
    fn survives_silence(&self, state: State) -> Result<(), String> {
        if self.config.bulkhead.is_some() || self.config.adaptive.is_some() {
            Ok(())
        } else {
            self.closes(state)
        }
    }

    /// Calls come, one after the other, and succeed: sooner or later the breaker is closed.
    fn closes(&self, mut state: State) -> Result<(), String> {
        for _ in 0..20 {
            state.policy.now += self.breaker.max_reset_timeout.0.max(self.breaker.probe_timeout.0);
            state.give(Input::Begin)?;
            let last = state.calls.len() - 1;
            while state.calls[last].1.is_open() {
                state.give(state.next_of(last, 1000))?;
            }
        }
        let end = state.policy.state();
        law(end == BreakerState::Closed, || format!("the breaker stays {end:?} for ever"))?;
        self.earns(state)
    }

    /// However much was spent: after the window of the budget, calls that fail are tried again.
    fn earns(&self, mut state: State) -> Result<(), String> {
        let Some(allowance) = self.budget else { return Ok(()) };
        state.policy.now += 2 * allowance.window;
        for _ in 0..allowance.attempts_for_a_retry() {
            state.give(Input::Begin)?;
            state.give(Input::Succeed(state.calls.len() - 1))?;
        }
        state.give(Input::Begin)?;
        let last = state.calls.len() - 1;
        state.give(Input::Fail(last))?;
        law(matches!(state.calls[last].1, Stage::Waiting { .. }), || {
            "the budget stays empty for ever".to_owned()
        })
    }

    fn explore(&self) -> usize {
        let mut seen = HashSet::new();
        let mut level = vec![self.start()];
        for _ in 0..self.inputs + deeper() {
            let mut next = Vec::new();
            for state in level {
                for input in self.inputs_of(&state) {
                    let mut after = state.clone();
                    let before = after.policy.state();
                    after.history.push(input);
                    let verdict = after.give(input).and_then(|started| {
                        if !seen.insert(after.fingerprint()) {
                            return Ok(false);
                        }
                        self.check(&after, before, started)?;
                        self.ends_well(after.clone())?;
                        self.survives_silence(after.clone())?;
                        Ok(true)
                    });
                    match verdict {
                        Ok(true) => next.push(after),
                        Ok(false) => {}
                        Err(law) => panic!("{law}, after {:?}", after.history),
                    }
                }
            }
            level = next;
        }
        seen.len()
    }
}

impl State {
    /// The input that brings a call nearer to a good end; one that is queued waits for `pause` milliseconds.
    fn next_of(&self, call: usize, pause: u64) -> Input {
        match self.calls[call].1 {
            Stage::Running { .. } => Input::Succeed(call),
            Stage::Waiting { .. } => Input::Resume(call),
            _ => Input::Pass(pause),
        }
    }

    /// Gives the input, and obeys the step. Returns `true` if an attempt began.
    fn give(&mut self, input: Input) -> Result<bool, String> {
        let decision = self.decision_of(input);
        let step = match input {
            Input::Begin => {
                self.calls.push((u32::MAX, Stage::Over));
                Some((self.calls.len() - 1, self.policy.begin()))
            }
            Input::Succeed(call) => Some((call, self.policy.succeed(self.calls[call].0))),
            Input::Fail(call) => Some((call, self.policy.fail(self.calls[call].0))),
            Input::Overload(call) => {
                let overload = Failure::of(Code::ProviderOverloaded);
                Some((call, self.policy.fail_as(self.calls[call].0, overload)))
            }
            Input::Cancel(call) => Some((call, self.policy.cancel(self.calls[call].0))),
            Input::Resume(call) => Some((call, self.policy.resume(self.calls[call].0))),
            Input::Answer(call) => {
                let number = self.calls[call].0;
                let mut begun = None;
                let step = self.policy.input(|engine, ctx, now| {
                    let (step, answer) = engine.answer(ctx, number, now, None);
                    begun = answer;
                    step
                });
                law(matches!(step, Step::Done { attempts: 1.. }), || format!("{step:?} for an answer"))?;
                self.calls[call].1 = begun.map_or(Stage::Over, Stage::Answering);
                None
            }
            Input::Complete(call) | Input::BreakOff(call) => {
                self.end_answer(call, matches!(input, Input::BreakOff(_)))?;
                None
            }
            Input::Pass(ms) => {
                self.policy.now += ms;
                None
            }
        };
        let mut started = false;
        if let Some((call, step)) = step {
            started = self.obey(call, step)?;
        }
        if let Some((call, decision)) = decision {
            let is_still_one = self.calls[call].1.probe().is_some();
            let expected = if is_still_one { BreakerState::HalfOpen } else { decision };
            let state = self.policy.state();
            law(state == expected, || format!("{state:?} after a probe's result, not {expected:?}"))?;
        }
        while let Some((number, step)) = self.policy.next_ready_call() {
            let call = self.calls.iter().position(|&(call, stage)| stage == Stage::Queued && call == number);
            let call = call.ok_or_else(|| format!("{step:?} for a call that does not wait"))?;
            started |= self.obey(call, step)?;
        }
        while self.policy.events.pop().is_some() {}
        Ok(started)
    }

    /// Returns the probe's call and the state that its end leads to: a success closes a half-open breaker, however late;
    /// the failure of a call whose place is still free opens it.
    fn decision_of(&self, input: Input) -> Option<(usize, BreakerState)> {
        let BreakerConfig { half_open_max_calls, success_threshold, .. } =
            *self.policy.breaker.as_ref()?.config();
        let (Input::Succeed(call) | Input::Fail(call) | Input::Overload(call)) = input else { return None };
        self.calls[call].1.probe().filter(|probe| *probe == self.generation())?;
        let probes = self.calls.iter().filter(|(_, stage)| stage.probe() == Some(self.generation())).count();
        match input {
            Input::Succeed(_) => (success_threshold == 1).then_some((call, BreakerState::Closed)),
            _ => (probes <= half_open_max_calls as usize).then_some((call, BreakerState::Open)),
        }
    }

    fn generation(&self) -> u64 {
        self.policy.breaker.as_ref().map_or(0, Breaker::generation)
    }

    /// The answer ends, or breaks off. An answer that breaks off counts as a failure: at a threshold of one, a breaker
    /// that the answer has closed, or found closed, opens.
    fn end_answer(&mut self, at: usize, breaks_off: bool) -> Result<(), String> {
        let Stage::Answering(answer) = std::mem::replace(&mut self.calls[at].1, Stage::Over) else {
            return Err("no answer has begun".to_owned());
        };
        let now = Timestamp(self.policy.now);
        let Some(breaker) = &mut self.policy.breaker else { return Ok(()) };
        if !breaks_off {
            breaker.completed(answer);
            return Ok(());
        }
        let is_stale = breaker.generation() != answer.to_bits() >> 1;
        breaker.broke_off(answer, None, now);
        law(is_stale || breaker.state(now) != BreakerState::Closed, || {
            "an answer broke off, and the breaker is closed".to_owned()
        })
    }

    fn obey(&mut self, at: usize, step: Step) -> Result<bool, String> {
        let now = self.policy.now;
        self.count(step)?;
        self.calls[at] = match step {
            Step::Attempt { call, probe, generation, .. } => {
                (call, Stage::Running { probe: probe.then_some(generation), since: now })
            }
            Step::Wait { call, plan, .. } => {
                // With the scope `attempt`, the attempt was the probe, not the call.
                let probe = self.calls[at].1.probe().filter(|_| self.scope == BreakerScope::Call);
                (call, Stage::Waiting { probe, due: plan.due.0 })
            }
            Step::Queued { call, .. } => (call, Stage::Queued),
            _ => (self.calls[at].0, Stage::Over),
        };
        Ok(matches!(step, Step::Attempt { .. }))
    }

    /// Granted retries are within the earnings, and refused ones would not surely have been: the budget counts in
    /// buckets.
    fn count(&mut self, step: Step) -> Result<(), String> {
        let (now, Some(Allowance { percent, reserve, window })) = (self.policy.now, self.allowance) else {
            return Ok(());
        };
        match step {
            Step::Attempt { attempt: 1, .. } => self.spent.first_attempts.push(now),
            Step::Wait { .. } => {
                self.spent.retries.push(now);
                let (first_attempts, retries) = self.spent.younger(window, now);
                return law(100 * retries <= 100 * reserve + percent * first_attempts, || {
                    format!("{retries} retries for {first_attempts} first attempts")
                });
            }
            Step::GiveUp { why: Why::Budget, .. } => {
                let bucket = window.div_ceil(BUCKETS);
                let (first_attempts, _) = self.spent.younger(window - bucket, now);
                let (_, retries) = self.spent.younger(window + bucket, now);
                return law(100 * (retries + 1) > 100 * reserve + percent * first_attempts, || {
                    format!("no retry, after {retries} for {first_attempts} first attempts")
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// All that decides what comes next, as a hash: two of some million states have the same one in one run of two million.
    fn fingerprint(&self) -> u64 {
        let Harness { engine, breaker, budget, now, .. } = &self.policy;
        let spent = self.allowance.map(|allowance| self.spent.ages(2 * allowance.window, *now));
        let mut hasher = DefaultHasher::new();
        format!("{engine:?}{breaker:?}{budget:?}{now}{:?}{spent:?}", self.calls).hash(&mut hasher);
        hasher.finish()
    }
}

fn law(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn config(scope: BreakerScope, max_retries: u32) -> PolicyConfig {
    let backoff = Backoff { base: Millis(50), jitter: Jitter::None, ..Backoff::default() };
    let retry = RetryConfig { max_retries, backoff, ..RetryConfig::default() };
    PolicyConfig { call: CallConfig { retry, scope, ..CallConfig::default() }, ..PolicyConfig::default() }
}

fn breaker() -> BreakerConfig {
    BreakerConfig {
        trip: Trip::Consecutive(1),
        reset_timeout: Millis(1000),
        max_reset_timeout: Millis(1000),
        probe_timeout: Millis(1500),
        ..BreakerConfig::default()
    }
}

/// `INTERLEAVINGS=1` goes one input deeper, to about ten times the number of states.
fn deeper() -> usize {
    std::env::var("INTERLEAVINGS").map_or(0, |inputs| inputs.parse().expect("how many inputs more"))
}

fn holds(world: &World, at_least: usize) {
    let states = world.explore();
    assert!(states >= at_least, "{states} states: less than there were");
}

#[test]
fn a_breaker_of_attempts() {
    let config = config(BreakerScope::Attempt, 1);
    holds(&World { config, breaker: breaker(), budget: None, calls: 3, inputs: 8, answers: false }, 20_000);
}

#[test]
fn a_breaker_of_calls_with_two_probes() {
    let breaker = BreakerConfig {
        half_open_max_calls: 2,
        success_threshold: 2,
        trip: Trip::Consecutive(2),
        ..breaker()
    };
    let config = config(BreakerScope::Call, 1);
    holds(&World { config, breaker, budget: None, calls: 3, inputs: 8, answers: false }, 20_000);
}

#[test]
fn answers_that_break_off() {
    let config = config(BreakerScope::Attempt, 1);
    holds(&World { config, breaker: breaker(), budget: None, calls: 3, inputs: 7, answers: true }, 10_000);
}

#[test]
fn a_bulkhead_before_a_breaker() {
    let config = PolicyConfig {
        bulkhead: Some(BulkheadConfig { max_concurrent: 1, max_queued: 1 }),
        ..config(BreakerScope::Attempt, 1)
    };
    holds(&World { config, breaker: breaker(), budget: None, calls: 3, inputs: 9, answers: false }, 20_000);
}

#[test]
fn a_rate_limit_and_a_bulkhead() {
    let config = PolicyConfig {
        bulkhead: Some(BulkheadConfig { max_concurrent: 2, max_queued: 1 }),
        rate_limits: vec![RateLimitConfig {
            limit: 1,
            window: Millis(100),
            max_wait: Millis(200),
            unit: Unit::Requests,
        }],
        ..config(BreakerScope::Call, 1)
    };
    holds(&World { config, breaker: breaker(), budget: None, calls: 3, inputs: 8, answers: false }, 20_000);
}

#[test]
fn an_adaptive_limit() {
    let adaptive = AdaptiveConfig { initial: 2, max: 3, ..AdaptiveConfig::default() };
    let mut config = PolicyConfig { adaptive: Some(adaptive), ..config(BreakerScope::Call, 1) };
    config.call.total = Some(Millis(3000));
    let breaker = BreakerConfig { trip: Trip::Consecutive(2), ..breaker() };
    holds(&World { config, breaker, budget: None, calls: 3, inputs: 7, answers: false }, 20_000);
}

#[test]
fn an_adaptive_limit_in_a_bulkhead() {
    let config = PolicyConfig {
        bulkhead: Some(BulkheadConfig { max_concurrent: 2, max_queued: 1 }),
        adaptive: Some(AdaptiveConfig { initial: 1, max: 2, ..AdaptiveConfig::default() }),
        ..config(BreakerScope::Attempt, 1)
    };
    holds(&World { config, breaker: breaker(), budget: None, calls: 3, inputs: 7, answers: false }, 10_000);
}

/// Calls of several retries, which a budget bounds.
fn budgeted(budget: Allowance) -> World {
    let mut config = config(BreakerScope::Call, 2);
    config.call.shared = Shared { breaker: 1, budget: 1 };
    let breaker = BreakerConfig { trip: Trip::Consecutive(2), ..breaker() };
    World { config, breaker, budget: Some(budget), calls: 3, inputs: 8, answers: false }
}

#[test]
fn a_budget_of_one_retry() {
    holds(&budgeted(Allowance { percent: 0, reserve: 1, window: 1000 }), 20_000);
}

#[test]
fn a_budget_of_a_retry_for_two_calls() {
    holds(&budgeted(Allowance { percent: 50, reserve: 0, window: 1000 }), 20_000);
}
