//! A half-open breaker under traffic: it decides within the time that its probes need, whatever retries the calls have.

use crate::harness::{Harness, wait_of};
use halfopen::Code;
use halfopen::policy::{
    BreakerConfig, BreakerScope, BreakerState, Fact, Failure, Layer, Step, Trip, defaults,
};
use halfopen::time::Millis;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A provider: after how many milliseconds it answers an attempt that begins at a time, and whether with success.
type Provider = fn(u64) -> (u64, bool);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Call,
    Resume(u32),
    Answer { call: u32, ok: bool },
}

/// The results of a run's calls.
#[derive(Debug, Default)]
struct Outcome {
    attempts: u32,
    openings: u32,
    /// The last time at which the breaker closed.
    closed_at: Option<u64>,
}

/// Makes a call every `between` milliseconds until `end`.
fn run(mut policy: Harness, between: u64, end: u64, provider: Provider) -> Outcome {
    policy.engine.observe(true);
    let mut outcome = Outcome::default();
    let mut events: BinaryHeap<_> =
        (0..end / between).map(|call| Reverse((call * between, Event::Call))).collect();
    while let Some(Reverse((now, event))) = events.pop() {
        policy.now = now;
        let step = match event {
            Event::Call => policy.begin(),
            Event::Resume(call) => policy.resume(call),
            Event::Answer { call, ok: true } => policy.succeed(call),
            Event::Answer { call, ok: false } => policy.fail(call),
        };
        match step {
            Step::Attempt { call, .. } => {
                outcome.attempts += 1;
                let (takes, ok) = provider(now);
                events.push(Reverse((now + takes, Event::Answer { call, ok })));
            }
            Step::Wait { call, plan, .. } => events.push(Reverse((plan.due.0, Event::Resume(call)))),
            _ => {}
        }
        for fact in policy.facts() {
            if let Fact::BreakerChanged { change, .. } = fact {
                outcome.openings += u32::from(change.to == BreakerState::Open);
                outcome.closed_at =
                    if change.to == BreakerState::Closed { Some(now) } else { outcome.closed_at };
            }
        }
    }
    outcome
}

/// A policy as without options, but with that many retries and no budget.
fn with_retries(max_retries: u32, scope: BreakerScope) -> Harness {
    Harness::calls(|call| {
        call.retry.max_retries = max_retries;
        call.scope = scope;
    })
    .with_breaker(defaults::BREAKER.config())
}

/// Four calls a second, and an outage of three minutes: each time that the breaker is half-open costs the calls of three
/// probes, with their retries.
#[test]
fn an_outage_costs_three_calls_for_each_opening_whatever_the_retries() {
    for scope in [BreakerScope::Call, BreakerScope::Attempt] {
        for max_retries in [0, 1, 3] {
            let outage = run(with_retries(max_retries, scope), 250, 180_000, |_| (100, false));
            // Until the fifth call has used up its retries, 8 s pass, in which 34 calls have begun.
            let most = (max_retries + 1) * (34 + 3 * outage.openings);
            assert!(outage.attempts <= most, "{max_retries} retries, {scope:?}: {outage:?}");
            assert!(outage.openings >= 20, "{max_retries} retries, {scope:?}: {outage:?}");
        }
    }
    let quota = with_retries(3, BreakerScope::Call).with_budget(defaults::BUDGET);
    let outage = run(quota, 250, 180_000, |_| (100, false));
    assert!(outage.attempts < 165, "{outage:?}");
}

/// After an outage a model is back that answers after ten seconds, three times the probe timeout.
#[test]
fn a_slow_model_closes_it() {
    for between in [100, 250, 1000] {
        let outcome = run(with_retries(0, BreakerScope::Call), between, 180_000, |now| {
            if now < 30_000 { (100, false) } else { (10_000, true) }
        });
        assert!(outcome.closed_at.is_some_and(|at| at < 45_000), "a call each {between} ms: {outcome:?}");
    }
}

/// A breaker that is half-open for the first time, and probes of three retries that wait for 1 s, 2 s and 4 s.
fn half_open() -> Harness {
    let config =
        BreakerConfig { trip: Trip::Consecutive(1), half_open_max_calls: 1, ..defaults::BREAKER.config() };
    let mut policy = with_retries(3, BreakerScope::Call).with_breaker(config);
    policy.exhaust(Failure::of(Code::ServerError));
    policy.now += 1000;
    policy
}

#[test]
fn a_probe_keeps_its_slot_while_its_call_waits_to_retry() {
    let mut policy = half_open();
    let mut step = policy.begin();
    let mut waited = 0;
    while let Step::Attempt { call, probe, .. } = step {
        assert!(probe);
        step = policy.fail(call);
        if let Step::Wait { plan, .. } = step {
            waited += plan.delay.delay.0;
            policy.now = plan.due.0;
            // As late as the retry may begin without a new sign of it.
            policy.now += defaults::BREAKER.config().probe_timeout.0 - 1;
            let refused = Step::Rejected { by: Layer::Breaker, retry_after: Some(Millis(1)), attempts: 0 };
            assert_eq!(policy.begin(), refused);
            step = policy.resume(call);
        }
    }
    assert!(waited > defaults::BREAKER.config().probe_timeout.0, "{waited} ms");
    assert_eq!(policy.state(), BreakerState::Open, "the result of the whole call counts");
}

#[test]
fn a_retry_that_hangs_makes_room() {
    let mut policy = half_open();
    let hung = policy.attempt();
    wait_of(policy.fail(hung));
    policy.now += 2000;
    policy.resume(hung);
    policy.now += defaults::BREAKER.config().probe_timeout.0;
    let next = policy.attempt();
    policy.succeed(next);
    assert_eq!(policy.state(), BreakerState::Closed);
}
