//! The engine's reports on itself and on its calls, and the inputs that need the time.

use crate::harness::{Harness, WITH_BUDGET};
use halfopen::limit::Unit;
use halfopen::policy::{
    BreakerConfig, BudgetConfig, CallConfig, PolicyConfig, Rate, RateLimitConfig, Rates, Shared, Step,
    Throttle, Trip, defaults,
};
use halfopen::time::Millis;

/// The first step of a call that begins without a time.
fn begun_without_time(config: PolicyConfig, breaker: Option<BreakerConfig>) -> Step {
    let mut harness = Harness::new(config);
    if let Some(breaker) = breaker {
        harness = harness.with_breaker(breaker);
    }
    harness.input(|engine, ctx, _| engine.begin(ctx, None))
}

fn calls(change: impl FnOnce(&mut CallConfig)) -> PolicyConfig {
    let mut config = PolicyConfig::default();
    change(&mut config.call);
    config
}

#[test]
fn a_call_needs_the_time_for_a_deadline_a_budget_a_rate_limit_or_a_window_each_on_its_own() {
    assert!(matches!(begun_without_time(PolicyConfig::default(), None), Step::Attempt { .. }));
    let consecutive = Some(BreakerConfig::default());
    assert!(matches!(begun_without_time(PolicyConfig::default(), consecutive), Step::Attempt { .. }));
    let (window, max_wait) = (Millis(1000), Millis(0));
    let limit = RateLimitConfig { limit: 1, window, max_wait, unit: Unit::Requests };
    let limited = PolicyConfig { rate_limits: vec![limit], ..PolicyConfig::default() };
    let budgets = [(BudgetConfig::default(), true), (defaults::BUDGET, false)];
    for (budget, needs_time) in budgets {
        let mut harness = Harness::new(calls(|call| call.shared = WITH_BUDGET)).with_budget(budget);
        let step = harness.input(|engine, ctx, _| engine.begin(ctx, None));
        assert_eq!(step == Step::NeedTime, needs_time);
    }
    for config in [calls(|call| call.total = Some(Millis(1000))), limited] {
        assert!(Harness::new(config.clone()).engine.needs_time());
        assert_eq!(begun_without_time(config, None), Step::NeedTime);
    }
    let rates = Rates { failure: Rate::from_f64(0.5), minimum_calls: 10, slow: None };
    for trip in [
        Trip::Count { size: 10, rates },
        Trip::Time { duration: Millis(1000), rates },
        Trip::Throttle(Throttle::default()),
    ] {
        let breaker = Some(BreakerConfig { trip, ..BreakerConfig::default() });
        assert_eq!(begun_without_time(PolicyConfig::default(), breaker), Step::NeedTime);
    }
    let mut harness = Harness::new(PolicyConfig::default());
    assert!(!harness.engine.needs_time());
    harness.engine.observe(true);
    assert!(harness.engine.needs_time());
}

#[test]
fn a_call_keeps_its_shared_parts_and_call_0_means_future_calls() {
    let (old, new) = (Shared { breaker: 3, budget: 4 }, Shared { breaker: 5, budget: 6 });
    let mut harness = Harness::calls(|call| call.shared = old);
    let call = harness.attempt();
    harness.engine.update(calls(|call| call.shared = new));
    assert_eq!(harness.engine.config(), calls(|call| call.shared = new).call);
    assert_eq!((harness.engine.shared_by(0), harness.engine.shared_by(call)), (new, old));
    harness.succeed(call);
    assert_eq!(harness.engine.shared_by(call), Shared::default());
}

#[test]
fn calls_are_numbered_as_they_begin_and_counted_while_they_are_on_their_way() {
    let mut harness = Harness::calls(|_| {});
    let asked = |harness: &Harness, call| {
        (harness.engine.begun(), harness.engine.in_flight(), harness.engine.number_of(call))
    };
    assert_eq!(asked(&harness, 1), (0, 0, None));
    let first = harness.attempt();
    let second = harness.attempt();
    assert_eq!(asked(&harness, first), (2, 2, Some(1)));
    assert_eq!(asked(&harness, second), (2, 2, Some(2)));
    harness.succeed(first);
    assert_eq!(asked(&harness, first), (2, 1, None));
    let third = harness.attempt();
    assert_eq!(asked(&harness, third), (3, 2, Some(3)));
}
