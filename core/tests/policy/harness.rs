//! A policy with all its parts at hand, on a clock that the test moves.

use halfopen::Code;
use halfopen::policy::{
    Breaker, BreakerConfig, BreakerState, Budget, BudgetConfig, CallConfig, Context, Engine, Fact, Failure,
    PolicyConfig, Ring, Shared, Step, Why,
};
use halfopen::time::{Millis, Timestamp};

#[derive(Clone)]
pub(crate) struct Harness {
    pub(crate) engine: Engine,
    pub(crate) breaker: Option<Breaker>,
    pub(crate) budget: Option<Budget>,
    pub(crate) events: Ring,
    pub(crate) now: u64,
}

impl Harness {
    pub(crate) fn new(config: PolicyConfig) -> Self {
        Self { engine: Engine::new(config, 7), breaker: None, budget: None, events: Ring::new(), now: 0 }
    }

    /// A policy that differs from the default in how it treats calls.
    pub(crate) fn calls(change: impl FnOnce(&mut CallConfig)) -> Self {
        let mut config = PolicyConfig::default();
        change(&mut config.call);
        Self::new(config)
    }

    pub(crate) fn with_breaker(mut self, config: BreakerConfig) -> Self {
        self.breaker = Some(Breaker::new(config));
        self
    }

    pub(crate) fn with_budget(mut self, config: BudgetConfig) -> Self {
        self.budget = Some(Budget::new(config));
        self
    }

    pub(crate) fn input(
        &mut self,
        input: impl FnOnce(&mut Engine, &mut Context<'_>, Option<Timestamp>) -> Step,
    ) -> Step {
        let mut ctx = Context {
            breaker: self.breaker.as_mut(),
            budget: self.budget.as_mut(),
            events: &mut self.events,
            policy_id: 1,
            breaker_id: 2,
        };
        input(&mut self.engine, &mut ctx, Some(Timestamp(self.now)))
    }

    pub(crate) fn begin(&mut self) -> Step {
        self.input(|engine, ctx, now| engine.begin(ctx, now))
    }

    pub(crate) fn begin_with(&mut self, config: CallConfig) -> Step {
        self.input(|engine, ctx, now| engine.begin_with(ctx, now, config))
    }

    /// Begins a call that must be admitted at once.
    pub(crate) fn attempt(&mut self) -> u32 {
        match self.begin() {
            Step::Attempt { call, .. } => call,
            step => panic!("not admitted: {step:?}"),
        }
    }

    pub(crate) fn succeed(&mut self, call: u32) -> Step {
        self.input(|engine, ctx, now| engine.succeed(ctx, call, now, None))
    }

    pub(crate) fn fail_as(&mut self, call: u32, failure: Failure) -> Step {
        self.input(|engine, ctx, now| engine.fail(ctx, call, now, &failure))
    }

    pub(crate) fn fail(&mut self, call: u32) -> Step {
        self.fail_as(call, Failure::of(Code::ServerError))
    }

    pub(crate) fn resume(&mut self, call: u32) -> Step {
        self.input(|engine, ctx, now| engine.resume(ctx, call, now))
    }

    pub(crate) fn cancel(&mut self, call: u32) -> Step {
        self.input(|engine, ctx, now| engine.cancel(ctx, call, now))
    }

    pub(crate) fn close(&mut self, call: u32) -> Step {
        self.input(|engine, ctx, now| engine.close(ctx, call, now))
    }

    pub(crate) fn next_ready(&mut self) -> Option<Step> {
        self.next_ready_call().map(|(_, step)| step)
    }

    /// Returns the call that came forward, and its step.
    pub(crate) fn next_ready_call(&mut self) -> Option<(u32, Step)> {
        let call = self.engine.next_ready(Some(Timestamp(self.now)))?;
        Some((call, self.input(|engine, ctx, now| engine.dequeue(ctx, call, now))))
    }

    /// Fails every attempt, waiting as told; returns the delays and why it ended.
    pub(crate) fn exhaust(&mut self, failure: Failure) -> (Vec<u64>, Why) {
        let mut delays = Vec::new();
        let mut step = self.begin();
        loop {
            step = match step {
                Step::Attempt { call, .. } => self.fail_as(call, failure),
                Step::Wait { call, plan, .. } => {
                    assert!(delays.len() < 1000, "it never gives up");
                    delays.push(plan.delay.delay.0);
                    self.now = plan.due.0;
                    self.resume(call)
                }
                Step::GiveUp { why, .. } => return (delays, why),
                step => panic!("unexpected {step:?}"),
            };
        }
    }

    pub(crate) fn state(&self) -> BreakerState {
        self.breaker.as_ref().expect("a breaker").state(Timestamp(self.now))
    }

    pub(crate) fn facts(&mut self) -> Vec<Fact> {
        std::iter::from_fn(|| self.events.pop()).map(|record| record.fact).collect()
    }
}

pub(crate) fn wait_of(step: Step) -> (u32, u64) {
    match step {
        Step::Wait { call, plan, .. } => (call, plan.delay.delay.0),
        step => panic!("no wait: {step:?}"),
    }
}

pub(crate) fn call_of(step: Step) -> u32 {
    match step {
        Step::Attempt { call, .. } | Step::Queued { call, .. } | Step::Wait { call, .. } => call,
        step => panic!("over: {step:?}"),
    }
}

pub(crate) fn why(step: Step) -> Why {
    match step {
        Step::GiveUp { why, .. } => why,
        step => panic!("not given up: {step:?}"),
    }
}

pub(crate) fn hinted(ms: u64) -> Failure {
    Failure { hint: Some(Millis(ms)), ..Failure::of(Code::RateLimited) }
}

/// Numbers for a budget, so that the engine knows there is one.
pub(crate) const WITH_BUDGET: Shared = Shared { breaker: 0, budget: 1 };
